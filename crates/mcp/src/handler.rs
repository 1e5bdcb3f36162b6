//! The protocol's requests: who is there, which tools there are, calls of them.

use std::sync::Arc;

use firn_sql::names::Namespace;
use rmcp::handler::server::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, Implementation, ListToolsResult, PaginatedRequestParams,
    ServerCapabilities, ServerConfig, Tool,
};
use rmcp::service::{NotificationContext, RequestContext, RoleServer};

use crate::api::Api;
use crate::tools;

const INSTRUCTIONS: &str = "Data of a firn server, which speaks the SQL dialect of Snowflake. Find tables with list_objects, look at \
their columns with describe_object, find the spelling of values with find_column_values, then write SQL for run_statement. \
Where there is a semantic view, ask_analyst answers questions in plain English. Results come in pages: next_offset says where \
fetch_rows goes on, and total_rows how many rows there are. Errors name the code, the SQL state and the place in the statement.";

/// Whether a call may change something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Writes {
    Refused,
    /// Where the call says so.
    OnRequest,
}

/// Names that hold where a call gives none.
#[derive(Clone, Debug, Default)]
pub struct Names {
    pub role: Option<String>,
    pub warehouse: Option<String>,
    pub database: Option<String>,
    pub schema: Option<String>,
}

impl Names {
    pub fn namespace(&self) -> Namespace {
        Namespace { database: self.database.clone(), schema: self.schema.clone() }
    }
}

#[derive(Clone, Debug)]
pub struct Options {
    pub writes: Writes,
    pub names: Names,
    /// Of firn.
    pub version: &'static str,
}

/// Answers one caller.
pub struct Handler<A> {
    pub api: Arc<A>,
    pub options: Options,
}

impl<A: Api> ServerHandler for Handler<A> {
    fn get_info(&self) -> ServerConfig {
        let capabilities = ServerCapabilities::builder().enable_tools().build();
        let mut info = ServerConfig::new(capabilities).with_instructions(INSTRUCTIONS);
        info.server_info = Implementation::new("firn", self.options.version);
        info
    }

    async fn list_tools(
        &self,
        _request: Option<PaginatedRequestParams>,
        _context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Ok(ListToolsResult::with_all_items(tools::all(self.options.writes)))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        tools::find(name, self.options.writes)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let Some(tool) = self.get_tool(&request.name) else {
            return Err(ErrorData::invalid_params(format!("there is no tool `{}`", request.name), None));
        };
        let call = tools::call(self.api.as_ref(), &self.options, &tool, request.arguments);
        // What a client has cancelled is not waited for.
        tokio::select! {
            result = call => Ok(result.into()),
            () = context.ct.cancelled() => Err(ErrorData::internal_error("the call was cancelled", None)),
        }
    }

    async fn on_initialized(&self, _context: NotificationContext<RoleServer>) {}
}
