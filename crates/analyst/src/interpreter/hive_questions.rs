//! Questions in words that the model has only in its descriptions and units.

use super::asked_model::AskedModel;
use super::listed_values::ListedValues;

const HIVES: AskedModel = AskedModel {
    yaml: include_str!("hive_questions/hives.yaml"),
    data: ListedValues {
        values: &[("honey_type", &["lime", "clover"]), ("hive_type", &["dadant", "warre"])],
        with_gaps: &["lost_on"],
        latest_days: &[],
    },
};

#[test]
fn a_verb_of_a_description_names_its_day() {
    for question in ["How many colonies died in 2025?", "How many colonies perished in 2025?"] {
        HIVES.check(question, &["COUNT(*)", "YEAR(hives.lost_on) = 2025"]);
    }
    HIVES.check("How many colonies died?", &["COUNT(*)", "hives.lost_on IS NOT NULL"]);
    HIVES.check("How many colonies were installed in 2025?", &["YEAR(hives.installed_on) = 2025"]);
}

#[test]
fn the_heaviest_are_those_with_most_kilograms() {
    HIVES.check("What is the heaviest harvest?", &["harvests.kilograms DESC", "LIMIT 1"]);
    HIVES.check("What is the lightest harvest?", &["ORDER BY harvests.kilograms", "LIMIT 1"]);
    for question in ["heaviest harvest of each honey type", "heaviest harvest per honey type"] {
        HIVES.check(question, &["PARTITION BY harvests.honey_type ORDER BY harvests.kilograms DESC", "<= 1"]);
    }
}
