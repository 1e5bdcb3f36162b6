//! Questions about people in roles, about what stands empty and about quotients by a unit, with the SQL they become.

use super::asked_model::AskedModel;
use super::listed_values::ListedValues;

const MODEL: &str = "
name: stables
tables:
- name: people
  base_table: {table: PEOPLE}
  primary_key: {columns: [person_id]}
  dimensions:
  - {name: person_id, data_type: NUMBER, unique: true}
  - {name: full_name, data_type: TEXT}
  - {name: country, data_type: TEXT}
  time_dimensions: [{name: born_on, data_type: DATE}]
- name: horses
  base_table: {table: HORSES}
  primary_key: {columns: [horse_id]}
  dimensions:
  - {name: horse_id, data_type: NUMBER, unique: true}
  - {name: horse_name, data_type: TEXT}
  - {name: owner_id, data_type: NUMBER}
- name: boxes
  base_table: {table: BOXES}
  primary_key: {columns: [box_id]}
  dimensions:
  - {name: box_id, data_type: NUMBER, unique: true}
  - {name: box_name, data_type: TEXT}
  facts:
  - {name: area_sqm, data_type: NUMBER}
  - {name: monthly_rent, data_type: NUMBER, default_aggregation: avg}
- name: stays
  base_table: {table: STAYS}
  primary_key: {columns: [stay_id]}
  dimensions:
  - {name: stay_id, data_type: NUMBER, unique: true}
  - {name: stay_box_id, data_type: NUMBER}
  - {name: stay_horse_id, data_type: NUMBER}
  - {name: groom_id, data_type: NUMBER}
  time_dimensions: [{name: arrived_on, data_type: DATE}, {name: departed_on, data_type: DATE}]
  filters: [{name: boarding_now, expr: departed_on IS NULL}]
- name: notes
  base_table: {table: NOTES}
  primary_key: {columns: [note_id]}
  dimensions:
  - {name: note_id, data_type: NUMBER, unique: true}
  - {name: note_horse_id, data_type: NUMBER}
  - {name: author_id, data_type: NUMBER}
  - {name: checked_by, data_type: NUMBER, description: The person who approved the note}
relationships:
- {name: e, left_table: notes, right_table: horses, relationship_columns: [{left_column: note_horse_id, right_column: horse_id}]}
- {name: f, left_table: notes, right_table: people, relationship_columns: [{left_column: author_id, right_column: person_id}]}
- {name: inspector, left_table: notes, right_table: people, relationship_columns: [{left_column: checked_by, right_column: person_id}]}
- {name: a, left_table: horses, right_table: people, relationship_columns: [{left_column: owner_id, right_column: person_id}]}
- {name: b, left_table: stays, right_table: boxes, relationship_columns: [{left_column: stay_box_id, right_column: box_id}]}
- {name: c, left_table: stays, right_table: horses, relationship_columns: [{left_column: stay_horse_id, right_column: horse_id}]}
- {name: d, left_table: stays, right_table: people, relationship_columns: [{left_column: groom_id, right_column: person_id}]}
";

const DATA: ListedValues = ListedValues {
    values: &[("full_name", &["Ada Berg"]), ("country", &["France", "Spain"]), ("horse_name", &["Luna", "Rex"])],
    with_gaps: &["departed_on"],
    latest_days: &[],
};

const STABLES: AskedModel = AskedModel { yaml: MODEL, data: DATA };

#[test]
fn people_in_a_role_are_named_and_are_those_of_the_role() {
    STABLES.check("French owners", &["full_name", "country = 'France'", "owner_id"]);
    STABLES.check("Who is the owner of Luna?", &["full_name", "owner_id", "horse_name = 'Luna'"]);
    STABLES.check("Who owns Luna?", &["full_name", "owner_id", "horse_name = 'Luna'"]);
    STABLES.check("How many horses does each owner have?", &["full_name", "COUNT(*)", "GROUP BY", "owner_id"]);
    STABLES.check("Which owner id has the most horses?", &["SELECT horses.owner_id"]);
}

#[test]
fn what_nothing_takes_up_is_empty() {
    let vacant = "boxes.box_id NOT IN (SELECT stays.stay_box_id FROM stays WHERE (stays.departed_on IS NULL)";
    STABLES.check("Which boxes are empty?", &["SELECT boxes.box_name", vacant]);
    STABLES.check("vacant boxes", &[vacant]);
    STABLES.check("Which boxes are empty at the moment?", &[vacant]);
    STABLES.check("Which boxes are occupied right now?", &["boxes.box_id IN (SELECT stays.stay_box_id"]);
}

#[test]
fn a_unit_behind_per_divides() {
    let quotient = "SUM(boxes.monthly_rent) * 1.0 / NULLIF(SUM(boxes.area_sqm), 0)";
    STABLES.check("monthly rent per square metre for each box", &[quotient]);
}

/// Two references of a note lead to people; the noun, the verb or the name of the relationship tells which is meant.
#[test]
fn of_two_roles_of_one_table_the_one_that_is_said_is_meant() {
    STABLES.check("How many notes does each author have?", &["full_name", "COUNT(*)", "author_id"]);
    STABLES.check("How many notes does each inspector have?", &["full_name", "COUNT(*)", "checked_by"]);
    STABLES.check("Who approved the most notes?", &["full_name", "checked_by", "ORDER BY COUNT(*) DESC"]);
}

#[test]
fn money_for_a_unit_is_compared_with_the_price_of_the_unit() {
    STABLES.check("boxes that cost more than 300 euros a month", &["box_name", "monthly_rent > 300"]);
}
