//! What a request must bring before its statement is looked at, in the order it is checked: headers,
//! identity, query parameters, body.

pub mod body;
pub mod caller;
pub mod driver_links;
pub mod file_links;
pub mod headers;
pub mod host;
pub mod json_body;
pub(crate) mod login_records;
pub mod query;
pub mod statement_body;
pub mod unread_body;

pub use body::RequestBody;
pub(crate) use caller::bearer_token;
pub use caller::{ApiCaller, FileCaller, JsonCaller, ToolCaller};
pub use caller::{admit, require_json_client, shown_token};
pub use driver_links::{DriverFile, Wanted};
pub use file_links::FileReader;
pub use headers::role_header;
pub use host::require_host;
pub use query::QueryParameters;
pub use statement_body::StatementBody;
pub use unread_body::discard_unread_body;
