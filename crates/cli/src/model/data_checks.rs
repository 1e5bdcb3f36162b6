//! What a model says, held against the data of a server: tables and columns that are there, keys that are unique and
//! never NULL, relationships whose columns fit and whose values are found, metrics and verified queries that can be run.

use firn_analyst::evidence::NoEvidence;
use firn_analyst::interpreter::Interpreter;
use firn_analyst::semantic_model::logical_sql::with_logical_tables;
use firn_analyst::semantic_model::{LogicalTable, Relationship, SemanticModel};

use crate::server::Server;

/// What was found: a model with problems gives wrong answers, one with warnings may.
#[derive(Debug, Default)]
pub struct Findings {
    pub problems: Vec<String>,
    pub warnings: Vec<String>,
}

pub fn check(server: &Server, model: &SemanticModel) -> Findings {
    let mut findings = Findings::default();
    let mut readable = Vec::new();
    for table in &model.tables {
        match run(server, &format!("SELECT 1 FROM {} LIMIT 0", table.source.sql())) {
            Ok(_) => readable.push(table.name.as_str()),
            Err(reason) => findings.problems.push(format!("table `{}` cannot be read: {reason}", table.name)),
        }
    }
    for table in model.tables.iter().filter(|table| readable.contains(&table.name.as_str())) {
        check_columns(server, model, table, &mut findings);
        let keys = std::iter::once(&table.primary_key).chain(&table.unique_keys).filter(|key| !key.is_empty());
        for key in keys {
            check_key(server, table, key, &mut findings);
        }
    }
    for relationship in &model.relationships {
        check_relationship(server, model, relationship, &mut findings);
    }
    check_metrics(server, model, &mut findings);
    for query in &model.verified_queries {
        if let Err(reason) = check_verified_query(server, model, &query.sql) {
            findings.problems.push(format!("verified query `{}` cannot be run: {reason}", query.name));
        }
    }
    findings
}

/// Whether the SQL of a verified query is one that the server can run.
pub fn check_verified_query(server: &Server, model: &SemanticModel, sql: &str) -> Result<(), String> {
    let sql = sql.trim().trim_end_matches(';');
    run(server, &format!("SELECT * FROM (\n{}\n) LIMIT 0", with_logical_tables(model, sql)?)).map(drop)
}

fn run(server: &Server, sql: &str) -> Result<crate::server::Table, String> {
    server.rows(sql).map_err(|error| error.to_string())
}

/// The numbers of a result's only row.
fn numbers(server: &Server, sql: &str) -> Result<Vec<u64>, String> {
    let table = run(server, sql)?;
    let row = table.rows.into_iter().next().unwrap_or_default();
    Ok(row.into_iter().map(|cell| cell.and_then(|cell| cell.parse().ok()).unwrap_or_default()).collect())
}

fn check_columns(server: &Server, model: &SemanticModel, table: &LogicalTable, findings: &mut Findings) {
    let dimensions = table.dimensions.iter().map(|column| ("dimension", &column.name, &column.expr));
    let times = table.time_dimensions.iter().map(|column| ("time dimension", &column.name, &column.expr));
    let facts = table.facts.iter().map(|column| ("fact", &column.name, &column.expr));
    let source = table.source.sql();
    let columns: Vec<_> = dimensions.chain(times).chain(facts).collect();
    let all: Vec<String> = columns.iter().map(|(_, _, expr)| format!("({expr}\n)")).collect();
    let together = if all.is_empty() { "1".to_owned() } else { all.join(", ") };
    let mut problems = Vec::new();
    if run(server, &format!("SELECT {together} FROM {source} LIMIT 0")).is_err() {
        for (kind, name, expr) in &columns {
            let alone = run(server, &format!("SELECT ({expr}\n) FROM {source} LIMIT 0"));
            let in_model = || over_model(server, model, &format!("SELECT {name} FROM __{} LIMIT 0", table.name));
            if let Err(reason) = alone.map(drop).or_else(|reason| in_model().map_err(|_| reason)) {
                problems.push(format!("{kind} `{name}` of table `{}` cannot be read: {reason}", table.name));
            }
        }
    }
    let metrics = table.metrics.iter().map(|metric| ("metric", &metric.name, metric.expr.clone()));
    let filters = table.filters.iter().map(|filter| ("filter", &filter.name, format!("COUNT_IF({}\n)", filter.expr)));
    for (kind, name, expr) in metrics.chain(filters) {
        let in_model = || over_model(server, model, &format!("SELECT {expr}\n FROM __{}", table.name));
        let alone = run(server, &format!("SELECT {expr}\n FROM {source}")).map(drop);
        if let Err(reason) = alone.or_else(|reason| in_model().map_err(|_| reason)) {
            problems.push(format!("{kind} `{name}` of table `{}` cannot be computed: {reason}", table.name));
        }
    }
    findings.problems.append(&mut problems);
}

/// Metrics of the whole model, which may be over several tables.
fn check_metrics(server: &Server, model: &SemanticModel, findings: &mut Findings) {
    let interpreter = Interpreter::new(model, &NoEvidence);
    for metric in &model.metrics {
        let computed = match interpreter.sql_of_metric(&metric.name) {
            Some(sql) => run(server, &sql).map(drop),
            None => Err("it names no table of the model, or tables that no relationship joins".to_owned()),
        };
        if let Err(reason) = computed {
            findings.problems.push(format!("metric `{}` cannot be computed: {reason}", metric.name));
        }
    }
}

