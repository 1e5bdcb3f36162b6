//! The answer to PUT and GET: where the driver carries the files to or from. It makes the rows that it shows itself.

use axum::http::HeaderMap;
use axum::http::header::USER_AGENT;
use firn_statements::ResultView;
use firn_statements::file_transfers::TransferPlan;
use serde_json::{Value, json};

use super::caller::DriverCaller;
use super::client_family::ClientFamily;
use crate::clock::now_ms;
use crate::file_transfers::{Carrier, DriverClient, TransferAnswer, answer};
use crate::state::AppState;

/// The driver's major version, where it says one: `JavaScript/3.3.0 (…)`.
pub fn major_version(headers: &HeaderMap) -> u32 {
    let agent = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let version = agent.split_once('/').map(|(_, version)| version).unwrap_or_default();
    version.split('.').next().and_then(|major| major.parse().ok()).unwrap_or_default()
}

/// What a PUT or GET answers beside what every statement does; nothing for other statements.
pub fn transfer(
    app: &AppState,
    driver: &DriverCaller,
    view: &ResultView,
    (base, major_version): (&str, u32),
) -> Option<TransferAnswer> {
    if !view.statement_type.carries_files() {
        return None;
    }
    let client = match driver.family {
        ClientFamily::Universal => DriverClient::Universal,
        ClientFamily::Node => DriverClient::Node { major: major_version },
        _ => DriverClient::Other,
    };
    let lifetime_ms = i64::try_from(app.limits.transfer_link.as_millis()).unwrap_or(i64::MAX);
    let carrier = Carrier {
        user_id: driver.caller.user.id,
        session: Some(driver.session),
        client,
        base_url: base,
        expires_on_ms: now_ms().saturating_add(lifetime_ms),
    };
    Some(answer(&app.catalog, &TransferPlan::of_result(view)?, &carrier))
}

/// The whole answer, from what it shares with those of other statements.
pub fn body(mut about: Value, transfer: &TransferAnswer) -> Vec<u8> {
    if let (Some(about), Ok(Value::Object(transfer))) = (about.as_object_mut(), serde_json::to_value(transfer)) {
        about.extend(transfer);
        about.insert("rowtype".to_owned(), json!([]));
        about.insert("rowset".to_owned(), json!([]));
        about.insert("total".to_owned(), json!(0));
        about.insert("returned".to_owned(), json!(0));
    }
    json!({"data": about, "code": null, "message": null, "success": true}).to_string().into_bytes()
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    #[test]
    fn node_says_its_version() {
        let mut headers = HeaderMap::new();
        assert_eq!(major_version(&headers), 0);
        headers.insert(USER_AGENT, HeaderValue::from_static("JavaScript/3.3.0 (linux-6.1) NodeJS/20.1"));
        assert_eq!(major_version(&headers), 3);
    }
}
