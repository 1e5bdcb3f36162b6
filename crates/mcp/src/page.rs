//! A page of a result: some of its rows and columns, which ones they are, and how to get the others.

use std::collections::HashMap;

use firn_values::cells::shown::CellKind;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;

use crate::api::{Answer, Api, Request};
use crate::reply::ToolError;
use crate::rows::{ShownCell, Taken, Wanted, take};

pub const ROWS_DEFAULT: usize = 100;
pub const ROWS_MAX: usize = 1_000;
/// Of the rows of a page.
const BYTES_MAX: usize = 64 << 10;
pub const COLUMNS_MAX: usize = 200;
/// Of the names and types of a page's columns.
const COLUMN_BYTES_MAX: usize = 32 << 10;

/// The code of a result that the server has cut at its largest size.
const CUT_CODE: &str = "391908";

/// Which part of a result is wanted.
pub struct Section<'a> {
    pub offset: u64,
    pub rows_max: usize,
    pub columns: Columns<'a>,
}

pub enum Columns<'a> {
    /// As many as a page has, from this one on.
    From(usize),
    Named(Vec<&'a str>),
}

#[derive(Serialize)]
pub struct Page {
    pub handle: String,
    columns: Vec<ShownColumn>,
    rows: Vec<Vec<ShownCell>>,
    offset: u64,
    returned_rows: usize,
    total_rows: u64,
    /// Where to go on; absent where the page has the last row.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_offset: Option<u64>,
    /// Of a page without all columns of the result.
    #[serde(skip_serializing_if = "Option::is_none")]
    total_columns: Option<usize>,
    /// As `next_offset`, for columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    next_column_offset: Option<usize>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize)]
struct ShownColumn {
    name: String,
    #[serde(rename = "type")]
    type_name: String,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct ResultSet<'a> {
    code: String,
    statement_handle: String,
    result_set_meta_data: MetaData,
    #[serde(borrow)]
    data: Option<&'a RawValue>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct MetaData {
    row_type: Vec<Column>,
    partition_info: Vec<Partition>,
}

#[derive(Deserialize)]
struct Column {
    name: String,
    #[serde(rename = "type")]
    kind: String,
    precision: Option<i64>,
    scale: Option<i64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Partition {
    row_count: u64,
}

#[derive(Deserialize)]
struct LaterPartition<'a> {
    #[serde(borrow)]
    data: &'a RawValue,
}

impl Page {
    /// `first` is an answer with the first partition.
    pub async fn read(api: &impl Api, first: &Answer, section: &Section<'_>) -> Result<Self, ToolError> {
        let set: ResultSet<'_> = serde_json::from_slice(&first.body).map_err(unreadable)?;
        let of_result = &set.result_set_meta_data.row_type;
        let chosen = Chosen::of(of_result, &section.columns)?;
        let counts: Vec<u64> = set.result_set_meta_data.partition_info.iter().map(|part| part.row_count).collect();
        let total_rows: u64 = counts.iter().sum();
        let kinds: Vec<(usize, CellKind)> =
            chosen.columns.iter().map(|(place, column)| (*place, CellKind::of_wire_type(&column.kind))).collect();
        let mut taken = Taken::default();
        let mut before = 0;
        for (index, count) in counts.iter().enumerate() {
            let next = section.offset + taken.rows.len() as u64;
            let is_full = taken.rows.len() >= section.rows_max || taken.bytes >= BYTES_MAX;
            if !is_full && (before..before + count).contains(&next) {
                let wanted = Wanted {
                    skipped: next - before,
                    rows_max: section.rows_max,
                    bytes_max: BYTES_MAX,
                    columns: &kinds,
                };
                match (index, set.data) {
                    (0, Some(data)) => take(data.get(), &wanted, &mut taken).map_err(unreadable)?,
                    _ => take_later(api, &set.statement_handle, index, &wanted, &mut taken).await?,
                }
            }
            before += count;
        }
        let next = section.offset + taken.rows.len() as u64;
        Ok(Self {
            notes: notes(&set, section, &chosen, &taken, total_rows),
            total_columns: (chosen.columns.len() < of_result.len()).then_some(of_result.len()),
            next_column_offset: chosen.next,
            columns: chosen.columns.into_iter().map(|(_, column)| column.shown()).collect(),
            handle: set.statement_handle,
            offset: section.offset,
            returned_rows: taken.rows.len(),
            rows: taken.rows,
            total_rows,
            next_offset: (next < total_rows).then_some(next),
        })
    }
}

async fn take_later(
    api: &impl Api,
    handle: &str,
    index: usize,
    wanted: &Wanted<'_>,
    taken: &mut Taken,
) -> Result<(), ToolError> {
    let answer = api.send(Request::get(format!("/api/v2/statements/{handle}?partition={index}"))).await?;
    if answer.status != 200 {
        return Err(ToolError::of(&answer));
    }
    let partition: LaterPartition<'_> = serde_json::from_slice(&answer.body).map_err(unreadable)?;
    take(partition.data.get(), wanted, taken).map_err(unreadable)
}

/// The columns of a page, each with its place in the result.
struct Chosen<'a> {
    columns: Vec<(usize, &'a Column)>,
    /// The first column behind those of the page.
    next: Option<usize>,
    /// Columns that were named beyond those of a page.
    left_out: usize,
}

impl<'a> Chosen<'a> {
    fn of(columns: &'a [Column], wanted: &Columns<'_>) -> Result<Self, ToolError> {
        match wanted {
            Columns::From(first) => {
                let places = (*first).min(columns.len())..columns.len();
                let (taken, _) = Self::within_limits(places.map(|place| (place, &columns[place])).collect());
                let next = first.saturating_add(taken.len());
                Ok(Self { columns: taken, next: (next < columns.len()).then_some(next), left_out: 0 })
            }
            Columns::Named(names) => {
                let places = Places::of(columns);
                let named: Result<Vec<_>, _> = names.iter().map(|name| places.find(name)).collect();
                let named = named?.into_iter().map(|place| (place, &columns[place])).collect();
                let (taken, left_out) = Self::within_limits(named);
                Ok(Self { columns: taken, next: None, left_out })
            }
        }
    }

