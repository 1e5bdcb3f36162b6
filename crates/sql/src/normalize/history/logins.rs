//! LOGIN_HISTORY and LOGIN_HISTORY_BY_USER.

use super::call::Call;
use crate::Failure;

const LIMIT: &str = "100";

pub(super) fn query(call: &Call<'_>) -> Result<Option<String>, Failure> {
    let parameters: &[&str] = match call.name {
        "LOGIN_HISTORY" => &["TIME_RANGE_START", "TIME_RANGE_END", "RESULT_LIMIT"],
        "LOGIN_HISTORY_BY_USER" => &["USER_NAME", "TIME_RANGE_START", "TIME_RANGE_END", "RESULT_LIMIT"],
        _ => return Ok(None),
    };
    let mut conditions = vec!["TRUE".to_owned()];
    let mut limit = LIMIT.to_owned();
    let mut user = None;
    for (name, value) in call.arguments(parameters)? {
        match name {
            "TIME_RANGE_START" => conditions.push(format!("EVENT_TIMESTAMP >= ({value})::TIMESTAMP_LTZ")),
            "TIME_RANGE_END" => conditions.push(format!("EVENT_TIMESTAMP <= ({value})::TIMESTAMP_LTZ")),
            "USER_NAME" => user = Some(value.to_string()),
            _ => limit = value.to_string(),
        }
    }
    if call.name == "LOGIN_HISTORY_BY_USER" {
        conditions.push(format!("USER_NAME = {}", user.unwrap_or_else(|| "CURRENT_USER()".to_owned())));
    }
    Ok(Some(format!(
        "SELECT * FROM {} WHERE {} ORDER BY EVENT_TIMESTAMP DESC LIMIT {limit}",
        call.view("LOGIN_HISTORY"),
        conditions.join(" AND ")
    )))
}
