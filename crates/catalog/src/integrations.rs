//! External identity providers: whose OAuth tokens are taken, and what those may ask for.

use std::collections::BTreeMap;
use std::net::IpAddr;
use std::sync::Arc;

use firn_sql::Failure;
use firn_sql::command::Property;
use rusqlite::Connection;

use crate::catalog_integrations::CATALOG_TYPE;
use crate::error::CatalogError;
use crate::properties::{
    Checked, CheckedProperty, Properties, check_choice, check_flag, check_list, check_text, invalid, text_of,
    unknown_property,
};
use crate::rsa_key::RsaKey;

const KINDS: &[&str] = &["OKTA", "AZURE", "PING_FEDERATE", "CUSTOM"];

/// The account parameter that denies ACCOUNTADMIN and SECURITYADMIN to OAuth tokens.
pub const PRIVILEGED_ROLES_BLOCKED: &str = "EXTERNAL_OAUTH_ADD_PRIVILEGED_ROLES_TO_BLOCKED_LIST";

pub(crate) const INTEGRATION_PROPERTIES: &[&str] = &[
    "TYPE",
    "ENABLED",
    "COMMENT",
    "EXTERNAL_OAUTH_TYPE",
    "EXTERNAL_OAUTH_ISSUER",
    "EXTERNAL_OAUTH_JWS_KEYS_URL",
    "EXTERNAL_OAUTH_RSA_PUBLIC_KEY",
    "EXTERNAL_OAUTH_RSA_PUBLIC_KEY_2",
    "EXTERNAL_OAUTH_AUDIENCE_LIST",
    "EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM",
    "EXTERNAL_OAUTH_USER_MAPPING_ATTRIBUTE",
    "EXTERNAL_OAUTH_ALLOWED_ROLES_LIST",
    "EXTERNAL_OAUTH_BLOCKED_ROLES_LIST",
    "EXTERNAL_OAUTH_ANY_ROLE_MODE",
    "EXTERNAL_OAUTH_SCOPE_MAPPING_ATTRIBUTE",
    "EXTERNAL_OAUTH_SCOPE_DELIMITER",
];

/// `CREATE SECURITY INTEGRATION … TYPE = EXTERNAL_OAUTH`.
#[derive(Clone, Debug)]
pub struct SecurityIntegration {
    pub name: String,
    pub enabled: bool,
    pub kind: String,
    pub issuer: String,
    /// Where the issuer publishes its keys.
    pub jws_keys_urls: Vec<String>,
    pub rsa_public_key: Option<RsaKey>,
    pub rsa_public_key_2: Option<RsaKey>,
    pub audiences: Vec<String>,
    /// The claims that name the user; the first one present counts.
    pub user_mapping_claims: Vec<String>,
    pub user_mapping_attribute: UserMappingAttribute,
    /// Empty means every role that is not blocked.
    pub allowed_roles: Vec<String>,
    pub blocked_roles: Vec<String>,
    /// Whether the scope `session:role-any` is taken.
    pub any_role: bool,
    /// The claim that holds the scopes, when it is not `scp` or `scope`.
    pub scope_claim: Option<String>,
    pub scope_delimiter: char,
    pub comment: Option<String>,
    pub owner: String,
    pub created_on_ms: i64,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UserMappingAttribute {
    LoginName,
    EmailAddress,
}

impl SecurityIntegration {
    pub(crate) fn read(
        name: String,
        owner: String,
        created_on_ms: i64,
        properties: &Properties,
    ) -> Result<Self, CatalogError> {
        let key = |property: &str| {
            properties.text(property).map(|body| RsaKey::parse(property, &body)).transpose().map_err(CatalogError::from)
        };
        let by_email = properties.text("EXTERNAL_OAUTH_USER_MAPPING_ATTRIBUTE").as_deref() == Some("EMAIL_ADDRESS");
        let delimiter = properties.text("EXTERNAL_OAUTH_SCOPE_DELIMITER");
        Ok(Self {
            name,
            enabled: properties.flag("ENABLED").unwrap_or(false),
            kind: properties.text("EXTERNAL_OAUTH_TYPE").unwrap_or_else(|| "CUSTOM".to_owned()),
            issuer: properties.text("EXTERNAL_OAUTH_ISSUER").unwrap_or_default(),
            jws_keys_urls: properties.list("EXTERNAL_OAUTH_JWS_KEYS_URL"),
            rsa_public_key: key("EXTERNAL_OAUTH_RSA_PUBLIC_KEY")?,
            rsa_public_key_2: key("EXTERNAL_OAUTH_RSA_PUBLIC_KEY_2")?,
            audiences: properties.list("EXTERNAL_OAUTH_AUDIENCE_LIST"),
            user_mapping_claims: properties.list("EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM"),
            user_mapping_attribute: match by_email {
                true => UserMappingAttribute::EmailAddress,
                false => UserMappingAttribute::LoginName,
            },
            allowed_roles: properties.list("EXTERNAL_OAUTH_ALLOWED_ROLES_LIST"),
            blocked_roles: properties.list("EXTERNAL_OAUTH_BLOCKED_ROLES_LIST"),
            any_role: properties.text("EXTERNAL_OAUTH_ANY_ROLE_MODE").as_deref() == Some("ENABLE"),
            scope_claim: properties.text("EXTERNAL_OAUTH_SCOPE_MAPPING_ATTRIBUTE"),
            scope_delimiter: delimiter.and_then(|text| text.chars().next()).unwrap_or(' '),
            comment: properties.text("COMMENT"),
            owner,
            created_on_ms,
        })
    }

