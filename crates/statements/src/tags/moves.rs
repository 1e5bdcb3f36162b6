//! What becomes of masks by tags when objects are cloned, moved or dropped: nobody gets values to see by it.

use std::collections::HashMap;

use firn_catalog::{ActiveRole, DatabaseRecord, Tagged};
use firn_engine::{RoutineDescription, Session};
use firn_sql::command::{
    AssignedTag, CreateMode, Ddl, PolicyChange, RoutineKind, TableChange, TableSource, TagChange, TagReference, TagUse,
};
use firn_sql::names::{SchemaName, display_identifier};
use firn_sql::privileges::SecurableKind;
use firn_sql::{Failure, ObjectName};

use super::assign::applies_all;
use super::{Inherited, Level, Tags};
use crate::authorise::{Authority, Secured, within};
use crate::grants::{ClonedSchema, Named, named_within};
use crate::policies::attached::find;
use crate::run_error::RunError;
use crate::services::Services;
use crate::session_state::SessionState;

/// A clone that is made elsewhere gets the tags that masked its source from outside. A table is not moved away from them.
pub fn retain_masks(
    services: &Services,
    session: &dyn Session,
    state: &SessionState,
    ddl: &mut Ddl,
) -> Result<(), RunError> {
    let tags = Tags::new(services, session);
    match ddl {
        Ddl::CreateTable(table) => {
            let TableSource::Clone(source) = &table.source else { return Ok(()) };
            let Some(found) = session.describe(source)? else { return Ok(()) };
            let mut levels = tags.of_relation(&found)?;
            levels.retain(|inherited| inherited.level > Level::Table);
            let there = tags.of_schema(&schema_of(&table.name))?;
            let own = found.options.policies.tags.iter().map(|known| known.tag).collect();
            let changes = tags.lost(levels, &there, own)?;
            if !changes.is_empty() {
                table.policies.push(PolicyChange::Tags { column: None, changes });
            }
        }
        Ddl::CreateSchema { name, clone_of: Some(source), tags: changes, .. }
            if source.database() != name.database() =>
        {
            let own = tags.of_schema(source)?.into_iter().filter(|inherited| inherited.level == Level::Schema);
            let own = own.flat_map(|inherited| inherited.tags).map(|known| known.tag).collect();
            let levels = tags.within_database(source.database());
            changes.extend(tags.lost(levels, &tags.within_database(name.database()), own)?);
        }
        Ddl::AlterTable { name, change: TableChange::Rename(to) | TableChange::SwapWith(to), .. } => {
            if name.schema() == to.schema() || applies_all(services, &state.role) {
                return Ok(());
            }
            for (from, to) in [(&*name, &*to), (&*to, &*name)] {
                refuse_move(&tags, session, from, to)?;
            }
        }
        _ => {}
    }
    Ok(())
}

fn schema_of(name: &ObjectName) -> SchemaName {
    SchemaName { database: name.database.clone(), schema: name.schema().to_owned() }
}

fn refuse_move(tags: &Tags<'_>, session: &dyn Session, from: &ObjectName, to: &ObjectName) -> Result<(), RunError> {
    let Some(found) = session.describe(from)? else { return Ok(()) };
    let mut levels = tags.of_relation(&found)?;
    levels.retain(|inherited| inherited.level == Level::Schema);
    let own = found.options.policies.tags.iter().map(|known| known.tag).collect();
    match tags.lost(levels, &tags.of_schema(&schema_of(to))?, own)?.is_empty() {
        true => Ok(()),
        false => Err(Failure::insufficient_privileges("schema", &display_identifier(from.schema())).into()),
    }
}

impl Tags<'_> {
    /// The masking tags of some levels that an object would not have at another place.
    fn lost(
        &self,
        levels: Vec<Inherited>,
        there: &[Inherited],
        own: Vec<TagReference>,
    ) -> Result<Vec<TagChange>, RunError> {
        let mut seen = own;
        seen.extend(there.iter().flat_map(|inherited| &inherited.tags).map(|known| known.tag));
        let mut lost = Vec::new();
        for inherited in levels {
            for AssignedTag { tag, value } in self.masking(&inherited.tags)? {
                let Some(found) = self.find(tag)?.filter(|_| !seen.contains(&tag)) else { continue };
                seen.push(tag);
                let tag = TagUse { name: found.routine.name, reference: Some(tag) };
                lost.push(TagChange { tag, value: Some(value) });
            }
        }
        Ok(lost)
    }
}

