//! The demo database: an outdoor retailer's tables, generated from a fixed seed and loaded with
//! ordinary statements. The database's comment distinguishes a complete load from one that was interrupted; a database
//! `DEMO` that is not ours is left alone.

mod aftermath;
mod baskets;
mod calendar;
mod company;
mod goods;
mod names;
mod people;
mod places;
mod random;
mod rows;
mod sales;

use std::time::Duration;

use firn_catalog::registry::Sender;
use firn_catalog::{Caller, Catalog};
use firn_sql::bindings::Bindings;
use firn_statements::parameters::SessionParameters;
use firn_statements::request::{Changes, FormatWish, IfLeft, Submission, Wait};
use firn_statements::{StatementError, StatementService, StatementView, SubmitRequest};
use firn_values::formats::Nulls;

use self::company::Company;

const DATABASE: &str = "DEMO";
const USER: &str = "ADMIN";
const ROLE: &str = "ACCOUNTADMIN";
const SEED: u64 = 1;
const SCHEMA: &str = include_str!("demo/schema.sql");
const MODEL: &str = include_str!("demo/model.yaml");
const COMMENT_WHILE_LOADING: &str = "Demo data, being loaded";
const COMMENT_WHEN_LOADED: &str = "Demo data: an outdoor retailer, 2022-01-01 to 2026-06-30, amounts in euros";
const POLL_INTERVAL: Duration = Duration::from_millis(20);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loaded {
    Now { rows: usize },
    Before,
}

#[derive(Debug, thiserror::Error)]
pub enum DemoError {
    #[error("the demo data is loaded by user {USER}, which does not exist; start without --demo")]
    NoAdmin,
    #[error("the demo data cannot be loaded: {0}")]
    Refused(#[from] StatementError),
    #[error("the demo data cannot be loaded: {beginning} failed with {code}: {message}")]
    Failed { beginning: String, code: String, message: String },
}

/// Loads the demo database unless it exists; an incomplete one is replaced.
pub async fn load(statements: &StatementService, catalog: &Catalog) -> Result<Loaded, DemoError> {
    if let Some(database) = catalog.database(DATABASE)
        && database.comment.as_deref() != Some(COMMENT_WHILE_LOADING)
    {
        return Ok(Loaded::Before);
    }
    let user = catalog.principals().user(USER).cloned().ok_or(DemoError::NoAdmin)?;
    let loader = Loader { statements, caller: Caller::new(user, None) };
    let company = Company::generate(SEED);
    loader.run(&format!("CREATE OR REPLACE DATABASE {DATABASE} COMMENT = '{COMMENT_WHILE_LOADING}'"), None).await?;
    loader.run(SCHEMA, Some(DATABASE)).await?;
    for statement in company.insert_statements() {
        loader.run(&statement, Some(DATABASE)).await?;
    }
    let view = format!("CALL SYSTEM$CREATE_SEMANTIC_VIEW_FROM_YAML('{DATABASE}.PUBLIC', $${MODEL}$$)");
    loader.run(&view, Some(DATABASE)).await?;
    loader.run(&format!("COMMENT ON DATABASE {DATABASE} IS '{COMMENT_WHEN_LOADED}'"), None).await?;
    Ok(Loaded::Now { rows: company.row_count() })
}

struct Loader<'service> {
    statements: &'service StatementService,
    caller: Caller,
}

impl Loader<'_> {
    /// Waits for the outcome, also where the configuration has short waits or a rate limit.
    async fn run(&self, sql: &str, database: Option<&str>) -> Result<(), DemoError> {
        let mut submitted = None;
        loop {
            let step = match submitted {
                None => self.statements.submit(&self.caller, request(sql, database)).await,
                Some(handle) => self.statements.fetch(&self.caller, handle, None).await,
            };
            match step {
                Ok(StatementView::Succeeded(_)) => return Ok(()),
                Ok(StatementView::Running { handle, .. }) => {
                    submitted = Some(handle);
                    tokio::time::sleep(POLL_INTERVAL).await;
                }
                Ok(StatementView::Failed(view) | StatementView::TimedOut(view) | StatementView::Cancelled(view)) => {
                    let beginning = sql.lines().next().unwrap_or_default().to_owned();
                    return Err(DemoError::Failed { beginning, code: view.code, message: view.message });
                }
                Err(StatementError::TooManyRequests { retry_after_s }) => {
                    tokio::time::sleep(Duration::from_secs(retry_after_s)).await;
                }
                Err(error) => return Err(error.into()),
            }
        }
    }
}

fn request(sql: &str, database: Option<&str>) -> SubmitRequest {
    SubmitRequest {
        statement: sql.to_owned(),
        timeout_s: None,
        database: database.map(str::to_owned),
        schema: database.map(|_| "PUBLIC".to_owned()),
        warehouse: None,
        role: Some(ROLE.to_owned()),
        bindings: Bindings::default(),
        parameters: SessionParameters { multi_statement_count: Some("0".to_owned()), ..SessionParameters::default() },
        wait: Wait::ForOutcome,
        nulls: Nulls::Null,
        result_format: FormatWish::Json,
        request_id: None,
        submission: Submission::First,
        sender: Sender::User,
        changes: Changes::Allowed,
        if_left: IfLeft::GoOn,
        session: None,
        driver: None,
        client_address: None,
        server_address: None,
    }
}
