//! Semantic views: a semantic model that lives in a schema and can be asked with SQL.

mod as_source;
mod ddl;
mod definition;
mod expansion;
mod extension;
mod query;
mod reachable;

pub use as_source::{omitted_metrics, over_view};
pub use ddl::create_statement;
pub use definition::{model_of, time_dimensions_of};
pub use expansion::{complete_expressions, tables_of_expressions};
pub use query::{ViewQuery, query_text};
pub use reachable::dimensions_for_metric;
