//! The tools: what they are called, what they take and what they do.

mod analyst;
mod column_values;
mod listing;
mod names;
mod statements;

use rmcp::model::{CallToolResult, JsonObject, Tool, ToolAnnotations};
use serde_json::Value;

use crate::api::Api;
use crate::arguments::Arguments;
use crate::handler::{Options, Writes};
use crate::reply::{ToolError, ToolResult, result};

/// Who calls a tool, and what holds for all calls.
pub struct Call<'a, A> {
    pub api: &'a A,
    pub options: &'a Options,
    pub arguments: Arguments,
}

/// A tool that only reads; `run_statement` becomes another where writes are allowed.
fn tool(name: &'static str, title: &str, description: &'static str, schema: Value) -> Tool {
    let annotations = ToolAnnotations::with_title(title).read_only(true).open_world(false);
    Tool::new(name, description, object(schema)).with_annotations(annotations)
}

fn object(schema: Value) -> JsonObject {
    match schema {
        Value::Object(mut fields) => {
            fields.insert("type".to_owned(), "object".into());
            fields.insert("additionalProperties".to_owned(), false.into());
            fields
        }
        _ => JsonObject::new(),
    }
}

pub fn all(writes: Writes) -> Vec<Tool> {
    let mut tools = listing::tools();
    tools.extend(statements::tools(writes));
    tools.push(column_values::tool());
    tools.push(analyst::tool());
    tools
}

pub fn find(name: &str, writes: Writes) -> Option<Tool> {
    all(writes).into_iter().find(|tool| tool.name == name)
}

/// Calls a tool that exists.
pub async fn call<A: Api>(api: &A, options: &Options, tool: &Tool, given: Option<JsonObject>) -> CallToolResult {
    result(dispatch(api, options, tool, given).await)
}

async fn dispatch<A: Api>(api: &A, options: &Options, tool: &Tool, given: Option<JsonObject>) -> ToolResult {
    let arguments = Arguments::new(given, &tool.input_schema)?;
    let call = Call { api, options, arguments };
    match tool.name.as_ref() {
        "list_databases" => call.list_databases().await,
        "list_schemas" => call.list_schemas().await,
        "list_objects" => call.list_objects().await,
        "describe_object" => call.describe_object().await,
        "run_statement" => call.run_statement().await,
        "fetch_rows" => call.fetch_rows().await,
        "cancel_statement" => call.cancel_statement().await,
        "find_column_values" => call.find_column_values().await,
        "ask_analyst" => call.ask_analyst().await,
        name => Err(ToolError::new(format!("there is no tool `{name}`"))),
    }
}
