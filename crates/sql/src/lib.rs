//! The SQL front: text in, classified, bound and resolved statements out.
//!
//! This crate knows neither an engine nor HTTP. It never rewrites SQL as text: everything happens
//! on the syntax tree, and each engine prints the tree for itself, with `print::sql`.

pub mod bindings;
pub mod blocks;
mod build;
pub mod call_search;
mod clause_tokens;
pub mod command;
pub mod constants;
pub mod context;
mod cte_scopes;
mod data_types;
pub mod date_parts;
pub mod determinism;
mod dialect;
mod dual;
mod escapes;
mod exact_numbers;
pub mod expression_growth;
pub mod external_storage;
pub mod failure;
pub mod file_formats;
mod file_transfers;
pub mod function_checks;
pub mod functions;
mod indentation;
pub mod invokers;
pub mod join_constraints;
pub mod lookups;
pub mod name_places;
pub mod names;
mod naming;
mod nesting;
pub mod new_names;
mod normalize;
pub mod normalize_tokens;
pub mod owners_calls;
pub mod owners_views;
mod parse;
pub mod permanent_names;
mod pivot_tokens;
pub mod print;
pub mod privileges;
mod query_parts;
mod reader;
mod reserved_words;
pub mod resolve;
pub mod routines;
mod row_pattern_tokens;
pub mod script;
pub mod scripting;
pub mod secrets_in_text;
pub mod semantic_view_tokens;
mod session_rules;
mod source;
mod source_map;
pub mod stage_addresses;
mod stage_paths;
mod stage_tokens;
mod staged_relations;
pub mod stages;
pub mod stored_names;
pub mod stored_views;
mod substitutes;
pub mod system_functions;
pub mod template;
#[cfg(test)]
mod testing;
mod timestamp_mapping;
mod tokens;
mod trailing_commas;
pub mod tree;
pub mod type_names;
pub mod unsupported;

pub use bindings::bind;
pub use command::{Command, Statement, semantic_views};
pub use constants::Constant;
pub use context::{SessionContext, substitute_context};
pub use data_types::{Part, StructuredType, type_in_tree};
pub use determinism::is_deterministic;
pub use failure::Failure;
pub use file_transfers::is_file_transfer;
pub use function_checks::check_functions;
pub use names::{Namespace, ObjectName};
pub use nesting::COLUMNS_MAX;
pub use reader::{data_type_of_text, declared_type, structured_type_of_text};
pub use resolve::{Access, ObjectUse, UsedKind, Uses, resolve};
pub use script::{
    check_expression_text, expression_of_text, has_variables_in_view, names_in_text, parse_statement, parse_with,
    shown_default, split_script, view_query_text,
};
pub use session_rules::{InputFormatsUse, QuotedNames, SessionRules, TimestampMapping};
pub use source::{ParseLimits, SourceStatement};
pub use substitutes::{Substitutes, Variables};

/// `2026-01-02` for days since 1970-01-01.
pub use bindings::calendar::date as calendar_date;

/// A query for these values.
pub use build::{cast as cast_expression, select as select_values};

pub use parse::{check_allowed_values, completed_name, copy_options, object_name_in_text, routine_in_text};

/// The syntax tree the front works on.
pub use sqlparser::ast;
