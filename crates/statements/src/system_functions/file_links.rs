//! BUILD_SCOPED_FILE_URL and GET_PRESIGNED_URL: addresses of staged files that carry their own permission.

use firn_catalog::{FileLink, LinkUse};
use firn_sql::Failure;
use firn_sql::stage_addresses::file_address;
use firn_sql::stages::{StageLocation, StagePath};

use super::CallContext;
use crate::authorise::authorise;
use crate::clock::now_ms;
use crate::run_error::RunError;
use crate::stage_access::{StageAccess, uses};

const SCOPED_LIFETIME_S: i64 = 24 * 3_600;
const LIFETIME_DEFAULT_S: i64 = 3_600;
const LIFETIME_MAX_S: i64 = 7 * 24 * 3_600;

impl CallContext<'_> {
    /// For the user alone who asks, for a day.
    pub(super) fn scoped_url(&self, stage: &str, path: &str) -> Result<String, RunError> {
        self.url("BUILD_SCOPED_FILE_URL", LinkUse::Maker, (stage, path), SCOPED_LIFETIME_S)
    }

    /// For whoever has it.
    pub(super) fn presigned_url(&self, stage: &str, path: &str, seconds: Option<&str>) -> Result<String, RunError> {
        let lifetime_s = match seconds {
            None => LIFETIME_DEFAULT_S,
            Some(text) => {
                text.parse().ok().filter(|seconds| (1..=LIFETIME_MAX_S).contains(seconds)).ok_or_else(|| {
                    let way_out = format!("give a whole number of seconds from 1 to {LIFETIME_MAX_S}");
                    Failure::invalid_value("expiration time", text, &way_out)
                })?
            }
        };
        self.url("GET_PRESIGNED_URL", LinkUse::Anyone, (stage, path), lifetime_s)
    }

    fn url(
        &self,
        function: &str,
        link_use: LinkUse,
        (stage, path): (&str, &str),
        lifetime_s: i64,
    ) -> Result<String, RunError> {
        let mut location = StageLocation::parse(stage)?;
        location.stage.qualify(&self.state.namespace)?;
        let used = uses(&location.stage, StageAccess::Read);
        authorise(self.services, &*self.session, &self.state.role, &used)?;
        self.session.stage_folder(&location.stage, self.state.caller.user.id)?;
        let path = StagePath::parse(&format!("{}{path}", location.path))?;
        let address = file_address(&location.stage, path.as_str())
            .ok_or_else(|| Failure::unsupported(&format!("{function} of @~")))?;
        let link = FileLink {
            link_use,
            user_id: self.state.caller.user.id,
            role: self.state.role.name.clone(),
            expires_on_ms: now_ms() + lifetime_s * 1_000,
            address,
            login: None,
        };
        let signature = self.services.catalog.sign_link(&link);
        Ok(link.url(&signature))
    }
}