/// What is dropped or replaced with all it holds.
struct Container<'a> {
    word: &'static str,
    database: &'a str,
    /// `None` for a whole database.
    schema: Option<&'a str>,
}

impl Container<'_> {
    fn has(&self, name: &ObjectName) -> bool {
        name.database() == self.database && self.schema.is_none_or(|schema| name.schema() == schema)
    }

    /// Names the routine to who may know of it.
    fn in_use(&self, authority: &Authority<'_>, routine: &RoutineDescription) -> RunError {
        let kind = routine.routine.kind.word().to_ascii_lowercase();
        let shown = match authority.sees(Secured::routine(routine)).unwrap_or_default() {
            true => format!("{kind} {}", routine.routine.name),
            false => format!("a {kind}"),
        };
        let message = format!(
            "SQL compilation error:\nCannot drop or replace {} {} because {shown} is in use outside of it; unset it there first.",
            self.word,
            display_identifier(self.schema.unwrap_or(self.database)),
        );
        Failure::new("001132", "23001", message).into()
    }
}

/// A schema or database is neither dropped nor replaced while something outside of it has its policies or its masking tags.
pub fn refuse_drop_in_use(
    services: &Services,
    session: &dyn Session,
    role: &ActiveRole,
    ddl: &Ddl,
) -> Result<(), RunError> {
    let container = match ddl {
        Ddl::DropSchema { name, .. } | Ddl::CreateSchema { name, mode: CreateMode::OrReplace, .. } => {
            Container { word: "schema", database: name.database(), schema: Some(&name.schema) }
        }
        Ddl::DropDatabase { name, .. } | Ddl::CreateDatabase { name, mode: CreateMode::OrReplace, .. } => {
            Container { word: "database", database: name, schema: None }
        }
        _ => return Ok(()),
    };
    let Some(record) = services.catalog.database(container.database) else { return Ok(()) };
    if services.databases.set_aside.contains(container.database) {
        return Ok(());
    }
    let held = session.routines(container.database)?;
    if !held.iter().any(|found| !found.routine.kind.is_overloaded() && container.has(&found.routine.name)) {
        return Ok(());
    }
    let usable = services.catalog.databases();
    let usable = usable.into_iter().filter(|record| !services.databases.set_aside.contains(&record.name));
    let authority = Authority::new(&services.catalog, session, role);
    let tags = Tags::new(services, session);
    let mut outside: Vec<TagReference> = tags.of_account().iter().map(|known| known.tag).collect();
    for database in usable {
        let is_whole = container.schema.is_none() && database.name == container.database;
        if is_whole {
            continue;
        }
        outside.extend(services.catalog.tags_of(&Tagged::database(database.id)).iter().map(|known| known.tag));
        for schema in session.schemas(&database.name)? {
            if database.name != container.database || container.schema != Some(&schema.name) {
                outside.extend(schema.tags.iter().map(|known| known.tag));
            }
        }
        for object in
            session.permanent_objects(&database.name, None)?.iter().filter(|object| !container.has(&object.name))
        {
            let attached = &object.options.policies;
            for policy in attached.all() {
                let found = find(services, session, &database.name, &policy.policy);
                if let Ok(found) = found.as_ref()
                    && container.has(&found.routine.name)
                {
                    return Err(container.in_use(&authority, found));
                }
            }
            let of_columns = attached.column_tags.iter().flat_map(|column| &column.tags);
            outside.extend(attached.tags.iter().chain(of_columns).map(|known| known.tag));
        }
        for tag in session.routines(&database.name)?.iter().filter(|tag| !container.has(&tag.routine.name)) {
            for policy in &tag.routine.tag.policies {
                if let Ok(found) = find(services, session, &database.name, policy)
                    && container.has(&found.routine.name)
                {
                    return Err(container.in_use(&authority, &found));
                }
            }
        }
    }
    let is_used = |tag: &&RoutineDescription| {
        let reference = TagReference { database: record.id, id: tag.id };
        container.has(&tag.routine.name) && !tag.routine.tag.policies.is_empty() && outside.contains(&reference)
    };
    match held.iter().find(is_used) {
        Some(tag) => Err(container.in_use(&authority, tag)),
        None => Ok(()),
    }
}

