//! Which file a driver asks for at the door, and whether it may: by an address that is signed, or with a token that reaches every
//! file whose path begins so. What it permits is good for a while, and only while its user, session, stage and role are.

use std::collections::HashMap;

use axum::RequestPartsExt;
use axum::extract::{Path, Query};
use axum::http::request::Parts;
use firn_auth::AuthError;
use firn_catalog::{Caller, DriverUse, DriverVerb, FileLink, LinkReach, LinkUse};
use firn_sql::command::SecondaryRoles;
use firn_sql::stages::StagePath;
use firn_statements::{LinkedStage, OpenStage, StageAccess};
use uuid::Uuid;

use super::caller::{admit, bearer_token};
use crate::clock::now_ms;
use crate::config::ApiSwitch;
use crate::error::ApiError;
use crate::file_transfers::address_of;
use crate::routes::stage_files::blocking;
use crate::state::AppState;

/// What a driver wants with a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Wanted {
    Bring,
    Fetch,
    /// To know whether it is there.
    Look,
}

/// A file that the driver may have or bring.
pub struct DriverFile {
    pub stage: OpenStage,
    pub path: StagePath,
    pub verb: DriverVerb,
    pub reach: LinkReach,
}

impl DriverFile {
    pub async fn of(app: &AppState, parts: &mut Parts, wanted: Wanted) -> Result<Self, ApiError> {
        if app.api == ApiSwitch::Off {
            return Err(ApiError::ApiSwitchedOff);
        }
        let named = parts.extract::<Path<String>>().await.map_err(|_| ApiError::ForbiddenLink)?;
        let (identity, path) = named.split_once('/').ok_or(ApiError::ForbiddenLink)?;
        let address = address_of(identity, path);
        let (link, driver) = permitted(app, parts, &address)?;
        let is_allowed = match wanted {
            Wanted::Bring => driver.verb != DriverVerb::Get,
            Wanted::Fetch => driver.verb == DriverVerb::Get,
            // Who brings a file asks in this way whether it is there.
            Wanted::Look => true,
        };
        if !is_allowed || driver.stage_identity != identity {
            return Err(ApiError::ForbiddenLink);
        }
        let path = StagePath::parse(path).map_err(|failure| ApiError::Stage(failure.into()))?;
        let principals = app.catalog.principals();
        let user = principals.user_by_id(link.user_id).filter(|user| user.barred_at(now_ms()).is_none()).cloned();
        drop(principals);
        let user = user.ok_or(ApiError::ForbiddenLink)?;
        let caller = admit(parts, app, Caller::new(user, None))?;
        let (verb, reach) = (driver.verb, driver.reach);
        let stage = open(app, caller, link, driver).await?;
        Ok(Self { stage, path, verb, reach })
    }
}

async fn open(app: &AppState, caller: Caller, link: FileLink, driver: DriverUse) -> Result<OpenStage, ApiError> {
    let access = match driver.verb {
        DriverVerb::Get => StageAccess::Read,
        DriverVerb::Put | DriverVerb::PutNew => StageAccess::Write,
    };
    let app = AppState::clone(app);
    blocking(move || {
        let linked = LinkedStage {
            stage: &driver.stage,
            identity: &driver.stage_identity,
            role: &link.role,
            secondary_roles: match driver.has_secondary_roles {
                true => SecondaryRoles::All,
                false => SecondaryRoles::None,
            },
            session: driver.session,
        };
        Ok(app.statements.open_linked_stage(&caller, &linked, access)?)
    })
    .await
}

/// The link that a request shows, if this server has signed it for this address and it is still good.
fn permitted(app: &AppState, parts: &Parts, address: &str) -> Result<(FileLink, DriverUse), ApiError> {
    let shown = Shown::of(parts).ok_or(ApiError::ForbiddenLink)?;
    let reaches = shown.address.as_deref().unwrap_or(address).to_owned();
    let (link, driver, signature) = shown.read(reaches).ok_or(ApiError::ForbiddenLink)?;
    let is_within = match driver.reach {
        LinkReach::One => shown.address.is_none(),
        LinkReach::Below => shown.address.is_some() && address.starts_with(&link.address),
    };
    if !app.catalog.signed_link(&link, &signature) || !is_within {
        return Err(ApiError::ForbiddenLink);
    }
    match (link.expires_on_ms > now_ms(), driver.reach) {
        (true, _) => Ok((link, driver)),
        (false, LinkReach::One) => Err(ApiError::ExpiredLink),
        (false, LinkReach::Below) => Err(ApiError::Unauthenticated(AuthError::BadLink)),
    }
}

/// The parameters of a link, as they were sent.
struct Shown {
    parameters: HashMap<String, String>,
    /// Of a token, which has it in itself.
    address: Option<String>,
}

impl Shown {
    fn of(parts: &Parts) -> Option<Self> {
        match bearer_token(&parts.headers) {
            Some(token) => {
                let uri = format!("/?{token}").parse().ok()?;
                let Query(mut parameters) = Query::<HashMap<String, String>>::try_from_uri(&uri).ok()?;
                let address = Some(parameters.remove("address")?);
                Some(Self { parameters, address })
            }
            None => {
                let Query(parameters) = Query::<HashMap<String, String>>::try_from_uri(&parts.uri).ok()?;
                Some(Self { parameters, address: None })
            }
        }
    }

    fn read(&self, address: String) -> Option<(FileLink, DriverUse, String)> {
        let value = |name: &str| self.parameters.get(name);
        let driver = DriverUse {
            verb: DriverVerb::parse(value("use")?)?,
            reach: LinkReach::parse(value("reach")?)?,
            stage: value("stage")?.clone(),
            stage_identity: value("identity")?.clone(),
            has_secondary_roles: value("secondary")?.parse().ok()?,
            session: match value("session")?.as_str() {
                "" => None,
                id => Some(Uuid::parse_str(id).ok()?),
            },
        };
        let link = FileLink {
            link_use: LinkUse::Driver(driver.clone()),
            user_id: value("user")?.parse().ok()?,
            role: value("role")?.clone(),
            expires_on_ms: value("expires")?.parse().ok()?,
            address,
            login: None,
        };
        Some((link, driver, value("signature")?.clone()))
    }
}
