//! WAREHOUSE_METERING_HISTORY.

use super::call::Call;
use crate::Failure;

const PARAMETERS: [&str; 3] = ["DATE_RANGE_START", "DATE_RANGE_END", "WAREHOUSE_NAME"];

pub(super) fn query(call: &Call<'_>) -> Result<Option<String>, Failure> {
    if call.name != "WAREHOUSE_METERING_HISTORY" {
        return Ok(None);
    }
    let mut conditions = vec!["TRUE".to_owned()];
    for (name, value) in call.arguments(&PARAMETERS)? {
        conditions.push(match name {
            "DATE_RANGE_START" => format!("END_TIME > ({value})::TIMESTAMP_LTZ"),
            "DATE_RANGE_END" => format!("START_TIME < ({value})::TIMESTAMP_LTZ"),
            _ => format!("WAREHOUSE_NAME = {value}"),
        });
    }
    let view = call.view("WAREHOUSE_METERING_HISTORY");
    Ok(Some(format!("SELECT * FROM {view} WHERE {} ORDER BY START_TIME, WAREHOUSE_NAME", conditions.join(" AND "))))
}
