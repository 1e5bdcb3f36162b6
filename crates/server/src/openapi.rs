//! The OpenAPI document, generated from the handlers and bodies, and a page that shows it.

mod page;

use std::sync::LazyLock;

use axum::http::HeaderValue;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use sha2::{Digest, Sha256};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};

use crate::routes::{analyst, backups, health, history, login, mcp, metrics, sessions, stage_files, statements};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "firn",
        description = "SQL over HTTP: submit statements, follow them, fetch their results in partitions, cancel them.",
        license(name = "Apache-2.0", identifier = "Apache-2.0"),
    ),
    servers((url = "/", description = "This server")),
    paths(
        login::log_in,
        login::log_out,
        statements::submit::submit,
        statements::running::list,
        statements::fetch::fetch,
        statements::profile::profile,
        statements::download::download,
        statements::download::link,
        statements::cancel::cancel,
        history::list,
        history::users,
        history::load,
        sessions::open,
        sessions::list,
        sessions::find,
        sessions::close,
        stage_files::list::list,
        stage_files::download::download,
        stage_files::download::head,
        stage_files::upload::upload,
        stage_files::remove::remove,
        stage_files::own::list,
        stage_files::own::download,
        stage_files::own::head,
        stage_files::own::upload,
        stage_files::own::remove,
        analyst::message::ask,
        analyst::feedback::give,
        analyst::validate::validate,
        analyst::verified_queries::keep,
        analyst::verified_query_suggestions::suggest,
        analyst::filters_and_metrics_suggestions::suggest,
        mcp::answer,
        backups::start,
        backups::find,
        health::live,
        health::ready,
        metrics::metrics,
    ),
    tags(
        (name = "sessions", description = "A password for a token, which ends by itself or by logging out."),
        (name = "statements", description = "The statement execution API."),
        (name = "stages", description = "The files of stages, for COPY INTO and queries to read and write."),
        (name = "analyst", description = "Questions in plain English about data that a semantic model describes."),
        (name = "agents", description = "Tools for agents, by the Model Context Protocol."),
        (name = "backups", description = "Backups of everything the server holds, for the account's administrator."),
        (name = "service", description = "The server itself; no token needed."),
    ),
    modifiers(&BearerToken),
    security(("bearer" = [])),
)]
struct Document;

struct BearerToken;

impl Modify for BearerToken {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some(
                "A programmatic access token, a key-pair JWT, an OAuth token or the token of a session. The header \
                 X-Service-Authorization-Token-Type may name which: PROGRAMMATIC_ACCESS_TOKEN, KEYPAIR_JWT or OAUTH; leave it away for a session.",
            ))
            .build();
        let components = openapi.components.get_or_insert_default();
        components.add_security_scheme("bearer", SecurityScheme::Http(scheme));
    }
}

pub fn document_json() -> &'static str {
    static JSON: LazyLock<String> = LazyLock::new(|| Document::openapi().to_json().unwrap_or_default());
    &JSON
}

pub fn page_html() -> &'static str {
    static HTML: LazyLock<String> =
        LazyLock::new(|| page::render(&serde_json::from_str(document_json()).unwrap_or_default()));
    &HTML
}

/// The content-security policy of the page: its own style and nothing else.
pub fn page_policy() -> &'static HeaderValue {
    static POLICY: LazyLock<HeaderValue> = LazyLock::new(|| {
        let sum = BASE64_STANDARD.encode(Sha256::digest(page::STYLE));
        let policy = format!(
            "default-src 'none'; style-src 'sha256-{sum}'; img-src data:; base-uri 'none'; form-action 'none'; \
             frame-ancestors 'none'"
        );
        HeaderValue::try_from(policy).unwrap_or(HeaderValue::from_static("default-src 'none'"))
    });
    &POLICY
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn document_stays_as_it_is() {
        insta::assert_snapshot!("openapi", Document::openapi().to_pretty_json().unwrap());
    }

    #[test]
    fn page_shows_every_operation_and_schema() {
        let document: serde_json::Value = serde_json::from_str(document_json()).unwrap();
        let paths = document["paths"].as_object().unwrap().keys();
        let schemas = document["components"]["schemas"].as_object().unwrap().keys();
        for name in paths.chain(schemas) {
            assert!(page_html().contains(&format!("<code>{name}</code>")), "{name} is missing on the page");
        }
    }
}
