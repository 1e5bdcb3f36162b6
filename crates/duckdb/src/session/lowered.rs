//! Queries of a session in the engine's words.

use std::sync::Arc;

use firn_binder::OutputColumn;
use firn_engine::{EngineError, ExecutionContext};
use firn_sql::{ast, print};

use super::DuckDbSession;
use crate::dialect::{self, RewriteContext, Visibility};

pub(crate) struct Lowered {
    pub(crate) sql: String,
    /// Its result columns, or none where they are not known before it runs.
    pub(crate) columns: Arc<[OutputColumn]>,
}

impl DuckDbSession {
    pub(crate) fn print_query(&self, query: &ast::Query, context: &ExecutionContext) -> Result<String, EngineError> {
        self.lower(query, context).map(|lowered| lowered.sql)
    }

    pub(crate) fn lower(&self, query: &ast::Query, context: &ExecutionContext) -> Result<Lowered, EngineError> {
        let mut query = query.clone();
        let bound = dialect::rewrite(&mut query, &self.rewrite_context(context))?;
        Ok(Lowered { sql: print::into_sql(query), columns: bound.columns.clone().unwrap_or_default() })
    }

    pub(crate) fn rewrite_context<'session>(
        &'session self,
        context: &'session ExecutionContext,
    ) -> RewriteContext<'session> {
        RewriteContext {
            temporary: &self.temporary,
            visibility: Visibility::of(context),
            account_rows: &context.account_rows,
            lookup: self,
            formats: &context.formats,
            weeks: context.weeks,
            inputs: &context.inputs,
            repeated_matches: context.repeated_matches,
            integers: context.integers,
        }
    }
}
