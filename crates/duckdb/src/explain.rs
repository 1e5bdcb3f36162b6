//! The engine's plan of a query, with the dialect's names of operators and functions.

mod words;

use firn_engine::{EngineError, ExecutionContext, PlanStep, ProfiledStep};
use firn_sql::command::{Command, Ddl, TableSource};
use firn_sql::{Failure, ObjectName, ast};
use serde_json::Value;

use super::connection::Connection;
use super::describe::Lookup;
use super::session_state::SessionState;
use super::{dml, errors};

/// The engine's names of operators and the dialect's.
const OPERATIONS: &[(&str, &str)] = &[
    // An insert by several threads.
    ("BATCH_INSERT", "Insert"),
    ("COLUMN_DATA_SCAN", "ValuesClause"),
    ("CROSS_PRODUCT", "CartesianJoin"),
    ("CTE", "WithClause"),
    ("CTE_SCAN", "WithReference"),
    ("DUMMY_SCAN", "Generator"),
    ("EMPTY_RESULT", "ValuesClause"),
    ("FILTER", "Filter"),
    ("HASH_GROUP_BY", "Aggregate"),
    ("LIMIT", "Limit"),
    ("MERGE_INTO", "Merge"),
    ("ORDER_BY", "Sort"),
    ("PERFECT_HASH_GROUP_BY", "Aggregate"),
    ("PROJECTION", "Projection"),
    ("SEQ_SCAN", "TableScan"),
    ("STREAMING_LIMIT", "Limit"),
    ("STREAMING_WINDOW", "WindowFunction"),
    ("TOP_N", "SortWithLimit"),
    ("UNGROUPED_AGGREGATE", "Aggregate"),
    ("UNION", "UnionAll"),
    ("UNNEST", "Flatten"),
    ("WINDOW", "WindowFunction"),
];

/// Part of an expression that raises an error of ours.
const RAISING: &str = "'firn:";

/// The plan of a statement whose staged files are open.
pub(crate) fn steps_of(
    session: &SessionState,
    command: &Command,
    context: &ExecutionContext,
) -> Result<Vec<PlanStep>, EngineError> {
    let of_query = |query: &ast::Query| {
        let lowered = session.lower(query, context);
        lowered
            .and_then(|lowered| steps(&session.connection, &lowered.sql))
            .map_err(|error| errors::located(error, query))
    };
    match command {
        Command::Query(query) => of_query(query),
        Command::Ddl(Ddl::CreateTable(table)) => match &table.source {
            TableSource::Query(query) => Ok(below("CreateTableAsSelect", &table.name, of_query(query)?)),
            _ => Err(Failure::unsupported("EXPLAIN CREATE TABLE without AS").into()),
        },
        Command::Dml(dml) => {
            let target = session.find(&dml.target)?;
            let target = target.ok_or_else(|| Failure::missing_object("Table", &dml.target.to_string()))?;
            let prepared = dml::prepare(dml, &target, &session.rewrite_context(context))?;
            let steps = steps(&session.connection, prepared.sql());
            steps.map_err(|error| errors::located(error, &*dml.statement))
        }
        _ => Err(Failure::unsupported("EXPLAIN of this statement").into()),
    }
}

fn steps(connection: &Connection, sql: &str) -> Result<Vec<PlanStep>, EngineError> {
    let rows = connection.rows(&format!("EXPLAIN (FORMAT JSON) {sql}"))?;
    let plan = rows.first().and_then(|row| row.get(1)).and_then(Option::as_deref).unwrap_or("[]");
    let plan: Value = serde_json::from_str(plan).map_err(|error| EngineError::Internal(error.to_string()))?;
    Ok(shown_steps(&plan).into_iter().map(|(step, _)| step).collect())
}

/// The operators of a profile in the form of a plan. What steps take that are not shown is the time of the one above.
pub(crate) fn profiled_steps(plan: &Value) -> Vec<ProfiledStep> {
    let milliseconds = |node: &Value| node["seconds"].as_f64().unwrap_or(0.0) * 1_000.0;
    let profiled = shown_steps(plan).into_iter().map(|(step, nodes)| ProfiledStep {
        step,
        rows: nodes.first().and_then(|node| node["rows"].as_u64()).unwrap_or(0),
        rows_scanned: nodes.iter().filter_map(|node| node["rows_scanned"].as_u64()).sum(),
        milliseconds: nodes.into_iter().map(milliseconds).sum(),
    });
    profiled.collect()
}

/// The steps that are shown, each with its node of the plan and, behind that, those below it that are not.
fn shown_steps(plan: &Value) -> Vec<(PlanStep, Vec<&Value>)> {
    let mut steps: Vec<(PlanStep, Vec<&Value>)> = Vec::new();
    let mut open: Vec<(Option<usize>, &Value)> = children(plan).rev().map(|node| (None, node)).collect();
    while let Some((parent, node)) = open.pop() {
        if is_internal(node) {
            let above = parent.and_then(|parent| steps.get_mut(parent));
            if let Some((_, nodes)) = above {
                nodes.push(node);
            }
            open.extend(children(&node["children"]).rev().map(|child| (parent, child)));
            continue;
        }
        let id = steps.len();
        let step = PlanStep {
            id,
            parent,
            operation: operation(node),
            object: object(node),
            expressions: shown_expressions(node),
        };
        steps.push((step, vec![node]));
        open.extend(children(&node["children"]).rev().map(|child| (Some(id), child)));
    }
    steps
}

