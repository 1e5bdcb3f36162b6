//! From a typed query to SQL: one common table expression for each logical table, joined along the relationships.

mod aliases;
mod common_tables;
mod conditions;
mod expressions;
mod fan_out;
mod grains;
mod identifiers;
pub mod join_paths;
mod layout;
mod model_expressions;
mod outer_joins;
mod physical_columns;
mod rest;
mod restricted;
mod statement;
mod summaries;
mod tie_breaks;
#[cfg(test)]
mod written_sql;

pub use grains::{
    is_side_by_side, joins_factors, multiplies_measures, own_time, parts_of_grain, time_of_measure, time_of_rows,
    with_time, year_column,
};
pub use identifiers::text as text_literal;
pub use model_expressions::{composed_metric, metric_composed_as, qualified};
pub use physical_columns::in_expressions;
pub use restricted::over_rows_with;
pub use statement::{needed_tables, sql, sql_in_words, tables_of_columns};
