//! Probes of the dialect: a name, a statement that shows whether the server has what is named, and what the
//! reference says it answers. They are read from the files of `tests/parity/`.

use std::collections::HashSet;

use serde_json::json;

use crate::client::{Client, Request, Response, STATEMENTS};
use crate::sqllogic::{Connection, shown};

#[derive(Debug)]
pub struct Family {
    pub title: String,
    pub probes: Vec<Probe>,
}

#[derive(Debug)]
pub struct Probe {
    pub name: String,
    pub statement: String,
    /// Cells of a row by `, `, rows by `; `; `None` when the statement only has to run.
    pub answer: Option<String>,
    pub deviation: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Support {
    Same,
    Deviates,
    Refused,
}

/// Reads one file; panics with the line that is not in its form.
pub fn read(text: &str) -> Vec<Family> {
    let mut families: Vec<Family> = Vec::new();
    for line in text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with('#')) {
        if let Some(title) = line.strip_prefix("== ") {
            families.push(Family { title: title.to_owned(), probes: Vec::new() });
            continue;
        }
        let family = families.last_mut().unwrap_or_else(|| panic!("a family comes first: {line}"));
        if let Some(note) = line.trim_start().strip_prefix("~ ") {
            let probe = family.probes.last_mut().unwrap_or_else(|| panic!("a note without a name: {line}"));
            probe.deviation = Some(note.to_owned());
        } else if let Some(names) = line.strip_prefix("- ") {
            family.probes.extend(names.split_whitespace().map(Probe::without_arguments));
        } else {
            family.probes.push(Probe::read(line));
        }
    }
    let names: Vec<&str> = families.iter().flat_map(|family| &family.probes).map(|probe| &*probe.name).collect();
    let mut seen = HashSet::new();
    let repeated: Vec<&&str> = names.iter().filter(|name| !seen.insert(**name)).collect();
    assert!(repeated.is_empty(), "listed twice: {repeated:?}");
    families
}

impl Probe {
    fn read(line: &str) -> Self {
        let (name, rest) = line.split_once(": ").unwrap_or_else(|| panic!("NAME: statement, not {line}"));
        let (statement, answer) = match rest.split_once(" --> ") {
            Some((statement, answer)) => (statement, Some(answer.to_owned())),
            None => (rest, None),
        };
        Self { name: name.to_owned(), statement: statement.to_owned(), answer, deviation: None }
    }

    fn without_arguments(name: &str) -> Self {
        Self { name: name.to_owned(), statement: format!("select {name}()"), answer: None, deviation: None }
    }

    /// What the server makes of the statement, or how it breaks its word.
    pub fn run(&self, connection: &Connection) -> Result<Support, String> {
        let response = answer(connection, &self.statement);
        if response.status != 200 {
            let message = response.json()["message"].as_str().unwrap_or_default().to_owned();
            let refused = message.contains("Unsupported feature") || message.contains("not supported by SQL API");
            let failed = || format!("{}: {}\n    {} {message}", self.name, self.statement, response.code());
            return if response.status == 422 && refused { Ok(Support::Refused) } else { Err(failed()) };
        }
        let given: Vec<String> =
            response.rows().into_iter().map(|row| row.into_iter().map(shown).collect::<Vec<_>>().join(", ")).collect();
        let given = given.join("; ");
        match &self.answer {
            Some(answer) if answer.trim_matches('"') != given && flat(answer) != flat(&given) => {
                Err(format!("{}: {}\n    is      {given}\n    must be {answer}", self.name, self.statement))
            }
            _ if self.deviation.is_some() => Ok(Support::Deviates),
            _ => Ok(Support::Same),
        }
    }
}

/// The answer to the last of the statements.
fn answer(connection: &Connection, statements: &str) -> Response {
    let mut fields = connection.fields();
    fields["parameters"]["MULTI_STATEMENT_COUNT"] = json!("0");
    let response = connection.client.sql_with(statements, fields);
    last_of_several(&connection.client, &response).unwrap_or(response)
}

fn last_of_several(client: &Client, response: &Response) -> Option<Response> {
    let body = response.json();
    let handle = body["statementHandles"].as_array()?.last()?.as_str()?.to_owned();
    (response.status == 200).then(|| client.send(&Request::get(&format!("{STATEMENTS}/{handle}"))))
}

/// Semi-structured values without the line breaks and indents they are shown with.
fn flat(cells: &str) -> String {
    let mut pieces = cells.split("\\n");
    let first = pieces.next().unwrap_or_default().to_owned();
    let joined = pieces.fold(first, |joined, piece| joined + piece.trim_start());
    joined.replace("\": ", "\":")
}