/// What an object and its copy have in common: the kind, the name and the types of parameters.
type CopyKey = (SecurableKind, String, String);

/// The tags on the stages, routines and semantic views of a schema that is cloned, as they were before.
pub struct TagsOfSource {
    database: DatabaseRecord,
    objects: HashMap<CopyKey, i64>,
    tagged: Vec<(CopyKey, Vec<AssignedTag>)>,
}

/// `None` if there are none.
pub fn tags_of_clone_source(
    services: &Services,
    session: &dyn Session,
    clone: &ClonedSchema<'_>,
) -> Result<Option<TagsOfSource>, RunError> {
    let Some(database) = services.catalog.database(clone.source.database()) else { return Ok(None) };
    let all = services.catalog.tags();
    if !all.keys().any(|tagged| tagged.database == database.id && !tagged.object.is_empty()) {
        return Ok(None);
    }
    let objects = ids_in_schema(named_within(services, session, &database)?, &clone.source.schema);
    let assigned = |(key, id): (&CopyKey, &i64)| {
        let assigned = all.get(&Tagged::from(&within(key.0, &database, *id)))?;
        Some((key.clone(), assigned.clone()))
    };
    let tagged = objects.iter().filter_map(assigned).collect();
    Ok(Some(TagsOfSource { database, objects, tagged }))
}

/// The stages, routines and semantic views of a cloned schema have the tags of those that they were made of.
pub fn follow_clone(
    services: &Services,
    session: &dyn Session,
    clone: &ClonedSchema<'_>,
    source: TagsOfSource,
) -> Result<(), RunError> {
    let Some(to) = services.catalog.database(clone.target.database()) else { return Ok(()) };
    let copies = ids_in_schema(named_within(services, session, &to)?, &clone.target.schema);
    let copied_tag = |tag: TagReference| {
        let is_it = |((kind, ..), id): &(&CopyKey, &i64)| {
            *kind == SecurableKind::Tag && **id == tag.id && tag.database == source.database.id
        };
        let copy = source.objects.iter().find(is_it).and_then(|(key, _)| copies.get(key));
        copy.map_or(tag, |id| TagReference { database: to.id, id: *id })
    };
    for (key, mut assigned) in source.tagged {
        let Some(copy) = copies.get(&key) else { continue };
        assigned.iter_mut().for_each(|known| known.tag = copied_tag(known.tag));
        services.catalog.set_tags(&Tagged::from(&within(key.0, &to, *copy)), &assigned)?;
    }
    Ok(())
}

fn ids_in_schema(all: HashMap<(SecurableKind, i64), Named>, schema: &str) -> HashMap<CopyKey, i64> {
    let of_schema = all.into_values().filter(|named| named.name.schema() == schema);
    let keyed = of_schema.map(|named| {
        let signature = named.shown.strip_prefix(&named.name.to_string()).unwrap_or_default().to_owned();
        ((named.kind, named.name.name, signature), named.id)
    });
    keyed.collect()
}

/// A tag with masking policies is neither dropped nor replaced: its columns would be seen by everybody.
pub fn refuse_drop_of_masking_tag(session: &dyn Session, ddl: &Ddl) -> Result<(), RunError> {
    let name = match ddl {
        Ddl::CreateRoutine { routine, mode: CreateMode::OrReplace, .. } if routine.kind == RoutineKind::Tag => {
            &routine.name
        }
        Ddl::DropRoutine { kind: RoutineKind::Tag, name, .. } => name,
        _ => return Ok(()),
    };
    let all = session.routines(name.database())?.into_iter();
    let mut tags = all.filter(|found| found.routine.kind == RoutineKind::Tag && found.routine.name == *name);
    match tags.any(|found| !found.routine.tag.policies.is_empty()) {
        false => Ok(()),
        true => {
            let message = format!(
                "SQL compilation error:\nTag {} cannot be dropped/replaced as it is associated with one or more masking \
                 policies; ALTER TAG … UNSET MASKING POLICY takes them off.",
                display_identifier(&name.name)
            );
            Err(Failure::new("001132", "23001", message).into())
        }
    }
}
