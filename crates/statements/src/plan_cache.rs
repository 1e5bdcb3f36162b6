//! The plan cache. The first few statements of a template take the full path; then the engine prepares the template, and
//! later statements that differ in values only are not parsed, resolved or planned. As for reuse of results, the caller,
//! role, names and settings have to be the same, and nothing that is read may have changed since.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use firn_engine::{PreparedTemplate, Session};
use firn_sql::ObjectName;
use firn_sql::resolve::{Access, Uses};
use firn_sql::template::TemplateValue;

use crate::mutex::lock;
use crate::request_template::RequestTemplate;
use crate::table_changes::{AsOf, Sources, TableChanges};

/// A template is prepared after this many statements.
const SEEN_BEFORE_PREPARING: u32 = 3;
/// Plans cached for one template: they differ in the values that are not parameters.
const QUERIES_MAX: usize = 4;
/// Past this number of templates the cache is cleared.
const TEMPLATES_MAX: usize = 512;

/// A query that takes no longer may run on a thread that other requests wait for.
const QUICK_MICROS_MAX: u64 = 4_000;

#[derive(Default)]
pub struct PlanCache {
    by_key: Mutex<HashMap<Arc<str>, Seen>>,
    answered: AtomicU64,
}

/// What is known of a template.
struct Seen {
    /// `TableChanges::of_sources` at the time of its first statement.
    as_of_change: u64,
    count: u32,
    queries: Vec<Arc<CachedPlan>>,
    /// The engine cannot prepare this template.
    refused: bool,
}

pub struct CachedPlan {
    pub query: PreparedTemplate,
    values: Vec<TemplateValue>,
    /// What it was planned for.
    pub read: AsOf,
    /// As `ExecutionContext::authorised_at`, of the statement that it was planned for.
    pub authorised_at: Option<u64>,
    /// How long it takes at most, as far as that was seen lately.
    micros: AtomicU64,
}

impl CachedPlan {
    /// Whether nothing that it reads has changed since it was planned. To be asked when it is run: a statement may have
    /// waited since its plan was found.
    pub fn is_current(&self, changes: &TableChanges) -> bool {
        changes.is_current(&self.read)
    }

    pub fn is_quick(&self) -> bool {
        self.micros.load(Ordering::Relaxed) <= QUICK_MICROS_MAX
    }

    /// A long time decays slowly.
    pub fn note_time(&self, taken: Duration) {
        let taken = taken.as_micros() as u64;
        let before = match self.micros.load(Ordering::Relaxed) {
            u64::MAX => 0,
            micros => micros - micros / 8,
        };
        self.micros.store(taken.max(before), Ordering::Relaxed);
    }

    /// Whether the values that are part of the query are the same.
    fn stands_for(&self, values: &[TemplateValue]) -> bool {
        let mut parts = self.query.is_parameter.iter().zip(self.values.iter().zip(values));
        parts.all(|(is_parameter, (own, other))| *is_parameter || own == other)
    }
}

impl PlanCache {
    pub fn find(&self, asked: &RequestTemplate, changes: &TableChanges) -> Option<Arc<CachedPlan>> {
        let by_key = lock(&self.by_key);
        let queries = &by_key.get(&asked.key)?.queries;
        queries.iter().find(|known| known.stands_for(&asked.values) && known.is_current(changes)).cloned()
    }

    pub fn count_answer(&self) {
        self.answered.fetch_add(1, Ordering::Relaxed);
    }

    /// How many statements ran with a cached plan.
    pub fn answered(&self) -> u64 {
        self.answered.load(Ordering::Relaxed)
    }

    /// Counts a statement that took the full path; returns whether its template is to be prepared.
    pub fn count(&self, asked: &RequestTemplate, as_of_change: u64) -> bool {
        let mut by_key = lock(&self.by_key);
        if by_key.len() >= TEMPLATES_MAX && !by_key.contains_key(&asked.key) {
            by_key.clear();
        }
        let fresh = || Seen { as_of_change, count: 0, queries: Vec::new(), refused: false };
        let seen = by_key.entry(asked.key.clone()).or_insert_with(fresh);
        if seen.as_of_change != as_of_change {
            *seen = fresh();
        }
        seen.count = seen.count.saturating_add(1);
        seen.count >= SEEN_BEFORE_PREPARING && !seen.refused && seen.queries.len() < QUERIES_MAX
    }

    pub fn insert(
        &self,
        asked: &RequestTemplate,
        read: &AsOf,
        authorised_at: Option<u64>,
        query: Option<PreparedTemplate>,
    ) {
        let mut by_key = lock(&self.by_key);
        let seen = by_key.get_mut(&asked.key).filter(|seen| seen.as_of_change == read.as_of_change);
        let Some(seen) = seen else { return };
        match query {
            Some(query) => seen.queries.push(Arc::new(CachedPlan {
                query,
                values: asked.values.clone(),
                read: read.clone(),
                authorised_at,
                micros: AtomicU64::new(u64::MAX),
            })),
            None => seen.refused = true,
        }
    }
}

/// What the plan of a statement depends on. Views need not be considered: queries of views are not cached.
pub fn sources(uses: &Uses) -> Sources {
    Sources::Tables(uses.objects.iter().map(|object| object.name.clone()).collect())
}

/// The tables a statement reads; `None` if it does anything else.
pub fn tables_read(session: &dyn Session, uses: &Uses) -> Option<Vec<ObjectName>> {
    let reads_only = uses.objects.iter().all(|object| object.access == Access::Read);
    (reads_only && !session.in_transaction()).then(|| uses.objects.iter().map(|object| object.name.clone()).collect())
}
