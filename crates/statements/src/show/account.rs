//! SHOW USERS, ROLES, DATABASE ROLES, WAREHOUSES, access tokens, integrations and network policies.

use std::sync::Arc;

use firn_catalog::{Holder, Principals, ResourceMonitor, RoleGrant, Securable, User, is_account_role};
use firn_sql::Failure;
use firn_sql::command::Scope;

use super::listing::{DAY_MS, Listing, MINUTE_MS, Viewer, comment, instant, text, units_left, yes_no};
use crate::account_usage;
use crate::clock::now_ms;
use crate::execution::Execution;
use crate::progress::Phase;
use crate::run_error::RunError;

/// Who administers users sees them all; everyone else sees themselves.
pub fn users(viewer: &Viewer) -> Listing {
    let mut listing = Listing::of(
        "name created_on:instant login_name display_name first_name last_name email mins_to_unlock days_to_expiry \
         comment disabled must_change_password snowflake_lock default_warehouse default_namespace default_role \
         default_secondary_roles ext_authn_duo ext_authn_uid mins_to_bypass_mfa owner last_success_login:instant \
         expires_at_time:instant locked_until_time:instant has_password has_rsa_public_key type has_mfa",
    );
    // Without an audit trail nobody knows.
    let last_logins = account_usage::last_logins(viewer.services, viewer.session).unwrap_or_default();
    let no = || text("false");
    let now_ms = now_ms();
    let left = |until_ms: Option<i64>, unit_ms: i64| units_left(until_ms, unit_ms).or_else(|| text(""));
    for user in viewer
        .services
        .catalog
        .principals()
        .users()
        .filter(|user| viewer.state.visibility(&viewer.services.catalog).user(user))
    {
        listing.add([
            text(&user.name),
            instant(user.created_on_ms),
            text(&user.login_name),
            comment(user.display_name.as_deref()),
            comment(user.other_properties.get("FIRST_NAME").map(String::as_str)),
            comment(user.other_properties.get("LAST_NAME").map(String::as_str)),
            comment(user.email.as_deref()),
            left(user.unlocked_on_ms(), MINUTE_MS),
            left(user.expires_on_ms, DAY_MS),
            comment(user.comment.as_deref()),
            Some(user.disabled.to_string()),
            Some(user.must_change_password.to_string()),
            no(),
            comment(user.default_warehouse.as_deref()),
            Some(namespace_text(user)),
            comment(user.default_role.as_deref()),
            text(if user.has_secondary_roles { "[\"ALL\"]" } else { "[]" }),
            no(),
            text(""),
            text(""),
            text(&user.owner),
            last_logins.get(&user.name).copied().max(viewer.services.token_uses.last(user.id)).and_then(instant),
            user.expires_on_ms.and_then(instant),
            user.unlocked_on_ms().filter(|until_ms| *until_ms > now_ms).and_then(instant),
            Some(user.password.is_some().to_string()),
            Some((user.rsa_public_key.is_some() || user.rsa_public_key_2.is_some()).to_string()),
            text(user.kind()),
            no(),
        ]);
    }
    listing
}

pub fn roles(viewer: &Viewer) -> Listing {
    let mut listing = Listing::of(
        "created_on:instant name is_default is_current is_inherited assigned_to_users:integer \
         granted_to_roles:integer granted_roles:integer owner comment",
    );
    let principals = viewer.services.catalog.principals();
    let grants = principals.role_grants();
    let count =
        |matching: &dyn Fn(&RoleGrant) -> bool| Some(grants.iter().filter(|grant| matching(grant)).count().to_string());
    let default = viewer.state.own_user().and_then(|user| user.default_role.as_deref());
    for role in principals.roles().filter(|role| viewer.state.visibility(&viewer.services.catalog).role(role)) {
        let is_current = role.name == viewer.state.role.name;
        listing.add([
            instant(role.created_on_ms),
            text(&role.name),
            yes_no(default == Some(role.name.as_str())),
            yes_no(is_current),
            yes_no(!is_current && viewer.state.role.held.contains(&role.name)),
            count(&|grant| grant.role == role.name && matches!(Holder::of_key(&grant.grantee), Holder::User(_))),
            count(&|grant| grant.role == role.name && is_account_role(&grant.grantee)),
            count(&|grant| grant.grantee == role.name),
            text(&role.owner),
            comment(role.comment.as_deref()),
        ]);
    }
    listing
}

