//! Which tables and views have which policies.

use std::sync::Arc;

use firn_catalog::{ActiveRole, DatabaseRecord};
use firn_engine::{AttachedPolicy, ObjectDescription, RoutineDescription, Session};
use firn_sql::command::{AssignedTag, ObjectKind, Persistence};
use serde_json::json;

use super::attached::find;
use crate::authorise::{Authority, Secured};
use crate::run_error::RunError;
use crate::services::Services;
use crate::tags::Tags;

/// A policy on a table or view.
pub struct Attachment {
    pub object: Arc<ObjectDescription>,
    pub attached: AttachedPolicy,
    /// The masked column; `None` for a row access policy.
    pub column: Option<String>,
}

/// Those of all databases, and those of the session's temporary objects.
pub fn attachments(services: &Services, session: &dyn Session) -> Result<Vec<Attachment>, RunError> {
    let mut found = Vec::new();
    for database in services.catalog.databases() {
        let seen = session.objects(&database.name, None)?.into_iter();
        let temporary = seen.filter(|object| object.persistence == Persistence::Temporary);
        for object in session.permanent_objects(&database.name, None)?.into_iter().chain(temporary) {
            found.extend(of_object(&object));
        }
    }
    Ok(found)
}

pub fn of_object(object: &Arc<ObjectDescription>) -> Vec<Attachment> {
    let policies = &object.options.policies;
    let masks = policies.masks.iter().map(|mask| (mask, mask.columns.first().cloned()));
    let rows = policies.row_access.iter().map(|attached| (attached, None));
    masks
        .chain(rows)
        .map(|(attached, column)| Attachment { object: Arc::clone(object), attached: attached.clone(), column })
        .collect()
}

/// A policy on a table, a view, a column or a tag, for POLICY_REFERENCES.
pub struct PolicyRow {
    pub policy: RoutineDescription,
    /// `None` for a policy on a tag itself.
    pub object: Option<Arc<ObjectDescription>>,
    pub column: Option<String>,
    arguments: Vec<String>,
    /// The tag that has the policy.
    pub tag: Option<RoutineDescription>,
}

impl PolicyRow {
    /// Without those of the policy's status.
    pub fn cells(&self) -> Vec<Option<String>> {
        let name = &self.policy.routine.name;
        let entity = match (&self.object, &self.tag) {
            (Some(object), _) => Some(&object.name),
            (None, tag) => tag.as_ref().map(|tag| &tag.routine.name),
        };
        let domain = match &self.object {
            None => "TAG",
            Some(object) if object.kind == ObjectKind::View => "VIEW",
            Some(_) => "TABLE",
        };
        let tag = self.tag.as_ref().map(|tag| &tag.routine.name);
        let text = |part: &str| Some(part.to_owned());
        vec![
            text(name.database()),
            text(name.schema()),
            text(&name.name),
            Some(self.policy.routine.kind.word().replace(' ', "_")),
            entity.map(|entity| entity.database().to_owned()),
            entity.map(|entity| entity.schema().to_owned()),
            entity.map(|entity| entity.name.clone()),
            text(domain),
            self.column.clone(),
            Some(&self.arguments).filter(|columns| !columns.is_empty()).map(|columns| json!(columns).to_string()),
            tag.map(|tag| tag.database().to_owned()),
            tag.map(|tag| tag.schema().to_owned()),
            tag.map(|tag| tag.name.clone()),
        ]
    }
}

/// Those of all databases that are there, the masks by tags included.
pub fn references(
    services: &Services,
    session: &dyn Session,
    databases: &[DatabaseRecord],
) -> Result<Vec<PolicyRow>, RunError> {
    let tags = Tags::new(services, session);
    let mut rows = Vec::new();
    for database in databases.iter().filter(|database| !services.databases.set_aside.contains(&database.name)) {
        for object in session.objects(&database.name, None)? {
            for attachment in of_object(&object) {
                let home = object.name.database();
                let Ok(policy) = find(services, session, home, &attachment.attached.policy) else { continue };
                let skipped = usize::from(attachment.column.is_some());
                let arguments = attachment.attached.columns.get(skipped..).unwrap_or_default().to_vec();
                let (object, column) = (Some(Arc::clone(&object)), attachment.column);
                rows.push(PolicyRow { policy, object, column, arguments, tag: None });
            }
            for mask in tags.masks(&object).unwrap_or_default() {
                let Ok(policy) = find(services, session, &mask.home, &mask.attached.policy) else { continue };
                let column = mask.attached.columns.first().cloned();
                let (object, tag) = (Some(Arc::clone(&object)), Some(mask.tag));
                rows.push(PolicyRow { policy, object, column, arguments: Vec::new(), tag });
            }
        }
        for tag in session.routines(&database.name)? {
            for reference in &tag.routine.tag.policies {
                let Ok(policy) = find(services, session, &database.name, reference) else { continue };
                let tag = Some(tag.clone());
                rows.push(PolicyRow { policy, object: None, column: None, arguments: Vec::new(), tag });
            }
        }
    }
    Ok(rows)
}

/// The names of attached policies and of tags, for a role.
pub struct PolicyNames<'a> {
    pub services: &'a Services,
    pub session: &'a dyn Session,
    pub role: &'a ActiveRole,
}

impl PolicyNames<'_> {
    /// `None` for a policy that the role may not know of.
    pub fn visible(&self, object: &ObjectDescription, attached: &AttachedPolicy) -> Option<String> {
        let found = find(self.services, self.session, object.name.database(), &attached.policy).ok()?;
        let authority = Authority::new(&self.services.catalog, self.session, self.role);
        let is_visible = authority.sees(Secured::routine(&found)).unwrap_or_default();
        is_visible.then(|| found.routine.name.to_string())
    }

    /// The tags of a table, or of a column of it, as GET_DDL writes them.
    pub fn tags(&self, assigned: &[AssignedTag]) -> String {
        let tags = Tags::new(self.services, self.session);
        if assigned.is_empty() { String::new() } else { tags.shown(self.role, assigned).unwrap_or_default() }
    }

    /// As GET_DDL writes it.
    pub fn shown(&self, object: &ObjectDescription, attached: &AttachedPolicy) -> String {
        self.visible(object, attached).unwrap_or_else(|| "#UNKNOWN_POLICY".to_owned())
    }
}
