//! What is accessed by a statement that is answered from a cache later.

use std::sync::Arc;

use firn_engine::Session;
use firn_sql::resolve::Uses;
use firn_sql::{ObjectName, Statement};

use super::Run;
use crate::account_usage::Accessed;
use crate::clock::now_ms;
use crate::table_changes::{AsOf, Sources};

impl Run<'_> {
    /// Sources with what a statement accesses that reads more than the tables it names: views, or semantic views.
    pub(super) fn with_access(
        &self,
        session: &dyn Session,
        (statement, uses): (&Statement, &Uses),
        read: AsOf,
    ) -> AsOf {
        let Sources::Tables(tables) = &*read.sources else { return read };
        let is_named = |table: &ObjectName| uses.objects.iter().any(|used| used.name == *table);
        if self.by_owners.is_empty() && tables.iter().all(is_named) {
            return read;
        }
        let who = (self.handle, self.state.caller.user.id, now_ms());
        let accessed = Accessed::of(who, None, (statement, uses, self.by_owners), self.services, session);
        AsOf { accessed: accessed.map(Arc::new), ..read }
    }
}
