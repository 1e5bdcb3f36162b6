//! sqllogictest over HTTP: every record of a `.slt` file is one request. Of a record with several
//! statements the last one's result counts. `PUT FILE stage/path` brings the lines below it to a stage,
//! where `<blank>` is an empty line.

use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use sqllogictest::{DB, DBOutput, DefaultColumnType};

use crate::client::{Client, Request, Response, STATEMENTS};

/// Dates and times come as text here, so that the files can be read.
const FORMATS: [(&str, &str); 5] = [
    ("DATE_OUTPUT_FORMAT", "YYYY-MM-DD"),
    ("TIME_OUTPUT_FORMAT", "HH24:MI:SS.FF3"),
    ("TIMESTAMP_NTZ_OUTPUT_FORMAT", "YYYY-MM-DD HH24:MI:SS.FF3"),
    ("TIMESTAMP_LTZ_OUTPUT_FORMAT", "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM"),
    ("TIMESTAMP_TZ_OUTPUT_FORMAT", "YYYY-MM-DD HH24:MI:SS.FF3 TZHTZM"),
];

/// The files of `tests/sql/`, in alphabetical order.
pub fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("sql");
    let entries =
        std::fs::read_dir(folder).expect("the folder of the files").map(|entry| entry.expect("an entry").path());
    let mut files: Vec<PathBuf> = entries.filter(|path| path.extension().is_some_and(|ext| ext == "slt")).collect();
    files.sort();
    files
}

pub struct Connection {
    pub client: Client,
    pub database: String,
}

/// A refused statement: its code, state and message.
#[derive(Debug)]
pub struct Refused(String);

impl std::error::Error for Refused {}

impl std::fmt::Display for Refused {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl DB for Connection {
    type Error = Refused;
    type ColumnType = DefaultColumnType;

    fn run(&mut self, sql: &str) -> Result<DBOutput<DefaultColumnType>, Refused> {
        if let Some(file) = sql.strip_prefix("PUT FILE ") {
            return self.put_file(file);
        }
        let response = self.client.sql_to_its_end_with(sql, self.fields());
        let body = response.json();
        if response.status != 200 {
            let message = body["message"].as_str().unwrap_or_default();
            return Err(Refused(format!("{} {}: {message}", response.status, response.code())));
        }
        match body["statementHandles"].as_array().and_then(|handles| handles.last()).and_then(Value::as_str) {
            Some(last) => {
                let response = self.client.send(&Request::get(&format!("{STATEMENTS}/{last}")));
                let body = response.json();
                Ok(self.output(&response, &body))
            }
            None => Ok(self.output(&response, &body)),
        }
    }

    fn engine_name(&self) -> &str {
        "firn"
    }
}

impl Connection {
    fn put_file(&self, text: &str) -> Result<DBOutput<DefaultColumnType>, Refused> {
        let (place, content) = text.split_once('\n').unwrap_or((text, ""));
        let (stage, path) = place.split_once('/').unwrap_or((place, ""));
        let database = &self.database;
        let path = format!("/api/v2/databases/{database}/schemas/PUBLIC/stages/{stage}/files/{path}");
        let lines: String =
            content.lines().map(|line| format!("{}\n", if line == "<blank>" { "" } else { line })).collect();
        let mut request = Request::new("PUT", &path).header("content-type", "application/octet-stream");
        request.body = lines.into_bytes();
        match self.client.send(&request) {
            response if response.status == 200 => Ok(DBOutput::StatementComplete(0)),
            response => Err(Refused(response.to_string())),
        }
    }

    /// What every request of this connection carries besides its statement.
    pub fn fields(&self) -> Value {
        let mut parameters: Value = FORMATS.iter().map(|(name, value)| ((*name).to_owned(), json!(value))).collect();
        parameters["MULTI_STATEMENT_COUNT"] = json!("0");
        json!({"database": self.database, "schema": "PUBLIC", "parameters": parameters})
    }

    /// DML and DDL results count as statements, everything else is rows.
    fn output(&self, response: &Response, body: &Value) -> DBOutput<DefaultColumnType> {
        let names = &body["resultSetMetaData"]["rowType"];
        let is_count = names[0]["name"].as_str().is_some_and(|name| name.starts_with("number of"));
        if let Some(stats) = body["stats"].as_object().filter(|_| is_count) {
            let counted = |name: &str| stats.get(name).and_then(Value::as_u64).unwrap_or(0);
            let changed = ["numRowsInserted", "numRowsUpdated", "numRowsDeleted"].map(counted);
            return DBOutput::StatementComplete(changed.iter().sum());
        }
        let columns = body["resultSetMetaData"]["rowType"].as_array().cloned().unwrap_or_default();
        if columns.len() == 1 && columns[0]["name"] == "status" && !body["stats"].is_object() {
            return DBOutput::StatementComplete(0);
        }
        let mut rows = response.rows();
        let partitions = body["resultSetMetaData"]["partitionInfo"].as_array().map_or(1, Vec::len);
        for partition in 1..partitions {
            let path = format!("{STATEMENTS}/{}", response.handle());
            let request = Request::get(&path).query("partition", &partition.to_string());
            rows.extend(self.client.send(&request).rows());
        }
        DBOutput::Rows {
            types: columns.iter().map(column_type).collect(),
            rows: rows.into_iter().map(|row| row.into_iter().map(shown).collect()).collect(),
        }
    }
}

fn column_type(column: &Value) -> DefaultColumnType {
    match (column["type"].as_str(), column["scale"].as_i64()) {
        (Some("fixed"), Some(0)) => DefaultColumnType::Integer,
        (Some("fixed" | "real"), _) => DefaultColumnType::FloatingPoint,
        _ => DefaultColumnType::Text,
    }
}

/// How a cell is written in the files.
pub fn shown(cell: Option<String>) -> String {
    match cell {
        None => "NULL".to_owned(),
        Some(text) if text.is_empty() => "(empty)".to_owned(),
        Some(text) => text.replace('\n', "\\n"),
    }
}
