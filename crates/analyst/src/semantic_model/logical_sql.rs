//! Makes SQL over the names of a model runnable: every logical table it reads is put before it as a common table
//! expression `__<table>` over the physical one.

use std::ops::ControlFlow;

use firn_sql::Command;
use firn_sql::ast::{ObjectName, ObjectNamePart, Query, Visitor};
use firn_sql::tree::Walk;

use super::expressions::parse_query;
use super::outside_reads;
use super::{LogicalTable, SemanticModel, TableSource};

/// The query with its logical tables before it.
pub fn with_logical_tables(model: &SemanticModel, sql: &str) -> Result<String, String> {
    let (text, command) = parse_query(sql)?;
    let Command::Query(query) = &command else { return Err("it is not a query".to_owned()) };
    let mut names = RelationNames::default();
    let _ = query.inspect(&mut names);
    names.read.retain(|name| !names.defined.contains(name));
    let shadowing = shadowing_tables(query);
    let used = UsedNames::of(&text);
    let mut tables = Vec::new();
    for table in &model.tables {
        let logical = table.name.to_uppercase();
        let prefixed = format!("__{logical}");
        let plainly = names.read.contains(&logical);
        if plainly || names.read.contains(&prefixed) || shadowing.contains(&prefixed) {
            tables.push(common_table(table, &used));
        }
        if plainly {
            tables.push(format!("{name} AS (\n  SELECT * FROM __{name}\n)", name = table.name));
        }
    }
    if tables.is_empty() {
        return Ok(text);
    }
    if !shadowing.is_empty() {
        return Ok(format!("WITH {}\nSELECT * FROM (\n{}\n)", tables.join(", "), text));
    }
    Ok(put_before(&tables.join(", "), &text, query))
}

/// Common table expressions that read what they are called: `WITH __t AS (SELECT … FROM __t) …`, as published verified
/// queries have them. The logical table must be defined around such a query.
fn shadowing_tables(query: &Query) -> Vec<String> {
    let with = query.with.iter().filter(|with| !with.recursive);
    let tables = with.flat_map(|with| &with.cte_tables);
    let shadowing = tables.filter_map(|table| {
        let name = table.alias.name.value.to_uppercase();
        let mut names = RelationNames::default();
        let _ = table.query.inspect(&mut names);
        names.read.contains(&name).then_some(name)
    });
    shadowing.collect()
}

/// Fails when the query reads anything but logical tables and what it defines itself.
pub fn reads_only_logical_tables(model: &SemanticModel, sql: &str) -> Result<(), String> {
    let (_, command) = parse_query(sql)?;
    match outside_reads::first(model, &command) {
        Some(other) => Err(format!("it reads {other}, which is no logical table of the semantic model")),
        None => Ok(()),
    }
}

/// `__orders AS (SELECT expr AS name, … FROM db.schema.orders)`.
fn common_table(table: &LogicalTable, used: &UsedNames) -> String {
    let dimensions = table.dimensions.iter().map(|column| (&column.expr, &column.name));
    let time_dimensions = table.time_dimensions.iter().map(|column| (&column.expr, &column.name));
    let facts = table.facts.iter().map(|column| (&column.expr, &column.name));
    let columns: Vec<String> = dimensions
        .chain(time_dimensions)
        .chain(facts)
        .filter(|(_, name)| used.has(name))
        .map(|(expression, name)| match expression.eq_ignore_ascii_case(name) {
            true => format!("    {expression}"),
            false => format!("    {expression} AS {}", identifier(name)),
        })
        .collect();
    let columns = if columns.is_empty() { "    *".to_owned() } else { columns.join(",\n") };
    let prefixed = identifier(&format!("__{}", table.name));
    format!("{prefixed} AS (\n  SELECT\n{columns}\n  FROM {}\n)", table.source.sql())
}

/// The names that a query may use, so that nothing else is put before it.
enum UsedNames {
    /// `SELECT *` shows every column, and a natural join compares all that two tables share.
    Any,
    These(Vec<String>),
}

impl UsedNames {
    fn of(sql: &str) -> Self {
        let plain = sql.replace("COUNT(*)", "").replace("count(*)", "");
        if plain.contains('*') || plain.to_lowercase().contains("natural") {
            return Self::Any;
        }
        let names = plain.split(|character: char| !(character.is_alphanumeric() || "_$ ".contains(character)));
        let names = names.flat_map(|name| name.split(' ').chain([name])).map(str::to_lowercase);
        Self::These(names.collect())
    }

    fn has(&self, name: &str) -> bool {
        match self {
            Self::Any => true,
            Self::These(names) => names.contains(&name.trim_matches('"').to_lowercase()),
        }
    }
}

impl TableSource {
    /// As it stands after FROM.
    #[must_use]
    pub fn sql(&self) -> String {
        match self {
            Self::Definition(query) => format!("(\n{query}\n)"),
            Self::BaseTable { database, schema, table } => {
                let parts = [database.as_deref(), schema.as_deref(), Some(table.as_str())];
                let parts: Vec<String> = parts.into_iter().flatten().map(identifier).collect();
                parts.join(".")
            }
        }
    }
}

/// A name as SQL takes it: as written where that is an identifier, else in quotes.
pub fn identifier(name: &str) -> String {
    let plain_start = name.starts_with(|first: char| first.is_ascii_alphabetic() || first == '_');
    let is_plain =
        plain_start && name.chars().all(|other| other.is_ascii_alphanumeric() || other == '_' || other == '$');
    let is_quoted =
        name.len() > 2 && name.starts_with('"') && name.ends_with('"') && !name[1..name.len() - 1].contains('"');
    if is_plain || is_quoted { name.to_owned() } else { format!("\"{}\"", name.replace('"', "\"\"")) }
}

