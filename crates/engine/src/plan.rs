//! The operators of a query, as planned and as they ran.

/// One operator of a query's plan.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlanStep {
    pub id: usize,
    pub parent: Option<usize>,
    pub operation: String,
    /// The table it reads.
    pub object: Option<String>,
    pub expressions: Option<String>,
}

/// One operator as it ran.
#[derive(Clone, Debug, PartialEq)]
pub struct ProfiledStep {
    pub step: PlanStep,
    /// Rows that it gave to the operator above.
    pub rows: u64,
    /// Rows that it read from a table.
    pub rows_scanned: u64,
    /// Of all threads together.
    pub milliseconds: f64,
}
