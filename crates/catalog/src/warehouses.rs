//! Warehouses: how many statements may run side by side, and how long one may wait for its turn.

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warehouse {
    pub name: String,
    pub size: String,
    pub concurrency_max: u32,
    /// Zero means no limit but the server's own.
    pub queued_timeout_s: u32,
    /// Zero means no limit but the session's.
    pub statement_timeout_s: u32,
    pub auto_suspend_s: Option<u32>,
    pub auto_resume: bool,
    pub suspended: bool,
    pub comment: Option<String>,
    pub owner: String,
    pub created_on_ms: i64,
}
