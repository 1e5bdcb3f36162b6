//! Policies and tags of tables and views and their columns.

use super::{TableChange, TagChange};
use crate::ast;
use crate::names::ObjectName;

/// One change of the policies and tags of a table or view.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyChange {
    SetMasking {
        column: String,
        policy: PolicyUse,
        /// The columns of USING: the masked one itself, then those of the conditions. Empty without USING.
        using: Vec<String>,
        /// FORCE: takes the place of another policy.
        force: bool,
    },
    UnsetMasking {
        column: String,
    },
    AddRowAccess {
        policy: PolicyUse,
        columns: Vec<String>,
    },
    DropRowAccess {
        policy: PolicyUse,
    },
    DropAllRowAccess,
    Tags {
        /// `None` for the table or view itself.
        column: Option<String>,
        changes: Vec<TagChange>,
    },
}

/// A policy by its name, and by its identity once it was looked up.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyUse {
    pub name: ObjectName,
    pub reference: Option<PolicyReference>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PolicyReference {
    /// Where the policy was when it was attached. A cloned database has policies with the same ids, which come first.
    pub database: String,
    pub id: i64,
}

impl PolicyUse {
    pub fn named(name: ObjectName) -> Self {
        Self { name, reference: None }
    }
}

impl PolicyChange {
    pub fn policy_mut(&mut self) -> Option<&mut PolicyUse> {
        match self {
            Self::SetMasking { policy, .. } | Self::AddRowAccess { policy, .. } | Self::DropRowAccess { policy } => {
                Some(policy)
            }
            Self::UnsetMasking { .. } | Self::DropAllRowAccess | Self::Tags { .. } => None,
        }
    }
}

impl TableChange {
    /// Whether it changes nothing but policies and tags.
    pub fn is_of_policies(&self) -> bool {
        match self {
            Self::Policy(_) => true,
            Self::Several(changes) => !changes.is_empty() && changes.iter().all(Self::is_of_policies),
            _ => false,
        }
    }
}

/// What stands for the columns and rows of the target of UPDATE, DELETE and MERGE. The expressions name its columns by the
/// target's alias.
#[derive(Clone, Debug, Default)]
pub struct TargetPolicies {
    /// The values of masked columns.
    pub masks: Vec<(String, ast::Expr)>,
    /// Which rows there are.
    pub filter: Option<ast::Expr>,
}
