//! What a model says, held against the data as the caller sees them: tables, expressions and verified queries that cannot be
//! used, keys that repeat, relationships that lose or repeat rows.

use firn_analyst::evidence::NoEvidence;
use firn_analyst::interpreter::Interpreter;
use firn_analyst::semantic_model::logical_sql::with_logical_tables;
use firn_analyst::semantic_model::{LogicalTable, ModelPart, Relationship, SemanticModel};
use firn_engine::WireType;
use firn_statements::{ReadError, Reader, StatementError};

use crate::error::ApiError;

/// A model with errors gives wrong answers, one with warnings may.
#[derive(Debug, Default)]
pub struct DataFindings {
    pub errors: Vec<DataFinding>,
    pub warnings: Vec<DataFinding>,
}

#[derive(Debug)]
pub struct DataFinding {
    pub message: String,
    pub part: ModelPart,
}

pub fn check(model: &SemanticModel, reader: &mut Reader) -> Result<DataFindings, ApiError> {
    let mut checks = Checks { model, reader, found: DataFindings::default() };
    for table in &model.tables {
        let readable = checks.refusal(&format!("SELECT 1 FROM {} LIMIT 0", table.source.sql()))?;
        match readable {
            Some(reason) => {
                let part = ModelPart::Source { table: table.name.clone() };
                checks.error(part, format!("table `{}` cannot be read: {reason}", table.name));
            }
            None => checks.table(table)?,
        }
    }
    for relationship in &model.relationships {
        checks.relationship(relationship)?;
    }
    checks.metrics()?;
    for query in &model.verified_queries {
        let sql = query.sql.trim().trim_end_matches(';');
        let reason = match with_logical_tables(model, sql) {
            Ok(sql) => checks.refusal(&sql)?,
            Err(reason) => Some(reason),
        };
        if let Some(reason) = reason {
            let part = ModelPart::VerifiedQuery { name: query.name.clone() };
            checks.error(part, format!("verified query `{}` cannot be run: {reason}", query.name));
        }
    }
    Ok(checks.found)
}

struct Checks<'a> {
    model: &'a SemanticModel,
    reader: &'a mut Reader,
    found: DataFindings,
}

