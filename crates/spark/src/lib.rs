//! Linked databases: a client of Spark Connect, and the lowering of bound statements to Spark's SQL. Nothing outside this crate
//! names Spark's protocol or its SQL.

mod cells;
mod clusters;
mod connect;
mod interrupter;
mod lower;
mod remote_catalog;
mod result_columns;
mod rows;
mod session;
mod types;

pub use clusters::{Clusters, LinkTarget};
pub use connect::Endpoint;
pub use remote_catalog::LinkedDatabase;
pub use session::LinkedSession;
