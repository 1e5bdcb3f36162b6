//! Questions that are not answered, and what is said of them: a name that neither the model nor the data have, and a
//! judgement without a measure.

use super::understanding::Understood;
use super::{Answer, Category, Interpreter};
use crate::accounting::Loss;
use crate::frame::states::is_of_state;
use crate::interpretation::query::Expr;
use crate::interpretation::stated_range;
use crate::lattice::{Lattice, Meaning};
use crate::lexicon::{self, PartOfSpeech};
use crate::links::model_index::{ColumnId, ColumnKind, DataKind, TableId};
use crate::links::phrase_match::is_function_word;
use crate::question::time::unit;
use crate::question::units::is_unit;
use crate::question::words::{Word, WordKind};
use crate::restatement::plural;
use crate::sql_generation::join_paths::{distance, leads_to_one};
use crate::verified_queries;
use chrono::NaiveDate;

/// A word that links to something at least so well is known.
const KNOWN_QUALITY: f32 = 0.6;
/// Names that are offered in place of an unknown one.
const NEAR_MAX: usize = 3;
/// Verified questions that are offered.
const VERIFIED_MAX: usize = 2;
/// Measures that a judgement may mean, each of which is offered.
const MEASURES_MAX: usize = 3;

/// Words that judge without saying by what.
const JUDGEMENTS: &[&str] = &[
    "good",
    "better",
    "best",
    "bad",
    "worse",
    "worst",
    "nice",
    "nicest",
    "great",
    "important",
    "interesting",
    "healthy",
    "unhealthy",
    "difficult",
    "strong",
    "strongest",
    "weak",
    "weakest",
    "poor",
    "problematic",
    "promising",
    "successful",
    "attractive",
    "star",
    "stars",
    "well",
    "badly",
    "poorly",
    "performs",
    "perform",
    "performing",
    "favourite",
    "favorite",
    "key",
    "valuable",
    "top",
    "shape",
    "trouble",
    "risky",
    "special",
    "remarkable",
    "notable",
];

/// Nouns that stand for whatever is spoken of and are in no data.
const GENERAL: &[&str] = &[
    "people",
    "person",
    "everybody",
    "everyone",
    "nobody",
    "somebody",
    "someone",
    "anybody",
    "anyone",
    "anything",
    "something",
    "nothing",
    "thing",
    "company",
    "business",
    "money",
    "euro",
    "dollar",
    "moment",
    "average",
    "history",
    "total",
    "sum",
    "way",
    "row",
    "half",
    "quarter",
    "month",
    "year",
    "week",
    "day",
    "hour",
    "time",
    "period",
    "rate",
    "share",
    "ratio",
    "percent",
    "percentage",
    "number",
    "count",
    "growth",
    "change",
    "difference",
    "value",
    "amount",
    "date",
    "comparison",
    "list",
    "breakdown",
    "overview",
    "ranking",
    "order",
    "bottom",
    "end",
    "beginning",
    "start",
    "rest",
    "others",
    "none",
    "yet",
    "back",
    "degree",
    "weekday",
    "weekend",
    "weekends",
    "monday",
    "tuesday",
    "wednesday",
    "thursday",
    "friday",
    "saturday",
    "sunday",
    "kilogram",
    "kilo",
    "kg",
    "ton",
    "tonne",
    "km",
    "kilometer",
    "kilometre",
    "hours",
    "minute",
    "litre",
    "still",
    "past",
    "work",
    "unit",
    "piece",
];

