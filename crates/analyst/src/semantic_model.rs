//! What the words of a business mean in its tables: logical tables with dimensions, facts, metrics and filters, the
//! relationships between them, and questions whose SQL has been verified.
//!
//! A model in memory is complete: every list is there (if empty), names are unique, and relationships name tables that
//! exist. `SemanticModel` is built by the readers of this module.

mod columns;
pub mod expressions;
pub mod logical_sql;
mod model;
mod outside_reads;
mod products;
mod table;
mod yaml;
mod yaml_writer;

pub use columns::{
    AccessModifier, DefaultAggregation, Dimension, Fact, Metric, NamedFilter, NonAdditiveDimension, SearchService,
    SortDirection, TimeDimension,
};
pub use model::{
    JoinType, ModuleInstructions, Relationship, RelationshipColumns, RelationshipType, SemanticModel, VerifiedQuery,
};
pub use products::{Product, product, sums_of_products};
pub use table::{LogicalTable, TableSource};
pub use yaml::{
    MODEL_BYTES_MAX, ModelError, ModelPart, ModelPlaces, ReadModel, place_of_warning, read_or_errors, read_yaml,
    with_query, with_verified_query,
};
pub use yaml_writer::write_yaml;
