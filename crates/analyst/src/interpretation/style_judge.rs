//! Which of the procedure's styles read a question best. It orders the procedure's own readings; the judge of all readings
//! is `crate::judge`.

use std::collections::BTreeSet;

use super::parser::Reading;
use super::query::{Condition, Expr, Operand, Query};
use crate::links::mentions::{Chunk, ChunkKind};
use crate::links::model_index::{ColumnId, ModelIndex, TableId};
use crate::sql_generation::join_paths::connect;
use crate::sql_generation::needed_tables;

/// What the judge looks at.
const FEATURES: [&str; 11] = [
    "words explained",
    "mentions used",
    "link scores of what is used",
    "tables joined",
    "tables joined that nobody named",
    "columns shown",
    "conditions",
    "columns used that nobody named",
    "nested queries",
    "not the plain style",
    "columns asked for twice",
];

/// Fitted; see the module.
const WEIGHTS: [f32; FEATURES.len()] = [0.0, 0.41, 0.38, -0.92, -1.44, -1.67, 0.61, -0.12, 0.65, -1.5, -2.0];

/// How good a reading of one style is beside those of the others; `style` counts from the plain one.
#[must_use]
pub fn style_score(index: &ModelIndex, chunks: &[Chunk], reading: &Reading, style: usize) -> f32 {
    let features = features(index, chunks, reading, style);
    features.iter().zip(WEIGHTS).map(|(feature, weight)| feature * weight).sum()
}

fn features(index: &ModelIndex, chunks: &[Chunk], reading: &Reading, style: usize) -> [f32; FEATURES.len()] {
    let mut used = Used::default();
    used.note(index, &reading.query);
    let mut mentions = 0.0_f32;
    let mut satisfied = 0.0_f32;
    let mut links = 0.0_f32;
    let mut named_columns: BTreeSet<ColumnId> = BTreeSet::new();
    let mut named_tables: BTreeSet<TableId> = BTreeSet::new();
    for chunk in chunks {
        let ChunkKind::Mention(mention) = &chunk.kind else { continue };
        mentions += 1.0;
        let tables = mention.tables.iter().filter(|(table, _)| used.tables.contains(table)).map(|(_, score)| *score);
        let columns =
            mention.columns.iter().filter(|(column, _)| used.columns.contains(column)).map(|(_, score)| *score);
        let values =
            mention.values.iter().filter(|(column, _, _)| used.columns.contains(column)).map(|(_, _, score)| *score);
        let best = tables.chain(columns).chain(values).fold(0.0, f32::max);
        satisfied += f32::from(u8::from(best > 0.0));
        links += best;
        named_tables.extend(mention.tables.iter().map(|(table, _)| *table));
        named_columns.extend(mention.columns.iter().map(|(column, _)| *column));
        named_columns.extend(mention.values.iter().map(|(column, _, _)| *column));
    }
    let share = |part: f32| if mentions == 0.0 { 0.0 } else { part / mentions };
    let unnamed_columns = used.columns.difference(&named_columns).count();
    let joined = &used.joined;
    let unnamed_tables = joined
        .iter()
        .filter(|table| !named_tables.contains(table))
        .filter(|table| !named_columns.iter().any(|column| index.columns[*column].table == **table))
        .count();
    [
        reading.explained,
        share(satisfied),
        share(links),
        joined.len() as f32,
        unnamed_tables as f32,
        reading.query.select.len() as f32,
        (reading.query.conditions.len() + reading.query.having.len()) as f32,
        unnamed_columns as f32,
        used.nested as f32,
        f32::from(u8::from(style > 0)),
        reading.repeats as f32,
    ]
}

/// Columns and tables anywhere in a query.
#[derive(Default)]
struct Used {
    columns: BTreeSet<ColumnId>,
    tables: BTreeSet<TableId>,
    joined: BTreeSet<TableId>,
    nested: usize,
}

impl Used {
    fn note(&mut self, index: &ModelIndex, query: &Query) {
        let tables = needed_tables(index, query);
        self.joined.extend(connect(index, &tables).into_iter().flatten().map(|step| step.to));
        self.joined.extend(tables.iter().copied());
        self.tables.extend(tables);
        for expr in query.select.iter().chain(query.order.iter().map(|(expr, _)| expr)) {
            self.note_expression(expr);
        }
        for condition in query.conditions.iter().chain(&query.having) {
            self.note_condition(index, condition);
        }
        if let Some((_, other)) = &query.combined {
            self.note(index, other);
        }
    }

    fn note_expression(&mut self, expr: &Expr) {
        let mut columns = Vec::new();
        expr.columns(&mut columns);
        self.columns.extend(columns);
    }

    fn note_condition(&mut self, index: &ModelIndex, condition: &Condition) {
        let mut columns = Vec::new();
        condition.columns(&mut columns);
        self.columns.extend(columns);
        match condition {
            Condition::Compare(_, _, Operand::Query(query) | Operand::PercentOf(_, query))
            | Condition::In(_, query) => {
                self.nested += 1;
                self.note(index, query);
            }
            Condition::Any(all) | Condition::All(all) => all.iter().for_each(|one| self.note_condition(index, one)),
            Condition::Not(inner) => self.note_condition(index, inner),
            _ => {}
        }
    }
}