impl Interpreter<'_> {
    /// Why a question is not answered, if its own words forbid it.
    pub(super) fn refusal(&self, understood: &Understood, today: NaiveDate) -> Option<Answer> {
        if let Some(opinion) = self.opinion(understood, today) {
            return Some(opinion);
        }
        let words = &understood.words;
        let lattice = Lattice::new(&self.index, words, today);
        if let Some(judgement) = self.judgement(words, understood) {
            return Some(self.asked_back(judgement, &lattice, understood));
        }
        let unknown = self.unknown_names(words, &lattice, understood);
        (!unknown.is_empty()).then(|| self.refused(&unknown, understood, today))
    }

    /// `how many orders can we expect in 2030`: no row lies that far ahead.
    pub(super) fn expects_what_is_not_there(&self, understood: &Understood) -> bool {
        const EXPECTING: &[&str] = &["expect", "expected", "anticipate", "foresee", "likely", "probably"];
        let expects = understood.words.iter().any(|word| EXPECTING.contains(&word.lower.as_str()));
        let Some(reading) = understood.reading.as_ref().filter(|_| expects) else { return false };
        let ranges = reading.query.conditions.iter().filter_map(stated_range);
        ranges
            .into_iter()
            .any(|(column, range)| self.index.columns[column].latest_day.is_some_and(|latest| latest < range.start))
    }

    /// The place of a word that judges and that the reading makes nothing of.
    fn judgement(&self, words: &[Word], understood: &Understood) -> Option<usize> {
        let is_ordered = understood.reading.as_ref().is_some_and(|reading| {
            let query = &reading.query;
            let measured = query.select.iter().chain(query.order.iter().map(|(expr, _)| expr));
            measured.into_iter().any(Expr::is_aggregate)
                || query.order.iter().any(|(expr, _)| !self.is_label(expr))
                || !query.conditions.is_empty() && !understood.lost.iter().any(|(at, _)| is_judgement(&words[*at]))
        });
        if is_ordered {
            return None;
        }
        let is_named = |word: &Word| self.index.vocabulary.knows(&word.lemma) && word.lower != "top";
        let judging = words.iter().position(|word| is_judgement(word) && !is_named(word))?;
        let is_counted = words.iter().any(|word| matches!(word.kind, WordKind::Number(_)) && word.lower != "one");
        (!is_counted).then_some(judging)
    }

    /// The order of texts is no judgement.
    fn is_label(&self, expr: &Expr) -> bool {
        matches!(expr, Expr::Column(column) if self.index.columns[*column].data == DataKind::Text)
    }

    /// Words that name something which neither the model nor the data have.
    fn unknown_names(&self, words: &[Word], lattice: &Lattice<'_>, understood: &Understood) -> Vec<String> {
        let is_linked = |at: usize| {
            lattice.items.iter().any(|item| {
                let names = matches!(item.meaning, Meaning::Table(_) | Meaning::Column(_) | Meaning::Value(..));
                let others = matches!(item.meaning, Meaning::Operator(_) | Meaning::Period(_) | Meaning::Date(_));
                (item.start..item.end).contains(&at) && (others || names && item.quality >= KNOWN_QUALITY)
            })
        };
        let is_unknown = |at: &usize| {
            let word = &words[*at];
            let is_name = matches!(word.kind, WordKind::Quoted) || is_name(word, *at);
            if GENERAL.contains(&word.lemma.as_str()) || GENERAL.contains(&word.lower.as_str()) {
                return false;
            }
            let is_harmless = !is_name && (is_unit(&word.lower) || self.index.values.is_kind_of_all(&word.lemma));
            if is_harmless {
                return false;
            }
            let is_counted = at.checked_sub(1).is_some_and(|before| words[before].lower == "many");
            let is_thing = is_name || is_noun(word) || is_counted;
            is_thing && !is_linked(*at) && !is_of_state(words, *at) && !self.is_described(word)
        };
        let is_answered = understood.confidence >= super::ANSWERED_FROM;
        let first = words.iter().position(|word| word.kind == WordKind::Plain && !is_function_word(&word.lower));
        let is_main = |at: usize| {
            let before = at.checked_sub(1).map(|before| words[before].lower.as_str()).unwrap_or_default();
            Some(at) == first || matches!(before, "of" | "for" | "with" | "per" | "by" | "which" | "many")
        };
        let lost = understood.lost.iter().filter(|(at, loss)| match loss {
            Loss::Name => true,
            Loss::Content => {
                !is_answered || is_main(*at) && (lexicon::is_word(&words[*at].lower) || is_name(&words[*at], *at))
            }
            _ => false,
        });
        lost.map(|(at, _)| *at).filter(is_unknown).map(|at| words[at].text.clone()).collect()
    }

    fn refused(&self, unknown: &[String], understood: &Understood, today: NaiveDate) -> Answer {
        let named: Vec<String> = unknown.iter().map(|name| format!("‘{name}’")).collect();
        let mut doubt = format!("Neither the model nor the data have {}.", named.join(" or "));
        let near: Vec<String> =
            unknown.iter().flat_map(|name| self.index.values.spelled_like(name, NEAR_MAX)).collect();
        if !near.is_empty() {
            doubt.push_str(&format!(" Spelled alike: {}.", near.join(", ")));
        }
        let suggestions = self.near_questions(understood, today);
        let missing = unknown.to_vec();
        let doubts = vec![doubt];
        Answer { category: Category::OutOfScope, suggestions, missing, doubts, ..self.unanswered(understood) }
    }

    /// Verified questions near the one asked, then others about what it names. Readings that leave out a name are none.
    pub(super) fn near_questions(&self, understood: &Understood, today: NaiveDate) -> Vec<String> {
        let verified = verified_queries::near(self.model, &understood.words).into_iter().take(VERIFIED_MAX);
        let mut near: Vec<String> = verified.map(str::to_owned).collect();
        near.extend(self.suggestions(&understood.chunks, &[], today));
        near.truncate(super::SUGGESTIONS_MAX);
        near
    }

    /// One question for each measure that the judgement may mean, about what is judged: the rows, values or units of time that are
    /// named next behind it, else the last rows or values before it.
    fn asked_back(&self, judging: usize, lattice: &Lattice<'_>, understood: &Understood) -> Answer {
        let judgement = &lattice.words[judging].text;
        let named = lattice.items.iter().filter(|item| item.quality >= KNOWN_QUALITY).filter_map(|item| {
            let judged = match item.meaning {
                Meaning::Table(table) => Judged::Rows(table),
                Meaning::Column(column) if self.index.columns[column].kind == ColumnKind::Dimension => {
                    Judged::Values(column)
                }
                _ => return None,
            };
            Some((item, judged))
        });
        let far = |start: usize| if start > judging { start - judging } else { lattice.words.len() + judging - start };
        let nearest = named.min_by(|(left, _), (right, _)| {
            far(left.start).cmp(&far(right.start)).then(right.quality.total_cmp(&left.quality))
        });
        let time = lattice.words.get(judging + 1).filter(|word| unit(&word.lemma).is_some());
        let judged = time.map(|word| Judged::Times(word.lemma.clone())).or(nearest.map(|(_, judged)| judged));
        let suggestions = judged.map(|judged| self.ranked_by_measures(&judged)).unwrap_or_default();
        let doubt = format!("The question does not say by which measure ‘{judgement}’ is meant.");
        Answer { category: Category::Ambiguous, suggestions, doubts: vec![doubt], ..self.unanswered(understood) }
    }

    fn ranked_by_measures(&self, judged: &Judged) -> Vec<String> {
        let index = &self.index;
        let table = match judged {
            Judged::Rows(table) => Some(*table),
            Judged::Values(column) => Some(index.columns[*column].table),
            Judged::Times(_) => None,
        };
        let is_measure = |column: &ColumnId| {
            let entry = &index.columns[*column];
            let is_of = |table: TableId| leads_to_one(index, entry.table, table);
            let is_own = matches!(judged, Judged::Rows(table) if *table == entry.table);
            entry.kind == ColumnKind::Metric && table.is_none_or(is_of) && !is_own
        };
        let mut measures: Vec<ColumnId> = (0..index.columns.len()).filter(is_measure).collect();
        if let Some(table) = table {
            measures.sort_by_key(|column| distance(index, index.columns[*column].table, table));
        }
        let name = |name: &str| name.replace('_', " ").to_lowercase();
        let asked = measures.into_iter().take(MEASURES_MAX).map(|measure| {
            let measure = name(&index.columns[measure].name);
            match judged {
                Judged::Rows(table) => format!("top 5 {} by {measure}", name(&index.tables[*table].name)),
                Judged::Values(column) => format!("top 5 {} by {measure}", plural(&name(&index.columns[*column].name))),
                Judged::Times(unit) => format!("What is the {measure} by {unit}?"),
            }
        });
        asked.collect()
    }

    pub(super) fn unanswered(&self, understood: &Understood) -> Answer {
        Answer {
            category: Category::Ambiguous,
            sql: None,
            restatement: String::new(),
            suggestions: Vec::new(),
            score: 0.0,
            confidence: 0.0,
            unused: understood.unused.clone(),
            missing: Vec::new(),
            doubts: Vec::new(),
            query: None,
            links: understood.chunks.iter().filter_map(|chunk| self.link(chunk)).collect(),
            values: Vec::new(),
            other_values: Vec::new(),
        }
    }
}

/// What a judgement is about.
enum Judged {
    Rows(TableId),
    Values(ColumnId),
    /// A unit of time in the singular.
    Times(String),
}

/// A word in capitals, which at the beginning of a question says nothing of a word that any dictionary has.
fn is_name(word: &Word, at: usize) -> bool {
    word.kind == WordKind::Plain && word.capitalised() && (at > 0 || !lexicon::is_word(&word.lower))
}

fn is_judgement(word: &Word) -> bool {
    JUDGEMENTS.contains(&word.lower.as_str())
}

/// A noun, or a word that no dictionary has.
fn is_noun(word: &Word) -> bool {
    word.kind == WordKind::Plain
        && match lexicon::parts_of_speech(&word.lower).main() {
            Some(part) => part == PartOfSpeech::Noun,
            None => lexicon::parts_of_speech(&word.lemma).main().is_none_or(|part| part == PartOfSpeech::Noun),
        }
}
