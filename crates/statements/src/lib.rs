//! The life of a statement: submit, wait, run, cancel, time out, partitions, retention, request ids.
//!
//! A statement's outcome and its partitions are on disk before anyone is told of them, and nothing
//! runs that nobody owns: every running statement is in the table of running ones and can be stopped.

pub mod handle;
pub mod limits;
pub mod parameters;
pub mod request;
pub mod view;

pub use handle::StatementHandle;
pub use limits::Limits;
pub use request::SubmitRequest;
pub use view::{PartitionBody, ResultView, StatementView};