    /// What an integration needs before it can check a token.
    pub(crate) fn check_complete(&self) -> Result<(), Failure> {
        let has_key = self.rsa_public_key.is_some() || self.rsa_public_key_2.is_some();
        let missing = if self.issuer.is_empty() {
            "EXTERNAL_OAUTH_ISSUER"
        } else if !has_key && self.jws_keys_urls.is_empty() {
            "EXTERNAL_OAUTH_JWS_KEYS_URL (or EXTERNAL_OAUTH_RSA_PUBLIC_KEY)"
        } else if self.user_mapping_claims.is_empty() {
            "EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM"
        } else if !self.allowed_roles.is_empty() && !self.blocked_roles.is_empty() {
            return Err(Failure::new(
                "001422",
                "22023",
                "SQL compilation error:\nEXTERNAL_OAUTH_ALLOWED_ROLES_LIST and EXTERNAL_OAUTH_BLOCKED_ROLES_LIST \
                 exclude each other; set one of them.",
            ));
        } else {
            return Ok(());
        };
        Err(Failure::new(
            "001421",
            "22023",
            format!("SQL compilation error:\nthe security integration '{}' needs {missing}.", self.name),
        ))
    }
}

pub(crate) fn load_integrations(
    connection: &Connection,
) -> Result<BTreeMap<String, Arc<SecurityIntegration>>, CatalogError> {
    let mut statement = connection.prepare("SELECT name, owner, created_on_ms, properties FROM integrations")?;
    let mut rows = statement.query([])?;
    let mut integrations = BTreeMap::new();
    while let Some(row) = rows.next()? {
        let properties = Properties::from_json(row.get_ref(3)?.as_str().map_err(rusqlite::Error::from)?)?;
        if properties.text("TYPE").as_deref() == Some(CATALOG_TYPE) {
            continue;
        }
        let integration = SecurityIntegration::read(row.get(0)?, row.get(1)?, row.get(2)?, &properties)?;
        integrations.insert(integration.name.clone(), Arc::new(integration));
    }
    Ok(integrations)
}

/// The name under which a property is stored, which differs for the vendor's own spelling.
pub(crate) fn integration_property_name(name: &str) -> &str {
    match name {
        "EXTERNAL_OAUTH_SNOWFLAKE_USER_MAPPING_ATTRIBUTE" => "EXTERNAL_OAUTH_USER_MAPPING_ATTRIBUTE",
        other => other,
    }
}

pub(crate) fn check_integration_property(property: &Property) -> CheckedProperty {
    match integration_property_name(&property.name) {
        "TYPE" => match check_choice(property, &["EXTERNAL_OAUTH"])? {
            Some(kind) => Ok(Some(kind)),
            None => Err(Failure::unsupported("SECURITY INTEGRATION of a TYPE other than EXTERNAL_OAUTH")),
        },
        "ENABLED" => check_flag(property),
        "COMMENT" | "EXTERNAL_OAUTH_ISSUER" | "EXTERNAL_OAUTH_SCOPE_MAPPING_ATTRIBUTE" => check_text(property),
        "EXTERNAL_OAUTH_TYPE" => check_choice(property, KINDS),
        "EXTERNAL_OAUTH_JWS_KEYS_URL" => check_keys_urls(property),
        "EXTERNAL_OAUTH_RSA_PUBLIC_KEY" | "EXTERNAL_OAUTH_RSA_PUBLIC_KEY_2" => check_rsa_key(property),
        "EXTERNAL_OAUTH_AUDIENCE_LIST" | "EXTERNAL_OAUTH_TOKEN_USER_MAPPING_CLAIM" => check_list(property),
        "EXTERNAL_OAUTH_ALLOWED_ROLES_LIST" | "EXTERNAL_OAUTH_BLOCKED_ROLES_LIST" => check_roles(property),
        "EXTERNAL_OAUTH_USER_MAPPING_ATTRIBUTE" => check_choice(property, &["LOGIN_NAME", "EMAIL_ADDRESS"]),
        "EXTERNAL_OAUTH_ANY_ROLE_MODE" => check_choice(property, &["DISABLE", "ENABLE"]),
        "EXTERNAL_OAUTH_SCOPE_DELIMITER" => check_delimiter(property),
        name => Err(unknown_property(name, "SECURITY INTEGRATION")),
    }
}

pub(crate) fn check_rsa_key(property: &Property) -> CheckedProperty {
    let Some(text) = text_of(property)? else { return Ok(None) };
    Ok(Some(Checked::Text(RsaKey::parse(&property.name, &text)?.to_base64())))
}

/// Scopes name roles without regard to case, so the lists are stored in upper case.
fn check_roles(property: &Property) -> CheckedProperty {
    Ok(match check_list(property)? {
        Some(Checked::List(roles)) => Some(Checked::List(roles.iter().map(|role| role.to_uppercase()).collect())),
        other => other,
    })
}

fn check_delimiter(property: &Property) -> CheckedProperty {
    match text_of(property)? {
        Some(text) if text.chars().count() != 1 => Err(invalid(property, &text, "one character is expected")),
        other => Ok(other.map(Checked::Text)),
    }
}

fn check_keys_urls(property: &Property) -> CheckedProperty {
    let checked = check_list(property)?;
    if let Some(Checked::List(urls)) = &checked {
        for url in urls {
            if !is_trusted_transport(url) {
                return Err(invalid(property, url, "an https address is expected, or http on this machine"));
            }
        }
    }
    Ok(checked)
}

/// Keys decide who is let in, so they come over TLS or never leave the machine.
fn is_trusted_transport(url: &str) -> bool {
    if let Some(rest) = url.strip_prefix("https://") {
        return !rest.is_empty() && !rest.starts_with('/');
    }
    let Some(rest) = url.strip_prefix("http://") else { return false };
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    let host = match authority.strip_prefix('[') {
        Some(bracketed) => bracketed.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    };
    !authority.contains('@') && (host == "localhost" || host.parse::<IpAddr>().is_ok_and(|ip| ip.is_loopback()))
}
