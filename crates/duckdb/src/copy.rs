//! COPY INTO, and queries over staged files. Files are parsed here by the dialect's rules where the engine's own readers
//! would differ, and by the engine where they would not.

mod columns;
mod content;
mod conversions;
mod directory;
mod documents;
mod history;
mod infer_schema;
mod load;
mod load_job;
mod plain_text;
mod plan;
mod quick;
mod records;
mod report;
mod rows;
mod source;
mod staged;
mod staged_parquet;
mod staged_query;
mod staged_relation;
mod transcoding;
mod unload;
mod validate;

pub(crate) use directory::refresh as refresh_directory;
pub(crate) use load::{load, loading_mark, validate_only};
pub(crate) use staged_query::{has_staged_relation, open_staged_relations};
pub(crate) use unload::unload;