impl Checks<'_> {
    fn error(&mut self, part: ModelPart, message: String) {
        self.found.errors.push(DataFinding { message, part });
    }

    /// Why a query cannot be run, if it cannot.
    fn refusal(&mut self, sql: &str) -> Result<Option<String>, ApiError> {
        refused(self.reader.prepare(sql)).map(Result::err)
    }

    /// The numbers of the only row of a query that can be run.
    fn numbers(&mut self, sql: &str) -> Result<Option<Vec<u64>>, ApiError> {
        let rows = refused(self.reader.rows(sql, 1))?.unwrap_or_default();
        let number = |cell: Option<String>| cell.and_then(|cell| cell.parse().ok()).unwrap_or_default();
        Ok(rows.into_iter().next().map(|row| row.into_iter().map(number).collect()))
    }

    fn table(&mut self, table: &LogicalTable) -> Result<(), ApiError> {
        let source = table.source.sql();
        let dimensions = table.dimensions.iter().map(|column| ("dimension", &column.name, column.expr.clone()));
        let times = table.time_dimensions.iter().map(|column| ("time dimension", &column.name, column.expr.clone()));
        let facts = table.facts.iter().map(|column| ("fact", &column.name, column.expr.clone()));
        let metrics = table.metrics.iter().map(|metric| ("metric", &metric.name, metric.expr.clone()));
        let filters =
            table.filters.iter().map(|filter| ("filter", &filter.name, format!("COUNT_IF({}\n)", filter.expr)));
        for (kind, name, expr) in dimensions.chain(times).chain(facts).chain(metrics).chain(filters) {
            let Some(reason) = self.refusal(&format!("SELECT ({expr}\n) FROM {source} LIMIT 0"))? else { continue };
            // An expression may use other columns of the model.
            let in_model = with_logical_tables(self.model, &format!("SELECT {expr}\n FROM __{}", table.name));
            let is_usable = match in_model {
                Ok(sql) => self.refusal(&sql)?.is_none(),
                Err(_) => false,
            };
            if !is_usable {
                let part = ModelPart::Item { table: table.name.clone(), kind, name: name.clone() };
                self.error(part, format!("{kind} `{name}` of table `{}` cannot be computed: {reason}", table.name));
            }
        }
        let keys = std::iter::once(&table.primary_key).chain(&table.unique_keys).filter(|key| !key.is_empty());
        keys.into_iter().try_for_each(|key| self.key(table, key))
    }

    fn key(&mut self, table: &LogicalTable, key: &[String]) -> Result<(), ApiError> {
        let columns: Vec<&str> = key.iter().map(String::as_str).collect();
        let keys = expressions(table, &columns);
        let source = table.source.sql();
        let missing = keys.iter().map(|key| format!("{key} IS NULL")).collect::<Vec<_>>().join(" OR ");
        let sql = format!(
            "SELECT (SELECT COUNT(*) FROM {source}), (SELECT COUNT(*) FROM (SELECT DISTINCT {} FROM {source})), \
             (SELECT COUNT(*) FROM {source} WHERE {missing})",
            named(&keys)
        );
        let Some(numbers) = self.numbers(&sql)? else { return Ok(()) };
        let [rows, different, without] = numbers[..] else { return Ok(()) };
        let (shown, name) = (key.join(", "), &table.name);
        let part = || ModelPart::Key { table: name.clone() };
        if different < rows {
            let counts = format!("{rows} rows have {different} different keys");
            self.error(part(), format!("the key ({shown}) of table `{name}` is not unique: {counts}"));
        }
        if without > 0 {
            self.error(part(), format!("the key ({shown}) of table `{name}` is NULL in {without} rows"));
        }
        Ok(())
    }

    fn relationship(&mut self, join: &Relationship) -> Result<(), ApiError> {
        let (Some(left), Some(right)) = (self.model.table(&join.left_table), self.model.table(&join.right_table))
        else {
            return Ok(());
        };
        let left_columns: Vec<&str> = join.columns.iter().map(|pair| pair.left_column.as_str()).collect();
        let right_columns: Vec<&str> = join.columns.iter().map(|pair| pair.right_column.as_str()).collect();
        let from = format!("(SELECT {} FROM {}) L", named(&expressions(left, &left_columns)), left.source.sql());
        let to =
            format!("(SELECT DISTINCT {} FROM {}) R", named(&expressions(right, &right_columns)), right.source.sql());
        let each = |word: &str, form: &dyn Fn(usize) -> String| {
            (0..join.columns.len()).map(form).collect::<Vec<_>>().join(word)
        };
        if !self.is_comparable(join, [&from, &to])? {
            return Ok(());
        }
        let on = each(" AND ", &|index| format!("L.K{index} = R.K{index}"));
        let there = each(" AND ", &|index| format!("L.K{index} IS NOT NULL"));
        let name = &join.name;
        let lost = format!("SELECT COUNT(*) FROM {from} LEFT JOIN {to} ON {on} WHERE {there} AND R.K0 IS NULL");
        if let Some(&[lost]) = self.numbers(&lost)?.as_deref()
            && lost > 0
        {
            let message =
                format!("relationship `{name}`: {lost} rows of `{}` refer to no row of `{}`", left.name, right.name);
            self.found.warnings.push(DataFinding { message, part: part_of(join) });
        }
        let counts = format!("SELECT (SELECT COUNT(*) FROM {}), (SELECT COUNT(*) FROM {to})", right.source.sql());
        if let Some(&[rows, different]) = self.numbers(&counts)?.as_deref()
            && different < rows
        {
            let message = format!(
                "relationship `{name}`: ({}) of `{}` is not unique: {rows} rows have {different} different values",
                right_columns.join(", "),
                right.name
            );
            self.error(part_of(join), message);
        }
        Ok(())
    }

    /// Whether the columns of a relationship can be read, and their types compared with each other.
    fn is_comparable(&mut self, join: &Relationship, sides: [&str; 2]) -> Result<bool, ApiError> {
        let name = &join.name;
        let mut types = Vec::new();
        for side in sides {
            match refused(self.reader.types(&format!("SELECT * FROM {side} LIMIT 0")))? {
                Ok(found) => types.push(found),
                Err(reason) => {
                    self.error(part_of(join), format!("relationship `{name}` cannot be followed: {reason}"));
                    return Ok(false);
                }
            }
        }
        let pairs = types[0].iter().zip(&types[1]).zip(&join.columns);
        let unlike = pairs
            .map(|((left, right), pair)| (*left, *right, pair))
            .find(|(left, right, _)| kind(*left) != kind(*right));
        if let Some((left, right, pair)) = unlike {
            let message = format!(
                "relationship `{name}` compares {} ({}) with {} ({})",
                pair.left_column,
                left.as_str(),
                pair.right_column,
                right.as_str()
            );
            self.error(part_of(join), message);
        }
        Ok(unlike.is_none())
    }

    /// Metrics of the whole model, which may be over several tables.
    fn metrics(&mut self) -> Result<(), ApiError> {
        let model = self.model;
        let interpreter = Interpreter::new(model, &NoEvidence);
        for metric in &model.metrics {
            let reason = match interpreter.sql_of_metric(&metric.name) {
                Some(sql) => self.refusal(&sql)?,
                None => Some("it names no table of the model, or tables that no relationship joins".to_owned()),
            };
            if let Some(reason) = reason {
                let part = ModelPart::Metric { name: metric.name.clone() };
                self.error(part, format!("metric `{}` cannot be computed: {reason}", metric.name));
            }
        }
        Ok(())
    }
}

fn part_of(join: &Relationship) -> ModelPart {
    ModelPart::Relationship { name: join.name.clone() }
}

/// What the statement itself is refused for is a finding; anything else ends the checks.
fn refused<T>(outcome: Result<T, ReadError>) -> Result<Result<T, String>, ApiError> {
    match outcome {
        Ok(value) => Ok(Ok(value)),
        Err(ReadError::Refused(failure)) => Ok(Err(failure.message.replace('\n', " "))),
        Err(ReadError::Stopped) => Err(ApiError::AnalystTooSlow),
        Err(ReadError::Internal(cause)) => Err(ApiError::Statement(StatementError::Internal(cause))),
    }
}

/// The expressions behind columns of a table, which may be physical.
fn expressions(table: &LogicalTable, columns: &[&str]) -> Vec<String> {
    columns.iter().map(|column| format!("({}\n)", table.column_expression(column).unwrap_or(column))).collect()
}

fn named(expressions: &[String]) -> String {
    let named = expressions.iter().enumerate().map(|(index, expression)| format!("{expression} AS K{index}"));
    named.collect::<Vec<_>>().join(", ")
}

/// Types of one kind can be compared with each other.
fn kind(of: WireType) -> &'static str {
    match of {
        WireType::Fixed | WireType::Real => "number",
        WireType::Date | WireType::TimestampNtz | WireType::TimestampLtz | WireType::TimestampTz => "time",
        other => other.as_str(),
    }
}
