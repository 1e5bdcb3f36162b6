//! From a question to what is answered, before anything is checked or written.

use std::cmp::Ordering;

use chrono::{NaiveDate, Utc};
use firn_analyst::interpreter::{Answer, Category as Understood, FoundValue, Interpreter, Link};
use firn_analyst::onboarding;
use firn_analyst::semantic_model::SemanticModel;
use firn_analyst::semantic_model::logical_sql::with_logical_tables;
use serde_json::json;

use super::certainty::{Certainty, Thresholds, caveat};
use super::evidence::DataEvidence;
use super::explanation::Explanation;
use super::reply::{SearchResponse, SearchRetrieval, VerifiedQueryUsed};
use super::request::{PastMessage, Speaker};

/// Suggestions that are made up, where the model brings none.
const SUGGESTIONS_MAX: usize = 3;
/// Questions tried for them.
const CANDIDATES_MAX: usize = 12;
/// What somebody has verified is certain.
const VERIFIED: f64 = 1.0;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Category {
    ClearSql,
    Onboarding,
    Ambiguous,
    Unanswerable,
}

/// What the answer says.
#[derive(Clone, Debug)]
pub struct Interpreted {
    pub category: Category,
    pub text: String,
    pub sql: Option<String>,
    pub suggestions: Vec<String>,
    pub verified_query: Option<VerifiedQueryUsed>,
    pub search_retrieval: Vec<SearchRetrieval>,
    /// What parts of the question were linked to, the best first.
    pub links: Vec<Link>,
    pub warnings: Vec<String>,
    /// Language models that took part.
    pub model_names: Vec<String>,
    /// How probable it is that the SQL answers the question, from 0 to 1.
    pub confidence: f64,
    /// Words of the question that were not used.
    pub unused: Vec<String>,
    /// Names in the question that neither the model nor the data have.
    pub missing: Vec<String>,
}

impl Interpreted {
    fn new(category: Category, text: String) -> Self {
        Self {
            category,
            text,
            sql: None,
            suggestions: Vec::new(),
            verified_query: None,
            search_retrieval: Vec::new(),
            links: Vec::new(),
            warnings: Vec::new(),
            model_names: Vec::new(),
            confidence: 0.0,
            unused: Vec::new(),
            missing: Vec::new(),
        }
    }

    /// Between the answers of several models: a verified one before a reading, then the more probable one.
    pub fn rank(&self, other: &Self) -> Ordering {
        let verified = self.verified_query.is_some().cmp(&other.verified_query.is_some());
        verified.then(self.confidence.total_cmp(&other.confidence))
    }
}

/// A question with what was said before it, the data behind one model, and the day it is asked.
pub struct Asked<'a> {
    pub model: &'a SemanticModel,
    pub question: &'a str,
    pub history: &'a [PastMessage],
    pub evidence: &'a DataEvidence<'a>,
    pub thresholds: Thresholds,
}

impl Asked<'_> {
    fn conversation(&self) -> Conversation<'_> {
        let interpreter = Interpreter::over(self.model, self.evidence.index());
        let today = Utc::now().date_naive();
        Conversation { model: self.model, interpreter, evidence: self.evidence, today, thresholds: self.thresholds }
    }

    /// The user's questions before this one.
    fn earlier(&self) -> Vec<String> {
        let users = self.history.iter().filter(|past| past.speaker == Speaker::User);
        users.map(|past| past.text.clone()).collect()
    }
}

pub fn interpret(asked: &Asked<'_>) -> Interpreted {
    let conversation = asked.conversation();
    if onboarding::is_asked(asked.question) {
        return conversation.onboarding();
    }
    match conversation.verified(asked.question) {
        Some(Ok(verified)) => verified,
        Some(Err(unusable)) => {
            let mut read = conversation.read(asked.question, &asked.earlier());
            read.warnings.push(unusable);
            read
        }
        None => conversation.read(asked.question, &asked.earlier()),
    }
}

/// Whether something is asked for that no query does, whoever writes it.
pub fn asks_for_no_query(asked: &Asked<'_>) -> bool {
    asked.conversation().interpreter.asks_for_no_query(asked.question)
}