/// The query's text keeps the form its author gave it.
fn put_before(tables: &str, text: &str, query: &Query) -> String {
    let Some(with) = &query.with else { return format!("WITH {tables}\n{text}") };
    let after_word = |text: &str, word: &str| text.trim_start().get(word.len()..).unwrap_or_default().to_owned();
    let rest = after_word(text, "WITH");
    match with.recursive {
        true => format!("WITH RECURSIVE {tables},{}", after_word(&rest, "RECURSIVE")),
        false => format!("WITH {tables},{rest}"),
    }
}

/// The single-part names that a query reads, and those it defines itself.
#[derive(Default)]
struct RelationNames {
    read: Vec<String>,
    defined: Vec<String>,
}

impl Visitor for RelationNames {
    type Break = ();

    fn pre_visit_query(&mut self, query: &Query) -> ControlFlow<()> {
        let tables = query.with.iter().flat_map(|with| &with.cte_tables);
        self.defined.extend(tables.map(|table| table.alias.name.value.to_uppercase()));
        ControlFlow::Continue(())
    }

    fn pre_visit_relation(&mut self, relation: &ObjectName) -> ControlFlow<()> {
        if let [ObjectNamePart::Identifier(name)] = relation.0.as_slice() {
            self.read.push(name.value.to_uppercase());
        }
        ControlFlow::Continue(())
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;
    use crate::semantic_model::read_yaml;

    const MODEL: &str = "name: m\ntables:\n- name: orders\n  base_table: {database: D, schema: S, table: my orders}\n  \
                         dimensions: [{name: day, expr: ordered_on::date}, {name: id}]\n- name: c\n  \
                         base_table: {definition: select 1 as id}";
    const ORDERS: &str = "__orders AS (\n  SELECT\n    ordered_on::date AS day,\n    id\n  FROM D.S.\"my orders\"\n)";

    /// With no more than what is used.
    const DAYS: &str = "__orders AS (\n  SELECT\n    ordered_on::date AS day\n  FROM D.S.\"my orders\"\n)";

    fn check(sql: &str, expected: &str) {
        let model = read_yaml(MODEL).unwrap().model;
        assert_eq!(with_logical_tables(&model, sql).unwrap(), expected, "{sql}");
    }

    #[test]
    fn logical_tables_come_before_the_query() {
        check("select 1;", "select 1");
        check("select * from x.orders", "select * from x.orders");
        check("select day from __orders o", &format!("WITH {DAYS}\nselect day from __orders o"));
        check(
            "SELECT day FROM Orders",
            &format!("WITH {DAYS}, orders AS (\n  SELECT * FROM __orders\n)\nSELECT day FROM Orders"),
        );
        check(
            "with a as (select * from __orders) select * from a",
            &format!("WITH {ORDERS}, a as (select * from __orders) select * from a"),
        );
        check(
            "with __orders as (select o.day from __orders as o) select day from __orders",
            &format!(
                "WITH {DAYS}\nSELECT * FROM (\nwith __orders as (select o.day from __orders as o) select day from \
                 __orders\n)"
            ),
        );
        check(
            "select count(*) from __orders where id > 1",
            "WITH __orders AS (\n  SELECT\n    id\n  FROM D.S.\"my orders\"\n)\nselect count(*) from __orders where id > 1",
        );
        check("with c as (select 2) select * from c", "with c as (select 2) select * from c");
        check("select * from __c", "WITH __c AS (\n  SELECT\n    *\n  FROM (\nselect 1 as id\n)\n)\nselect * from __c");
    }

    #[test]
    fn what_is_not_the_models_is_named() {
        let model = read_yaml(MODEL).unwrap().model;
        let own = [
            "select * from __orders o join c on true",
            "with x as (select * from orders) select * from x",
            "with x as (select 1 as n), y as (select * from x) select * from y join x on true",
            "with recursive r as (select 1 as n union all select n + 1 from r where n < 3) select * from r",
            "select * from __orders where id in (with t as (select id from c) select id from t)",
            "select f.value from __orders o, lateral flatten(input => array_construct(o.id)) f",
        ];
        for sql in own {
            assert_eq!(reads_only_logical_tables(&model, sql), Ok(()), "{sql}");
        }
        let others = [
            "select * from x.orders",
            "select * from secrets",
            "with x as (select * from secrets) select * from x",
            "select (select max(s) from d.s.secrets) from __orders",
            "select * from __orders where id in (select id from secrets)",
            "delete from __orders",
            "select 1; select 2",
            "with secrets as (select * from secrets) select * from secrets",
            "with a as (select * from b), b as (select 1) select * from a",
            "select * from secrets, (with secrets as (select 1) select * from secrets)",
            "select * from table(result_scan(last_query_id()))",
            "select $1 from @stage/file.csv",
            "select * from semantic_view(v metrics m)",
            "select * from table(generator(rowcount => 10))",
            "select get_ddl('TABLE', 'SECRETS') from __orders",
            "select * from identifier('secrets')",
            "select system$read_yaml_from_semantic_view('v') from __orders",
        ];
        for sql in others {
            assert!(reads_only_logical_tables(&model, sql).is_err(), "{sql}");
        }
    }

    #[test]
    fn only_one_query_passes() {
        let model = read_yaml(MODEL).unwrap().model;
        for sql in ["", "drop table orders", "select 1; select 2", "select from", "delete from __orders"] {
            assert!(with_logical_tables(&model, sql).is_err(), "{sql}");
        }
    }
}
