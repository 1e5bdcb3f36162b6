//! What `definitions.txt` says: the tables of records and the views over them, as DDL.

use firn_sql::names::{ACCOUNT_USAGE, OWN_DATABASE};

/// The schema of the tables below the views; no role sees it.
pub const RECORDS: &str = "RECORDS";

const TEXT: &str = include_str!("definitions.txt");

/// Views of the vendor's that firn has nothing to show in, and refuses by name.
const REFUSED: &[&str] = &[
    "AGGREGATE_ACCESS_HISTORY",
    "AGGREGATE_QUERY_HISTORY",
    "AGGREGATION_POLICIES",
    "ALERT_HISTORY",
    "APPLICATION_DAILY_USAGE_HISTORY",
    "AUTOMATIC_CLUSTERING_HISTORY",
    "BLOCK_STORAGE_HISTORY",
    "CLASS_INSTANCES",
    "CLASSES",
    "COMPLETE_TASK_GRAPHS",
    "CORTEX_ANALYST_USAGE_HISTORY",
    "CREDENTIALS",
    "DATABASE_REPLICATION_USAGE_HISTORY",
    "DATA_CLASSIFICATION_LATEST",
    "DATA_TRANSFER_HISTORY",
    "DYNAMIC_TABLE_REFRESH_HISTORY",
    "ELEMENT_TYPES",
    "EVENT_USAGE_HISTORY",
    "EXTERNAL_ACCESS_HISTORY",
    "FIELDS",
    "HYBRID_TABLES",
    "HYBRID_TABLE_USAGE_HISTORY",
    "INDEX_COLUMNS",
    "INDEXES",
    "INTERNAL_DATA_TRANSFER_HISTORY",
    "LOCK_WAIT_HISTORY",
    "MATERIALIZED_VIEW_REFRESH_HISTORY",
    "METERING_DAILY_HISTORY",
    "NETWORK_POLICIES",
    "NETWORK_RULES",
    "NETWORK_RULE_REFERENCES",
    "OBJECT_DEPENDENCIES",
    "PIPES",
    "PIPE_USAGE_HISTORY",
    "PRIVACY_POLICIES",
    "PROJECTION_POLICIES",
    "QUERY_ACCELERATION_ELIGIBLE",
    "QUERY_ACCELERATION_HISTORY",
    "QUERY_ATTRIBUTION_HISTORY",
    "QUERY_INSIGHTS",
    "REPLICATION_GROUPS",
    "REPLICATION_USAGE_HISTORY",
    "SEARCH_OPTIMIZATION_HISTORY",
    "SECRETS",
    "SEMANTIC_VIEWS",
    "SERVERLESS_TASK_HISTORY",
    "SNOWPIPE_STREAMING_FILE_MIGRATION_HISTORY",
    "STAGE_STORAGE_USAGE_HISTORY_BY_STAGE",
    "TABLE_DML_HISTORY",
    "TABLE_PRUNING_HISTORY",
    "TASK_VERSIONS",
    "TRUST_CENTER_FINDINGS",
    "WAREHOUSE_EVENTS_HISTORY",
    "WAREHOUSE_LOAD_HISTORY",
];

/// Older versions recorded columns by their names. Those that exist are recorded again by their ids.
pub const COLUMNS_WITHOUT_IDS: &str =
    "DELETE FROM SNOWFLAKE.RECORDS.COLUMNS WHERE COLUMN_ID IS NULL AND DELETED IS NULL";

/// A table or a view with its columns, as it is written.
struct Definition {
    /// `table NAME`, or `view NAME ROLE over TABLE [where CONDITION] [grouped]`.
    head: Vec<&'static str>,
    columns: Vec<&'static str>,
}

impl Definition {
    fn name(&self) -> &'static str {
        self.head.get(1).copied().unwrap_or_default()
    }

    fn is(&self, kind: &str) -> bool {
        self.head.first() == Some(&kind)
    }

    fn word_behind(&self, word: &str) -> Option<&'static str> {
        let place = self.head.iter().position(|found| *found == word)?;
        self.head.get(place + 1).copied()
    }

    fn source(&self) -> Option<&'static str> {
        self.word_behind("over").filter(|source| *source != "nothing")
    }
}

fn all() -> impl Iterator<Item = Definition> {
    let blocks = TEXT.split("\n\n").map(|block| block.lines().filter(|line| !line.starts_with('#')));
    blocks.filter_map(|mut lines| {
        let head: Vec<&str> = lines.next()?.split_whitespace().collect();
        Some(Definition { head, columns: lines.flat_map(str::split_whitespace).collect() })
    })
}

fn views() -> impl Iterator<Item = Definition> {
    all().filter(|definition| definition.is("view"))
}

pub fn is_refused_view(name: &str) -> bool {
    REFUSED.contains(&name)
}

/// The database roles, each once.
pub fn readers() -> Vec<&'static str> {
    let mut readers: Vec<&str> = views().filter_map(|view| view.head.get(2).copied()).collect();
    readers.sort_unstable();
    readers.dedup();
    readers
}

/// Whether a view shows objects, of which snapshots are taken.
pub fn shows_objects(view: &str) -> bool {
    let of_tables = views().find(|definition| definition.name() == view).and_then(|definition| definition.source());
    of_tables.is_some_and(|source| !["STATEMENTS", "LOGINS", "ACCESSES", "METERING"].contains(&source))
}

