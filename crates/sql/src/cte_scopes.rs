//! Which CTEs are visible at a place of a tree that is being walked.

/// The CTEs of the queries around the place, outermost first.
pub(crate) struct CteScopes<T> {
    queries: Vec<QueryCtes<T>>,
}

struct QueryCtes<T> {
    ctes: Vec<T>,
    /// How many of their bodies have been walked. CTEs come before everything else of a query, so
    /// the first direct subqueries are their bodies, in order.
    walked: usize,
    /// The CTE being walked refers to itself.
    in_recursive: bool,
}

impl<T> Default for CteScopes<T> {
    fn default() -> Self {
        CteScopes { queries: Vec::new() }
    }
}

impl<T> CteScopes<T> {
    /// The next query may be the body of a CTE, which sees itself if it is recursive.
    pub(crate) fn enter_body(&mut self, is_recursive: impl FnOnce(&T) -> bool) {
        if let Some(outer) = self.queries.last_mut() {
            outer.in_recursive = outer.ctes.get(outer.walked).is_some_and(is_recursive);
        }
    }

    pub(crate) fn enter_query(&mut self, ctes: Vec<T>) {
        self.queries.push(QueryCtes { ctes, walked: 0, in_recursive: false });
    }

    pub(crate) fn leave_query(&mut self) {
        self.queries.pop();
        if let Some(outer) = self.queries.last_mut()
            && outer.walked < outer.ctes.len()
        {
            outer.walked += 1;
            outer.in_recursive = false;
        }
    }

    /// The visible CTEs of each query around the place.
    pub(crate) fn visible(&self) -> impl DoubleEndedIterator<Item = &[T]> {
        self.queries.iter().map(|query| {
            let count = query.walked + usize::from(query.in_recursive);
            &query.ctes[..count.min(query.ctes.len())]
        })
    }
}