/// What somebody else's SQL over the logical tables says of the question, in the interpreter's words; `None` where no typed
/// query stands for it.
pub fn proposed(asked: &Asked<'_>, sql: &str) -> Option<Interpreted> {
    asked.conversation().proposed(asked.question, sql)
}

/// Another answer where the first one's SQL cannot be run, which `problem` says: the best reading whose SQL can, else
/// what can be asked.
pub fn reconsider(asked: &Asked<'_>, refused: &Interpreted, problem: &str) -> Interpreted {
    let conversation = asked.conversation();
    let mut warnings = refused.warnings.clone();
    if let Some(query) = &refused.verified_query {
        warnings.push(format!("The verified query `{}` cannot be used: {problem}", query.name));
    }
    let alternatives = conversation.interpreter.alternatives(asked.question, &asked.earlier(), conversation.today);
    for reading in alternatives.into_iter().filter(|reading| reading.is_sure) {
        if let Some(sql) = reading.sql.filter(|sql| Some(sql) != refused.sql.as_ref())
            && conversation.can_run(&sql)
        {
            // The more probable reading was refused by the engine; of this one nothing is known but its words.
            let confidence = f64::from(reading.explained).min(refused.confidence);
            let caveat = caveat(asked.thresholds.of(confidence), &refused.unused, &[]);
            let text = format!("{}{caveat}", interpretation_of(&reading.restatement));
            let (links, unused) = (refused.links.clone(), refused.unused.clone());
            let answer = Interpreted::new(Category::ClearSql, text);
            return Interpreted { sql: Some(sql), warnings, links, confidence, unused, ..answer };
        }
    }
    let text =
        "The question is understood, but what the model says of it cannot be computed; the warnings tell why. These \
                questions can be answered."
            .to_owned();
    warnings.push(format!("The SQL of the best reading cannot be run: {}", problem.replace('\n', " ")));
    let suggestions = conversation.suggestions(Vec::new());
    let links = refused.links.clone();
    Interpreted { suggestions, warnings, links, ..Interpreted::new(Category::Unanswerable, text) }
}

/// The links and readings behind an answer.
pub fn explain(asked: &Asked<'_>, interpreted: &Interpreted) -> Explanation {
    let conversation = asked.conversation();
    let alternatives = conversation.interpreter.alternatives(asked.question, &asked.earlier(), conversation.today);
    let links = match interpreted.links.is_empty() {
        true => conversation.interpreter.interpret(asked.question, &asked.earlier(), conversation.today).links,
        false => interpreted.links.clone(),
    };
    Explanation::new(&links, alternatives)
}

fn interpretation_of(restatement: &str) -> String {
    format!("This is our interpretation of your question:\n\n{restatement}")
}

struct Conversation<'a> {
    model: &'a SemanticModel,
    interpreter: Interpreter<'a>,
    evidence: &'a DataEvidence<'a>,
    today: NaiveDate,
    thresholds: Thresholds,
}

