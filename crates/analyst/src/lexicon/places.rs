//! Names that stand for each other: places and their demonyms, countries and their ISO codes, US states and their postal
//! codes, months and weekdays and their abbreviations. All lower-case, words separated by spaces.

use std::collections::HashMap;
use std::sync::LazyLock;

/// Another way to write a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Alias {
    pub text: &'static str,
    pub kind: AliasKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum AliasKind {
    Name,
    /// ISO 3166, two or three letters; many are also English words (`us`, `in`), so expect them in capitals.
    CountryCode,
    /// Postal code of a US state; likewise.
    StateCode,
    /// Of a month or weekday: `jan`, `tue`.
    Abbreviation,
}

type Names = HashMap<&'static str, Vec<&'static str>>;

#[derive(Default)]
struct Places {
    /// By demonym the places, each name followed by its aliases and codes.
    places: Names,
    /// By name, alias or code of a place the demonyms.
    demonyms: Names,
    aliases: HashMap<&'static str, Vec<Alias>>,
}

static PLACES: LazyLock<Places> = LazyLock::new(|| {
    let mut places = Places::default();
    for line in include_str!("data/places.txt").lines() {
        places.add_place(line);
    }
    for line in include_str!("data/aliases.txt").lines() {
        places.add_aliases(line);
    }
    for line in include_str!("data/demonyms.txt").lines() {
        places.add_demonym(line);
    }
    places
});

/// The names, other names and codes of the places that an adjective or inhabitant belongs to: `american` to
/// `united states`, `usa`, `us` and others. Empty if it is none.
#[must_use]
pub fn places_of(demonym: &str) -> &'static [&'static str] {
    PLACES.places.get(demonym).map_or(&[], Vec::as_slice)
}

/// The usual name of the place that an adjective or inhabitant belongs to.
#[must_use]
pub fn demonym(word: &str) -> Option<&'static str> {
    places_of(word).first().copied()
}

/// The adjectives and inhabitants of a place, given by name, other name or code.
#[must_use]
pub fn demonyms_of(place: &str) -> &'static [&'static str] {
    PLACES.demonyms.get(place).map_or(&[], Vec::as_slice)
}

/// The other ways to write the name or code of a country, US state, month or weekday. A code of two places has the names
/// of both.
#[must_use]
pub fn aliases_of(name: &str) -> &'static [Alias] {
    PLACES.aliases.get(name).map_or(&[], Vec::as_slice)
}

/// Whether a word is the demonym of a place given by name, not by code; compounds are joined by underscores.
pub(super) fn is_demonym_of(demonym: &str, place: &str) -> bool {
    let is_place = |name: &&str| {
        name.len() == place.len() && name.bytes().zip(place.bytes()).all(|(a, b)| a == b || (a == b' ' && b == b'_'))
    };
    places_of(demonym).iter().filter(|name| name.len() > 3 || ["uk", "usa", "uae"].contains(name)).any(is_place)
}

impl Places {
    /// Reads `name|codes|other names|demonyms`.
    fn add_place(&mut self, line: &'static str) {
        let mut fields = line.split('|');
        let Some(name) = fields.next().filter(|name| !name.starts_with('#')) else { return };
        let codes: Vec<_> = fields.next().unwrap_or_default().split_whitespace().collect();
        let other_names: Vec<_> = listed(fields.next()).collect();
        let demonyms: Vec<_> = listed(fields.next()).collect();
        let codes = codes.into_iter().filter(|code| !other_names.contains(code));
        let names = std::iter::once(name).chain(other_names.iter().copied());
        let names: Vec<Alias> = names
            .map(|text| Alias { text, kind: AliasKind::Name })
            .chain(codes.map(|text| Alias { text, kind: AliasKind::CountryCode }))
            .collect();
        for demonym in demonyms {
            for name in &names {
                self.relate(demonym, name.text);
            }
        }
        self.add_group(&names);
    }

    /// Reads `kind|name|short forms`.
    fn add_aliases(&mut self, line: &'static str) {
        let mut fields = line.split('|');
        let short = match fields.next() {
            Some("state") => AliasKind::StateCode,
            Some("month" | "weekday") => AliasKind::Abbreviation,
            _ => return,
        };
        let name = fields.next().map(|text| Alias { text, kind: AliasKind::Name });
        // `washington dc` is no code.
        let kind_of = |text: &str| if text.len() > 5 { AliasKind::Name } else { short };
        let short_forms = listed(fields.next()).map(|text| Alias { text, kind: kind_of(text) });
        self.add_group(&name.into_iter().chain(short_forms).collect::<Vec<_>>());
    }

