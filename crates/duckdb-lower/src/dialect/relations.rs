//! Relations that the engine has under another name: a session's temporary tables, and the views of INFORMATION_SCHEMA,
//! which become subqueries over the side tables.

use firn_sql::ast::{
    Expr, Ident, ObjectName, ObjectNamePart, Select, SelectItem, SelectItemQualifiedWildcardKind, TableAlias,
    TableFactor,
};
use firn_sql::names::{INFORMATION_SCHEMA, quote_identifier};
use firn_sql::owners_views::reader_of;
use firn_sql::permanent_names::permanent_name;
use firn_sql::tree::tree_name;
use firn_sql::{Failure, ObjectName as FullName};

use super::build::quoted;
use super::rewrite_context::{RewriteContext, Visibility};
use crate::information_schema;
use crate::temporary::TemporaryTables;

/// The engine's name of a table for hand-made statements.
pub fn engine_relation(name: &FullName, temporary: &TemporaryTables) -> String {
    if temporary.contains(name) {
        return temporary.engine_name(name);
    }
    let parts = [name.database(), name.schema(), &name.name];
    parts.map(quote_identifier).join(".")
}

/// The walk comes here after `redirect_table`, with the name that this has left.
pub(super) fn redirect_name(relation: &mut ObjectName, rewrite_context: &RewriteContext<'_>) {
    let Some(name) = full_name(&relation.0) else { return };
    if let Some(permanent) = permanent_name(&name) {
        *relation = tree_name(&permanent);
    } else if rewrite_context.temporary.contains(&name) {
        *relation = temporary_relation(&name, rewrite_context.temporary);
    }
}

/// A redirected table keeps the name its columns are qualified with.
pub(super) fn redirect_table(table: &mut TableFactor, rewrite_context: &RewriteContext<'_>) {
    let TableFactor::Table { name: relation, alias, args: None, .. } = table else { return };
    let Some(name) = full_name(&relation.0) else { return };
    if rewrite_context.temporary.contains(&name) {
        *relation = temporary_relation(&name, rewrite_context.temporary);
        alias.get_or_insert_with(|| alias_of(&name.name));
    }
}

pub(super) fn open_information_schema(
    table: &mut TableFactor,
    rewrite_context: &RewriteContext<'_>,
) -> Result<(), Failure> {
    let TableFactor::Table { name: relation, alias, args: None, .. } = table else { return Ok(()) };
    let Some(name) = full_name(&relation.0) else { return Ok(()) };
    if name.schema() != INFORMATION_SCHEMA {
        return Ok(());
    }
    let RewriteContext { visibility, account_rows, views_of_owners, temporary, .. } = rewrite_context;
    let (view, reader) = reader_of(&name.name);
    let name = FullName { name: view.to_owned(), ..name.clone() };
    let owner = reader.and_then(|reader| views_of_owners.iter().find(|views| views.owner == reader));
    let subquery = match (reader, owner) {
        (Some(_), Some(views)) => {
            information_schema::query(&name, Visibility::of_owner(views), &views.account_rows, None)?
        }
        // A view that is being created: nothing is read.
        (Some(_), None) => {
            let nothing = Visibility::Granted { roles: &[], schemas: &[], objects: &[] };
            information_schema::query(&name, nothing, &[], None)?
        }
        (None, _) => information_schema::query(&name, *visibility, account_rows, Some(temporary))?,
    };
    let alias = alias.take().unwrap_or_else(|| alias_of(&name.name));
    *table = TableFactor::Derived { lateral: false, subquery: Box::new(subquery), alias: Some(alias), sample: None };
    Ok(())
}

/// `DB.SCHEMA.T.A` no longer finds its table once that is redirected; `T.A` does.
pub(super) fn shorten_qualifier(expr: &mut Expr, rewrite_context: &RewriteContext<'_>) {
    let Expr::CompoundIdentifier(parts) = expr else { return };
    let redirected = match &parts[..] {
        [database, schema, table, _] => {
            let name = FullName::qualified(&database.value, &schema.value, &table.value);
            schema.value == INFORMATION_SCHEMA || rewrite_context.temporary.contains(&name)
        }
        [schema, _, _] => schema.value == INFORMATION_SCHEMA,
        _ => false,
    };
    if redirected {
        parts.drain(..parts.len() - 2);
    }
}

/// The engine qualifies a wildcard with the table's own name only.
pub(super) fn shorten_wildcards(select: &mut Select) {
    for item in &mut select.projection {
        if let SelectItem::QualifiedWildcard(SelectItemQualifiedWildcardKind::ObjectName(name), _) = item
            && let Some(last) = name.0.last().cloned()
        {
            name.0 = vec![last];
        }
    }
}

pub fn full_name(parts: &[ObjectNamePart]) -> Option<FullName> {
    match parts {
        [
            ObjectNamePart::Identifier(database),
            ObjectNamePart::Identifier(schema),
            ObjectNamePart::Identifier(name),
        ] => Some(FullName::qualified(&database.value, &schema.value, &name.value)),
        _ => None,
    }
}

fn temporary_relation(name: &FullName, temporary: &TemporaryTables) -> ObjectName {
    let parts = [Ident::new("temp"), Ident::new("main"), quoted(&temporary.identifier(name))];
    ObjectName(parts.into_iter().map(ObjectNamePart::Identifier).collect())
}

pub(super) fn alias_of(name: &str) -> TableAlias {
    TableAlias { explicit: true, name: quoted(name), columns: Vec::new(), at: None }
}

#[cfg(test)]
mod tests {
    use crate::dialect::testing::check;

    #[test]
    fn wildcards_are_qualified_with_the_table_alone() {
        check(r#"SELECT "S"."T".* FROM "D"."S"."T""#, r#"SELECT "T".* FROM "D"."S"."T""#);
    }
}
