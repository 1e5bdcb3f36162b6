//! Functions of the schema NOTIFICATION that are plain functions of texts.

use super::prelude::*;

/// In alphabetical order.
pub(super) const FUNCTIONS: &[FunctionEntry] = &[
    scalar("APPLICATION_JSON", 1, 1, &[], Fixed(TEXT)).called("firn_application_json"),
    scalar("EMAIL_INTEGRATION_CONFIG", 0, MANY, &[], Fixed(TEXT)).called("firn_email_integration_config"),
    scalar("INTEGRATION", 1, 1, &[], Fixed(TEXT)).called("firn_integration"),
    scalar("SANITIZE_WEBHOOK_CONTENT", 1, 1, &[], Fixed(TEXT)).called("firn_sanitize_webhook_content"),
    scalar("TEXT_HTML", 1, 1, &[], Fixed(TEXT)).called("firn_text_html"),
    scalar("TEXT_PLAIN", 1, 1, &[], Fixed(TEXT)).called("firn_text_plain"),
];