/// The names of a table's columns.
pub fn columns_of(table: &str) -> Vec<&'static str> {
    let found = all().find(|definition| definition.is("table") && definition.name() == table);
    found.map_or_else(Vec::new, |table| table.columns.iter().map(|column| split(column).name).collect())
}

/// The place and the name of the column with the time when an object was gone.
pub fn deleted_column(table: &str) -> (usize, &'static str) {
    const NAMES: [&str; 4] = ["DELETED", "DELETED_ON", "UNSET_ON", "FORGOTTEN"];
    let found = columns_of(table).into_iter().enumerate().find(|(_, name)| NAMES.contains(name));
    found.unwrap_or((0, "DELETED"))
}

/// Changes with the definitions.
pub fn version() -> String {
    let fold = |sum: u64, byte: u8| (sum ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
    format!("{:016x}", TEXT.bytes().fold(0xcbf2_9ce4_8422_2325, fold))
}

/// Makes the views of a database role anew.
pub fn views_of(reader: &str) -> Vec<String> {
    let of_reader = views().filter(|view| view.head.get(2) == Some(&reader));
    of_reader.map(|view| create_view(&view)).collect()
}

/// Makes the schema of the views, if it is missing.
pub fn schema() -> String {
    create_schema(ACCOUNT_USAGE, "What the server has recorded")
}

fn create_schema(name: &str, comment: &str) -> String {
    format!("CREATE SCHEMA IF NOT EXISTS {OWN_DATABASE}.{name} DATA_RETENTION_TIME_IN_DAYS = 0 COMMENT = '{comment}'")
}

/// Makes the tables and columns that are missing, and their schema.
pub fn tables() -> Vec<String> {
    let tables = all().filter(|definition| definition.is("table"));
    [create_schema(RECORDS, "")].into_iter().chain(tables.map(|table| create_table(&table))).collect()
}

/// What the tables of the version before lack.
pub fn added_columns() -> Vec<String> {
    all().filter(|definition| definition.is("table")).map(|table| add_last_column(&table)).collect()
}

/// A version adds at most one column to a table, behind all others.
fn add_last_column(table: &Definition) -> String {
    let Column { name, data_type, .. } = split(table.columns.last().copied().unwrap_or_default());
    format!("ALTER TABLE {OWN_DATABASE}.{RECORDS}.{} ADD COLUMN IF NOT EXISTS {name} {data_type}", table.name())
}

fn create_table(table: &Definition) -> String {
    let column = |column: &&str| {
        let Column { name, data_type, .. } = split(column);
        format!("{name} {data_type}")
    };
    let columns: Vec<String> = table.columns.iter().map(column).collect();
    format!("CREATE TABLE IF NOT EXISTS {OWN_DATABASE}.{RECORDS}.{} ({})", table.name(), columns.join(", "))
}

fn create_view(view: &Definition) -> String {
    let columns: Vec<String> = view.columns.iter().map(|column| selected(&split(column))).collect();
    let name = view.name();
    let from = match view.source() {
        Some(table) => format!(" FROM {OWN_DATABASE}.{RECORDS}.{table} AS RECORD"),
        None => String::new(),
    };
    let condition = match (view.source(), view.word_behind("where")) {
        (None, _) => " WHERE FALSE".to_owned(),
        (_, Some(condition)) => format!(" WHERE {}", condition.replace('~', " ")),
        _ => String::new(),
    };
    let grouped = if view.head.last() == Some(&"grouped") { " GROUP BY ALL" } else { "" };
    format!(
        "CREATE OR REPLACE VIEW {OWN_DATABASE}.{ACCOUNT_USAGE}.{name} AS SELECT {}{from}{condition}{grouped}",
        columns.join(", ")
    )
}

fn selected(column: &Column<'_>) -> String {
    match column.value {
        None => format!("RECORD.{name} AS {name}", name = column.name),
        Some("-") => format!("CAST(NULL AS {}) AS {}", column.data_type, column.name),
        Some(value) => format!("CAST({} AS {}) AS {}", value.replace('~', " "), column.data_type, column.name),
    }
}

struct Column<'a> {
    name: &'a str,
    data_type: &'static str,
    value: Option<&'a str>,
}

fn split(written: &str) -> Column<'_> {
    let (declared, value) = match written.split_once('=') {
        Some((declared, value)) => (declared, Some(value)),
        None => (written, None),
    };
    let (name, letter) = declared.split_once(':').unwrap_or((declared, ""));
    let data_type = match letter {
        "n" => "NUMBER(38,0)",
        "i" => "TIMESTAMP_LTZ(6)",
        "d" => "DATE",
        "b" => "BOOLEAN",
        "f" => "FLOAT",
        "a" => "ARRAY",
        "o" => "OBJECT",
        "v" => "VARIANT",
        _ => "VARCHAR",
    };
    Column { name, data_type, value }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_view_has_a_reader_and_columns_of_its_table() {
        for view in views() {
            assert!(!is_refused_view(view.name()), "{}", view.name());
            let Some(table) = view.source() else { continue };
            let known = columns_of(table);
            for column in view.columns.iter().map(|column| split(column)).filter(|column| column.value.is_none()) {
                assert!(known.contains(&column.name), "{}.{} of {table}", view.name(), column.name);
            }
        }
        assert_eq!(deleted_column("COLUMNS").1, "DELETED");
        assert_eq!(deleted_column("LOADS"), (columns_of("LOADS").len() - 1, "FORGOTTEN"));
        assert_eq!(readers(), ["GOVERNANCE_VIEWER", "OBJECT_VIEWER", "SECURITY_VIEWER", "USAGE_VIEWER"]);
    }
}
