//! A page of a result: some of its rows, which ones they are, and how to get the others.

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

/// The code of a result that the server has cut at its largest size.
const CUT_CODE: &str = "391908";

/// Which part of a result is wanted.
pub struct Section<'a> {
    pub offset: u64,
    pub rows_max: usize,
    /// Names of columns; `None` wants all.
    pub columns: Option<Vec<&'a str>>,
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
        let columns = chosen(&set.result_set_meta_data.row_type, section.columns.as_deref())?;
        let counts: Vec<u64> = set.result_set_meta_data.partition_info.iter().map(|part| part.row_count).collect();
        let total_rows: u64 = counts.iter().sum();
        let kinds: Vec<(usize, CellKind)> =
            columns.iter().map(|(place, column)| (*place, CellKind::of_wire_type(&column.kind))).collect();
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
            notes: notes(&set, section, &taken, total_rows),
            handle: set.statement_handle,
            columns: columns.into_iter().map(|(_, column)| column.shown()).collect(),
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

fn chosen<'a>(columns: &'a [Column], names: Option<&[&str]>) -> Result<Vec<(usize, &'a Column)>, ToolError> {
    let Some(names) = names else { return Ok(columns.iter().enumerate().collect()) };
    let find = |name: &&str| {
        let exact = columns.iter().position(|column| column.name == **name);
        exact.or_else(|| columns.iter().position(|column| column.name.eq_ignore_ascii_case(name)))
    };
    let place = |name: &&str| match find(name) {
        Some(place) => Ok((place, &columns[place])),
        None => Err(ToolError::new(format!("the result has no column `{name}`"))),
    };
    names.iter().map(place).collect()
}

fn notes(set: &ResultSet<'_>, section: &Section<'_>, taken: &Taken, total_rows: u64) -> Vec<String> {
    let mut notes = Vec::new();
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
