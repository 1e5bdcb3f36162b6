//! The types of the columns where a call stands, by which one of several functions of a name is chosen.

use super::plain_types::type_of;
use super::{Parameter, type_word};
use crate::ast::{Expr, Ident, Query, Select, SelectItem, SetExpr, TableFactor, TableWithJoins};
use crate::data_types::DataType;
use crate::names::ObjectName;
use crate::tree::complete_name;

/// The columns of a relation with this complete name; none of one that is not known.
pub type RelationColumns<'a> = dyn Fn(&ObjectName) -> Vec<(String, DataType)> + 'a;

/// What names of columns stand for, as far as it is known.
#[derive(Default)]
pub struct ColumnTypes {
    /// The relations of every select around, outermost first.
    scopes: Vec<Vec<Relation>>,
}

struct Relation {
    name: String,
    columns: Vec<(String, Option<&'static str>)>,
}

impl ColumnTypes {
    /// Inside the body of a function.
    pub fn of_parameters(parameters: &[Parameter]) -> Self {
        let column = |parameter: &Parameter| (parameter.name.clone(), Some(type_word(&parameter.data_type)));
        let columns = parameters.iter().map(column).collect();
        Self { scopes: vec![vec![Relation { name: String::new(), columns }]] }
    }

    pub(super) fn enter(&mut self, select: &Select, columns_of: &RelationColumns<'_>) {
        let mut relations = Vec::new();
        for TableWithJoins { relation, joins } in &select.from {
            let factors = std::iter::once(relation).chain(joins.iter().map(|join| &join.relation));
            relations.extend(factors.filter_map(|factor| self.relation(factor, columns_of)));
        }
        self.scopes.push(relations);
    }

    pub(super) fn leave(&mut self) {
        self.scopes.pop();
    }

    /// The type of a column.
    pub(super) fn of_column(&self, path: &[Ident]) -> Option<&'static str> {
        let (column, qualifier) = path.split_last()?;
        let qualifier = qualifier.last().map(|relation| &relation.value);
        self.scopes.iter().rev().find_map(|scope| {
            let named = scope.iter().filter(|relation| qualifier.is_none_or(|name| *name == relation.name));
            let mut columns = named.flat_map(|relation| &relation.columns);
            columns.find(|(name, _)| *name == column.value).map(|(_, data_type)| *data_type)
        })?
    }

    fn relation(&mut self, factor: &TableFactor, columns_of: &RelationColumns<'_>) -> Option<Relation> {
        let (name, columns, alias) = match factor {
            TableFactor::Table { name, alias, args: None, .. } => {
                let name = complete_name(name)?;
                let columns = columns_of(&name).into_iter();
                let columns = columns.map(|(column, data_type)| (column, Some(type_word(&data_type)))).collect();
                (name.name, columns, alias)
            }
            TableFactor::Derived { subquery, alias, .. } => {
                (String::new(), self.columns_of_query(subquery, columns_of)?, alias)
            }
            _ => return None,
        };
        let mut relation = Relation { name, columns };
        if let Some(alias) = alias {
            relation.name.clone_from(&alias.name.value);
            for (column, renamed) in relation.columns.iter_mut().zip(&alias.columns) {
                column.0.clone_from(&renamed.name.value);
            }
        }
        Some(relation)
    }

    /// `None` where a column is not known by its name.
    fn columns_of_query(
        &mut self,
        query: &Query,
        columns_of: &RelationColumns<'_>,
    ) -> Option<Vec<(String, Option<&'static str>)>> {
        let SetExpr::Select(select) = query.body.as_ref() else { return None };
        self.enter(select, columns_of);
        let columns = select.projection.iter().map(|item| self.columns_of_item(item)).collect::<Option<Vec<_>>>();
        self.leave();
        columns.map(|columns| columns.into_iter().flatten().collect())
    }

    fn columns_of_item(&self, item: &SelectItem) -> Option<Vec<(String, Option<&'static str>)>> {
        match item {
            SelectItem::ExprWithAlias { expr, alias } => Some(vec![(alias.value.clone(), type_of(expr, self))]),
            SelectItem::UnnamedExpr(expr) => {
                let name = match expr {
                    Expr::Identifier(name) => name,
                    Expr::CompoundIdentifier(parts) => parts.last()?,
                    _ => return None,
                };
                Some(vec![(name.value.clone(), type_of(expr, self))])
            }
            SelectItem::Wildcard(_) => {
                Some(self.scopes.last()?.iter().flat_map(|relation| relation.columns.clone()).collect())
            }
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::print;

    #[test]
    fn columns_have_the_types_of_their_relations() {
        let columns_of = |name: &ObjectName| {
            let columns =
                [("N", DataType::Number { precision: 38, scale: 0 }), ("S", DataType::Varchar { length: None })];
            assert_eq!(name.database(), "D");
            columns.map(|(column, data_type)| (column.to_owned(), data_type)).to_vec()
        };
        let cases = [
            (r#"SELECT "N" FROM "D"."P"."T""#, Some("NUMBER")),
            (r#"SELECT "T"."S" FROM "D"."P"."T""#, Some("VARCHAR")),
            (r#"SELECT "A"."S" FROM "D"."P"."T" AS "A" JOIN "D"."P"."T" AS "B" ON TRUE"#, Some("VARCHAR")),
            (r#"SELECT "N" + 1 FROM "D"."P"."T""#, Some("NUMBER")),
            (r#"SELECT "X" FROM (SELECT "N" + 1 AS "X" FROM "D"."P"."T") AS "Q""#, Some("NUMBER")),
            (r#"SELECT "S" FROM (SELECT * FROM "D"."P"."T") AS "Q""#, Some("VARCHAR")),
            (r#"SELECT "Y" FROM (SELECT * FROM "D"."P"."T") AS "Q"("X", "Y")"#, Some("VARCHAR")),
            (r#"SELECT "Z" FROM "D"."P"."T""#, None),
            (r#"SELECT "N" FROM "C""#, None),
        ];
        for (text, expected) in cases {
            let query = print::read_query(text).unwrap();
            let SetExpr::Select(select) = query.body.as_ref() else { panic!("{text}") };
            let mut types = ColumnTypes::default();
            types.enter(select, &columns_of);
            let SelectItem::UnnamedExpr(expr) = &select.projection[0] else { panic!("{text}") };
            assert_eq!(type_of(expr, &types), expected, "{text}");
        }
    }
}
