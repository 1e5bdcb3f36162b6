//! Views and sequences, as CREATE and ALTER give them.

use super::{CreateMode, Persistence, PolicyChange};
use crate::ast;
use crate::names::ObjectName;

#[derive(Clone, Debug)]
pub struct CreateView {
    pub name: ObjectName,
    pub mode: CreateMode,
    /// CREATE OR ALTER: a view that is there keeps its owner and its age.
    pub or_alter: bool,
    pub persistence: Persistence,
    pub columns: Vec<ViewColumn>,
    pub secure: bool,
    /// Its rows are those of its query, as any view's.
    pub materialized: bool,
    pub cluster_by: Option<String>,
    pub query: Box<ast::Query>,
    /// `None` until it was prepared.
    pub stored: Option<StoredQuery>,
    /// A checksum of the row types of the relations that it reads.
    pub read_types: Option<u64>,
    /// The text as the user wrote it, for SHOW VIEWS.
    pub text: String,
    pub comment: Option<String>,
    /// COPY GRANTS: the view gets the privileges on the one that it replaces.
    pub copy_grants: bool,
    pub policies: Vec<PolicyChange>,
}

/// The query of a view as it is recorded: its names as `stored_names` has them, its functions and semantic views not expanded.
#[derive(Clone, Debug)]
pub struct StoredQuery {
    pub query: Box<ast::Query>,
    /// As `stored_views::is_expanded_when_read`.
    pub is_expanded_when_read: bool,
}

#[derive(Clone, Debug)]
pub struct ViewColumn {
    pub name: String,
    pub comment: Option<String>,
}

#[derive(Clone, Debug)]
pub enum ViewChange {
    Rename(ObjectName),
    SetComment(Option<String>),
    SetPolicies(Vec<PolicyChange>),
    SetSecure(bool),
    /// Of a materialized view.
    SetClustering(Option<String>),
    /// Of a materialized view, which is never behind and never reclustered.
    Accepted,
    /// Columns and their comments.
    SetColumnComments(Vec<(String, Option<String>)>),
}

#[derive(Clone, Debug)]
pub enum SequenceChange {
    Rename(ObjectName),
    SetIncrement(i64),
    SetUnordered,
    SetComment(Option<String>),
}

/// ORDER or NOORDER of a sequence. Its numbers increase either way; the option is recorded and shown only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SequenceOrder {
    Ordered,
    Unordered,
}
