//! Base forms of English words. `lemma` undoes plurals; `stem` also undoes the endings of verbs and nouns made from
//! them, so that `nominated` meets `nomination`. Both are rules and a short list of exceptions, not a dictionary.

const IRREGULAR: &[(&str, &str)] = &[
    ("people", "person"),
    ("persons", "person"),
    ("children", "child"),
    ("men", "man"),
    ("women", "woman"),
    ("feet", "foot"),
    ("mice", "mouse"),
    ("teeth", "tooth"),
    ("geese", "goose"),
    ("indices", "index"),
    ("matrices", "matrix"),
    ("vertices", "vertex"),
    ("criteria", "criterion"),
    ("phenomena", "phenomenon"),
    ("faculties", "faculty"),
    ("movies", "movie"),
    ("cookies", "cookie"),
    ("statuses", "status"),
    ("campuses", "campus"),
    ("bonuses", "bonus"),
    ("viruses", "virus"),
    ("censuses", "census"),
    ("circuses", "circus"),
    ("buses", "bus"),
    ("gases", "gas"),
    ("lens", "lens"),
    ("lenses", "lens"),
    ("series", "series"),
    ("species", "species"),
    ("news", "news"),
    ("goods", "goods"),
    ("quizzes", "quiz"),
    ("lives", "life"),
    ("wives", "wife"),
    ("knives", "knife"),
    ("leaves", "leave"),
    ("bought", "buy"),
    ("lent", "lend"),
    ("sold", "sell"),
    ("made", "make"),
    ("paid", "pay"),
    ("went", "go"),
    ("took", "take"),
    ("taken", "take"),
    ("given", "give"),
    ("gave", "give"),
    ("wrote", "write"),
    ("written", "write"),
    ("won", "win"),
    ("lost", "lose"),
    ("held", "hold"),
    ("taught", "teach"),
    ("spent", "spend"),
    ("sent", "send"),
    ("built", "build"),
    ("led", "lead"),
    ("chosen", "choose"),
    ("rode", "ride"),
    ("ridden", "ride"),
    ("drove", "drive"),
    ("driven", "drive"),
    ("flew", "fly"),
    ("flown", "fly"),
    ("swam", "swim"),
    ("swum", "swim"),
    ("sang", "sing"),
    ("sung", "sing"),
    ("ran", "run"),
    ("spoke", "speak"),
    ("spoken", "speak"),
    ("grew", "grow"),
    ("grown", "grow"),
    ("threw", "throw"),
    ("thrown", "throw"),
    ("caught", "catch"),
    ("met", "meet"),
    ("stole", "steal"),
    ("stolen", "steal"),
    ("broke", "break"),
    ("broken", "break"),
    ("chose", "choose"),
    ("wore", "wear"),
    ("worn", "wear"),
    ("shot", "shoot"),
    ("fed", "feed"),
    ("fought", "fight"),
    ("struck", "strike"),
    ("dealt", "deal"),
    ("slept", "sleep"),
    ("forgot", "forget"),
    ("forgotten", "forget"),
    ("bred", "breed"),
    ("sought", "seek"),
    ("shook", "shake"),
    ("shaken", "shake"),
    ("withdrew", "withdraw"),
    ("withdrawn", "withdraw"),
    ("ate", "eat"),
    ("eaten", "eat"),
    ("drank", "drink"),
    ("drunk", "drink"),
    ("done", "do"),
    ("left", "leave"),
    ("born", "birth"),
    ("does", "do"),
    ("has", "have"),
    ("is", "be"),
    ("are", "be"),
    ("was", "be"),
    ("were", "be"),
];

/// Whether a lower-case word is the past of a verb that does not end in `ed`.
#[must_use]
pub fn is_past(word: &str) -> bool {
    let verbs = IRREGULAR.iter().skip_while(|(form, _)| *form != "bought");
    verbs.take_while(|(form, _)| *form != "does").any(|(form, _)| *form == word)
}

/// The singular of a lower-case word.
#[must_use]
pub fn lemma(word: &str) -> String {
    if let Some((_, base)) = IRREGULAR.iter().find(|(form, _)| *form == word) {
        return (*base).to_string();
    }
    let length = word.len();
    if length <= 3 || !word.is_ascii() || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return match word {
            "ids" => "id".to_string(),
            _ => word.to_string(),
        };
    }
    if let Some(start) = word.strip_suffix("ies") {
        return if start.len() > 1 { format!("{start}y") } else { word.to_string() };
    }
    for ending in ["ches", "shes", "sses", "xes"] {
        if word.ends_with(ending) {
            return word[..length - 2].to_string();
        }
    }
    if word.ends_with("oes") && length > 4 {
        return word[..length - 2].to_string();
    }
    word.strip_suffix('s').map_or_else(|| word.to_string(), str::to_string)
}

/// A rough root of a lemma, for meeting a verb with the noun made from it.
#[must_use]
pub fn stem(lemma: &str) -> String {
    const ENDINGS: &[&str] = &[
        "izations", "ization", "ations", "ation", "itions", "ition", "ments", "ment", "ances", "ance", "ences", "ence",
        "ings", "ing", "ated", "ates", "ate", "ions", "ion", "ers", "er", "ors", "or", "ies", "ied", "ed", "es", "e",
        "al", "y",
    ];
    for ending in ENDINGS {
        if let Some(start) = lemma.strip_suffix(ending)
            && start.len() >= 4
        {
            return undouble(start);
        }
    }
    lemma.to_string()
}

fn undouble(start: &str) -> String {
    let bytes = start.as_bytes();
    match bytes {
        [.., a, b] if a == b && start.is_ascii() && !matches!(b, b's' | b'l') => start[..start.len() - 1].to_string(),
        _ => start.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::{lemma, stem};

    #[test]
    fn plurals_become_singular() {
        for (form, base) in [
            ("cities", "city"),
            ("classes", "class"),
            ("addresses", "address"),
            ("people", "person"),
            ("boxes", "box"),
            ("status", "status"),
            ("products", "product"),
            ("churches", "church"),
            ("campuses", "campus"),
            ("lenses", "lens"),
        ] {
            assert_eq!(lemma(form), base, "{form}");
        }
    }

    #[test]
    fn verbs_meet_their_nouns() {
        for (verb, noun) in [
            ("nominated", "nomination"),
            ("eliminated", "elimination"),
            ("enrolled", "enrollment"),
            ("visited", "visit"),
            ("rode", "rides"),
            ("driven", "drive"),
        ] {
            assert_eq!(stem(&lemma(verb)), stem(&lemma(noun)), "{verb} and {noun}");
        }
    }
}
