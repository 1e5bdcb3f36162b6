//! General English: words that stand for another in any business, and adjectives that speak of a quantity. Nothing here
//! belongs to one database.

/// Groups of words that may stand for each other.
const GROUPS: &[&[&str]] = &[
    &["person", "people", "individual"],
    &["salary", "pay", "wage", "earning", "income", "earn"],
    &["amount", "value", "worth"],
    &["price", "cost"],
    &["cost", "expense", "charge"],
    &["location", "place"],
    &["sex", "gender"],
    &["job", "occupation", "profession", "role"],
    &["film", "movie"],
    &["country", "nation"],
    &["nationality", "country"],
    &["city", "town"],
    &["company", "firm", "enterprise"],
    &["type", "kind", "category"],
    &["id", "identifier"],
    &["phone", "telephone"],
    &["email", "mail"],
    &["description", "detail"],
    &["surname", "last"],
    &["forename", "first"],
    &["customer", "client"],
    &["employee", "staff", "worker"],
    &["boss", "manager"],
    &["purchase", "order", "buy"],
    &["teacher", "instructor"],
    &["professor", "faculty"],
    &["picture", "photo", "image"],
    &["quantity", "amount"],
    &["revenue", "sale", "turnover"],
    &["score", "point"],
    &["time", "duration"],
    &["date", "day", "time"],
    &["headquarter", "headquartered"],
    &["located", "location"],
    &["vehicle", "car"],
    &["shop", "store"],
    &["physician", "doctor"],
    &["title", "name"],
    &["home", "address"],
    &["mean", "average"],
    &["weigh", "weight"],
    &["size", "area"],
    &["rating", "star"],
    &["class", "course"],
    &["competition", "contest"],
    &["birthday", "birth"],
    &["capability", "capacity"],
    &["nickname", "nick"],
    &["zip", "postal", "postcode"],
    &["pupil", "student"],
    &["stock", "inventory"],
    &["age", "aged"],
    &["start", "begin"],
    &["end", "finish"],
    &["citizenship", "nationality"],
    &["airplane", "plane", "aircraft"],
    &["author", "writer"],
    &["song", "track"],
    &["singer", "artist"],
    &["organisation", "organization"],
    &["population", "inhabitant", "resident"],
    &["speed", "velocity"],
    &["length", "duration"],
    &["language", "tongue"],
    &["member", "membership"],
    &["sponsor", "sponsorship"],
];

/// The words that may stand for a lemma.
#[must_use]
pub fn synonyms_of(word: &str) -> Vec<&'static str> {
    GROUPS.iter().filter(|group| group.contains(&word)).flat_map(|group| group.iter().copied()).collect()
}

/// Whether two lemmas may stand for each other.
#[must_use]
pub fn are_synonyms(first: &str, second: &str) -> bool {
    GROUPS.iter().any(|group| group.contains(&first) && group.contains(&second))
}

/// Words for people, whatever they do.
const PERSONS: &[&str] = &[
    "person",
    "customer",
    "client",
    "employee",
    "staff",
    "worker",
    "student",
    "user",
    "member",
    "teacher",
    "instructor",
    "professor",
    "author",
    "writer",
    "artist",
    "singer",
    "player",
    "driver",
    "pilot",
    "doctor",
    "physician",
    "nurse",
    "patient",
    "guest",
    "visitor",
    "manager",
    "investor",
    "buyer",
    "seller",
    "owner",
    "tenant",
    "passenger",
    "candidate",
    "voter",
    "actor",
    "director",
    "editor",
    "reviewer",
    "agent",
    "supplier",
    "faculty",
    "participant",
    "contact",
    "advisor",
    "coach",
    "captain",
    "mentor",
    "supervisor",
    "trainer",
    "host",
    "founder",
    "inspector",
    "conductor",
    "judge",
    "referee",
];

/// Whether a lemma speaks of people.
#[must_use]
pub fn is_person(word: &str) -> bool {
    PERSONS.contains(&word)
}

/// What a comparing adjective measures: words of columns, best first, and whether "more of it" means larger numbers.
pub struct Adjective {
    pub forms: &'static [&'static str],
    pub column_words: &'static [&'static str],
    pub larger: bool,
}

impl Adjective {
    /// Whether it speaks of how long something is, which no date tells.
    #[must_use]
    pub fn is_extent(&self) -> bool {
        self.column_words.contains(&"length")
    }
}

/// A column may be called by its unit alone: the kilograms of a harvest.
const WEIGHTS: &[&str] = &["weight", "tonnage", "mass", "kilogram", "kilo", "kg", "tonne", "ton", "gram", "pound"];

