//! What a driver is sent for a PUT or GET: where the files are carried to or from, and its permission for that. Every driver can
//! speak to Google's storage, by addresses that are signed or with a token, and finds a door of that kind here.

use firn_catalog::{Catalog, DriverUse, DriverVerb, FileLink, LinkReach, LinkUse};
use firn_sql::stage_addresses::encoded;
use firn_sql::stages::StagePath;
use firn_statements::file_transfers::{Direction, TransferPlan};
use serde::Serialize;
use serde_json::{Value, json};
use uuid::Uuid;

/// Where the door's paths begin. A stage's identity follows, and the file's path on it.
pub const DOOR: &str = "/driver/files/";

/// Drivers split larger files where their storage lets them; the door takes them whole.
const THRESHOLD_BYTES: u64 = 200 << 20;

/// What decides how a driver is given its permission.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverClient {
    /// The universal core.
    Universal,
    Node {
        major: u32,
    },
    Other,
}

/// Who carries the files.
#[derive(Clone, Debug)]
pub struct Carrier<'a> {
    pub user_id: i64,
    pub session: Option<Uuid>,
    pub client: DriverClient,
    /// By which the driver reaches the server: `http://host:port`.
    pub base_url: &'a str,
    pub expires_on_ms: i64,
}

/// Part of the `data` of a query's answer.
#[derive(Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct TransferAnswer {
    command: &'static str,
    operation: &'static str,
    #[serde(rename = "src_locations")]
    src_locations: Vec<String>,
    parallel: u64,
    threshold: u64,
    #[serde(flatten)]
    of_direction: OfDirection,
    /// Nothing is encrypted by the driver.
    encryption_material: Option<()>,
    presigned_urls: Option<Vec<String>>,
    stage_info: Value,
}

#[derive(Debug, Serialize)]
#[serde(untagged, rename_all_fields = "camelCase")]
enum OfDirection {
    Upload { auto_compress: bool, overwrite: bool, source_compression: String },
    Download { local_location: String },
}

/// By what a driver is let in.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Permission {
    Token,
    /// One for each file: a PUT is asked again for each.
    Address,
    Both,
}

impl Carrier<'_> {
    fn is_encrypted(&self) -> bool {
        self.base_url.starts_with("https://")
    }

    /// Without TLS most drivers take tokens to Google's own host only, and addresses anywhere.
    fn permission(&self, plan: &TransferPlan) -> Permission {
        let takes_token = match self.client {
            DriverClient::Universal => true,
            DriverClient::Node { major } => self.is_encrypted() || major >= 3,
            DriverClient::Other => self.is_encrypted(),
        };
        let is_node = matches!(self.client, DriverClient::Node { .. });
        match (&plan.direction, takes_token) {
            // It looks for addresses even where it uses the token.
            (Direction::Download { .. }, true) if is_node => Permission::Both,
            (_, true) => Permission::Token,
            // Who asks again for each file leaves away what was bound.
            (Direction::Upload { is_stage_bound: true, .. }, false) => Permission::Both,
            (_, false) => Permission::Address,
        }
    }

    /// `host:port/prefix`, with the scheme where it is not the usual one.
    fn end_point(&self) -> String {
        let base = self.base_url.strip_prefix("https://").unwrap_or(self.base_url);
        format!("{base}{}", DOOR.trim_end_matches('/'))
    }
}

/// The answer to a driver.
pub fn answer(catalog: &Catalog, plan: &TransferPlan, carrier: &Carrier<'_>) -> TransferAnswer {
    let signing = Signing { catalog, plan, carrier };
    match &plan.direction {
        Direction::Upload { source, auto_compress, overwrite, source_compression, .. } => TransferAnswer {
            command: "UPLOAD",
            src_locations: vec![source.clone()],
            of_direction: OfDirection::Upload {
                auto_compress: *auto_compress,
                overwrite: *overwrite,
                source_compression: source_compression.clone(),
            },
            presigned_urls: None,
            stage_info: signing.of_upload(source, *overwrite),
            ..signing.common()
        },
        Direction::Download { target, files } => TransferAnswer {
            command: "DOWNLOAD",
            src_locations: files.clone(),
            of_direction: OfDirection::Download { local_location: target.clone() },
            presigned_urls: signing.addresses(files),
            stage_info: signing.of_download(),
            ..signing.common()
        },
    }
}

