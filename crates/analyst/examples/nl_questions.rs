//! Answers the questions of a benchmark folder: reads `schema.json` and the rows of each database, and prints one JSON
//! line of SQL for each question. A `model.yaml` beside the rows takes the place of the model made from the schema.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;
use std::time::Instant;

use firn_analyst::evidence::Evidence;
use firn_analyst::interpreter::Interpreter;
use firn_analyst::judge::{ASPECTS, FEATURES};
use firn_analyst::semantic_model::{
    Dimension, Fact, LogicalTable, Relationship, RelationshipColumns, SemanticModel, TableSource, TimeDimension,
    read_yaml,
};
use serde_json::{Value, json};

type Failure = Box<dyn std::error::Error>;

#[derive(Default)]
struct Rows {
    values: HashMap<(String, String), BTreeSet<String>>,
    counts: HashMap<String, u64>,
    filled: HashMap<(String, String), u64>,
}

impl Evidence for Rows {
    fn values(&self, table: &str, column: &str) -> Vec<String> {
        let key = (table.to_string(), column.to_string());
        self.values.get(&key).map(|values| values.iter().cloned().collect()).unwrap_or_default()
    }

    fn distinct_count(&self, table: &str, column: &str) -> Option<u64> {
        let key = (table.to_string(), column.to_string());
        self.values.get(&key).map(|values| values.len() as u64)
    }

    fn row_count(&self, table: &str) -> Option<u64> {
        self.counts.get(table).copied()
    }

    fn has_gaps(&self, table: &str, column: &str) -> Option<bool> {
        let filled = self.filled.get(&(table.to_string(), column.to_string())).copied().unwrap_or_default();
        self.counts.get(table).map(|count| filled < *count)
    }
}

fn main() -> Result<(), Failure> {
    let folder = std::env::args().nth(1).ok_or("usage: nl_questions FOLDER [--readings]")?;
    let folder = Path::new(&folder);
    let with_readings = std::env::args().nth(2).as_deref() == Some("--readings");
    let today = chrono::NaiveDate::default();
    let mut questions: BTreeMap<String, Vec<Value>> = BTreeMap::new();
    for line in std::fs::read_to_string(folder.join("questions.jsonl"))?.lines() {
        let question: Value = serde_json::from_str(line)?;
        questions.entry(text(&question["database"])).or_default().push(question);
    }
    for (database, questions) in questions {
        let at = folder.join("databases").join(&database);
        let schema: Value = serde_json::from_str(&std::fs::read_to_string(at.join("schema.json"))?)?;
        let curated = std::fs::read_to_string(at.join("model.yaml")).ok();
        let model = match curated {
            Some(yaml) => read_yaml(&yaml)?.model,
            None => model(&schema, &database),
        };
        let rows = rows(&schema, &at)?;
        let interpreter = Interpreter::new(&model, &rows);
        for question in questions {
            let begun = Instant::now();
            let history: Vec<String> = list(&question["history"]).iter().map(text).collect();
            let answer = interpreter.interpret(&text(&question["question"]), &history, today);
            let micros = begun.elapsed().as_micros() as u64;
            let links: Vec<String> =
                answer.links.iter().map(|link| format!("{}[{}]", link.text, link.targets.join(" "))).collect();
            let words = firn_analyst::question::words::words(&text(&question["question"]));
            let readings = if with_readings { interpreter.readings(&words, None, today) } else { Vec::new() };
            let readings: Vec<Value> = readings
                .iter()
                .map(|judged| {
                    let named = FEATURES.iter().zip(&judged.features.values).filter(|(_, value)| **value != 0.0);
                    let features: serde_json::Map<String, Value> =
                        named.map(|(name, value)| ((*name).to_string(), json!(value))).collect();
                    let aspects: BTreeMap<&str, &String> = ASPECTS.into_iter().zip(&judged.aspects.values).collect();
                    json!({"features": features, "aspects": aspects,
                        "score": judged.score, "sql": interpreter.sql_of(&judged.reading)})
                })
                .collect();
            let cues = if with_readings { interpreter.cues(&words, today) } else { Vec::new() };
            println!(
                "{}",
                json!({"id": question["id"], "database": database, "question": question["question"], "sql": answer.sql, "micros": micros, "links": links.join(" | "), "restatement": answer.restatement,
                "score": answer.score, "confidence": answer.confidence, "suggestions": answer.suggestions, "cues": cues, "readings": readings})
            );
        }
    }
    Ok(())
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_string()
}

