//! Sources of MERGE, UPDATE and DELETE that may read the target table are materialized before the first row is changed.
//! Otherwise threads of the engine would read rows that other threads have changed already.

use firn_sql::ast::{CteAsMaterialized, Ident, SetExpr, TableAlias, TableFactor, TableWithJoins};
use firn_sql::{Failure, ObjectName, print};

use super::dialect::build::quoted;
use super::dialect::relations::full_name;

/// Materializes the relations of a FROM or USING that are among `risky`, those that read the target table.
pub fn materialize_all(tables: &mut [TableWithJoins], risky: &[ObjectName]) -> Result<(), Failure> {
    for table in tables {
        materialize(&mut table.relation, risky)?;
        table.joins.iter_mut().try_for_each(|join| materialize(&mut join.relation, risky))?;
    }
    Ok(())
}

/// A relation becomes `(WITH "SOURCE" AS MATERIALIZED (…) SELECT * FROM "SOURCE")`.
pub fn materialize(relation: &mut TableFactor, risky: &[ObjectName]) -> Result<(), Failure> {
    let is_risky = match relation {
        TableFactor::Derived { lateral, .. } => !*lateral && !risky.is_empty(),
        TableFactor::Table { name, args: None, .. } => full_name(&name.0).is_some_and(|name| risky.contains(&name)),
        _ => false,
    };
    if !is_risky {
        return Ok(());
    }
    let mut whole = print::read_query("WITH \"SOURCE\" AS (SELECT * FROM \"SOURCE\") SELECT * FROM \"SOURCE\"")?;
    let Some(table) = whole.with.as_mut().and_then(|with| with.cte_tables.first_mut()) else { return Ok(()) };
    table.materialized = Some(CteAsMaterialized::Materialized);
    let alias = alias_of(relation);
    if let TableFactor::Derived { subquery, .. } = relation {
        std::mem::swap(&mut table.query, subquery);
    } else if let SetExpr::Select(select) = table.query.body.as_mut()
        && let Some(from) = select.from.first_mut()
    {
        std::mem::swap(&mut from.relation, relation);
        if let TableFactor::Table { alias, .. } = &mut from.relation {
            *alias = None;
        }
    }
    *relation = TableFactor::Derived { lateral: false, subquery: Box::new(whole), alias, sample: None };
    Ok(())
}

/// The alias of a relation, or its name, which the derived table keeps.
pub fn alias_of(relation: &TableFactor) -> Option<TableAlias> {
    let named = |name: &Ident| TableAlias { explicit: true, name: quoted(&name.value), columns: Vec::new(), at: None };
    match relation {
        TableFactor::Derived { alias, .. } => alias.clone(),
        TableFactor::Table { alias, name, .. } => {
            alias.clone().or_else(|| name.0.last().and_then(|part| part.as_ident()).map(named))
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use firn_sql::ast::Statement;
    use firn_sql::{ObjectName, print};

    use super::materialize;

    #[test]
    fn a_source_is_made_before_its_rows_are_merged() {
        for (source, made) in [
            ("(SELECT \"A\" FROM t) AS s", "(SELECT \"A\" FROM t) SELECT * FROM \"SOURCE\") AS s"),
            ("\"D\".\"S\".\"T\" AS s", "(SELECT * FROM \"D\".\"S\".\"T\") SELECT * FROM \"SOURCE\") AS s"),
            ("\"D\".\"S\".\"T\"", "(SELECT * FROM \"D\".\"S\".\"T\") SELECT * FROM \"SOURCE\") AS \"T\""),
        ] {
            let merge = |source: &str| format!("MERGE INTO t USING {source} ON t.a = s.a WHEN MATCHED THEN DELETE");
            let made = merge(&format!("(WITH \"SOURCE\" AS MATERIALIZED {made}"));
            let mut statement = print::read_statement(&merge(source)).unwrap();
            let Statement::Merge(merge) = &mut statement else { panic!("{statement}") };
            materialize(&mut merge.source, &[ObjectName::qualified("D", "S", "T")]).unwrap();
            assert_eq!(statement.to_string(), made);
        }
    }
}