pub fn warehouses(viewer: &Viewer) -> Listing {
    let mut listing = Listing::of(
        "name state type size min_cluster_count:integer max_cluster_count:integer started_clusters:integer \
         running:integer queued:integer is_default is_current auto_suspend:integer auto_resume available provisioning \
         quiescing other created_on:instant resumed_on:instant updated_on:instant owner comment \
         enable_query_acceleration query_acceleration_max_scale_factor:integer resource_monitor actives:integer \
         pendings:integer failed:integer suspended:integer uuid scaling_policy budget owner_role_type \
         resource_constraint max_concurrency_level:integer statement_queued_timeout_in_seconds:integer \
         statement_timeout_in_seconds:integer",
    );
    let number = |number: usize| Some(number.to_string());
    let mut executions = viewer.services.running.all();
    // The session that asks is not in the answer.
    executions.retain(|execution| execution.session().to_string() != viewer.state.session_id);
    let waits = |execution: &&Arc<Execution>| execution.progress().phase == Phase::Queued;
    let catalog = &viewer.services.catalog;
    let default = viewer.state.own_user().and_then(|user| user.default_warehouse.as_deref());
    for warehouse in catalog.warehouses() {
        if !viewer.state.visibility(catalog).warehouse(&warehouse) {
            continue;
        }
        let started = usize::from(!warehouse.suspended);
        let monitor = warehouse.resource_monitor.as_deref().and_then(|name| catalog.resource_monitor(name));
        let is_visible = |found: &ResourceMonitor| viewer.state.visibility(catalog).resource_monitor(found);
        let monitor = monitor.filter(is_visible).map(|found| found.name);
        let is_here = |execution: &&Arc<Execution>| execution.warehouse.as_deref() == Some(&warehouse.name);
        listing.add([
            text(&warehouse.name),
            text(if warehouse.suspended { "SUSPENDED" } else { "STARTED" }),
            text("STANDARD"),
            text(&warehouse.size),
            number(1),
            number(1),
            number(started),
            number(executions.iter().filter(is_here).filter(|execution| !waits(execution)).count()),
            number(executions.iter().filter(is_here).filter(waits).count()),
            yes_no(default == Some(warehouse.name.as_str())),
            yes_no(viewer.state.warehouse.as_deref() == Some(&warehouse.name)),
            warehouse.auto_suspend_s.map(|seconds| seconds.to_string()),
            Some(warehouse.auto_resume.to_string()),
            text(if warehouse.suspended { "" } else { "100" }),
            text(""),
            text(""),
            text(""),
            instant(warehouse.created_on_ms),
            instant(warehouse.created_on_ms),
            instant(warehouse.created_on_ms),
            text(&warehouse.owner),
            comment(warehouse.comment.as_deref()),
            text("false"),
            number(0),
            Some(monitor.unwrap_or_else(|| "null".to_owned())),
            number(started),
            number(0),
            number(0),
            number(1 - started),
            None,
            text("STANDARD"),
            None,
            text("ROLE"),
            None,
            Some(warehouse.concurrency_max.to_string()),
            Some(warehouse.queued_timeout_s.to_string()),
            Some(warehouse.statement_timeout_s.to_string()),
        ]);
    }
    listing
}

pub fn database_roles(viewer: &Viewer, scope: &Scope) -> Result<Listing, RunError> {
    let mut listing = Listing::of(
        "created_on:instant name is_default is_current is_inherited granted_to_roles:integer \
         granted_to_database_roles:integer granted_database_roles:integer owner comment owner_role_type",
    );
    let catalog = &viewer.services.catalog;
    let principals = catalog.principals();
    let grants = principals.role_grants();
    for name in viewer.databases_in(scope)? {
        let Some(database) = catalog.database(&name) else { continue };
        for role in principals.database_roles_of(database.id) {
            let key = Holder::DatabaseRole { database: role.database, name: role.name.clone() }.key();
            let count = |matching: &dyn Fn(&RoleGrant) -> bool| {
                Some(grants.iter().filter(|grant| matching(grant)).count().to_string())
            };
            listing.add([
                instant(role.created_on_ms),
                text(&role.name),
                yes_no(false),
                yes_no(false),
                yes_no(viewer.state.role.held.contains(&key)),
                count(&|grant| grant.role == key && is_account_role(&grant.grantee)),
                count(&|grant| grant.role == key && !is_account_role(&grant.grantee)),
                count(&|grant| grant.grantee == key),
                text(&role.owner),
                comment(role.comment.as_deref()),
                text("ROLE"),
            ]);
        }
    }
    Ok(listing)
}

