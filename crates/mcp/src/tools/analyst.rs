//! Questions in plain English. A question that follows another is sent with what was asked and answered before, which the
//! agent has: nothing is kept here.

use firn_sql::completed_name;
use rmcp::model::Tool;
use serde_json::{Value, json};

use super::{Call, tool as reading_tool};
use crate::api::{Api, Request};
use crate::page::{Columns, Page};
use crate::reply::{ToolError, ToolResult, success};

const MESSAGE: &str = "/api/v2/assistant/analyst/message";
const ROLE: &str = "X-Service-Role";

pub fn tool() -> Tool {
    let description = "Answers a question in plain English about data that a semantic view or model describes: with SQL, how \
                       it was understood and the rows of the SQL, or with what can be asked instead.";
    let earlier = json!({"type": "array", "items": {"type": "object", "properties": {
        "question": {"type": "string"}, "statement": {"type": "string"}}, "required": ["question"]},
        "description": "For a question that follows others: these, oldest first, each with the SQL of its answer."});
    reading_tool(
        "ask_analyst",
        "Ask the analyst",
        description,
        json!({"properties": {
            "question": {"type": "string"},
            "semantic_view": {"type": "string", "description": "Name of a semantic view, such as DB.SCHEMA.NAME; list_objects lists them."},
            "semantic_model_file": {"type": "string", "description": "Instead of a view, a semantic model on a stage, such as @DB.SCHEMA.STAGE/model.yaml."},
            "earlier": earlier,
            "run": {"type": "boolean", "description": "false: the SQL is not run."},
            "max_rows": {"type": "integer", "minimum": 1, "maximum": crate::page::ROWS_MAX, "description": "Rows to return at once; 100 when absent."},
        }, "required": ["question"]}),
    )
}

impl<A: Api> Call<'_, A> {
    pub async fn ask_analyst(&self) -> ToolResult {
        let mut body = json!({"messages": self.messages()?, "warehouse": self.options.names.warehouse});
        let (view, file) = (self.arguments.text("semantic_view")?, self.arguments.text("semantic_model_file")?);
        match (view, file) {
            (Some(view), None) => body["semantic_view"] = json!(completed_name(view, &self.options.names.namespace())),
            (None, Some(file)) => body["semantic_model_file"] = json!(file),
            _ => {
                let way_out = "give one of `semantic_view` and `semantic_model_file`; list_objects with kind semantic_view \
                               lists the views";
                return Err(ToolError::new(way_out));
            }
        }
        let request = Request::post(MESSAGE, body).with_header(ROLE, self.options.names.role.as_deref());
        let answer = self.api.send(request).await?;
        if answer.status != 200 {
            return Err(ToolError::of(&answer));
        }
        let mut reply = shown(&answer.json());
        let statement = reply["statement"].as_str().map(str::to_owned);
        if let Some(statement) = statement.filter(|_| !matches!(self.arguments.flag("run"), Ok(Some(false)))) {
            self.add_rows(&statement, &mut reply).await?;
        }
        success(&reply)
    }

    fn messages(&self) -> Result<Vec<Value>, ToolError> {
        let mut messages = Vec::new();
        for turn in self.arguments.objects("earlier")? {
            let Some(question) = turn["question"].as_str() else {
                return Err(ToolError::new("each of `earlier` needs a `question`"));
            };
            messages.push(message("user", json!([{"type": "text", "text": question}])));
            if let Some(statement) = turn["statement"].as_str() {
                let content = json!([{"type": "text", "text": ""}, {"type": "sql", "statement": statement}]);
                messages.push(message("analyst", content));
            }
        }
        let question = self.arguments.required_text("question")?;
        messages.push(message("user", json!([{"type": "text", "text": question}])));
        Ok(messages)
    }

    /// What the SQL returns, or why it fails: the answer is of use in either case.
    async fn add_rows(&self, statement: &str, reply: &mut Value) -> Result<(), ToolError> {
        let answer = self.run_reading(statement, &[]).await?;
        match answer.status {
            200 => {
                let page = Page::read(self.api, &answer, &self.section(Columns::From(0))?).await?;
                reply["result"] = serde_json::to_value(&page).unwrap_or_default();
            }
            202 => reply["result"] = json!({"state": "running", "handle": answer.json()["statementHandle"]}),
            _ => reply["error"] = answer.json()["message"].clone(),
        }
        Ok(())
    }
}

fn message(role: &str, content: Value) -> Value {
    json!({"role": role, "content": content})
}

/// What of a reply is of use to an agent.
fn shown(reply: &Value) -> Value {
    let blocks = reply["message"]["content"].as_array().map(Vec::as_slice).unwrap_or_default();
    let of_type = |name: &str| blocks.iter().find(|block| block["type"] == name);
    let texts: Vec<&str> = blocks.iter().filter_map(|block| block["text"].as_str()).collect();
    let mut shown = json!({"text": texts.join("\n")});
    if let Some(sql) = of_type("sql") {
        shown["statement"] = sql["statement"].clone();
        shown["confidence"] = reply["response_metadata"]["confidence"].clone();
        if sql["confidence"]["verified_query_used"].is_object() {
            shown["verified_query"] = sql["confidence"]["verified_query_used"]["name"].clone();
        }
    }
    if let Some(suggestions) = of_type("suggestions") {
        shown["suggestions"] = suggestions["suggestions"].clone();
    }
    let lists = [("unused_words", &reply["response_metadata"]["unused_words"]), ("warnings", &reply["warnings"])];
    for (name, list) in lists {
        if list.as_array().is_some_and(|list| !list.is_empty()) {
            shown[name] = list.clone();
        }
    }
    shown
}
