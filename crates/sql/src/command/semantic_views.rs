//! The clauses of CREATE SEMANTIC VIEW as written.

use super::{CreateMode, IfMissing};
use crate::ast;
use crate::names::{ObjectName, SchemaName};

#[derive(Clone, Debug)]
pub enum SemanticViewCommand {
    Create {
        name: ObjectName,
        mode: CreateMode,
        definition: Box<SemanticViewDefinition>,
        copy_grants: bool,
    },
    Drop {
        name: ObjectName,
        if_missing: IfMissing,
    },
    Rename {
        name: ObjectName,
        if_missing: IfMissing,
        to: ObjectName,
    },
    SetComment {
        name: ObjectName,
        if_missing: IfMissing,
        comment: Option<String>,
    },
    /// `CALL SYSTEM$CREATE_SEMANTIC_VIEW_FROM_YAML('db.schema', 'yaml' [, TRUE])`.
    FromYaml {
        schema: SchemaName,
        yaml: String,
        purpose: YamlPurpose,
    },
}

impl SemanticViewCommand {
    /// The database of a view that is created.
    pub fn creates_in(&self) -> Option<&str> {
        match self {
            Self::Create { name, .. } => Some(name.database()),
            Self::FromYaml { schema, .. } => Some(schema.database()),
            Self::Drop { .. } | Self::Rename { .. } | Self::SetComment { .. } => None,
        }
    }
}

/// What `SHOW SEMANTIC …` lists.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum SemanticItemKind {
    Dimension,
    Fact,
    Metric,
}

/// A metric by its name, with its table where it is given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetricName {
    pub table: Option<String>,
    pub name: String,
}

/// What the YAML is given for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum YamlPurpose {
    Create,
    Verify,
}

#[derive(Clone, Debug, Default)]
pub struct SemanticViewDefinition {
    pub tables: Vec<ViewTable>,
    pub relationships: Vec<ViewRelationship>,
    pub facts: Vec<ViewItem>,
    pub dimensions: Vec<ViewItem>,
    pub metrics: Vec<ViewItem>,
    pub comment: Option<String>,
    pub sql_generation: Option<String>,
    pub question_categorization: Option<String>,
    pub verified_queries: Vec<ViewVerifiedQuery>,
    /// `WITH EXTENSION (name = 'text', …)`.
    pub extensions: Vec<(String, String)>,
}

#[derive(Clone, Debug)]
pub struct ViewTable {
    pub alias: String,
    pub name: ObjectName,
    pub primary_key: Vec<String>,
    pub unique_keys: Vec<Vec<String>>,
    pub synonyms: Vec<String>,
    pub comment: Option<String>,
}

#[derive(Clone, Debug)]
pub struct ViewRelationship {
    pub name: Option<String>,
    pub table: String,
    pub columns: Vec<String>,
    pub referenced: String,
    /// Empty where the primary key is meant.
    pub referenced_columns: Vec<String>,
}

#[derive(Clone, Debug)]
pub struct ViewItem {
    pub is_private: bool,
    /// Absent only for a metric over metrics of several tables.
    pub table: Option<String>,
    pub name: String,
    pub expr: ast::Expr,
    pub using_relationships: Vec<String>,
    pub non_additive: Vec<NonAdditiveBy>,
    pub search_service: Option<ViewSearchService>,
    pub synonyms: Vec<String>,
    pub comment: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub struct ViewVerifiedQuery {
    pub name: String,
    pub question: String,
    pub sql: String,
    pub verified_at: Option<i64>,
    pub verified_by: Option<String>,
    pub is_onboarding: bool,
}

/// A dimension of `NON ADDITIVE BY (…)`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NonAdditiveBy {
    pub table: Option<String>,
    pub dimension: String,
    pub is_descending: bool,
}

/// `WITH CORTEX SEARCH SERVICE name [USING column]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ViewSearchService {
    pub name: ObjectName,
    pub column: Option<String>,
}
