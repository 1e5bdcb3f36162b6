//! EXPLAIN: the engine's plan as rows, as text or as JSON.

use firn_engine::{PlanStep, WireColumn, WireType};
use firn_sql::command::ExplainForm;
use serde_json::{Value, json};

use crate::local_rows::LocalRows;
use crate::profile::{Operator, Profile};

pub fn rows(form: ExplainForm, steps: &[PlanStep]) -> LocalRows {
    match form {
        ExplainForm::Tabular => tabular(steps),
        ExplainForm::Json => content(json(steps).to_string()),
        ExplainForm::Text => content(text(steps)),
    }
}

/// EXPLAIN ANALYZE: as `rows`, with what each step gave and took.
pub fn measured_rows(form: ExplainForm, profile: &Profile) -> LocalRows {
    let steps: Vec<PlanStep> = profile.operators.iter().map(step_of).collect();
    match form {
        ExplainForm::Tabular => {
            let measured: Vec<Vec<Option<String>>> = profile
                .operators
                .iter()
                .map(|operator| {
                    let rows = operator.rows.map(|rows| rows.to_string());
                    vec![rows, Some(operator.milliseconds.to_string()), Some(operator.share.to_string())]
                })
                .collect();
            let whole = vec![None, Some(profile.milliseconds.to_string()), None];
            let times = ["milliseconds", "timeShare"].map(|name| WireColumn::of_type(name, WireType::Real));
            let columns = std::iter::once(WireColumn::integer("rowsProduced")).chain(times).collect();
            tabular(&steps).beside(columns, std::iter::once(whole).chain(measured).collect())
        }
        ExplainForm::Json => {
            let mut plan = json(&steps);
            plan["milliseconds"] = json!(profile.milliseconds);
            for operator in &profile.operators {
                let shown = &mut plan["Operations"][0][operator.id];
                shown["rowsProduced"] = json!(operator.rows);
                shown["milliseconds"] = json!(operator.milliseconds);
                shown["timeShare"] = json!(operator.share);
            }
            content(plan.to_string())
        }
        ExplainForm::Text => content(text_with(&steps, |step| {
            let operator = profile.operators.get(step.id)?;
            Some(format!("({} rows, {} ms)", operator.rows?, operator.milliseconds))
        })),
    }
}

fn step_of(operator: &Operator) -> PlanStep {
    PlanStep {
        id: operator.id,
        parent: operator.parent,
        operation: operator.operation.clone(),
        object: operator.object.clone(),
        expressions: operator.expressions.clone(),
    }
}

fn content(text: String) -> LocalRows {
    LocalRows::new(vec![WireColumn::text("content")], vec![vec![Some(text)]])
}

fn tabular(steps: &[PlanStep]) -> LocalRows {
    let (names, rows) = cells(steps);
    let column = |name: &str| match name {
        "step" | "id" | "partitionsTotal" | "partitionsAssigned" | "bytesAssigned" => WireColumn::integer(name),
        _ => WireColumn::text(name),
    };
    LocalRows::new(names.into_iter().map(column).collect(), rows)
}

/// The names of the columns and the rows, of which the first is about the query as a whole.
pub fn cells(steps: &[PlanStep]) -> (Vec<&'static str>, Vec<Vec<Option<String>>>) {
    let names = vec![
        "step",
        "id",
        "parentOperators",
        "operation",
        "objects",
        "alias",
        "expressions",
        "partitionsTotal",
        "partitionsAssigned",
        "bytesAssigned",
    ];
    let global = vec![None, None, None, Some("GlobalStats".to_owned()), None, None, None, None, None, None];
    let rows = steps.iter().map(|step| {
        vec![
            Some("1".to_owned()),
            Some(step.id.to_string()),
            step.parent.map(|parent| format!("[{parent}]")),
            Some(step.operation.clone()),
            step.object.clone(),
            None,
            step.expressions.clone(),
            None,
            None,
            None,
        ]
    });
    let rows = std::iter::once(global).chain(rows).collect();
    (names, rows)
}

pub fn json(steps: &[PlanStep]) -> Value {
    let operations: Vec<Value> = steps
        .iter()
        .map(|step| {
            let mut operation = json!({"id": step.id, "operation": step.operation});
            if let Some(parent) = step.parent {
                operation["parentOperators"] = json!([parent]);
            }
            if let Some(object) = &step.object {
                operation["objects"] = json!([object]);
            }
            if let Some(expressions) = &step.expressions {
                operation["expressions"] = json!([expressions]);
            }
            operation
        })
        .collect();
    json!({"Operations": [operations]})
}

/// The steps of a plan that `json` wrote; `None` for any other JSON.
pub fn steps_of_json(plan: &str) -> Option<Vec<PlanStep>> {
    let plan: Value = serde_json::from_str(plan).ok()?;
    let first = |value: &Value| value.get(0)?.as_str().map(str::to_owned);
    let number = |value: &Value| usize::try_from(value.as_u64()?).ok();
    let steps = plan.get("Operations")?.get(0)?.as_array()?.iter().enumerate().map(|(index, step)| {
        let id = number(&step["id"]).filter(|id| *id == index)?;
        Some(PlanStep {
            id,
            parent: number(&step["parentOperators"][0]).filter(|parent| *parent < id),
            operation: step["operation"].as_str()?.to_owned(),
            object: first(&step["objects"]),
            expressions: first(&step["expressions"]),
        })
    });
    steps.collect()
}

pub fn text(steps: &[PlanStep]) -> String {
    text_with(steps, |_| None)
}

fn text_with(steps: &[PlanStep], note: impl Fn(&PlanStep) -> Option<String>) -> String {
    let depth = |step: &PlanStep| {
        let parent = |step: &PlanStep| step.parent.and_then(|parent| steps.get(parent));
        std::iter::successors(parent(step), |step| parent(step)).count()
    };
    let mut lines = vec!["Operations:".to_owned()];
    for step in steps {
        let mut line = format!("1:{}{}  ->{}", step.id, "     ".repeat(depth(step)), step.operation);
        for part in [step.object.clone(), step.expressions.clone(), note(step)].into_iter().flatten() {
            line.push_str("  ");
            line.push_str(&part);
        }
        lines.push(line);
    }
    lines.join("\n")
}
