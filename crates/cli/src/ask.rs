//! `firn ask`: a question, its interpretation, its SQL and its rows.

use std::error::Error;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::server::{Connection, Server, Table};

const ROWS_SHOWN: usize = 100;

#[derive(clap::Args)]
pub struct Arguments {
    /// The question, in plain English
    question: String,

    #[command(flatten)]
    model: Model,

    #[command(flatten)]
    connection: Connection,

    /// Show the SQL without running it
    #[arg(long)]
    dry_run: bool,
}

/// Which semantic model describes the data.
#[derive(clap::Args, Clone)]
#[group(required = true, multiple = false)]
pub struct Model {
    /// A semantic model: a YAML file, or @database.schema.stage/path.yaml
    #[arg(long, value_name = "FILE")]
    pub model: Option<PathBuf>,

    /// A semantic view: database.schema.name
    #[arg(long, value_name = "NAME")]
    pub view: Option<String>,
}

impl Model {
    /// The field that names the model in a request.
    pub fn field(&self) -> Result<(&'static str, String), Box<dyn Error>> {
        match (&self.model, &self.view) {
            (Some(path), _) => file_field(path),
            (None, Some(view)) => Ok(("semantic_view", view.clone())),
            (None, None) => Err("a model is missing; give --model or --view".into()),
        }
    }
}

pub fn file_field(path: &Path) -> Result<(&'static str, String), Box<dyn Error>> {
    match path.to_str() {
        Some(staged) if staged.starts_with('@') => Ok(("semantic_model_file", staged.to_owned())),
        _ => match std::fs::read_to_string(path) {
            Ok(yaml) => Ok(("semantic_model", yaml)),
            Err(error) => Err(format!("{}: {error}", path.display()).into()),
        },
    }
}

pub fn run(arguments: Arguments) -> Result<(), Box<dyn Error>> {
    let server = Server::new(arguments.connection)?;
    let (field, model) = arguments.model.field()?;
    let answer = server.ask(&request(&arguments.question, &[], field, &model))?;
    for warning in answer["warnings"].as_array().into_iter().flatten() {
        eprintln!("warning: {}", warning["message"].as_str().unwrap_or_default());
    }
    for block in answer["message"]["content"].as_array().into_iter().flatten() {
        match block["type"].as_str() {
            Some("text") => println!("{}\n", block["text"].as_str().unwrap_or_default()),
            Some("sql") => {
                let statement = block["statement"].as_str().unwrap_or_default();
                println!("{statement}\n");
                if !arguments.dry_run {
                    print!("{}", drawn(&server.rows(statement)?));
                }
            }
            Some("suggestions") => {
                for suggestion in block["suggestions"].as_array().into_iter().flatten() {
                    println!("- {}", suggestion.as_str().unwrap_or_default());
                }
            }
            _ => {}
        }
    }
    Ok(())
}

pub fn request(question: &str, earlier: &[String], field: &str, model: &str) -> Value {
    let said = earlier.iter().map(String::as_str).chain([question]);
    let messages = said.map(|text| json!({"role": "user", "content": [{"type": "text", "text": text}]}));
    let mut body = json!({"messages": messages.collect::<Vec<_>>()});
    body[field] = json!(model);
    body
}

/// A table with columns as wide as what is in them.
fn drawn(table: &Table) -> String {
    let shown: Vec<Vec<&str>> = table
        .rows
        .iter()
        .take(ROWS_SHOWN)
        .map(|row| row.iter().map(|cell| cell.as_deref().unwrap_or("NULL")).collect())
        .collect();
    let width = |index: usize| {
        let cells = shown.iter().filter_map(|row| row.get(index)).map(|cell| cell.chars().count());
        cells.chain(table.columns.get(index).map(|name| name.chars().count())).max().unwrap_or(0)
    };
    let widths: Vec<usize> = (0..table.columns.len()).map(width).collect();
    let line = |cells: &[&str]| {
        let cells = cells.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}"));
        cells.collect::<Vec<_>>().join("  ").trim_end().to_owned() + "\n"
    };
    let mut text = line(&table.columns.iter().map(String::as_str).collect::<Vec<_>>());
    text.push_str(&(widths.iter().map(|width| "-".repeat(*width)).collect::<Vec<_>>().join("  ") + "\n"));
    for row in &shown {
        text.push_str(&line(row));
    }
    if table.rows.len() > ROWS_SHOWN {
        text.push_str(&format!("… {} rows in all\n", table.rows.len()));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_table_is_drawn_in_columns() {
        let table = Table {
            columns: vec!["REGION".to_owned(), "N".to_owned()],
            rows: vec![vec![Some("é".to_owned()), Some("100".to_owned())], vec![None, Some("2".to_owned())]],
        };
        assert_eq!(drawn(&table), "REGION  N\n------  ---\né       100\nNULL    2\n");
    }
}