fn over_model(server: &Server, model: &SemanticModel, sql: &str) -> Result<(), String> {
    run(server, &with_logical_tables(model, sql)?).map(drop)
}

/// The expressions behind columns of a table, which may be physical.
fn expressions(table: &LogicalTable, columns: &[&str]) -> Vec<String> {
    columns.iter().map(|column| format!("({}\n)", table.column_expression(column).unwrap_or(column))).collect()
}

fn named(expressions: &[String]) -> String {
    let named = expressions.iter().enumerate().map(|(index, expression)| format!("{expression} AS K{index}"));
    named.collect::<Vec<_>>().join(", ")
}

fn check_key(server: &Server, table: &LogicalTable, key: &[String], findings: &mut Findings) {
    let columns: Vec<&str> = key.iter().map(String::as_str).collect();
    let keys = expressions(table, &columns);
    let shown = key.join(", ");
    let source = table.source.sql();
    let missing = keys.iter().map(|key| format!("{key} IS NULL")).collect::<Vec<_>>().join(" OR ");
    let sql = format!(
        "SELECT (SELECT COUNT(*) FROM {source}), (SELECT COUNT(*) FROM (SELECT DISTINCT {} FROM {source})), \
         (SELECT COUNT(*) FROM {source} WHERE {missing})",
        named(&keys)
    );
    match numbers(server, &sql).as_deref() {
        Ok([rows, different, without]) => {
            if different < rows {
                findings.problems.push(format!(
                    "the key ({shown}) of table `{}` is not unique: {rows} rows have {different} different keys",
                    table.name
                ));
            }
            if *without > 0 {
                let message = format!("the key ({shown}) of table `{}` is NULL in {without} rows", table.name);
                findings.problems.push(message);
            }
        }
        Ok(_) => {}
        Err(reason) => {
            let message = format!("the key ({shown}) of table `{}` cannot be read: {reason}", table.name);
            findings.problems.push(message);
        }
    }
}

fn check_relationship(server: &Server, model: &SemanticModel, join: &Relationship, findings: &mut Findings) {
    let (Some(left), Some(right)) = (model.table(&join.left_table), model.table(&join.right_table)) else { return };
    let left_columns: Vec<&str> = join.columns.iter().map(|pair| pair.left_column.as_str()).collect();
    let right_columns: Vec<&str> = join.columns.iter().map(|pair| pair.right_column.as_str()).collect();
    let (left_keys, right_keys) = (expressions(left, &left_columns), expressions(right, &right_columns));
    let from = format!("(SELECT {} FROM {}) L", named(&left_keys), left.source.sql());
    let to = format!("(SELECT DISTINCT {} FROM {}) R", named(&right_keys), right.source.sql());
    let types = |table: &str| run(server, &format!("SELECT * FROM {table} LIMIT 0")).map(|table| table.types);
    let name = &join.name;
    match (types(&from), types(&to)) {
        (Ok(left_types), Ok(right_types)) => {
            for ((left_type, right_type), pair) in left_types.iter().zip(&right_types).zip(&join.columns) {
                if kind(left_type) != kind(right_type) {
                    findings.problems.push(format!(
                        "relationship `{name}` compares {} ({left_type}) with {} ({right_type})",
                        pair.left_column, pair.right_column
                    ));
                    return;
                }
            }
        }
        (Err(reason), _) | (_, Err(reason)) => {
            findings.problems.push(format!("relationship `{name}` cannot be followed: {reason}"));
            return;
        }
    }
    let each =
        |word: &str, form: &dyn Fn(usize) -> String| (0..join.columns.len()).map(form).collect::<Vec<_>>().join(word);
    let on = each(" AND ", &|index| format!("L.K{index} = R.K{index}"));
    let there = each(" AND ", &|index| format!("L.K{index} IS NOT NULL"));
    let lost = format!("SELECT COUNT(*) FROM {from} LEFT JOIN {to} ON {on} WHERE {there} AND R.K0 IS NULL");
    if let Ok([lost]) = numbers(server, &lost).as_deref()
        && *lost > 0
    {
        findings
            .warnings
            .push(format!("relationship `{name}`: {lost} rows of `{}` refer to no row of `{}`", left.name, right.name));
    }
    let counts = format!("SELECT (SELECT COUNT(*) FROM {}), (SELECT COUNT(*) FROM {to})", right.source.sql());
    if let Ok([rows, different]) = numbers(server, &counts).as_deref()
        && different < rows
    {
        findings.problems.push(format!(
            "relationship `{name}`: ({}) of `{}` is not unique: {rows} rows have {different} different values",
            right_columns.join(", "),
            right.name
        ));
    }
}

/// Types that can be compared with each other.
fn kind(wire_type: &str) -> &str {
    match wire_type {
        "fixed" | "real" => "number",
        "date" => "time",
        other if other.starts_with("timestamp") => "time",
        other => other,
    }
}
