//! Tables, columns and joins of a model as they are linked to words.

use chrono::NaiveDate;

use super::flags::Flag;
use crate::semantic_model::DefaultAggregation;

pub type TableId = usize;
pub type ColumnId = usize;

#[derive(Debug, Clone)]
pub struct TableEntry {
    pub name: String,
    /// The table's name as words.
    pub words: Vec<String>,
    pub columns: Vec<ColumnId>,
    pub key: Vec<ColumnId>,
    pub row_count: Option<u64>,
    /// Columns without a logical name that metrics and filters use.
    pub physical: Vec<String>,
}

#[derive(Debug, Clone)]
pub struct ColumnEntry {
    pub table: TableId,
    pub name: String,
    /// The column's name as words, without those of its table in front.
    pub words: Vec<String>,
    pub kind: ColumnKind,
    pub data: DataKind,
    /// Numbers that the table keeps as text.
    pub is_number_as_text: bool,
    pub unique: bool,
    /// The model itself says that it is.
    pub is_declared_unique: bool,
    /// For metrics and filters, what they stand for.
    pub expression: String,
    pub aggregation: Option<DefaultAggregation>,
    pub distinct_count: Option<u64>,
    /// Whether rows may lack it; stated of times and dimensions only.
    pub has_gaps: bool,
    /// Of times, the latest one in the data.
    pub latest_day: Option<NaiveDate>,
    /// Where the values only say yes and no.
    pub flag: Option<Flag>,
    /// A time that is called after its table: the order date of orders.
    pub is_tables_own_time: bool,
    /// Tables beside its own that its expression reads.
    pub reads: Vec<TableId>,
    /// What it is computed of, in words, where the model does not have it.
    pub formula: Option<String>,
}

impl ColumnEntry {
    /// Whether a metric is the share of the rows that meet a condition: the rate of an outcome is no price.
    #[must_use]
    pub fn is_share_of_rows(&self) -> bool {
        let expression = self.expression.to_ascii_uppercase();
        self.kind == ColumnKind::Metric && (expression.starts_with("AVG(CASE") || expression.contains("/ COUNT("))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ColumnKind {
    Dimension,
    Time,
    Fact,
    Metric,
    Filter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DataKind {
    Text,
    Number,
    Date,
    Boolean,
}

/// A join between two tables; rows of `left` refer to at most one row of `right` unless the data say otherwise.
#[derive(Debug, Clone)]
pub struct JoinEdge {
    /// The name of the relationship; empty where the data alone tell it.
    pub name: String,
    pub left: TableId,
    pub right: TableId,
    pub columns: Vec<(String, String)>,
    pub one_to_one: bool,
    /// Some rows of `left` refer to no row.
    pub has_gaps: bool,
    /// The model declares that rows of `left` without a partner stay.
    pub is_left_outer: bool,
}