struct Signing<'a> {
    catalog: &'a Catalog,
    plan: &'a TransferPlan,
    carrier: &'a Carrier<'a>,
}

impl Signing<'_> {
    fn common(&self) -> TransferAnswer {
        TransferAnswer {
            command: "",
            operation: "Node",
            src_locations: Vec::new(),
            parallel: self.plan.parallel,
            threshold: THRESHOLD_BYTES,
            of_direction: OfDirection::Download { local_location: String::new() },
            encryption_material: None,
            presigned_urls: None,
            stage_info: Value::Null,
        }
    }

    fn of_upload(&self, source: &str, overwrite: bool) -> Value {
        let verb = if overwrite { DriverVerb::Put } else { DriverVerb::PutNew };
        let folder = match self.plan.path.as_str() {
            path if path.is_empty() || path.ends_with('/') => path.to_owned(),
            path => format!("{path}/"),
        };
        let wants = self.carrier.permission(self.plan);
        let token = (wants != Permission::Address).then(|| self.token(verb, &folder));
        let address = StagePath::parse(&format!("{folder}{}", last_part(source))).ok();
        let address = address.filter(|_| wants != Permission::Token).map(|path| self.address(verb, path.as_str()));
        self.stage_info(&folder, token, address)
    }

    fn of_download(&self) -> Value {
        let wants = self.carrier.permission(self.plan);
        let token = (wants != Permission::Address).then(|| self.token(DriverVerb::Get, &self.plan.path));
        self.stage_info("", token, None)
    }

    fn addresses(&self, files: &[String]) -> Option<Vec<String>> {
        let wants = self.carrier.permission(self.plan) != Permission::Token;
        wants.then(|| files.iter().map(|file| self.address(DriverVerb::Get, file)).collect())
    }

    fn stage_info(&self, folder: &str, token: Option<String>, address: Option<String>) -> Value {
        let creds = token.as_ref().map_or_else(|| json!({}), |token| json!({ "GCS_ACCESS_TOKEN": token }));
        json!({
            "locationType": "GCS",
            "location": format!("{}/{folder}", self.plan.stage_identity),
            "path": folder,
            "region": "",
            "storageAccount": null,
            "isClientSideEncrypted": false,
            "creds": creds,
            "presignedUrl": address,
            "endPoint": token.map(|_| self.carrier.end_point()),
            "useS3RegionalUrl": false,
            "useRegionalUrl": false,
            "useVirtualUrl": false,
        })
    }

    fn token(&self, verb: DriverVerb, beginning: &str) -> String {
        let link = self.link(verb, LinkReach::Below, beginning);
        link.token(&self.catalog.sign_link(&link))
    }

    fn address(&self, verb: DriverVerb, path: &str) -> String {
        let link = self.link(verb, LinkReach::One, path);
        format!("{}{}", self.carrier.base_url, link.url(&self.catalog.sign_link(&link)))
    }

    fn link(&self, verb: DriverVerb, reach: LinkReach, path: &str) -> FileLink {
        let Self { plan, carrier, .. } = self;
        let driver = DriverUse {
            verb,
            reach,
            stage: plan.stage.clone(),
            stage_identity: plan.stage_identity.clone(),
            has_secondary_roles: plan.has_secondary_roles,
            session: carrier.session,
        };
        FileLink {
            link_use: LinkUse::Driver(driver),
            user_id: carrier.user_id,
            role: plan.role.clone(),
            expires_on_ms: carrier.expires_on_ms,
            address: address_of(&plan.stage_identity, path),
            login: None,
        }
    }
}

/// The path by which the door knows a file, or the beginning of the paths of several.
pub fn address_of(stage_identity: &str, path: &str) -> String {
    format!("{DOOR}{stage_identity}/{}", encoded(path).replace("%2F", "/"))
}

/// The name of a driver's file, on whatever system.
fn last_part(source: &str) -> &str {
    source.rsplit(['/', '\\']).next().unwrap_or(source)
}

#[cfg(test)]
mod tests;