/// A plan whose rows all go into one table.
fn below(operation: &str, target: &ObjectName, steps: Vec<PlanStep>) -> Vec<PlanStep> {
    let top = PlanStep {
        id: 0,
        parent: None,
        operation: operation.to_owned(),
        object: Some(target.to_string()),
        expressions: None,
    };
    let moved = steps.into_iter().map(|step| PlanStep {
        id: step.id + 1,
        parent: Some(step.parent.map_or(0, |parent| parent + 1)),
        ..step
    });
    std::iter::once(top).chain(moved).collect()
}

/// Steps in which the engine only packs and unpacks values, or tells what a MERGE did with a row.
fn is_internal(node: &Value) -> bool {
    let is_of_engine = |text: &str| text.contains("__internal_") || text == "merge_action";
    items(&node["extra_info"]["Projections"]).into_iter().any(is_of_engine)
        || expressions(node).is_some_and(|text| is_of_engine(&text))
}

fn children(value: &Value) -> impl DoubleEndedIterator<Item = &Value> {
    value.as_array().map_or(&[][..], Vec::as_slice).iter()
}

fn operation(node: &Value) -> String {
    let name = node["name"].as_str().unwrap_or_default().trim();
    if name.ends_with("_JOIN") {
        let kind = node["extra_info"]["Join Type"].as_str().unwrap_or("INNER");
        return format!("{}Join", capitalized(kind));
    }
    let known = OPERATIONS.iter().find(|(engine, _)| *engine == name);
    known.map_or_else(|| name.split('_').map(capitalized).collect(), |(_, dialect)| (*dialect).to_owned())
}

fn capitalized(word: &str) -> String {
    let mut letters = word.chars();
    letters.next().map_or_else(String::new, |first| format!("{first}{}", letters.as_str().to_ascii_lowercase()))
}

/// Side tables are not shown.
fn object(node: &Value) -> Option<String> {
    let table = node["extra_info"]["Table"].as_str()?;
    let is_ours = table.contains(super::side_tables::SIDE_SCHEMA) || table.contains("\"@.");
    let temporary = table.strip_prefix("\"temp\".main.\"").and_then(|name| name.strip_suffix('"'));
    (!is_ours).then(|| temporary.unwrap_or(table).to_owned())
}

/// In the words of the dialect.
fn shown_expressions(node: &Value) -> Option<String> {
    let inputs = children(&node["children"]).next().map(outputs).unwrap_or_default();
    Some(words::in_dialect(&expressions(node)?, &inputs))
}

/// The columns of a step, to which the step above refers by their places. Of a join they are not listed.
fn outputs(node: &Value) -> Vec<String> {
    /// A longer one is not repeated.
    const CHARACTERS_MAX: usize = 200;
    let listed: Vec<&str> =
        ["Projections", "Groups", "Aggregates"].iter().flat_map(|name| items(&node["extra_info"][*name])).collect();
    let below = || match children(&node["children"]).collect::<Vec<_>>()[..] {
        [only] => outputs(only),
        _ => Vec::new(),
    };
    if listed.is_empty() || is_internal(node) {
        return below();
    }
    let inputs = if listed.iter().any(|item| item.contains('#')) { below() } else { Vec::new() };
    let shown = listed.into_iter().enumerate().map(|(place, item)| {
        let shown = words::in_dialect(item, &inputs);
        if shown.len() > CHARACTERS_MAX { format!("${}", place + 1) } else { shown }
    });
    shown.collect()
}

fn items(value: &Value) -> Vec<&str> {
    match value {
        Value::String(text) if !text.is_empty() => vec![text],
        Value::Array(items) => items.iter().filter_map(Value::as_str).collect(),
        _ => Vec::new(),
    }
}

fn expressions(node: &Value) -> Option<String> {
    const SHOWN: [&str; 9] = [
        "Projections",
        "Filters",
        "Expression",
        "Expressions",
        "Conditions",
        "Groups",
        "Aggregates",
        "Order By",
        "Top",
    ];
    let texts: Vec<String> = SHOWN
        .iter()
        .filter_map(|name| shown_text(&node["extra_info"][*name]))
        .filter(|text| !text.is_empty())
        .collect();
    (!texts.is_empty()).then(|| texts.join(", "))
}

/// Without the column by which the engine finds the rows of a table, and without the checks of values that are assigned.
fn shown_text(value: &Value) -> Option<String> {
    let shown = items(value).into_iter().filter(|item| *item != "rowid");
    let shown: Vec<&str> = shown.map(|item| if item.contains(RAISING) { "…" } else { item }).collect();
    (!shown.is_empty()).then(|| shown.join(", "))
}
