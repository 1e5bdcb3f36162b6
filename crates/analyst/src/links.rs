//! Which words of a question speak of which part of the model or the data. A word may have several candidates; none is
//! dropped here for good, each carries a score.

pub mod amounts;
mod column_phrases;
mod computed_columns;
mod curated_phrases;
mod data_kind;
pub mod entries;
pub mod flags;
mod foreign_days;
pub mod identifier_words;
pub mod mentions;
pub mod model_index;
mod offered_columns;
pub mod person_roles;
pub mod phrase_match;
mod row_names;
mod schema_words;
pub mod synonyms;
pub mod targets;
mod undeclared_joins;
mod value_aliases;
pub mod value_index;