pub fn access_tokens(viewer: &Viewer, scope: &Scope) -> Result<Listing, Failure> {
    let mut listing = Listing::of(
        "name user_name role_restriction expires_at:instant status comment created_on:instant created_by \
         rotated_to",
    );
    let principals = viewer.services.catalog.principals();
    let user = match scope {
        Scope::User(name) => viewer.visible_user(&principals, name)?,
        _ => match viewer.state.own_user() {
            Some(user) => Arc::clone(user),
            None => return Ok(listing),
        },
    };
    let is_own = viewer.state.own_user().is_some_and(|own| own.id == user.id);
    if !is_own && !viewer.services.catalog.may_manage_tokens(&viewer.state.role, &user) {
        return Err(Failure::insufficient_privileges("user", &user.name));
    }
    for token in principals.access_tokens_of(user.id) {
        let status = match (token.disabled, token.is_expired_at(now_ms())) {
            (true, _) => "DISABLED",
            (false, true) => "EXPIRED",
            (false, false) => "ACTIVE",
        };
        listing.add([
            text(&token.name),
            text(&user.name),
            token.role_restriction.clone(),
            instant(token.expires_on_ms),
            text(status),
            comment(token.comment.as_deref()),
            instant(token.created_on_ms),
            text(&token.created_by),
            token.rotated_to.clone(),
        ]);
    }
    Ok(listing)
}

pub fn integrations(viewer: &Viewer) -> Listing {
    let mut listing = Listing::of("name type category enabled comment created_on:instant");
    let principals = viewer.services.catalog.principals();
    let visible = principals.integrations().filter(|found| {
        let on = Securable::Integration(found.name.clone());
        !viewer.authority.on(&found.owner, &on).is_empty()
    });
    for integration in visible {
        listing.add([
            text(&integration.name),
            text(&format!("EXTERNAL_OAUTH - {}", integration.kind)),
            text("SECURITY"),
            Some(integration.enabled.to_string()),
            comment(integration.comment.as_deref()),
            instant(integration.created_on_ms),
        ]);
    }
    for integration in principals.catalog_integrations() {
        let on = Securable::Integration(integration.name.clone());
        if viewer.authority.on(&integration.owner, &on).is_empty() {
            continue;
        }
        listing.add([
            text(&integration.name),
            text("CATALOG"),
            text("CATALOG"),
            Some(integration.enabled.to_string()),
            comment(integration.comment.as_deref()),
            instant(integration.created_on_ms),
        ]);
    }
    listing
}

/// Those of the role; ACCOUNTADMIN sees all.
pub fn network_policies(viewer: &Viewer) -> Listing {
    let mut listing = Listing::of(
        "created_on:instant name comment entries_in_allowed_ip_list:number entries_in_blocked_ip_list:number \
         entries_in_allowed_network_rules:number entries_in_blocked_network_rules:number",
    );
    let count = |addresses: &[String]| Some(addresses.len().to_string());
    for policy in viewer.services.catalog.network_policies() {
        if viewer.state.role.may_use_what_is_owned_by(&policy.owner) {
            listing.add([
                instant(policy.created_on_ms),
                text(&policy.name),
                comment(policy.comment.as_deref()),
                count(&policy.allowed),
                count(&policy.blocked),
                count(&[]),
                count(&[]),
            ]);
        }
    }
    listing
}

pub(crate) fn namespace_text(user: &User) -> String {
    let parts: Vec<_> = [&user.default_database, &user.default_schema].into_iter().flatten().cloned().collect();
    parts.join(".")
}

impl Viewer<'_> {
    pub(super) fn visible_user(&self, principals: &Principals, name: &str) -> Result<Arc<User>, Failure> {
        let found = principals.user(name).filter(|user| self.state.visibility(&self.services.catalog).user(user));
        found.cloned().ok_or_else(|| Failure::missing_object("User", name))
    }
}
