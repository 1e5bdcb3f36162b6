//! Words that names of tables and columns are often made of, to find them again where a name is written as one word.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::question::lemma::lemma;

/// Words of any business, by what they speak of.
const WORDS: &str = "
    access account action active activity actor address adult age agency agent airline airport album amount animal annual
    answer apartment area arrival article artist asset assist attendance author available average award balance band bank base
    battery batting bed begin billing birth block board body bonus book booking born branch brand breed budget build
    building business buy buyer cabin call camera campus candidate capacity capital car card career cargo cast catalog
    category center change channel chapter charge chart check child circuit city claim class client close club coach code
    college color colour comment commission committee common company competition complaint condition contact content
    contest continent contract copy cost count country county course court cover create created creation credit crew
    cuisine currency current customer daily data database date day days death debit decision degree delay delivery
    department departure deposit depth description design destination detail detection device diameter difference
    director discount disease display distance district division doctor document donor draft drive driver due duration
    duty earn earning east edition editor education election elevation email employee end engine enrollment entry
    episode equipment error estimate event exam exit expectancy experience expiry export family fare father fee female
    field file film final finish first fiscal flag fleet flight floor flow food foreign form format found founded founder
    founding free frequency friend fuel full function fund game gate gender genre given goal gold government grade grant
    graph gross group growth guest hall hand head headquarter health height hill history holder holiday home horse
    hospital host hotel hour hours house import incident income indicator industry info inspection institution
    instructor instrument insurance inventory invoice issue item job journal journey key kind label land language last
    latitude launch lead league left legal length lesson level library licence license life limit line link list loan
    local location login long longitude loss mail main maintenance make male manager manufacturer map margin mark market
    marriage match material max maximum maker mean measure medal media medicine member membership memory menu message
    meter method middle migration mile min minimum minute minutes mobile mode model money month mother motor mountain move
    movie museum name nation national native net network new news nickname night note number nurse object occupancy
    occupation offer office official open opening operation option order organization origin other outcome output owner
    pack package page paid paint painting parent park part participant party passenger password patient pay payment peak
    people percent percentage performance period permit person pet phone photo picture pilot pitch place plan plane plant
    platform play player point points policy pool population port position post postal power practice premium
    prescription price primary print priority private prize problem procedure process product production professor
    profile profit program project property provider public publication publisher purchase quality quantity quarter
    question race range rank ranking rate rating ratio reason receipt record ref reference region register registration
    relation release remark rent rental report request research reservation reserve residence resolution response
    restaurant result retail return revenue review reviewer right risk river road role room roll route row rule runtime
    salary sale sales sample schedule school science score screen season seat seats second section sector security
    segment sell seller semester senior series serial service session sex share shelf ship shipment shipping shop show
    side signed singer single site size skill social software song source space speaker speciality specialty species
    speed sponsor sport square staff stage standard star start state statement station status stay step stock stop store
    storm story street string student style subject subscriber subscription summary supplier supply support surface
    surname symptom system table target tax taxi teacher team technician telephone temperature tenant term test text
    theme ticket time times title token top total tour tourist tournament town track trade traffic train transaction
    transfer travel treatment trip truck type unit university update usage used user value vehicle vendor venue version
    victim video view village visit visitor volume vote voter voting wage wait warehouse waste water website week
    weekly weight wheel width wife win winner wins word work worker world writer year years young zip zone";

/// A word shorter than this is taken for chance at the end of a name whose beginning nobody knows.
const TELLING_LENGTH: usize = 6;

/// Short units that a quantity ends with.
const UNITS: &[&str] = &["kg", "km", "cm", "mm", "ml", "usd", "eur", "mph"];

/// Beginnings that say how something is meant, whatever it is.
const MEASURING: &[&str] = &["num", "max", "min", "avg", "total", "has"];

/// Whether the word, or what it is a form of, is one of them.
#[must_use]
pub fn is_schema_word(word: &str) -> bool {
    static KNOWN: LazyLock<HashSet<&str>> = LazyLock::new(|| WORDS.split_whitespace().collect());
    KNOWN.contains(word) || KNOWN.contains(lemma(word).as_str())
}

/// Where a name written as one word falls into words; `is_known` knows further ones.
#[must_use]
pub fn cuts(name: &str, is_known: &dyn Fn(&str) -> bool) -> Option<Vec<String>> {
    let known = |piece: &str| piece.len() >= 3 && (is_known(piece) || is_schema_word(piece));
    if is_schema_word(name) {
        return None;
    }
    let whole = (3..name.len().saturating_sub(2)).rev().filter(|&cut| name.is_char_boundary(cut)).find_map(|cut| {
        let (start, rest) = name.split_at(cut);
        let rest = if known(rest) { vec![rest.to_string()] } else { cuts(rest, is_known)? };
        known(start).then(|| [vec![start.to_string()], rest].concat())
    });
    let in_unit = || {
        let unit = UNITS.iter().find(|unit| name.strip_suffix(**unit).is_some_and(is_schema_word))?;
        Some(vec![name[..name.len() - unit.len()].to_string(), (*unit).to_string()])
    };
    let measured = || {
        let start = MEASURING.iter().find(|start| name.len() > start.len() + 3 && name.starts_with(**start))?;
        Some(vec![(*start).to_string(), name[start.len()..].to_string()])
    };
    whole.or_else(in_unit).or_else(measured).or_else(|| {
        (3..name.len().saturating_sub(TELLING_LENGTH - 1))
            .filter(|&cut| name.is_char_boundary(cut))
            .find(|&cut| known(&name[cut..]))
            .map(|cut| vec![name[..cut].to_string(), name[cut..].to_string()])
    })
}

#[cfg(test)]
mod tests {
    use super::cuts;

    fn check(name: &str, expected: &str) {
        let found = cuts(name, &|word| word == "elo").map(|words| words.join(" "));
        assert_eq!(found.as_deref().unwrap_or(name), expected);
    }

    #[test]
    fn names_fall_into_words_that_are_known() {
        check("lifeexpectancy", "life expectancy");
        check("surfacearea", "surface area");
        check("nummoves", "num moves");
        check("distancekm", "distance km");
        check("totalkarma", "total karma");
        check("xyzdistrict", "xyz district");
        check("eventstarttime", "event start time");
        check("elorating", "elo rating");
        check("countrycode", "country code");
        check("capacity", "capacity");
        check("discount", "discount");
        check("candidate", "candidate");
        check("velocity", "velocity");
    }
}