    /// Those that a page has room for, and how many are too many. One is always taken.
    fn within_limits(mut columns: Vec<(usize, &'a Column)>) -> (Vec<(usize, &'a Column)>, usize) {
        let mut bytes = 0;
        let fits = |(_, column): &&(usize, &Column)| {
            bytes += column.name.len() + column.kind.len();
            bytes <= COLUMN_BYTES_MAX
        };
        let count = columns.iter().take(COLUMNS_MAX).take_while(fits).count().max(1).min(columns.len());
        let left_out = columns.split_off(count).len();
        (columns, left_out)
    }
}

/// Where the columns of a result are, by their names.
struct Places<'a> {
    exact: HashMap<&'a str, usize>,
    folded: HashMap<String, usize>,
}

impl<'a> Places<'a> {
    /// Of several columns with a name, the first.
    fn of(columns: &'a [Column]) -> Self {
        let (mut exact, mut folded) = (HashMap::new(), HashMap::new());
        for (place, column) in columns.iter().enumerate() {
            exact.entry(column.name.as_str()).or_insert(place);
            folded.entry(column.name.to_ascii_uppercase()).or_insert(place);
        }
        Self { exact, folded }
    }

    fn find(&self, name: &str) -> Result<usize, ToolError> {
        let found = self.exact.get(name).or_else(|| self.folded.get(&name.to_ascii_uppercase()));
        found.copied().ok_or_else(|| ToolError::new(format!("the result has no column `{name}`")))
    }
}

fn notes(
    set: &ResultSet<'_>,
    section: &Section<'_>,
    chosen: &Chosen<'_>,
    taken: &Taken,
    total_rows: u64,
) -> Vec<String> {
    let mut notes = Vec::new();
    let total_columns = set.result_set_meta_data.row_type.len();
    if let Some(next) = chosen.next {
        notes.push(format!(
            "These are {} of {total_columns} columns; fetch_rows with this handle and column_offset {next} gives those that \
             follow, and `columns` those with these names.",
            chosen.columns.len()
        ));
    }
    if chosen.left_out > 0 {
        notes.push(format!(
            "The last {} of the columns that were asked for are left out: a page has at most {COLUMNS_MAX}, and fewer with long \
             names; fetch_rows gives them by a call of their own.",
            chosen.left_out
        ));
    }
    let next = section.offset + taken.rows.len() as u64;
    if next < total_rows {
        notes.push(format!(
            "These are {} of {total_rows} rows; fetch_rows with this handle and offset {next} gives those that follow.",
            taken.rows.len()
        ));
    } else if section.offset > 0 && taken.rows.is_empty() {
        notes.push(format!("The result has {total_rows} rows; there is none from offset {} on.", section.offset));
    }
    if taken.cut_cells > 0 {
        notes.push(format!(
            "{} long values are cut and end with …; select parts of them with SUBSTR, or fewer columns.",
            taken.cut_cells
        ));
    }
    if set.code == CUT_CODE {
        notes.push("The result is larger than the server keeps: rows at its end are missing.".to_owned());
    }
    notes
}

impl Column {
    fn shown(&self) -> ShownColumn {
        let type_name = match (self.kind.as_str(), self.precision, self.scale) {
            ("fixed", Some(precision), Some(scale)) => format!("NUMBER({precision},{scale})"),
            ("real", ..) => "FLOAT".to_owned(),
            (kind, ..) => kind.to_uppercase(),
        };
        ShownColumn { name: self.name.clone(), type_name }
    }
}

fn unreadable(error: serde_json::Error) -> ToolError {
    ToolError::new(format!("the server's answer cannot be read: {error}"))
}