fn list(value: &Value) -> &[Value] {
    value.as_array().map(Vec::as_slice).unwrap_or_default()
}

fn model(schema: &Value, database: &str) -> SemanticModel {
    let mut model = SemanticModel { name: database.to_string(), ..SemanticModel::default() };
    for table in list(&schema["tables"]) {
        model.tables.push(logical_table(table));
        for key in list(&table["foreign_keys"]) {
            model.relationships.push(Relationship {
                name: format!("r{}", model.relationships.len()),
                left_table: text(&table["name"]),
                right_table: text(&key["references"]["table"]),
                columns: vec![RelationshipColumns {
                    left_column: text(&key["column"]),
                    right_column: text(&key["references"]["column"]),
                }],
                ..Relationship::default()
            });
        }
    }
    model
}

fn logical_table(table: &Value) -> LogicalTable {
    let name = text(&table["name"]);
    let mut logical = LogicalTable {
        source: TableSource::BaseTable { database: None, schema: None, table: name.clone() },
        name,
        primary_key: list(&table["primary_key"]).iter().map(text).collect(),
        ..LogicalTable::default()
    };
    for column in list(&table["columns"]) {
        let (name, data_type) = (text(&column["name"]), text(&column["type"]));
        let base = data_type.split('(').next().unwrap_or_default().to_string();
        let (expr, data_type) = (quoted(&name), Some(data_type));
        match base.as_str() {
            "DATETIME" | "DATE" | "TIMESTAMP" => {
                logical.time_dimensions.push(TimeDimension { name, expr, data_type, ..TimeDimension::default() });
            }
            "REAL" | "FLOAT" | "DOUBLE" | "DECIMAL" => {
                logical.facts.push(Fact { name, expr, data_type, ..Fact::default() });
            }
            _ => logical.dimensions.push(Dimension { name, expr, data_type, ..Dimension::default() }),
        }
    }
    logical
}

fn quoted(name: &str) -> String {
    let plain = name.chars().all(|character| character.is_ascii_alphanumeric() || character == '_');
    if plain { name.to_string() } else { format!("\"{name}\"") }
}

fn rows(schema: &Value, at: &Path) -> Result<Rows, Failure> {
    let mut rows = Rows::default();
    for table in list(&schema["tables"]) {
        let name = text(&table["name"]);
        let content = std::fs::read_to_string(at.join(format!("{name}.csv")))?;
        let mut records = records(&content).into_iter();
        let header = records.next().unwrap_or_default();
        let mut count = 0;
        for record in records {
            count += 1;
            for (column, value) in header.iter().zip(record).filter(|(_, value)| !value.is_empty()) {
                *rows.filled.entry((name.clone(), column.clone())).or_default() += 1;
                rows.values.entry((name.clone(), column.clone())).or_default().insert(value);
            }
        }
        rows.counts.insert(name, count);
    }
    Ok(rows)
}

/// The records of a CSV text, quoted fields and line breaks inside them included.
fn records(content: &str) -> Vec<Vec<String>> {
    let mut records = vec![vec![String::new()]];
    let mut quoted = false;
    let mut characters = content.chars().peekable();
    while let Some(character) = characters.next() {
        let Some(field) = records.last_mut().and_then(|record| record.last_mut()) else { break };
        match character {
            '"' if quoted && characters.peek() == Some(&'"') => {
                characters.next();
                field.push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => records.last_mut().into_iter().for_each(|record| record.push(String::new())),
            '\n' if !quoted => records.push(vec![String::new()]),
            '\r' if !quoted => {}
            other => field.push(other),
        }
    }
    records.retain(|record| record.len() > 1 || record.iter().any(|field| !field.is_empty()));
    records
}
