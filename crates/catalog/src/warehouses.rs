//! Warehouses: how many statements may run side by side, and how long one may wait for its turn.

use std::collections::BTreeMap;

use firn_sql::Failure;
use firn_sql::command::Property;
use rusqlite::Connection;

use crate::error::CatalogError;
use crate::properties::{
    Checked, CheckedProperty, Properties, check_choice, check_flag, check_number, check_text, invalid, text_of,
    unknown_property,
};
use crate::resource_monitors::RESOURCE_MONITOR;
use crate::session_parameters::STATEMENT_TIMEOUT_S_MAX;

pub const CONCURRENCY_DEFAULT: u32 = 8;
const CONCURRENCY_MAX: u32 = 64;
const SIZE_DEFAULT: &str = "X-Small";
const AUTO_SUSPEND_S_DEFAULT: u32 = 600;

/// Each size as it is shown, with the spellings it is given in.
const SIZES: &[(&str, &[&str])] = &[
    ("X-Small", &["XSMALL", "X-SMALL"]),
    ("Small", &["SMALL"]),
    ("Medium", &["MEDIUM"]),
    ("Large", &["LARGE"]),
    ("X-Large", &["XLARGE", "X-LARGE"]),
    ("2X-Large", &["XXLARGE", "X2LARGE", "2X-LARGE"]),
    ("3X-Large", &["XXXLARGE", "X3LARGE", "3X-LARGE"]),
    ("4X-Large", &["X4LARGE", "4X-LARGE"]),
    ("5X-Large", &["X5LARGE", "5X-LARGE"]),
    ("6X-Large", &["X6LARGE", "6X-LARGE"]),
];

pub(crate) const WAREHOUSE_PROPERTIES: &[&str] = &[
    "WAREHOUSE_SIZE",
    "MAX_CONCURRENCY_LEVEL",
    "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS",
    "STATEMENT_TIMEOUT_IN_SECONDS",
    "AUTO_SUSPEND",
    "AUTO_RESUME",
    "COMMENT",
    "WAREHOUSE_TYPE",
    "SCALING_POLICY",
    "MIN_CLUSTER_COUNT",
    "MAX_CLUSTER_COUNT",
    "ENABLE_QUERY_ACCELERATION",
    "QUERY_ACCELERATION_MAX_SCALE_FACTOR",
    "RESOURCE_CONSTRAINT",
    "GENERATION",
    RESOURCE_MONITOR,
];

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Warehouse {
    pub name: String,
    pub size: String,
    pub concurrency_max: u32,
    /// Zero means no limit but the server's own.
    pub queued_timeout_s: u32,
    /// Zero means no limit but the session's.
    pub statement_timeout_s: u32,
    pub auto_suspend_s: Option<u32>,
    pub auto_resume: bool,
    pub suspended: bool,
    pub resource_monitor: Option<String>,
    pub comment: Option<String>,
    pub owner: String,
    pub created_on_ms: i64,
}

impl Warehouse {
    /// What a warehouse of its size uses in an hour of work: 1 for the smallest, twice as much for each one that is larger.
    pub fn credits_per_hour(&self) -> f64 {
        let place = SIZES.iter().position(|(name, _)| *name == self.size).unwrap_or(0);
        f64::from(1_u32 << place)
    }
}

pub(crate) type Warehouses = BTreeMap<String, Warehouse>;

pub(crate) fn load_warehouses(connection: &Connection) -> Result<Warehouses, CatalogError> {
    let mut statement =
        connection.prepare("SELECT name, owner, created_on_ms, suspended, properties FROM warehouses")?;
    let mut rows = statement.query([])?;
    let mut warehouses = Warehouses::new();
    while let Some(row) = rows.next()? {
        let properties = Properties::from_json(row.get_ref(4)?.as_str().map_err(rusqlite::Error::from)?)?;
        let warehouse = Warehouse {
            name: row.get(0)?,
            size: properties.text("WAREHOUSE_SIZE").unwrap_or_else(|| SIZE_DEFAULT.to_owned()),
            concurrency_max: properties.number("MAX_CONCURRENCY_LEVEL").unwrap_or(CONCURRENCY_DEFAULT),
            queued_timeout_s: properties.number("STATEMENT_QUEUED_TIMEOUT_IN_SECONDS").unwrap_or(0),
            statement_timeout_s: properties.number("STATEMENT_TIMEOUT_IN_SECONDS").unwrap_or(0),
            auto_suspend_s: match properties.number("AUTO_SUSPEND").unwrap_or(AUTO_SUSPEND_S_DEFAULT) {
                0 => None,
                seconds => Some(seconds),
            },
            auto_resume: properties.flag("AUTO_RESUME").unwrap_or(true),
            suspended: row.get(3)?,
            resource_monitor: properties.text(RESOURCE_MONITOR),
            comment: properties.text("COMMENT"),
            owner: row.get(1)?,
            created_on_ms: row.get(2)?,
        };
        warehouses.insert(warehouse.name.clone(), warehouse);
    }
    Ok(warehouses)
}

/// Scaling clauses are stored and have no effect: there is one machine.
pub(crate) fn check_warehouse_property(property: &Property) -> CheckedProperty {
    match property.name.as_str() {
        "WAREHOUSE_SIZE" => check_size(property),
        "MAX_CONCURRENCY_LEVEL" => check_number(property, 1..=CONCURRENCY_MAX),
        "STATEMENT_QUEUED_TIMEOUT_IN_SECONDS" => check_number(property, 0..=i32::MAX as u32),
        "STATEMENT_TIMEOUT_IN_SECONDS" => check_number(property, 0..=STATEMENT_TIMEOUT_S_MAX),
        // NULL and 0 both say: never suspend.
        "AUTO_SUSPEND" => Ok(check_number(property, 0..=i32::MAX as u32)?.or(Some(Checked::Text("0".to_owned())))),
        // A warehouse has its new size at once, so that there is nothing to wait for.
        "WAIT_FOR_COMPLETION" => check_flag(property).map(|_| None),
        "AUTO_RESUME" | "INITIALLY_SUSPENDED" | "ENABLE_QUERY_ACCELERATION" => check_flag(property),
        "COMMENT" => check_text(property),
        "SCALING_POLICY" => check_choice(property, &["STANDARD", "ECONOMY"]),
        "MIN_CLUSTER_COUNT" | "MAX_CLUSTER_COUNT" => check_number(property, 1..=10),
        "QUERY_ACCELERATION_MAX_SCALE_FACTOR" => check_number(property, 0..=100),
        "WAREHOUSE_TYPE" | "RESOURCE_CONSTRAINT" | "GENERATION" => check_text(property),
        name => Err(unknown_property(name, "WAREHOUSE")),
    }
}

fn check_size(property: &Property) -> CheckedProperty {
    let Some(text) = text_of(property)? else { return Ok(None) };
    let given = text.to_ascii_uppercase();
    let size = SIZES.iter().find(|(_, spellings)| spellings.contains(&given.as_str()));
    let (name, _) = size.ok_or_else(|| -> Failure {
        invalid(property, &text, "XSMALL, SMALL, MEDIUM, LARGE, XLARGE or X2LARGE to X6LARGE is expected")
    })?;
    Ok(Some(Checked::Text((*name).to_owned())))
}
