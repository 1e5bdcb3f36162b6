//! The model as a whole, and what joins its tables.

use firn_sql::owners_calls::FunctionHome;

use super::columns::Metric;
use super::table::LogicalTable;

/// A semantic model, or a semantic view read as one.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct SemanticModel {
    pub name: String,
    pub description: Option<String>,
    pub tables: Vec<LogicalTable>,
    pub relationships: Vec<Relationship>,
    /// Metrics of the whole model; their expressions may use `table.metric`.
    pub metrics: Vec<Metric>,
    pub verified_queries: Vec<VerifiedQuery>,
    pub custom_instructions: Option<String>,
    pub module_custom_instructions: ModuleInstructions,
    /// What tools keep with a semantic view, by the tool's name, as it was given.
    pub extensions: Vec<(String, String)>,
    /// Where a query of a semantic view looks up the functions of its expressions; `None` for the caller's own schema.
    pub function_home: Option<FunctionHome>,
}

/// Instructions for one step of the work.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct ModuleInstructions {
    pub sql_generation: Option<String>,
    pub question_categorization: Option<String>,
}

/// A join between two logical tables: rows of the left one refer to one row of the right one.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Relationship {
    pub name: String,
    pub left_table: String,
    pub right_table: String,
    pub columns: Vec<RelationshipColumns>,
    /// Absent where the model does not say.
    pub join_type: Option<JoinType>,
    /// Absent where the model does not say; many to one is then what is meant.
    pub relationship_type: Option<RelationshipType>,
}

/// One pair of columns that a relationship compares. Each names a dimension, time dimension or fact of its table, or
/// else a column of the physical table.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct RelationshipColumns {
    pub left_column: String,
    pub right_column: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum JoinType {
    Inner,
    LeftOuter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RelationshipType {
    ManyToOne,
    OneToOne,
}

/// A question with the SQL someone has verified for it. The SQL uses the model's logical names.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct VerifiedQuery {
    pub name: String,
    pub question: String,
    pub sql: String,
    /// Seconds since 1970.
    pub verified_at: Option<i64>,
    pub verified_by: Option<String>,
    pub use_as_onboarding_question: bool,
}

impl SemanticModel {
    /// The logical table of a name, in any case of letters.
    #[must_use]
    pub fn table(&self, name: &str) -> Option<&LogicalTable> {
        self.tables.iter().find(|table| table.name.eq_ignore_ascii_case(name))
    }

    /// The expressions of all dimensions, facts, metrics and filters.
    pub fn expressions(&self) -> impl Iterator<Item = &str> {
        let of_model = self.metrics.iter().map(|metric| &metric.expr);
        self.tables.iter().flat_map(LogicalTable::expressions).chain(of_model).map(String::as_str)
    }

    pub(crate) fn expressions_mut(&mut self) -> impl Iterator<Item = &mut String> {
        let of_model = self.metrics.iter_mut().map(|metric| &mut metric.expr);
        self.tables.iter_mut().flat_map(LogicalTable::expressions_mut).chain(of_model)
    }
}
