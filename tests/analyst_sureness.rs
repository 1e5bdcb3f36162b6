//! What an answer may be sure of. A word that nothing knows, added to a question or put in the place of one of its words,
//! is named and makes the answer unsure or leads to suggestions; a verified query answers its question and no other one;
//! the same question in other words has the same rows.

use firn_tests::{Client, Request, Server};
use serde_json::{Value, json};

const MESSAGE: &str = "/api/v2/assistant/analyst/message";
const VIEW: &str = "DEMO.PUBLIC.RETAIL";
/// The default of `analyst_confidence_sure`.
const SURE: f64 = 0.885;

/// Words that are in no lexicon and in no data.
const UNKNOWN: [&str; 3] = ["zorbulated", "Quixley", "fnord"];

const QUESTIONS: [&str; 10] = [
    "How many orders were cancelled?",
    "What was the revenue by month in 2025?",
    "Top 5 products by revenue",
    "What is the average order value per store?",
    "Which customers have never returned anything?",
    "Show the share of revenue by category",
    "How many open stores are there in each region?",
    "Open support tickets by priority",
    "Which products were never sold?",
    "suppliers in Germany with more than 3 products",
];

/// Words that say nothing by themselves: another word in their place changes less than a thing or a condition.
const LINKING: [&str; 22] = [
    "how", "many", "were", "what", "was", "the", "by", "in", "top", "is", "per", "which", "have", "show", "of", "are",
    "there", "each", "with", "than", "a", "more",
];

/// Groups of questions that ask for the same rows.
const PARAPHRASES: [&[&str]; 7] = [
    &["How many orders are there?", "number of orders", "count the orders", "orders: how many are there?"],
    &["revenue by region", "What is the revenue per region?", "Show me the revenue for each region"],
    &["How many stores are in each region?", "number of stores by region", "stores per region: how many?"],
    &["Which products were never sold?", "products that were never sold", "products without any sale"],
    &["Top 5 products by revenue", "top five products by revenue"],
    &["average salary by department", "What is the average salary per department?", "mean salary of each department"],
    &["How many orders were cancelled?", "number of cancelled orders", "count of orders with status cancelled"],
];

struct Answer {
    whole: Value,
}

impl Answer {
    fn of(client: &Client, question: &str) -> Self {
        let body = json!({"semantic_view": VIEW,
            "messages": [{"role": "user", "content": [{"type": "text", "text": question}]}]});
        let response = client.send(&Request::post(MESSAGE).json(&body));
        assert_eq!(response.status, 200, "{question}: {response}");
        Self { whole: response.json() }
    }

    fn statement(&self) -> Option<&str> {
        self.whole["message"]["content"][1]["statement"].as_str()
    }

    fn is_verified(&self) -> bool {
        self.whole["message"]["content"][1]["confidence"]["verified_query_used"].is_object()
    }

    fn confidence(&self) -> f64 {
        self.whole["response_metadata"]["confidence"].as_f64().unwrap_or_default()
    }

    fn names_unused(&self, word: &str) -> bool {
        let unused = self.whole["response_metadata"]["unused_words"].as_array();
        let words = unused.into_iter().flatten().filter_map(Value::as_str);
        words.map(str::to_lowercase).any(|unused| unused == word.to_lowercase())
    }

    /// Why an answer to a question with an unknown word must not be given so.
    fn fault(&self, word: &str) -> Option<String> {
        self.statement()?;
        if self.is_verified() {
            return Some("a verified query answers it".to_owned());
        }
        if self.confidence() >= SURE {
            return Some(format!("its confidence is {}", self.confidence()));
        }
        (!self.names_unused(word)).then(|| format!("the word is not named: {}", self.whole["response_metadata"]))
    }
}

fn with_word(question: &str, at: usize, word: &str) -> String {
    let mut words: Vec<&str> = question.split(' ').collect();
    words.insert(at, word);
    words.join(" ")
}

fn in_place(question: &str, at: usize, word: &str) -> Option<String> {
    let mut words: Vec<&str> = question.split(' ').collect();
    let plain = words[at].trim_end_matches('?').to_lowercase();
    if LINKING.contains(&plain.as_str()) {
        return None;
    }
    words[at] = word;
    Some(words.join(" "))
}

#[test]
fn an_unknown_word_is_named_and_makes_the_answer_unsure() {
    let server = Server::start_with(&[("FIRN_DEMO", "true")]);
    let admin = server.admin();
    let mut faults = Vec::new();
    for (number, question) in QUESTIONS.iter().enumerate() {
        let word = UNKNOWN[number % UNKNOWN.len()];
        let length = question.split(' ').count();
        let added = (0..=length).map(|at| with_word(question, at, word));
        let replaced = (0..length).filter_map(|at| in_place(question, at, word));
        for asked in added.chain(replaced) {
            let fault = Answer::of(&admin, &asked).fault(word);
            faults.extend(fault.map(|fault| format!("{asked}: {fault}")));
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n"));
}

#[test]
fn a_verified_query_answers_nothing_more_than_its_question() {
    let server = Server::start_with(&[("FIRN_DEMO", "true")]);
    let admin = server.admin();
    let text = admin.cell(&format!("SELECT SYSTEM$READ_YAML_FROM_SEMANTIC_VIEW('{VIEW}')"));
    let questions: Vec<&str> =
        text.lines().filter_map(|line| line.trim().trim_start_matches("- ").strip_prefix("question: ")).collect();
    assert!(!questions.is_empty(), "the demo's model has verified queries: {text}");
    let mut faults = Vec::new();
    for question in questions {
        let question = question.trim_matches(['"', '\'']);
        let plain = question.trim_end_matches(['?', '.']);
        assert!(Answer::of(&admin, question).is_verified(), "{question}");
        for more in ["per store", "by region", "in 2019", "for fnord", "except Europe", "not in Asia", "over 500"] {
            let asked = format!("{plain} {more}?");
            if Answer::of(&admin, &asked).is_verified() && !plain.to_lowercase().contains(more) {
                faults.push(asked);
            }
        }
    }
    assert!(faults.is_empty(), "answered by a verified query:\n{}", faults.join("\n"));
}

#[test]
fn the_same_question_in_other_words_has_the_same_rows() {
    let server = Server::start_with(&[("FIRN_DEMO", "true")]);
    let admin = server.admin();
    let rows = |question: &str| {
        let answer = Answer::of(&admin, question);
        let Some(statement) = answer.statement() else { return format!("no SQL: {}", answer.whole["message"]) };
        let mut rows: Vec<String> = admin.rows(statement).iter().map(|row| format!("{row:?}")).collect();
        rows.sort();
        rows.join("\n")
    };
    let mut faults = Vec::new();
    for group in PARAPHRASES {
        let first = rows(group[0]);
        assert!(!first.starts_with("no SQL"), "{}: {first}", group[0]);
        for other in &group[1..] {
            let found = rows(other);
            if found != first {
                faults.push(format!("{} = {other}:\n{first}\n--\n{found}", group[0]));
            }
        }
    }
    assert!(faults.is_empty(), "{} faults\n{}", faults.len(), faults.join("\n\n"));
}
