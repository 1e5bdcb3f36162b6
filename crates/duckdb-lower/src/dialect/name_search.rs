//! Which relations and identifiers a tree of the dialect names, and where.

use std::ops::ControlFlow;

use firn_sql::names::display_identifier;
use firn_sql::tree::Tree;
use firn_sql::{Failure, ObjectName as FullName, ast};

use super::relations;
use crate::identifiers::FoundIdentifier;

/// The full names of the tables and views that a tree of the dialect reads.
pub fn relations_of(node: &dyn Tree) -> Vec<FullName> {
    let mut relations = Relations(Vec::new());
    // The visitor never breaks.
    let _ = node.walk(&mut relations);
    relations.0
}

struct Relations(Vec<FullName>);

impl ast::Visitor for Relations {
    type Break = Failure;

    fn pre_visit_relation(&mut self, relation: &ast::ObjectName) -> ControlFlow<Self::Break> {
        self.0.extend(relations::full_name(&relation.0));
        ControlFlow::Continue(())
    }
}

/// The first occurrence of the identifier (`A` or `T.A`) in the statement's text. An unknown qualifier is returned with
/// the column that it qualifies.
pub fn find_identifier(node: &dyn Tree, name: &str) -> Option<FoundIdentifier> {
    let wanted = name.rsplit('.').next().unwrap_or(name).trim_matches('"');
    let mut finder = IdentifierFinder { name, wanted, whole: None, column: None, qualifier: None, anywhere: None };
    // The visitor never breaks.
    let _ = node.walk(&mut finder);
    let found = |name: String, (line, position): (u64, u64)| FoundIdentifier { name, line, position };
    let named = |place| found(name.to_owned(), place);
    let qualified = finder.qualifier.map(|(name, place)| found(name, place));
    finder.whole.or(finder.column).map(named).or(qualified).or(finder.anywhere.map(named))
}

struct IdentifierFinder<'name> {
    name: &'name str,
    /// The last part of the name.
    wanted: &'name str,
    whole: Option<(u64, u64)>,
    column: Option<(u64, u64)>,
    /// The whole name that it qualifies.
    qualifier: Option<(String, (u64, u64))>,
    /// Also in lists of columns and as the target of SET.
    anywhere: Option<(u64, u64)>,
}

fn place_of(identifier: &ast::Ident) -> Option<(u64, u64)> {
    let start = identifier.span.start;
    (start.line > 0).then(|| (start.line, start.column - 1))
}

impl ast::Visitor for IdentifierFinder<'_> {
    type Break = Failure;

    fn pre_visit_expr(&mut self, expr: &ast::Expr) -> ControlFlow<Self::Break> {
        let parts = match expr {
            ast::Expr::Identifier(name) => std::slice::from_ref(name),
            ast::Expr::CompoundIdentifier(parts) => parts.as_slice(),
            _ => return ControlFlow::Continue(()),
        };
        let Some((place, last)) = parts.first().and_then(place_of).zip(parts.last()) else {
            return ControlFlow::Continue(());
        };
        let written = || parts.iter().map(|part| display_identifier(&part.value)).collect::<Vec<_>>().join(".");
        if last.value == self.wanted {
            self.column = self.column.or(Some(place));
            if self.whole.is_none() && written() == self.name {
                self.whole = Some(place);
            }
        } else if self.qualifier.is_none() && parts.iter().any(|part| part.value == self.wanted) {
            self.qualifier = Some((written(), place));
        }
        ControlFlow::Continue(())
    }

    fn pre_visit_ident(&mut self, identifier: &ast::Ident) -> ControlFlow<Self::Break> {
        if identifier.value == self.wanted {
            self.anywhere = self.anywhere.or_else(|| place_of(identifier));
        }
        ControlFlow::Continue(())
    }
}
