//! A checksum of everything that decides what the policies of a table or view show: which are attached to it and by which tags,
//! their bodies, the functions that they call and the views that they read, and the values of its tags, which policies may look at.

use std::hash::{DefaultHasher, Hash, Hasher};

use firn_engine::{AttachedPolicy, ObjectDescription, RoutineDescription, Session};

use crate::policies::attached::find;
use crate::routines::{BelowPolicy, below_policy};
use crate::run_error::RunError;
use crate::services::Services;
use crate::tags::Tags;

/// `None` where there are no policies.
pub fn policy_checksum(
    services: &Services,
    session: &dyn Session,
    object: &ObjectDescription,
) -> Result<Option<u64>, RunError> {
    let tags = Tags::new(services, session);
    let home = object.name.database().to_owned();
    let of_object = object.options.policies.all().map(|attached| (home.clone(), attached.clone()));
    let mut attached: Vec<(String, AttachedPolicy)> = of_object.collect();
    attached.extend(tags.masks(object)?.into_iter().map(|mask| (mask.home, mask.attached)));
    if attached.is_empty() {
        return Ok(None);
    }
    let mut hasher = DefaultHasher::new();
    for (home, attached) in &attached {
        let policy = find(services, session, home, &attached.policy)?;
        (policy.id, &policy.routine.body, &policy.owner, &attached.columns).hash(&mut hasher);
        hash_below(&below_policy(services, session, &policy)?, &mut hasher);
    }
    let mut assigned = |tags: &[firn_sql::command::AssignedTag]| {
        for known in tags {
            (known.tag.database, known.tag.id, &known.value).hash(&mut hasher);
        }
    };
    tags.of_relation(object)?.iter().for_each(|inherited| assigned(&inherited.tags));
    object.options.policies.column_tags.iter().for_each(|column| assigned(&column.tags));
    Ok(Some(hasher.finish()))
}

/// A function or view that is replaced by the same one changes nothing, and policies without any have the checksums of before.
fn hash_below(below: &BelowPolicy, hasher: &mut DefaultHasher) {
    let parts = |found: &RoutineDescription| {
        let routine = &found.routine;
        (routine.name.name.clone(), routine.signature(), routine.body.clone(), found.owner.clone())
    };
    let mut functions: Vec<_> = below.functions.iter().map(parts).collect();
    functions.sort_unstable();
    functions.iter().for_each(|function| function.hash(hasher));
    let parts = |view: &ObjectDescription| (view.name.name.clone(), view.view_query.clone(), view.owner.clone());
    let mut views: Vec<_> = below.views.iter().map(parts).collect();
    views.sort_unstable();
    views.iter().for_each(|view| view.hash(hasher));
}
