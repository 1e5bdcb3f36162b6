//! Sets of questions: YAML for one's own, JSON lines for published ones.

use std::error::Error;

use firn_server::analyst::same_rows::Order;
use saphyr::{LoadableYamlNode, Scalar, Yaml};
use serde_json::Value;

#[derive(Clone)]
pub struct Question {
    pub text: String,
    /// The questions asked before it.
    pub history: Vec<String>,
    pub database: Option<String>,
    pub expected: Expected,
    pub order: Order,
}

#[derive(Debug, Clone, PartialEq)]
pub enum Expected {
    Sql(String),
    Rows(Vec<Vec<Option<String>>>),
    /// The question is to be recognised as one of this kind, not answered with rows.
    Category(String),
}

pub fn read(text: &str) -> Result<Vec<Question>, Box<dyn Error>> {
    let questions = listed(text)?;
    if questions.is_empty() { Err(NO_QUESTIONS.into()) } else { Ok(questions) }
}

const NO_QUESTIONS: &str = "there are no questions";

fn listed(text: &str) -> Result<Vec<Question>, Box<dyn Error>> {
    if text.trim_start().starts_with('{') {
        let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
        return lines.map(|(index, line)| of_json(line).map_err(|error| at(index + 1, &error))).collect();
    }
    let documents = Yaml::load_from_str(text)?;
    let document = documents.into_iter().next().ok_or(NO_QUESTIONS)?;
    let value = json_of(&document);
    let list = value.as_array().or_else(|| value["questions"].as_array());
    let list = list.ok_or("the questions must be a list, each with `question` and `sql` or `rows`")?;
    let mut found = Vec::new();
    for (index, entry) in list.iter().enumerate() {
        let asked = question(entry).map_err(|error| at(index + 1, &error))?;
        found.extend(paraphrases(entry, &asked));
        found.push(asked);
    }
    Ok(found)
}

/// The same question in other words, each a question of its own.
fn paraphrases(entry: &Value, asked: &Question) -> Vec<Question> {
    let texts = entry["paraphrases"].as_array().map(Vec::as_slice).unwrap_or_default();
    let texts = texts.iter().filter_map(Value::as_str);
    texts.map(|text| Question { text: text.to_owned(), ..asked.clone() }).collect()
}

fn at(number: usize, error: &impl std::fmt::Display) -> Box<dyn Error> {
    format!("question {number}: {error}").into()
}

fn of_json(line: &str) -> Result<Question, String> {
    question(&serde_json::from_str(line).map_err(|error| error.to_string())?)
}

fn question(entry: &Value) -> Result<Question, String> {
    let text = entry["question"].as_str().ok_or("`question` is missing")?.to_owned();
    let sql = entry["sql"].as_str().or_else(|| entry["gold_sql"].as_str());
    let expected = match (entry["rows"].as_array(), sql, entry["category"].as_str()) {
        (Some(rows), _, _) => Expected::Rows(rows.iter().map(cells).collect()),
        (None, Some(sql), _) => Expected::Sql(sql.to_owned()),
        (None, None, Some(category)) => Expected::Category(category.to_owned()),
        (None, None, None) => return Err("`sql`, `rows` or `category` is missing".to_owned()),
    };
    let earlier = entry["history"].as_array().map(Vec::as_slice).unwrap_or_default();
    let history = earlier.iter().filter_map(|text| text.as_str().map(str::to_owned)).collect();
    let order = if entry["ordered"].as_bool() == Some(true) { Order::AsGiven } else { Order::Any };
    Ok(Question { text, history, database: entry["database"].as_str().map(str::to_owned), expected, order })
}

fn cells(row: &Value) -> Vec<Option<String>> {
    let cell = |cell: &Value| match cell {
        Value::Null => None,
        Value::String(text) => Some(text.clone()),
        other => Some(other.to_string()),
    };
    match row.as_array() {
        Some(cells) => cells.iter().map(cell).collect(),
        None => vec![cell(row)],
    }
}

fn json_of(yaml: &Yaml<'_>) -> Value {
    match yaml {
        Yaml::Value(Scalar::Boolean(flag)) => (*flag).into(),
        Yaml::Value(Scalar::Integer(number)) => (*number).into(),
        Yaml::Value(Scalar::FloatingPoint(number)) => number.into_inner().into(),
        Yaml::Value(Scalar::String(text)) => text.to_string().into(),
        Yaml::Sequence(items) => items.iter().map(json_of).collect(),
        Yaml::Mapping(fields) => {
            let fields =
                fields.iter().map(|(name, value)| (name.as_str().unwrap_or_default().to_owned(), json_of(value)));
            Value::Object(fields.collect())
        }
        _ => Value::Null,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    #[test]
    fn both_forms_are_read() {
        let yaml = read("- question: How many?\n  rows: [[1, a, null], [2.5, true, x]]\n  ordered: true\n- {question: Q, sql: select 1}").unwrap();
        let row = |cells: &[Option<&str>]| cells.iter().map(|cell| cell.map(str::to_owned)).collect::<Vec<_>>();
        let rows = vec![row(&[Some("1"), Some("a"), None]), row(&[Some("2.5"), Some("true"), Some("x")])];
        assert_eq!(yaml[0].expected, Expected::Rows(rows));
        assert_eq!(yaml[0].order, Order::AsGiven);
        assert_eq!(yaml[1].expected, Expected::Sql("select 1".to_owned()));
        let json = read("{\"database\":\"d\",\"question\":\"q\",\"gold_sql\":\"s\",\"rows\":[[1]]}\n\n").unwrap();
        assert_eq!(json[0].database.as_deref(), Some("d"));
        assert!(read("- {question: x}").is_err());
        for empty in ["", "[]", "questions: []"] {
            assert_eq!(read(empty).err().map(|error| error.to_string()).as_deref(), Some(NO_QUESTIONS), "{empty}");
        }
        let follow_up = read("- {question: and now?, history: [before], category: AMBIGUOUS}").unwrap();
        assert_eq!(follow_up[0].history, ["before"]);
        let twice =
            read("- {question: orders per year, paraphrases: [orders by year, yearly orders], sql: select 1}").unwrap();
        let texts: Vec<&str> = twice.iter().map(|one| one.text.as_str()).collect();
        assert_eq!(texts, ["orders by year", "yearly orders", "orders per year"]);
        assert!(twice.iter().all(|one| one.expected == Expected::Sql("select 1".to_owned())));
        assert_eq!(follow_up[0].expected, Expected::Category("AMBIGUOUS".to_owned()));
    }
}
