//! Queries of the statement history, read over the logical tables of a model: what they ask for as a whole, and which
//! filters, facts and metrics many of them use. A table that the caller cannot read is not known here, so that nothing is
//! derived from queries over it.

mod definitions;
mod logical_query;
mod names;
mod scope;
#[cfg(test)]
mod tests;

use std::collections::{BTreeSet, HashMap};

use crate::semantic_model::SemanticModel;

pub use definitions::{Definition, DefinitionKind, frequent_definitions};
pub use logical_query::over_logical_tables;

/// A query that ran.
#[derive(Debug, Clone)]
pub struct PastQuery {
    pub text: String,
    /// Completes the names of the text.
    pub database: Option<String>,
    pub schema: Option<String>,
    pub user_id: i64,
    pub ran_on_ms: i64,
}

/// How often something was used, by how many users, and when last.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Usage {
    pub frequency: usize,
    pub users: BTreeSet<i64>,
    pub last_on_ms: i64,
}

impl Usage {
    pub fn add(&mut self, user_id: i64, on_ms: i64) {
        self.frequency += 1;
        self.users.insert(user_id);
        self.last_on_ms = self.last_on_ms.max(on_ms);
    }

    pub fn merge(&mut self, other: &Self) {
        self.frequency += other.frequency;
        self.users.extend(&other.users);
        self.last_on_ms = self.last_on_ms.max(other.last_on_ms);
    }
}

/// The logical tables of a model with the columns of the physical tables behind them.
#[derive(Debug)]
pub struct KnownTables<'m> {
    pub model: &'m SemanticModel,
    /// One entry for each logical table; `None` where the caller cannot read the physical table, or where the logical table
    /// is defined by a query.
    pub columns: Vec<Option<Vec<String>>>,
}

/// Every query once, with how often it ran. The place of its names is a part of it.
#[must_use]
pub fn distinct_queries(past: Vec<PastQuery>) -> Vec<(PastQuery, Usage)> {
    type Key = (String, Option<String>, Option<String>);
    let mut places: HashMap<Key, usize> = HashMap::new();
    let mut distinct: Vec<(PastQuery, Usage)> = Vec::new();
    for query in past {
        let key = (query.text.clone(), query.database.clone(), query.schema.clone());
        let (user_id, ran_on_ms) = (query.user_id, query.ran_on_ms);
        let place = *places.entry(key).or_insert_with(|| {
            distinct.push((query, Usage::default()));
            distinct.len() - 1
        });
        distinct[place].1.add(user_id, ran_on_ms);
    }
    distinct
}
