//! Values that a column has: what an agent needs to write a condition over them.

use rmcp::model::Tool;
use serde_json::json;

use super::names::quoted;
use super::{Call, tool as reading_tool};
use crate::api::Api;
use crate::page::{Columns, Section};
use crate::reply::ToolResult;

const VALUES_DEFAULT: u64 = 20;
const VALUES_MAX: u64 = 200;
/// From which similarity on a value may be a misspelt text, of 100.
const SIMILARITY_MIN: u8 = 85;

pub fn tool() -> Tool {
    let description = "Returns different values of a column with how many rows have each: those that contain a text or are \
                       spelt much like it, best first, or the most frequent ones.";
    reading_tool(
        "find_column_values",
        "Find values of a column",
        description,
        json!({"properties": {
            "table": {"type": "string", "description": "The table or view as in SQL, such as DB.SCHEMA.NAME."},
            "column": {"type": "string", "description": "The column as in SQL."},
            "text": {"type": "string", "description": "What the values are compared with, in any case of letters."},
            "max_values": {"type": "integer", "minimum": 1, "maximum": VALUES_MAX, "description": "20 when absent."},
        }, "required": ["table", "column"]}),
    )
}

impl<A: Api> Call<'_, A> {
    pub async fn find_column_values(&self) -> ToolResult {
        let table = quoted("table", self.arguments.required_text("table")?, 3)?;
        let column = quoted("column", self.arguments.required_text("column")?, 1)?;
        let values_max = self.arguments.number("max_values", 1..=VALUES_MAX)?.unwrap_or(VALUES_DEFAULT);
        let counted = format!(
            "SELECT {column}::VARCHAR AS \"value\", COUNT(*) AS \"rows\" FROM {table} WHERE {column} IS NOT NULL GROUP BY 1"
        );
        let answer = match self.arguments.text("text")? {
            None => {
                let sql = format!("{counted} ORDER BY 2 DESC, 1 LIMIT {values_max}");
                self.run_reading(&sql, &[]).await?
            }
            Some(text) => self.run_reading(&like_text(&counted, values_max), &[text]).await?,
        };
        let rows_max = usize::try_from(values_max).unwrap_or_default();
        self.outcome(&answer, &Section { offset: 0, rows_max, columns: Columns::From(0) }).await
    }
}

/// The text is the first bound value.
fn like_text(counted: &str, values_max: u64) -> String {
    format!(
        "WITH counted AS ({counted}), compared AS (\
         SELECT \"value\", \"rows\", LOWER(\"value\") = LOWER(:1) AS is_same, CONTAINS(LOWER(\"value\"), LOWER(:1)) AS has_text, \
         JAROWINKLER_SIMILARITY(\"value\", :1) AS similarity FROM counted) \
         SELECT \"value\", \"rows\" FROM compared WHERE has_text OR similarity >= {SIMILARITY_MIN} \
         ORDER BY is_same DESC, has_text DESC, similarity DESC, \"rows\" DESC, \"value\" LIMIT {values_max}"
    )
}