    /// Reads `demonym|place`; a place with other names is known by those as well.
    fn add_demonym(&mut self, line: &'static str) {
        let Some((demonym, place)) = line.split_once('|') else { return };
        // What the table of places says of a demonym is better chosen.
        if self.places.contains_key(demonym) && self.aliases.contains_key(place) {
            return;
        }
        self.relate(demonym, place);
    }

    fn relate(&mut self, demonym: &'static str, place: &'static str) {
        push_new(self.places.entry(demonym).or_default(), place);
        push_new(self.demonyms.entry(place).or_default(), demonym);
    }

    fn add_group(&mut self, names: &[Alias]) {
        for name in names {
            let others = names.iter().filter(|other| other.text != name.text);
            self.aliases.entry(name.text).or_default().extend(others);
        }
    }
}

fn listed(field: Option<&'static str>) -> impl Iterator<Item = &'static str> {
    field.unwrap_or_default().split(',').filter(|item| !item.is_empty())
}

fn push_new(list: &mut Vec<&'static str>, item: &'static str) {
    if !list.contains(&item) {
        list.push(item);
    }
}

#[cfg(test)]
mod tests {
    use super::{AliasKind, aliases_of, demonym, demonyms_of, places_of};

    #[test]
    fn demonyms_name_their_place() {
        for (word, place) in [
            ("asian", "asia"),
            ("european", "europe"),
            ("african", "africa"),
            ("french", "france"),
            ("frenchman", "france"),
            ("german", "germany"),
            ("american", "united states"),
            ("british", "united kingdom"),
            ("english", "united kingdom"),
            ("dutch", "netherlands"),
            ("danish", "denmark"),
            ("dane", "denmark"),
            ("swiss", "switzerland"),
            ("spanish", "spain"),
            ("chinese", "china"),
            ("japanese", "japan"),
            ("south african", "south africa"),
            ("scottish", "scotland"),
            ("texan", "texas"),
            ("parisian", "paris"),
            ("bavarian", "bavaria"),
            ("mexican", "mexico"),
        ] {
            assert_eq!(demonym(word), Some(place), "{word}");
        }
        for word in ["customer", "france", "", "red", "polishing", "us"] {
            assert_eq!(demonym(word), None, "{word}");
        }
    }

    #[test]
    fn all_names_of_a_place_are_given() {
        for (word, names) in [
            ("american", ["united states", "usa", "us", "america"].as_slice()),
            ("british", &["united kingdom", "uk", "great britain", "gb"]),
            ("english", &["england", "uk"]),
            ("dutch", &["netherlands", "holland", "nl"]),
            ("korean", &["south korea", "north korea", "kr"]),
        ] {
            for name in names {
                assert!(places_of(word).contains(name), "{word}: {name}");
                assert!(demonyms_of(name).contains(&word), "{name}: {word}");
            }
        }
        assert!(demonyms_of("customer").is_empty());
        assert_eq!(demonyms_of("france").first(), Some(&"french"));
    }

    #[test]
    fn names_have_aliases() {
        use AliasKind::{Abbreviation, CountryCode, Name, StateCode};
        for (name, alias, kind) in [
            ("france", "fr", CountryCode),
            ("fr", "france", Name),
            ("fra", "france", Name),
            ("germany", "deu", CountryCode),
            ("usa", "united states", Name),
            ("united states", "usa", Name),
            ("united states", "us", CountryCode),
            ("uk", "united kingdom", Name),
            ("great britain", "uk", Name),
            ("california", "ca", StateCode),
            ("ca", "california", Name),
            ("ca", "canada", Name),
            ("new york", "ny", StateCode),
            ("tx", "texas", Name),
            ("georgia", "ga", StateCode),
            ("georgia", "ge", CountryCode),
            ("january", "jan", Abbreviation),
            ("sept", "september", Name),
            ("september", "sep", Abbreviation),
            ("tue", "tuesday", Name),
            ("thursday", "thurs", Abbreviation),
            ("district of columbia", "washington dc", Name),
        ] {
            let found = aliases_of(name);
            assert!(found.iter().any(|found| found.text == alias && found.kind == kind), "{name}: {found:?}");
        }
        for name in ["customer", "may", "", "france!", "paris"] {
            assert!(aliases_of(name).is_empty(), "{name}");
        }
        assert!(!aliases_of("fr").iter().any(|alias| alias.text == "fr"));
    }
}
