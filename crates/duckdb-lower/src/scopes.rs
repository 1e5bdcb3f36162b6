//! What a select reads, with the columns of each relation, told while a tree is walked from above: whoever walks enters
//! every query and leaves it again.

use firn_engine::EngineError;
use firn_sql::ast::{Query, TableWithJoins};

use super::lookup::Lookup;
use super::origins::{Relation, Tracer};

pub struct Scopes<'session> {
    tracer: Tracer<'session>,
    /// The common table expressions of the queries around, innermost last.
    named: Vec<Relation>,
    /// How many there were before each query that was entered.
    before: Vec<usize>,
}

impl<'session> Scopes<'session> {
    pub fn new(lookup: &'session dyn Lookup) -> Self {
        Self { tracer: Tracer { lookup }, named: Vec::new(), before: Vec::new() }
    }

    pub fn enter(&mut self, query: &Query) -> Result<(), EngineError> {
        self.before.push(self.named.len());
        self.tracer.name(query, &mut self.named)
    }

    pub fn leave(&mut self) {
        self.named.truncate(self.before.pop().unwrap_or_default());
    }

    pub fn relations(&self, from: &[TableWithJoins]) -> Result<Vec<Relation>, EngineError> {
        self.tracer.relations(from, &self.named)
    }
}
