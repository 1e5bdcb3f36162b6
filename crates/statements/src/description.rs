//! What a driver is sent about a statement that it does not run: the columns of its result, without rows. Names are resolved and
//! authorised as if it ran; queries are planned with LIMIT 0, and what would change something is not carried out.

use firn_engine::{DmlCounts, Outcome};
use firn_sql::ast::{Expr, LimitClause, MergeAction, Query, Statement as Tree, Value};
use firn_sql::bindings::{Binding, BindingValue, Bindings, bound_keys};
use firn_sql::command::{Command, Dml, DmlKind, Explain, ExplainedPlan};

use crate::change_counts::{Answer, answer};
use crate::local_rows::LocalRows;

/// What is answered for a command that is not looked at any further.
pub fn unexamined(command: &Command) -> Option<LocalRows> {
    match command {
        Command::Query(_)
        | Command::Dml(_)
        | Command::InsertMany(_)
        | Command::Show(_)
        | Command::Describe { .. }
        | Command::DescribeRoutine { .. }
        | Command::Explain(Explain { plan: ExplainedPlan::Estimated, .. }) => None,
        _ => Some(LocalRows::status("")),
    }
}

/// The columns of a change of rows, which is not carried out.
pub fn of_change(command: &Command) -> Option<LocalRows> {
    let outcome = match command {
        Command::Dml(Dml { kind: DmlKind::Truncate, .. }) => Outcome::Done(String::new()),
        Command::Dml(dml) => Outcome::Dml(counts_of(dml)),
        Command::InsertMany(insert) => {
            let targets = insert.branches.iter().flat_map(|branch| &branch.targets);
            Outcome::Inserted(targets.map(|target| (target.table.clone(), 0)).collect())
        }
        _ => return None,
    };
    match answer(outcome) {
        Answer::Local(rows, _) => Some(rows),
        Answer::Rows(_) => None,
    }
}

fn counts_of(dml: &Dml) -> DmlCounts {
    let none = DmlCounts::default();
    match (dml.kind, dml.statement.as_ref()) {
        (DmlKind::Update, _) => DmlCounts { updated: Some(0), ..none },
        (DmlKind::Delete, _) => DmlCounts { deleted: Some(0), ..none },
        (DmlKind::Merge, Tree::Merge(merge)) => {
            let has = |wanted: fn(&MergeAction) -> bool| {
                merge.clauses.iter().any(|clause| wanted(&clause.action)).then_some(0)
            };
            DmlCounts {
                inserted: has(|action| matches!(action, MergeAction::Insert(_))),
                updated: has(|action| matches!(action, MergeAction::Update(_))),
                deleted: has(|action| matches!(action, MergeAction::Delete { .. })),
                ..none
            }
        }
        _ => DmlCounts { inserted: Some(0), ..none },
    }
}

/// The same columns, and no rows.
pub fn without_rows(query: &mut Query) {
    let limit = Some(Expr::value(Value::Number("0".to_owned(), false)));
    query.fetch = None;
    query.limit_clause = Some(LimitClause::LimitOffset { limit, offset: None, limit_by: Vec::new() });
}

/// What is bound, with NULL for every placeholder of the text that has no value.
pub fn completed(bindings: &Bindings, text: &str) -> Bindings {
    let given = bindings.iter().map(|(key, binding)| (key.to_owned(), binding.clone()));
    let missing = bound_keys(text).into_iter().filter(|key| bindings.get(key).is_none());
    let null = |key| (key, Binding { type_name: "TEXT".to_owned(), value: BindingValue::One(None) });
    given.chain(missing.map(null)).collect()
}
