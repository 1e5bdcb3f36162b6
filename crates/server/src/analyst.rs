//! Questions in plain English: from a request's body to an answer, once or piece by piece. The interpreter is pure;
//! what it has to know of the data, and whether its SQL may be run, is asked here as the caller.

pub mod answer;
pub mod certainty;
mod chart;
pub mod evidence;
pub mod execution;
pub mod explanation;
pub mod interpret;
pub mod llm;
pub mod model_checks;
pub mod model_sources;
pub mod progress;
pub mod reply;
pub mod request;
mod result_table;
mod rows_in_words;
pub mod same_rows;
pub mod stream;
pub mod suggestions;
pub mod supervision;
mod table_checks;
pub mod verified_addition;

pub use answer::Asking;
pub use evidence::EvidenceCache;
pub use request::{MessageBody, MessageRequest};