impl Conversation<'_> {
    /// The verified query of a question, or why it cannot be used.
    fn verified(&self, question: &str) -> Option<Result<Interpreted, String>> {
        let found = self.interpreter.verified(question, self.today)?;
        let query = found.query;
        let sql = match with_logical_tables(self.model, &found.sql) {
            Ok(sql) => sql,
            Err(problem) => return Some(Err(format!("The verified query `{}` cannot be used: {problem}", query.name))),
        };
        let used = VerifiedQueryUsed::from(query);
        let answer = Interpreted::new(Category::ClearSql, interpretation_of(&found.question));
        Some(Ok(Interpreted { sql: Some(sql), verified_query: Some(used), confidence: VERIFIED, ..answer }))
    }

    fn read(&self, question: &str, asked: &[String]) -> Interpreted {
        let answer = self.interpreter.interpret(question, asked, self.today);
        let search_retrieval = retrieval(&answer.values, self.model);
        let confidence = f64::from(answer.confidence);
        let certainty = self.thresholds.of(confidence);
        let mut warnings = doubts(&answer);
        warnings.extend(self.unused_instructions());
        let interpreted = match (&answer.category, &answer.sql) {
            (Understood::ClearSql, Some(_)) if certainty == Certainty::TooLow => {
                let caveat = caveat(Certainty::Sure, &answer.unused, &answer.doubts);
                let text = format!(
                    "The question is not clear enough to be answered with SQL. The nearest reading is not sure: {}{caveat}\n\n\
                     Perhaps one of these is meant.",
                    answer.restatement
                );
                Interpreted::new(Category::Ambiguous, text)
            }
            (Understood::ClearSql, Some(sql)) => {
                let caveat = caveat(certainty, &answer.unused, &answer.doubts);
                let text = format!("{}{caveat}", interpretation_of(&answer.restatement));
                Interpreted { sql: Some(sql.clone()), ..Interpreted::new(Category::ClearSql, text) }
            }
            (Understood::OutOfScope, _) if !answer.doubts.is_empty() => {
                let text = format!("{} These questions can be answered.", answer.doubts.join(" "));
                Interpreted::new(Category::Unanswerable, text)
            }
            (Understood::OutOfScope, _) => {
                let text = format!(
                    "The question speaks of nothing that the semantic model `{}` describes. These questions can be \
                     answered.",
                    self.model.name
                );
                Interpreted::new(Category::Unanswerable, text)
            }
            _ if !answer.doubts.is_empty() => {
                let offer = if answer.suggestions.is_empty() { "" } else { " Perhaps one of these is meant." };
                let text = format!("{}{offer}", answer.doubts.join(" "));
                Interpreted::new(Category::Ambiguous, text)
            }
            _ => {
                let about = linked(&answer);
                let text = format!(
                    "The question is not clear enough to be answered with SQL{about}. Perhaps one of \
                                    these is meant."
                );
                Interpreted::new(Category::Ambiguous, text)
            }
        };
        let suggestions = match interpreted.sql {
            Some(_) => Vec::new(),
            None => self.suggestions(answer.suggestions),
        };
        Interpreted {
            suggestions,
            search_retrieval,
            links: answer.links,
            confidence,
            unused: answer.unused,
            missing: answer.missing,
            warnings,
            ..interpreted
        }
    }

    fn proposed(&self, question: &str, sql: &str) -> Option<Interpreted> {
        let answer = self.interpreter.proposed(question, sql, self.today)?;
        let answered = Interpreted::new(Category::ClearSql, interpretation_of(&answer.restatement));
        let warnings = doubts(&answer).into_iter().chain(self.unused_instructions()).collect();
        Some(Interpreted {
            search_retrieval: retrieval(&answer.values, self.model),
            warnings,
            sql: answer.sql,
            links: answer.links,
            confidence: f64::from(answer.confidence),
            unused: answer.unused,
            ..answered
        })
    }

    fn unused_instructions(&self) -> Vec<String> {
        let unused = self.interpreter.unused_instructions(self.today);
        unused
            .into_iter()
            .map(|sentence| format!("This instruction of the model is not understood and was not applied: {sentence}"))
            .collect()
    }

    fn onboarding(&self) -> Interpreted {
        let model = self.model;
        let about = match &model.description {
            Some(description) => format!("The semantic model `{}`: {}", model.name, description.trim()),
            None => format!("The semantic model `{}`.", model.name),
        };
        let tables: Vec<&str> = model.tables.iter().map(|table| table.name.as_str()).collect();
        let text = format!("{about}\n\nIt describes {}. Here are questions to begin with.", tables.join(", "));
        let suggestions = self.suggestions(onboarding::questions(model));
        Interpreted { suggestions, ..Interpreted::new(Category::Onboarding, text) }
    }

    /// Those given as far as they can be answered, else questions of the model's own that can.
    fn suggestions(&self, given: Vec<String>) -> Vec<String> {
        let mut chosen: Vec<String> = given.into_iter().filter(|question| self.can_answer(question)).collect();
        if !chosen.is_empty() {
            return chosen;
        }
        let verified = onboarding::questions(self.model).into_iter();
        for candidate in verified.chain(candidates(self.model)).take(CANDIDATES_MAX) {
            if chosen.len() < SUGGESTIONS_MAX && self.can_answer(&candidate) {
                chosen.push(candidate);
            }
        }
        chosen
    }

    fn can_answer(&self, question: &str) -> bool {
        if onboarding::is_asked(question) {
            return false;
        }
        let sql = match self.verified(question) {
            Some(Ok(verified)) => verified.sql,
            _ => {
                let answer = self.interpreter.interpret(question, &[], self.today);
                let is_answered = self.thresholds.of(f64::from(answer.confidence)) != Certainty::TooLow;
                answer.sql.filter(|_| is_answered)
            }
        };
        sql.is_some_and(|sql| self.can_run(&sql))
    }

    fn can_run(&self, sql: &str) -> bool {
        self.evidence.reader.borrow_mut().prepare(sql).is_ok()
    }
}

