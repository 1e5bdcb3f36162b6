//! FROM: tables by their names on the cluster, subqueries, joins, VALUES and FLATTEN.

use firn_sql::ast::{
    Expr, FunctionArg, FunctionArgExpr, Ident, Join, JoinConstraint, JoinOperator, ObjectName, TableAlias, TableFactor,
    TableWithJoins, Value,
};
use firn_sql::tree::complete_name;

use super::selects::last_part;
use super::{Lowering, RemoteTable, Text, quoted, refused};
use crate::types::Reading;

impl Lowering<'_> {
    pub(super) fn from(&self, from: &[TableWithJoins]) -> Text {
        let tables = from.iter().map(|table| self.joined(table)).collect::<Result<Vec<_>, _>>()?;
        Ok(tables.join(", "))
    }

    fn joined(&self, table: &TableWithJoins) -> Text {
        let mut sql = self.factor(&table.relation)?;
        for join in &table.joins {
            sql.push_str(&self.join(join)?);
        }
        Ok(sql)
    }

    fn join(&self, join: &Join) -> Text {
        let (word, constraint) = match &join.join_operator {
            JoinOperator::Join(constraint) | JoinOperator::Inner(constraint) => match constraint {
                JoinConstraint::None => ("CROSS JOIN", constraint),
                _ => ("INNER JOIN", constraint),
            },
            JoinOperator::Left(constraint) | JoinOperator::LeftOuter(constraint) => ("LEFT JOIN", constraint),
            JoinOperator::Right(constraint) | JoinOperator::RightOuter(constraint) => ("RIGHT JOIN", constraint),
            JoinOperator::FullOuter(constraint) => ("FULL JOIN", constraint),
            JoinOperator::CrossJoin(constraint) => ("CROSS JOIN", constraint),
            _ => return Err(refused("join of this kind")),
        };
        let table = self.factor(&join.relation)?;
        Ok(match constraint {
            JoinConstraint::On(condition) => format!(" {word} {table} ON {}", self.condition(condition)?),
            JoinConstraint::Using(columns) => {
                let columns: Vec<String> = columns.iter().filter_map(last_part).map(quoted).collect();
                format!(" {word} {table} USING ({})", columns.join(", "))
            }
            JoinConstraint::Natural => format!(" NATURAL {} {table}", if word == "CROSS JOIN" { "JOIN" } else { word }),
            JoinConstraint::None => format!(" {word} {table}"),
        })
    }

    fn factor(&self, factor: &TableFactor) -> Text {
        match factor {
            TableFactor::Table { name, alias, args: None, version: None, sample: None, json_path: None, .. } => {
                self.table(name, alias.as_ref())
            }
            TableFactor::Derived { lateral, subquery, alias, sample: None } => {
                let lateral = if *lateral { "LATERAL " } else { "" };
                Ok(format!("{lateral}({}){}", self.query(subquery)?, alias_of(alias.as_ref())))
            }
            TableFactor::NestedJoin { table_with_joins, alias } => {
                Ok(format!("({}){}", self.joined(table_with_joins)?, alias_of(alias.as_ref())))
            }
            TableFactor::Function { name, args, alias, .. } if last_part(name) == Some("FLATTEN") => {
                self.flatten(args, alias.as_ref())
            }
            TableFactor::Function { name, .. } => {
                Err(refused(&format!("table function {}", last_part(name).unwrap_or_default())))
            }
            TableFactor::Table { sample: Some(_), .. } | TableFactor::Derived { sample: Some(_), .. } => {
                Err(refused("SAMPLE"))
            }
            TableFactor::Table { version: Some(_), .. } => Err(refused("AT and BEFORE")),
            TableFactor::Pivot { .. } => Err(refused("PIVOT of values that are looked up")),
            TableFactor::Unpivot { .. } => Err(refused("UNPIVOT")),
            _ => Err(refused("relation of this kind")),
        }
    }

    fn table(&self, name: &ObjectName, alias: Option<&TableAlias>) -> Text {
        let Some(full) = complete_name(name) else {
            let name = last_part(name).ok_or_else(|| refused("name of this form"))?;
            return Ok(format!("{}{}", quoted(name), alias_of(alias)));
        };
        let table = self.tables.remote(&full)?;
        let own;
        let alias = match alias {
            Some(alias) => alias,
            None => {
                let name = Ident::with_quote('"', full.name.as_str());
                own = TableAlias { explicit: true, name, columns: Vec::new(), at: None };
                &own
            }
        };
        Ok(format!("{}{}", relation(&table), alias_of(Some(alias))))
    }

    /// Arguments: input, path, outer, recursive, mode.
    fn flatten(&self, args: &[FunctionArg], alias: Option<&TableAlias>) -> Text {
        let values: Vec<&Expr> = args
            .iter()
            .filter_map(|arg| match arg {
                FunctionArg::Unnamed(FunctionArgExpr::Expr(expr)) => Some(expr),
                _ => None,
            })
            .collect();
        let is_default = |place: usize, default: &str| match values.get(place) {
            None => true,
            Some(Expr::Value(value)) => match &value.value {
                Value::Null => true,
                Value::Boolean(value) => value.to_string() == default,
                Value::SingleQuotedString(text) => text.eq_ignore_ascii_case(default),
                _ => false,
            },
            Some(_) => false,
        };
        let outer = !is_default(2, "false");
        if !is_default(1, "") || !is_default(3, "false") || !is_default(4, "BOTH") || (outer && !is_default(2, "true"))
        {
            return Err(refused("FLATTEN with PATH, RECURSIVE or MODE"));
        }
        let input = values.first().ok_or_else(|| refused("FLATTEN without an input"))?;
        let input = self.as_variant(input)?;
        let function = if outer { "variant_explode_outer" } else { "variant_explode" };
        let path = "CASE WHEN key IS NULL THEN concat('[', pos, ']') WHEN key RLIKE '^[A-Za-z_][A-Za-z0-9_]*$' THEN key \
                    ELSE concat('[\\'', key, '\\']') END";
        let columns = format!(
            "key AS `KEY`, {path} AS `PATH`, CASE WHEN key IS NULL THEN pos END AS `INDEX`, value AS `VALUE`, {input} AS `THIS`"
        );
        Ok(format!("LATERAL (SELECT {columns} FROM {function}({input})){}", alias_of(alias)))
    }
}

fn alias_of(alias: Option<&TableAlias>) -> String {
    let Some(alias) = alias else { return String::new() };
    let columns: Vec<String> = alias.columns.iter().map(|column| quoted(&column.name.value)).collect();
    let columns = if columns.is_empty() { String::new() } else { format!(" ({})", columns.join(", ")) };
    format!(" AS {}{columns}", quoted(&alias.name.value))
}

/// A table on the cluster; one with columns whose values are not the dialect's is read through a select.
pub(crate) fn relation(table: &RemoteTable) -> String {
    let path: Vec<String> = table.path.iter().map(|part| quoted(part)).collect();
    let path = path.join(".");
    if table.columns.iter().all(|(_, _, reading)| *reading == Reading::Plain) {
        return path;
    }
    let column = |(name, own, reading): &(String, String, Reading)| match reading {
        Reading::Plain => format!("{} AS {}", quoted(own), quoted(name)),
        Reading::Variant => format!("parse_json(to_json({})) AS {}", quoted(own), quoted(name)),
        Reading::Text => format!("CAST({} AS STRING) AS {}", quoted(own), quoted(name)),
    };
    let columns: Vec<String> = table.columns.iter().map(column).collect();
    format!("(SELECT {} FROM {path})", columns.join(", "))
}
