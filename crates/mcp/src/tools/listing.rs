//! What there is: databases, schemas, the objects in them, and what one of them is made of.

use firn_sql::names::escaped_literal;
use rmcp::model::Tool;
use serde_json::json;

use super::names::quoted;
use super::{Call, tool};
use crate::api::Api;
use crate::page::{Columns, ROWS_MAX, Section};
use crate::reply::{ToolError, ToolResult};

/// A kind of objects: its word for the tools, for SHOW and for DESCRIBE, and the columns of SHOW that say something.
struct Kind {
    word: &'static str,
    shown: &'static str,
    described: Option<&'static str>,
    columns: &'static [&'static str],
}

/// What of DESCRIBE TABLE says something to an agent.
const COLUMN_FIELDS: [&str; 7] = ["name", "type", "null?", "default", "primary key", "unique key", "comment"];
const NAMES: [&str; 3] = ["name", "database_name", "schema_name"];
const KINDS: [Kind; 8] = [
    Kind {
        word: "table",
        shown: "OBJECTS",
        described: Some("TABLE"),
        columns: &["name", "database_name", "schema_name", "kind", "comment", "rows"],
    },
    Kind {
        word: "view",
        shown: "VIEWS",
        described: Some("VIEW"),
        columns: &["name", "database_name", "schema_name", "comment"],
    },
    Kind {
        word: "semantic_view",
        shown: "SEMANTIC VIEWS",
        described: Some("SEMANTIC VIEW"),
        columns: &["name", "database_name", "schema_name", "comment"],
    },
    Kind { word: "stage", shown: "STAGES", described: Some("STAGE"), columns: &NAMES },
    Kind { word: "file_format", shown: "FILE FORMATS", described: Some("FILE FORMAT"), columns: &NAMES },
    Kind { word: "sequence", shown: "SEQUENCES", described: Some("SEQUENCE"), columns: &NAMES },
    Kind {
        word: "function",
        shown: "USER FUNCTIONS",
        described: None,
        columns: &["name", "catalog_name", "schema_name", "arguments", "description"],
    },
    Kind {
        word: "procedure",
        shown: "PROCEDURES",
        described: None,
        columns: &["name", "catalog_name", "schema_name", "arguments", "description"],
    },
];

pub fn tools() -> Vec<Tool> {
    let like = json!({"type": "string", "description": "Only names like this pattern, with % and _ as in SQL, in any case of letters."});
    let max_rows = json!({"type": "integer", "minimum": 1, "maximum": ROWS_MAX, "description": "Rows to return at once; 100 when absent."});
    let database = json!({"type": "string", "description": "The database's name as in SQL: \"quoted\" where it has small letters."});
    let listed: Vec<&str> = KINDS.iter().map(|kind| kind.word).collect();
    let described: Vec<&str> = KINDS.iter().filter(|kind| kind.described.is_some()).map(|kind| kind.word).collect();
    vec![
        tool(
            "list_databases",
            "List databases",
            "Lists the databases that the caller may see.",
            json!({"properties": {"like": like, "max_rows": max_rows}}),
        ),
        tool(
            "list_schemas",
            "List schemas",
            "Lists the schemas of a database, or of all.",
            json!({"properties": {"database": database, "like": like, "max_rows": max_rows}}),
        ),
        tool(
            "list_objects",
            "List objects",
            "Lists tables and views, or the objects of another kind, in a schema, a database or everywhere. Semantic views \
             are what ask_analyst can be asked about.",
            json!({"properties": {
                "kind": {"type": "string", "enum": listed, "description": "table, when absent: tables and views together."},
                "database": database,
                "schema": {"type": "string", "description": "The schema's name as in SQL; needs the database."},
                "like": like,
                "max_rows": max_rows,
            }}),
        ),
        tool(
            "describe_object",
            "Describe an object",
            "Returns the columns of a table or view with types, keys and comments, or what another object is made of.",
            json!({"properties": {
                "name": {"type": "string", "description": "The name as in SQL, such as DB.SCHEMA.NAME."},
                "kind": {"type": "string", "enum": described, "description": "table, when absent; good for views too."},
            }, "required": ["name"]}),
        ),
    ]
}

impl<A: Api> Call<'_, A> {
    pub async fn list_databases(&self) -> ToolResult {
        let sql = format!("SHOW DATABASES{}", self.like()?);
        self.list(&sql, &["name", "owner", "comment"]).await
    }

    pub async fn list_schemas(&self) -> ToolResult {
        let place = match self.arguments.text("database")? {
            Some(name) => format!("DATABASE {}", quoted("database", name, 1)?),
            None => "ACCOUNT".to_owned(),
        };
        let sql = format!("SHOW SCHEMAS{} IN {place}", self.like()?);
        self.list(&sql, &["name", "database_name", "owner", "comment"]).await
    }

    pub async fn list_objects(&self) -> ToolResult {
        let kind = self.kind()?;
        let sql = format!("SHOW {}{} IN {}", kind.shown, self.like()?, self.place()?);
        self.list(&sql, kind.columns).await
    }

    pub async fn describe_object(&self) -> ToolResult {
        let kind = self.kind()?;
        let Some(described) = kind.described else {
            return Err(ToolError::new(format!("objects of kind {} are not described", kind.word)));
        };
        let name = quoted("name", self.arguments.required_text("name")?, 3)?;
        let answer = self.run_reading(&format!("DESCRIBE {described} {name}"), &[]).await?;
        let columns = match kind.word {
            "table" | "view" => Columns::Named(COLUMN_FIELDS.to_vec()),
            _ => Columns::From(0),
        };
        let section = Section { rows_max: ROWS_MAX, ..self.section(columns)? };
        self.outcome(&answer, &section).await
    }

    async fn list(&self, sql: &str, columns: &[&str]) -> ToolResult {
        let answer = self.run_reading(sql, &[]).await?;
        self.outcome(&answer, &self.section(Columns::Named(columns.to_vec()))?).await
    }

    fn kind(&self) -> Result<&'static Kind, ToolError> {
        let word = self.arguments.text("kind")?.unwrap_or("table");
        KINDS.iter().find(|kind| kind.word == word).ok_or_else(|| {
            let words: Vec<&str> = KINDS.iter().map(|kind| kind.word).collect();
            ToolError::new(format!("there is no kind `{word}`; it can be {}", words.join(", ")))
        })
    }

    fn place(&self) -> Result<String, ToolError> {
        let database = self.arguments.text("database")?.map(|name| quoted("database", name, 1)).transpose()?;
        let schema = self.arguments.text("schema")?.map(|name| quoted("schema", name, 1)).transpose()?;
        match (database, schema) {
            (Some(database), Some(schema)) => Ok(format!("SCHEMA {database}.{schema}")),
            (Some(database), None) => Ok(format!("DATABASE {database}")),
            (None, None) => Ok("ACCOUNT".to_owned()),
            (None, Some(_)) => Err(ToolError::new("argument `schema` needs `database`")),
        }
    }

    fn like(&self) -> Result<String, ToolError> {
        let pattern = self.arguments.text("like")?;
        Ok(pattern.map(|pattern| format!(" LIKE {}", escaped_literal(pattern))).unwrap_or_default())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_tool_has_a_schema_of_an_object() {
        for tool in tools() {
            assert_eq!(tool.input_schema.get("type"), Some(&serde_json::Value::from("object")), "{}", tool.name);
        }
    }
}
