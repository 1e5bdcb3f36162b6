//! The life of a statement: submit, wait, run, cancel, time out, partitions, retention, request ids.
//!
//! A statement's outcome and its partitions are on disk before anyone is told of them, and nothing
//! runs that nobody owns: every running statement is in the table of running ones and can be stopped.

mod account_rows;
mod account_views;
mod admission;
mod authorise;
mod clock;
mod databases;
mod describe;
mod describe_stages;
mod drive;
mod dropped_databases;
mod ending;
mod error;
mod evaluate;
mod execution;
mod explain;
mod get_ddl;
mod handle;
mod known_tables;
mod limits;
mod local_rows;
mod look_up;
mod outlines;
pub mod parameters;
mod partitions;
mod plan;
mod reader;
pub mod request;
mod result_cache;
mod result_store;
mod retention;
mod reuse;
mod routines;
mod row_type;
mod run;
mod run_statement;
mod running;
mod scripting;
mod semantic_views;
mod service;
mod session_state;
mod session_variables;
mod settings;
mod show;
mod stage_files;
mod submit;
mod system_functions;
mod table_changes;
mod table_definitions;
mod table_templates;
mod transaction_writes;
mod transactions;
mod validations;
pub mod view;
mod watchdog;

pub use admission::Slot;
pub use error::{StartError, StatementError};
pub use handle::StatementHandle;
pub use limits::{AnalystLimits, Limits};
pub use reader::{ReadError, ReadStop, Reader};
pub use request::SubmitRequest;
pub use service::{Counters, StatementService};
pub use stage_files::{OpenStage, StageAccess, StageError};
pub use view::{FailedView, PartitionBody, ResultView, StatementView};
