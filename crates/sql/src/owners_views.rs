//! Views of INFORMATION_SCHEMA inside of stored definitions: they show what the owner of the definition may see, not what its
//! caller may. The name of such a relation in an expanded statement has the owner in it, behind `MARK`.

use std::ops::ControlFlow;

use crate::Failure;
use crate::ast::{Expr, Ident, ObjectNamePart, TableAlias, TableFactor, Visitor, VisitorMut};
use crate::command::Command;
use crate::names::{INFORMATION_SCHEMA, MARK, OWN_DATABASE, ObjectName};
use crate::tree::{Tree, complete_name};

/// Has the views of INFORMATION_SCHEMA in a resolved definition read for its owner. Those that are read for somebody already
/// stay so.
pub fn read_for(definition: &mut dyn Tree, owner: &str) {
    // The visitor never breaks.
    let _ = definition.walk_mut(&mut Marker { owner });
}

/// A view's own name, and for whom it is read if not for the caller.
pub fn reader_of(name: &str) -> (&str, Option<&str>) {
    name.split_once(MARK).map_or((name, None), |(view, owner)| (view, Some(owner)))
}

/// The relations of a command that are read for owners of definitions.
pub fn read_for_owners(command: &Command) -> Vec<ObjectName> {
    let mut read = views_of_server(command);
    read.retain(|name| name.schema() == INFORMATION_SCHEMA && reader_of(&name.name).1.is_some());
    read
}

/// The views of INFORMATION_SCHEMA and of the server's own database that an expanded command reads, for whomever.
pub fn views_of_server(command: &Command) -> Vec<ObjectName> {
    let mut search = Search::default();
    // The visitor never breaks.
    let _ = command.visit_tree(&mut search);
    search.found
}

struct Marker<'a> {
    owner: &'a str,
}

impl VisitorMut for Marker<'_> {
    type Break = Failure;

    fn pre_visit_table_factor(&mut self, factor: &mut TableFactor) -> ControlFlow<Failure> {
        if let TableFactor::Table { name, alias, args: None, .. } = factor
            && complete_name(name).is_some_and(|name| is_for_caller(&name))
            && let Some(ObjectNamePart::Identifier(view)) = name.0.last_mut()
        {
            alias.get_or_insert_with(|| TableAlias {
                explicit: true,
                name: Ident::with_quote('"', view.value.clone()),
                columns: Vec::new(),
                at: None,
            });
            view.value = format!("{}{MARK}{}", view.value, self.owner);
        }
        ControlFlow::Continue(())
    }

    /// `DB.INFORMATION_SCHEMA.TABLES.A` is no column of the alias; `TABLES.A` is.
    fn pre_visit_expr(&mut self, expr: &mut Expr) -> ControlFlow<Failure> {
        if let Expr::CompoundIdentifier(parts) = expr
            && let Some(schema) = parts.len().checked_sub(3)
            && parts[schema].value == INFORMATION_SCHEMA
        {
            parts.drain(..=schema);
        }
        ControlFlow::Continue(())
    }
}

fn is_for_caller(name: &ObjectName) -> bool {
    name.schema() == INFORMATION_SCHEMA && reader_of(&name.name).1.is_none()
}

#[derive(Default)]
struct Search {
    found: Vec<ObjectName>,
}

impl Visitor for Search {
    type Break = Failure;

    fn pre_visit_relation(&mut self, relation: &crate::ast::ObjectName) -> ControlFlow<Failure> {
        if let Some(name) = complete_name(relation)
            && (name.schema() == INFORMATION_SCHEMA || name.database() == OWN_DATABASE)
            && !self.found.contains(&name)
        {
            self.found.push(name);
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
    fn the_reader_is_in_the_name() {
        let text =
            r#"SELECT "D"."INFORMATION_SCHEMA"."TABLES"."A" FROM "D"."INFORMATION_SCHEMA"."TABLES", "D"."S"."T""#;
        let mut query = Box::new(print::read_query(text).unwrap());
        read_for(&mut *query, "SOMEBODY");
        read_for(&mut *query, "ANOTHER");
        assert!(query.to_string().starts_with(r#"SELECT "TABLES"."A" FROM "#));
        let found = read_for_owners(&Command::Query(query));
        let readers: Vec<_> = found.iter().map(|name| reader_of(&name.name)).collect();
        assert_eq!(readers, [("TABLES", Some("SOMEBODY"))]);
        assert_eq!(reader_of("TABLES"), ("TABLES", None));
    }
}
