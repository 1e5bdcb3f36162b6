//! SYSTEM$GET_TAG and SYSTEM$GET_TAG_ALLOWED_VALUES.

use firn_catalog::Tagged;
use firn_sql::command::{AssignedTag, GrantedKind, GrantedName, TagReference};
use firn_sql::names::{DatabaseRoleName, SchemaName};
use firn_sql::privileges::SecurableKind;
use firn_sql::{Failure, ObjectName, names_in_text, routine_in_text};
use serde_json::json;

use super::CallContext;
use crate::attempts::Attempts;
use crate::authorise::Authority;
use crate::grants;
use crate::run_error::RunError;
use crate::tags::Tags;

impl CallContext<'_> {
    /// The value of the tag that an object has, itself or from what it is in. An object that is replaced meanwhile has its tags
    /// under another identity.
    pub(super) fn get_tag(&self, tag: &str, object: &str, domain: &str) -> Result<Option<String>, RunError> {
        let definitions = self.services.engine.definitions();
        let mut attempts = Attempts::new(definitions);
        loop {
            let before = definitions.now();
            let value = self.tag_value(tag, object, domain);
            if self.session.in_transaction() || definitions.is_unchanged_since(before) {
                return value;
            }
            attempts.again(|| self.execution.stop_reason().is_some())?;
        }
    }

    fn tag_value(&self, tag: &str, object: &str, domain: &str) -> Result<Option<String>, RunError> {
        let tags = Tags::new(self.services, &*self.session);
        let reference = self.tag_named(&tags, tag)?.0;
        let assigned = self.assigned(&tags, object, &domain.to_ascii_uppercase().replace('_', " "))?;
        Ok(assigned.into_iter().find(|known| known.tag == reference).map(|known| known.value))
    }

    /// As JSON; NULL where a tag allows every value.
    pub(super) fn allowed_values(&self, tag: &str) -> Result<Option<String>, RunError> {
        let tags = Tags::new(self.services, &*self.session);
        let (_, values) = self.tag_named(&tags, tag)?;
        Ok(Some(values).filter(|values| !values.is_empty()).map(|values| json!(values).to_string()))
    }

    fn tag_named(&self, tags: &Tags<'_>, given: &str) -> Result<(TagReference, Vec<String>), RunError> {
        let mut name = object_name(given, "Tag")?;
        name.qualify(&self.state.namespace)?;
        let (reference, found) = tags.named(&self.state.role, &name)?;
        Ok((reference, found.routine.tag.allowed_values))
    }

    /// The tags of an object that the role may know of, the nearest first.
    fn assigned(&self, tags: &Tags<'_>, given: &str, domain: &str) -> Result<Vec<AssignedTag>, RunError> {
        let session = &*self.session;
        let authority = Authority::new(&self.services.catalog, session, &self.state.role);
        let missing = || RunError::from(Failure::missing_object("Object", given));
        let levels = match domain {
            "ACCOUNT" => return Ok(tags.of_account()),
            "TABLE" | "VIEW" | "COLUMN" => {
                let mut parts = names_in_text(given)?;
                let column = if domain == "COLUMN" { Some(parts.pop().ok_or_else(missing)?) } else { None };
                let mut name = ObjectName::of_parts(parts).ok_or_else(missing)?;
                name.qualify(&self.state.namespace)?;
                let found = session.describe(&name)?.ok_or_else(missing)?;
                if !authority.sees(found.as_ref())? {
                    return Err(missing());
                }
                match column {
                    Some(column) if found.columns.iter().all(|known| known.name != column) => return Err(missing()),
                    Some(column) => tags.of_column(&found, &column)?,
                    None => tags.of_relation(&found)?,
                }
            }
            "SCHEMA" => {
                let mut parts = names_in_text(given)?;
                let schema = parts.pop().ok_or_else(missing)?;
                let mut name = SchemaName { database: parts.pop(), schema };
                name.qualify(&self.state.namespace)?;
                if !authority.sees_schema(&name)? {
                    return Err(missing());
                }
                tags.of_schema(&name)?
            }
            "DATABASE" => {
                let name = names_in_text(given)?.pop().ok_or_else(missing)?;
                if !authority.sees_database(&name) {
                    return Err(missing());
                }
                tags.within_database(&name)
            }
            "NETWORK POLICY" | "NETWORK_POLICY" => return self.of_network_policy(tags, given),
            _ => return self.of_other(tags, given, domain),
        };
        Ok(levels.into_iter().flat_map(|inherited| inherited.tags).collect())
    }

    /// Seen by its owner alone.
    fn of_network_policy(&self, tags: &Tags<'_>, given: &str) -> Result<Vec<AssignedTag>, RunError> {
        let name = names_in_text(given)?.pop().unwrap_or_default();
        let known = self.services.catalog.network_policies();
        let found = known.iter().find(|found| found.name == name);
        if !found.is_some_and(|found| self.state.role.may_use_what_is_owned_by(&found.owner)) {
            return Err(Failure::missing_object("Object", given).into());
        }
        let mut assigned = self.services.catalog.tags_of(&Tagged::of_account("NETWORK_POLICY", &name));
        assigned.extend(tags.of_account());
        Ok(assigned)
    }

    /// The tags of what is neither a table nor a container of any.
    fn of_other(&self, tags: &Tags<'_>, given: &str, domain: &str) -> Result<Vec<AssignedTag>, RunError> {
        let kind = SecurableKind::EVERY.iter().copied().find(|kind| kind.words() == domain);
        let kind = kind.ok_or_else(|| Failure::unsupported(&format!("SYSTEM$GET_TAG of the domain {domain}")))?;
        let name = self.granted_name(kind, given)?;
        let found = grants::named_target(self.services, &*self.session, self.state, GrantedKind::Of(kind), &name)?;
        let (tagged, outside) = match (&found.securable, &found.place, &name) {
            (_, grants::Place::DatabaseRole(database, role), _) => {
                (Tagged { kind: kind.label(), database: *database, object: role.clone() }, tags.of_account())
            }
            (Some(securable), _, GrantedName::Object(object) | GrantedName::Routine { name: object, .. }) => {
                let schema = SchemaName { database: object.database.clone(), schema: object.schema().to_owned() };
                let levels = tags.of_schema(&schema)?.into_iter().flat_map(|inherited| inherited.tags).collect();
                (Tagged::from(securable), levels)
            }
            (Some(securable), ..) => (Tagged::from(securable), tags.of_account()),
            (None, _, GrantedName::OfAccount(name)) => (Tagged::of_account(&kind.label(), name), tags.of_account()),
            (None, ..) => return Ok(tags.of_account()),
        };
        let mut assigned = self.services.catalog.tags_of(&tagged);
        assigned.extend(outside);
        Ok(assigned)
    }

    fn granted_name(&self, kind: SecurableKind, given: &str) -> Result<GrantedName, RunError> {
        let namespace = &self.state.namespace;
        let mut parts = names_in_text(given.split('(').next().unwrap_or(given))?;
        let missing = || RunError::from(Failure::missing_object("Object", given));
        match kind {
            SecurableKind::Function | SecurableKind::Procedure => {
                let (mut name, types) = routine_in_text(given)?;
                name.qualify(namespace)?;
                Ok(GrantedName::Routine { name, types })
            }
            SecurableKind::DatabaseRole => {
                let name = parts.pop().ok_or_else(missing)?;
                let mut role = DatabaseRoleName { database: parts.pop(), name };
                role.qualify(namespace)?;
                Ok(GrantedName::DatabaseRole(role))
            }
            kind if kind.is_in_schema() => {
                let mut name = object_name(given, "Object")?;
                name.qualify(namespace)?;
                Ok(GrantedName::Object(name))
            }
            _ => Ok(GrantedName::OfAccount(parts.pop().ok_or_else(missing)?)),
        }
    }
}

fn object_name(given: &str, kind: &str) -> Result<ObjectName, RunError> {
    let name = ObjectName::of_parts(names_in_text(given)?);
    Ok(name.ok_or_else(|| Failure::missing_object(kind, given))?)
}