/// Simple questions that the model's names make.
fn candidates(model: &SemanticModel) -> Vec<String> {
    let words = |name: &str| name.replace('_', " ").to_lowercase();
    let mut questions = Vec::new();
    for table in &model.tables {
        let dimension = table.dimensions.iter().find(|dimension| dimension.is_enum).or(table.dimensions.last());
        if let (Some(metric), Some(dimension)) = (table.metrics.first(), dimension) {
            questions.push(format!("What is the {} for each {}?", words(&metric.name), words(&dimension.name)));
        }
        if let (Some(fact), Some(dimension)) = (table.facts.first(), dimension) {
            questions.push(format!("What is the average {} for each {}?", words(&fact.name), words(&dimension.name)));
        }
        questions.push(format!("How many {} are there?", words(&table.name)));
    }
    questions
}

fn linked(answer: &Answer) -> String {
    let links = answer.links.iter().filter_map(|link| Some(format!("‘{}’ ({})", link.text, link.targets.first()?)));
    let links: Vec<String> = links.take(4).collect();
    if links.is_empty() { String::new() } else { format!(": {} was recognised", links.join(", ")) }
}

/// Words that are values of other columns, too, where the question names none of the columns.
fn doubts(answer: &Answer) -> Vec<String> {
    let is_named = |used: &FoundValue| {
        let column = format!("{}.{}", used.table, used.column);
        answer.links.iter().any(|link| link.targets.contains(&column))
    };
    let words = |name: &str| name.replace('_', " ").to_lowercase();
    let mut warnings = Vec::new();
    for used in answer.values.iter().filter(|used| !is_named(used)) {
        let others = answer.other_values.iter().filter(|other| other.text == used.text && other.value == used.value);
        let mut others: Vec<String> = others.map(|other| format!("`{}.{}`", other.table, other.column)).collect();
        others.sort();
        others.dedup();
        if !others.is_empty() && !warnings.iter().any(|(text, _)| *text == used.text) {
            let message = format!(
                "'{}' was read as `{}.{}`; it is also a value of {}. Name the column to mean another one, as in \
                 '{} {}'.",
                used.value,
                used.table,
                used.column,
                others.join(", "),
                words(&used.column),
                used.value
            );
            warnings.push((used.text.clone(), message));
        }
    }
    warnings.into_iter().map(|(_, message)| message).collect()
}

/// The values of the data that the question was matched with, each under the search service of its column.
fn retrieval(values: &[FoundValue], model: &SemanticModel) -> Vec<SearchRetrieval> {
    let of_one = |found: &FoundValue| {
        let table = model.table(&found.table);
        let dimension = table.and_then(|table| table.dimensions.iter().find(|d| d.name == found.column));
        let service = dimension.and_then(|dimension| dimension.search_service.as_ref());
        SearchRetrieval {
            service: service
                .map_or_else(|| format!("{}.{}", found.table, found.column), |service| service.service.clone()),
            response_body: SearchResponse {
                results: vec![json!({found.column.clone(): found.value})],
                request_id: uuid::Uuid::new_v4().to_string(),
            },
            query: found.text.clone(),
        }
    };
    values.iter().map(of_one).collect()
}
