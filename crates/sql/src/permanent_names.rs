//! Names in a stored definition mean permanent objects. Where the session has a temporary object of such a name, the name of the
//! relation in the expanded statement ends with `MARK`.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, Ident, ObjectNamePart, TableAlias, TableFactor, VisitorMut};
use crate::command::Command;
use crate::names::{MARK, ObjectName};
use crate::tree::complete_name;

/// Has the relations of these names in a resolved definition mean permanent objects.
pub fn mean_permanent(definition: &mut Command, names: &[ObjectName]) {
    if !names.is_empty() {
        // The visitor never breaks.
        let _ = definition.visit_tree_mut(&mut Marker { names });
    }
}

/// The name of the permanent object that a marked name means; `None` for any other name.
#[must_use]
pub fn permanent_name(name: &ObjectName) -> Option<ObjectName> {
    let own = name.name.strip_suffix(MARK)?;
    Some(ObjectName { name: own.to_owned(), ..name.clone() })
}

struct Marker<'a> {
    names: &'a [ObjectName],
}

impl Marker<'_> {
    /// How many parts of a column's name are before the name of its relation.
    fn qualifiers(&self, parts: &[Ident]) -> usize {
        let qualifies = |name: &ObjectName| match parts {
            [database, schema, table, _, ..]
                if database.value == name.database() && schema.value == name.schema() && table.value == name.name =>
            {
                2
            }
            [schema, table, _, ..] if schema.value == name.schema() && table.value == name.name => 1,
            _ => 0,
        };
        self.names.iter().map(qualifies).max().unwrap_or_default()
    }
}

impl VisitorMut for Marker<'_> {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Table { name, alias, args: None, .. } = factor
            && complete_name(name).is_some_and(|name| self.names.contains(&name))
            && let Some(ObjectNamePart::Identifier(own)) = name.0.last_mut()
        {
            alias.get_or_insert_with(|| TableAlias {
                explicit: true,
                name: Ident::with_quote('"', own.value.clone()),
                columns: Vec::new(),
                at: None,
            });
            own.value.push(MARK);
        }
        ControlFlow::Continue(())
    }

    /// `SCHEMA.T.COLUMN` is no column of the alias; `T.COLUMN` is.
    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::CompoundIdentifier(parts) = expr {
            parts.drain(..self.qualifiers(parts));
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::print;

    #[test]
    fn marked_names_are_those_of_permanent_objects() {
        let text = r#"SELECT "S"."T"."A", "B" FROM "D"."S"."T" JOIN "D"."S"."U" AS "V" ON "V"."A" = "T"."A""#;
        let name = |name: &str| ObjectName::qualified("D", "S", name);
        let mut definition = Command::Query(Box::new(print::read_query(text).unwrap()));
        mean_permanent(&mut definition, &[name("T"), name("U")]);
        let Command::Query(query) = definition else { panic!("a query") };
        let marked = query.to_string();
        assert!(marked.starts_with(r#"SELECT "T"."A", "B" FROM "#), "{marked}");
        assert!(marked.contains(r#" AS "T" JOIN "#) && marked.contains(r#" AS "V" ON "#), "{marked}");
        assert_eq!(marked.matches(MARK).count(), 2);
        assert_eq!(permanent_name(&name(&format!("T{MARK}"))), Some(name("T")));
        assert_eq!(permanent_name(&name("T")), None);
    }
}
