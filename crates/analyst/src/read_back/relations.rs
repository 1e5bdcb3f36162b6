//! What FROM brings in: logical tables under their aliases, joined along joins of the model.

use firn_sql::ast::{
    BinaryOperator, Expr as Ast, Ident, Join, JoinConstraint, JoinOperator, ObjectName, ObjectNamePart, TableFactor,
    TableWithJoins,
};

use crate::links::model_index::{ColumnId, ModelIndex, TableId};

/// The tables of a query under the names it gives them.
#[derive(Default)]
pub(super) struct Relations {
    tables: Vec<(String, TableId)>,
}

impl Relations {
    pub(super) fn of(index: &ModelIndex, from: &[TableWithJoins]) -> Option<Self> {
        let mut relations = Self::default();
        for item in from {
            relations.add(index, &item.relation)?;
            for join in &item.joins {
                relations.add_joined(index, join)?;
            }
        }
        // Tables beside each other without a join are no reading.
        (from.len() == 1).then_some(relations)
    }

    /// The tables that an expression names before its columns.
    pub(super) fn named_in(index: &ModelIndex, expression: &str) -> Self {
        let is_of_name = |character: char| character.is_alphanumeric() || character == '_';
        let mut relations = Self::default();
        for (end, _) in expression.match_indices('.') {
            let start = expression[..end].rfind(|character| !is_of_name(character)).map_or(0, |at| at + 1);
            let name = &expression[start..end];
            if let Some(table) = logical_table(index, name)
                && !relations.tables.iter().any(|(known, _)| known == name)
            {
                relations.tables.push((name.to_owned(), table));
            }
        }
        relations
    }

    pub(super) fn tables(&self) -> Vec<TableId> {
        self.tables.iter().map(|(_, table)| *table).collect()
    }

    /// The only table of the query.
    pub(super) fn only(&self) -> Option<TableId> {
        match self.tables.as_slice() {
            [(_, table)] => Some(*table),
            _ => None,
        }
    }

    pub(super) fn table_called(&self, name: &Ident) -> Option<TableId> {
        let called = self.tables.iter().find(|(alias, _)| alias.eq_ignore_ascii_case(&name.value));
        called.map(|(_, table)| *table)
    }

    /// The column of that name; without a table before it, in the first table that has it.
    pub(super) fn column(&self, index: &ModelIndex, name: &[Ident]) -> Option<ColumnId> {
        match name {
            [column] => self.tables.iter().find_map(|(_, table)| index.column_named(*table, &column.value)),
            [table, column] => index.column_named(self.table_called(table)?, &column.value),
            _ => None,
        }
    }

    fn add(&mut self, index: &ModelIndex, factor: &TableFactor) -> Option<()> {
        let TableFactor::Table { name, alias, args: None, .. } = factor else { return None };
        let [ObjectNamePart::Identifier(only)] = name.0.as_slice() else { return None };
        let table = logical_table(index, &only.value)?;
        // A table beside itself has roles, which a join of the model does not tell apart.
        if self.tables.iter().any(|(_, known)| *known == table) {
            return None;
        }
        let written = only.value.clone();
        let name = alias.as_ref().map_or(written, |alias| alias.name.value.clone());
        self.tables.push((name, table));
        Some(())
    }

    fn add_joined(&mut self, index: &ModelIndex, join: &Join) -> Option<()> {
        let constraint = match &join.join_operator {
            // An outer join returns rows that a join of the model does not.
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => constraint,
            _ => return None,
        };
        self.add(index, &join.relation)?;
        let (_, added) = self.tables.last()?;
        let pairs = match constraint {
            JoinConstraint::On(condition) => self.equal_columns(index, condition)?,
            JoinConstraint::Using(names) => self.shared_columns(index, *added, names)?,
            _ => return None,
        };
        self.is_join_of_model(index, *added, &pairs).then_some(())
    }

    /// `a.x = b.y AND …`.
    fn equal_columns(&self, index: &ModelIndex, condition: &Ast) -> Option<Vec<(ColumnId, ColumnId)>> {
        match condition {
            Ast::Nested(inner) => self.equal_columns(index, inner),
            Ast::BinaryOp { left, op: BinaryOperator::And, right } => {
                let mut pairs = self.equal_columns(index, left)?;
                pairs.extend(self.equal_columns(index, right)?);
                Some(pairs)
            }
            Ast::BinaryOp { left, op: BinaryOperator::Eq, right } => {
                let column = |side: &Ast| match side {
                    Ast::CompoundIdentifier(name) => self.column(index, name),
                    Ast::Identifier(name) => self.column(index, std::slice::from_ref(name)),
                    _ => None,
                };
                Some(vec![(column(left)?, column(right)?)])
            }
            _ => None,
        }
    }

    fn shared_columns(
        &self,
        index: &ModelIndex,
        added: TableId,
        names: &[ObjectName],
    ) -> Option<Vec<(ColumnId, ColumnId)>> {
        let pair = |name: &ObjectName| {
            let name = name.0.last()?.as_ident()?;
            Some((self.column(index, std::slice::from_ref(name))?, index.column_named(added, &name.value)?))
        };
        names.iter().map(pair).collect()
    }

    /// Whether the pairs are the columns of one join of the model that leads to the table.
    fn is_join_of_model(&self, index: &ModelIndex, added: TableId, pairs: &[(ColumnId, ColumnId)]) -> bool {
        let named = |column: ColumnId, table: TableId, name: &str| {
            index.columns[column].table == table && index.columns[column].name.eq_ignore_ascii_case(name)
        };
        index.joins.iter().filter(|join| join.left == added || join.right == added).any(|join| {
            let has = |(left, right): &(String, String)| {
                pairs.iter().any(|&(one, other)| {
                    named(one, join.left, left) && named(other, join.right, right)
                        || named(other, join.left, left) && named(one, join.right, right)
                })
            };
            join.columns.len() == pairs.len() && join.columns.iter().all(has)
        })
    }
}

/// `orders`, or `__orders` as the analyst's own SQL calls it.
fn logical_table(index: &ModelIndex, name: &str) -> Option<TableId> {
    index.table_named(name).or_else(|| index.table_named(name.strip_prefix("__")?))
}
