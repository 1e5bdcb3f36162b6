//! The relations of a select and the columns it shows, for passes that change a tree before it is bound as a whole:
//! whoever walks the tree enters every query and leaves it again.

use std::sync::Arc;

use firn_sql::ast::{Query, Select, TableWithJoins};

use crate::binder::Binder;
use crate::bound::OutputColumn;
use crate::schema::{SchemaError, SchemaProvider};
use crate::scope::{Columns, Scope};

pub struct QueryScopes<'schemas> {
    schemas: &'schemas dyn SchemaProvider,
    /// The common table expressions of the queries that were entered, innermost last.
    ctes: Vec<(String, Columns)>,
    /// How many there were before each of these queries.
    before: Vec<usize>,
}

/// An entry of FROM.
pub struct SelectRelation {
    /// The name that its columns are qualified with; empty if it has none.
    pub name: String,
    /// `None` if they are not known before the statement runs.
    pub columns: Option<Arc<[OutputColumn]>>,
}

impl SelectRelation {
    pub fn has(&self, name: &str) -> bool {
        self.columns.iter().flat_map(|columns| columns.iter()).any(|column| *column.name == *name)
    }
}

impl<'schemas> QueryScopes<'schemas> {
    pub fn new(schemas: &'schemas dyn SchemaProvider) -> Self {
        Self { schemas, ctes: Vec::new(), before: Vec::new() }
    }

    pub fn enter(&mut self, query: &Query) -> Result<(), SchemaError> {
        self.before.push(self.ctes.len());
        if let Some(with) = &query.with {
            let mut binder = self.binder();
            binder.common_table_expressions(with)?;
            self.ctes = binder.ctes;
        }
        Ok(())
    }

    pub fn leave(&mut self) {
        self.ctes.truncate(self.before.pop().unwrap_or_default());
    }

    /// The columns of a common table expression in scope; `None` if they are not known before the statement runs.
    pub fn cte(&self, name: &str) -> Option<Arc<[OutputColumn]>> {
        self.ctes.iter().rev().find(|(known, _)| known == name).and_then(|(_, columns)| columns.list())
    }

    pub fn relations(&self, from: &[TableWithJoins]) -> Result<Vec<SelectRelation>, SchemaError> {
        let mut binder = self.binder();
        binder.scopes.push(Scope::default());
        for table in from {
            binder.table_with_joins(table)?;
        }
        let relations = binder.scopes.pop().map(|scope| scope.relations).unwrap_or_default();
        Ok(relations
            .into_iter()
            .map(|relation| SelectRelation { columns: relation.columns.list(), name: relation.name })
            .collect())
    }

    /// The columns that a select shows; `None` if they are not known before the statement runs.
    pub fn columns(&self, select: &Select) -> Result<Option<Arc<[OutputColumn]>>, SchemaError> {
        Ok(self.binder().select(select, None)?.list())
    }

    fn binder(&self) -> Binder<'schemas> {
        let mut binder = Binder::with(self.schemas);
        binder.ctes.clone_from(&self.ctes);
        binder
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use firn_sql::ast::{Query, SetExpr};
    use firn_sql::command::Command;

    use super::QueryScopes;
    use crate::testing::{Catalog, parse};

    /// The relations and the columns of a query's select.
    fn check(sql: &str, relations: &str, columns: &str) {
        let statement = parse(sql);
        let Command::Query(query) = &statement.command else { panic!("{sql} is no query") };
        let query: &Query = query;
        let SetExpr::Select(select) = &*query.body else { panic!("{sql} is no select") };
        let mut scopes = QueryScopes::new(&Catalog);
        scopes.enter(query).unwrap();
        let found = scopes.relations(&select.from).unwrap();
        let names = |columns: &[crate::OutputColumn]| {
            columns.iter().map(|column| column.name.to_string()).collect::<Vec<_>>().join(" ")
        };
        let found: Vec<String> = found
            .iter()
            .map(|relation| format!("{}({})", relation.name, relation.columns.as_deref().map_or("?".into(), names)))
            .collect();
        assert_eq!(found.join(", "), relations, "{sql}");
        let shown = scopes.columns(select).unwrap().unwrap_or_default();
        let shown: Vec<String> = shown.iter().map(|column| column.value.data_type.to_string()).collect();
        assert_eq!(shown.join(", "), columns, "{sql}");
        scopes.leave();
        assert!(scopes.ctes.is_empty());
    }

    #[test]
    fn relations_have_the_columns_of_their_scope() {
        check("select a / b from t1", "T1(A B C)", "NUMBER(16,8)");
        check("with t as (select a as x from t1) select x from t, t2 as y", "T(X), Y(A ID D)", "NUMBER(10,2)");
        check("select z from (select d - d as z from t2) q", "Q(Z)", "NUMBER(9,0)");
        check("select 1 from table(result_scan('x')) r", "R(?)", "NUMBER(1,0)");
    }
}
