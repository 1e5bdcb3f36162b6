//! SHOW and DESCRIBE of password, session and authentication policies.

use firn_catalog::LoginPolicy;
use firn_catalog::login_policies::properties_of;
use firn_engine::WireColumn;
use firn_sql::command::{LoginPolicyKind, Scope};

use super::listing::{Listing, Viewer, comment, instant, text};
use crate::local_rows::LocalRows;
use crate::login_policies::LoginPolicies;
use crate::run_error::RunError;

pub(super) fn login_policies(viewer: &Viewer, scope: &Scope, kind: LoginPolicyKind) -> Result<Listing, RunError> {
    let mut listing =
        Listing::of("created_on:instant name database_name schema_name kind owner comment owner_role_type options");
    let policies = LoginPolicies { services: viewer.services, session: viewer.session, state: viewer.state };
    for database in viewer.databases_in(scope)? {
        let schema = viewer.schema_in(scope, &database)?;
        let all = viewer.services.catalog.login_policies(&database, schema.as_deref());
        for policy in all.iter().filter(|policy| policy.kind == kind) {
            if policies.sees(policy)? {
                listing.add([
                    instant(policy.created_on_ms),
                    text(&policy.name),
                    text(&policy.database),
                    text(&policy.schema),
                    Some(kind.label()),
                    text(&policy.owner),
                    comment(policy.comment().as_deref()),
                    text("ROLE"),
                    text(""),
                ]);
            }
        }
    }
    Ok(listing)
}

pub fn described(policy: &LoginPolicy) -> LocalRows {
    let cell = |text: &str| Some(text.to_owned());
    let mut rows = vec![
        vec![cell("NAME"), cell(&policy.name), None, cell("Name")],
        vec![cell("OWNER"), cell(&policy.owner), None, cell("Role that owns it")],
        vec![cell("COMMENT"), policy.comment().or_else(|| cell("null")), None, cell("Comment")],
    ];
    for property in properties_of(policy.kind) {
        let given = policy.given(property).map(|values| match property.is_list() {
            true => format!("[{}]", values.join(", ")),
            false => values.join(", "),
        });
        let default = if property.is_list() { format!("[{}]", property.default) } else { property.default.to_owned() };
        rows.push(vec![
            cell(property.name),
            Some(given.unwrap_or_else(|| default.clone())),
            Some(default),
            cell(property.description),
        ]);
    }
    LocalRows::new(["property", "value", "default", "description"].map(WireColumn::text).into(), rows)
}