/// Adjectives in their base, comparative and superlative forms.
pub const ADJECTIVES: &[Adjective] = &[
    Adjective { forms: &["old", "older", "oldest", "eldest"], column_words: &["age"], larger: true },
    Adjective {
        forms: &["old", "older", "oldest", "earliest", "earlier"],
        column_words: &["birth", "birthday", "founded", "opened", "built", "date", "year", "time", "opening"],
        larger: false,
    },
    Adjective { forms: &["young", "younger", "youngest"], column_words: &["age"], larger: false },
    Adjective {
        forms: &["young", "younger", "youngest"],
        column_words: &["birth", "birthday", "date", "year"],
        larger: true,
    },
    Adjective {
        forms: &["recent", "recently", "newest", "newer", "latest", "later", "last"],
        column_words: &["date", "year", "time", "day", "founded", "opened", "built", "timestamp"],
        larger: true,
    },
    Adjective {
        forms: &["expensive", "costly", "priciest", "costliest"],
        column_words: &["price", "cost", "fee", "amount", "rate", "charge", "value"],
        larger: true,
    },
    Adjective {
        forms: &["cheap", "cheaper", "cheapest"],
        column_words: &["price", "cost", "fee", "amount", "rate", "charge", "value"],
        larger: false,
    },
    Adjective {
        forms: &["longest-serving", "longest-standing", "senior"],
        column_words: &[
            "hired",
            "hire",
            "joined",
            "join",
            "entry",
            "start",
            "since",
            "registered",
            "enrolled",
            "created",
        ],
        larger: false,
    },
    Adjective {
        forms: &["warm", "warmer", "warmest", "hotter", "hottest"],
        column_words: &["temperature"],
        larger: true,
    },
    Adjective {
        forms: &["cold", "colder", "coldest", "cooler", "coolest"],
        column_words: &["temperature"],
        larger: false,
    },
    Adjective { forms: &["tall", "taller", "tallest"], column_words: &["height", "stature"], larger: true },
    Adjective {
        forms: &["short", "shorter", "shortest"],
        column_words: &["height", "length", "duration", "runtime", "distance"],
        larger: false,
    },
    Adjective {
        forms: &["long", "longer", "longest"],
        column_words: &["length", "duration", "runtime", "distance", "time", "day", "year", "hour", "minute"],
        larger: true,
    },
    Adjective { forms: &["heavy", "heavier", "heaviest"], column_words: WEIGHTS, larger: true },
    Adjective { forms: &["light", "lighter", "lightest"], column_words: WEIGHTS, larger: false },
    Adjective { forms: &["fast", "faster", "fastest", "quickest"], column_words: &["speed", "velocity"], larger: true },
    Adjective { forms: &["fast", "faster", "fastest", "quickest"], column_words: &["time", "duration"], larger: false },
    Adjective { forms: &["slow", "slower", "slowest"], column_words: &["speed", "velocity"], larger: false },
    Adjective {
        forms: &["large", "larger", "largest", "big", "bigger", "biggest"],
        column_words: &["area", "size", "population", "capacity", "acreage", "square", "budget", "number"],
        larger: true,
    },
    Adjective {
        forms: &["small", "smaller", "smallest"],
        column_words: &["area", "size", "population", "capacity", "square"],
        larger: false,
    },
    Adjective {
        forms: &["high", "higher", "highest"],
        column_words: &["height", "elevation", "altitude"],
        larger: true,
    },
    Adjective { forms: &["deep", "deeper", "deepest"], column_words: &["depth"], larger: true },
    Adjective { forms: &["shallow", "shallower", "shallowest"], column_words: &["depth"], larger: false },
    Adjective { forms: &["wide", "wider", "widest"], column_words: &["width"], larger: true },
    Adjective { forms: &["hot", "hotter", "hottest", "warmest"], column_words: &["temperature"], larger: true },
    Adjective { forms: &["cold", "colder", "coldest"], column_words: &["temperature"], larger: false },
    Adjective { forms: &["powerful"], column_words: &["power", "horsepower", "strength"], larger: true },
    Adjective { forms: &["experienced"], column_words: &["experience"], larger: true },
    Adjective { forms: &["populous", "populated"], column_words: &["population"], larger: true },
    Adjective {
        forms: &["rich", "richer", "richest", "wealthiest"],
        column_words: &["money", "worth", "wealth", "income", "salary", "revenue", "balance", "saving"],
        larger: true,
    },
    Adjective { forms: &["best", "better"], column_words: &["rating", "score", "grade", "star"], larger: true },
    Adjective { forms: &["best", "better"], column_words: &["rank", "position"], larger: false },
    Adjective { forms: &["worst", "worse"], column_words: &["rating", "score", "grade", "star"], larger: false },
    Adjective {
        forms: &["profitable", "lucrative"],
        column_words: &["profit", "margin", "revenue", "earning"],
        larger: true,
    },
];

#[cfg(test)]
mod tests {
    use super::are_synonyms;

    #[test]
    fn groups_are_symmetric() {
        assert!(are_synonyms("sex", "gender") && are_synonyms("gender", "sex"));
        assert!(!are_synonyms("sex", "price"));
    }
}
