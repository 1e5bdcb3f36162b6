//! What a statement reads, by the identities of the objects: names may be those of others by the time somebody asks for its
//! result. Recorded with the statement's end; `past_results` checks it.

mod collect;
mod information_schema;
mod policy_checksum;
mod seen;
mod sources;

use std::collections::BTreeSet;

use firn_sql::privileges::{Privilege, PrivilegeSet};
use serde::{Deserialize, Serialize};
use uuid::Uuid;

pub use collect::{note, note_procedure, note_stage};
pub use policy_checksum::policy_checksum;
pub use seen::{Seen, SeenPlace, SeenRecorder};
pub use sources::{TemporaryReads, note_filled, note_variables};

use crate::session_state::SessionState;

/// Past this many objects a result is not shown again after an access change.
const OBJECTS_MAX: usize = 1_000;

/// In the place of texts and tags that may show values of what was read.
pub const REDACTED: &str = "<redacted>";

/// What has been read so far.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
pub struct Reads {
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub objects: Vec<ReadObject>,
    /// The roles of the session, where policies may have looked at them.
    #[serde(default, skip_serializing_if = "BTreeSet::is_empty")]
    pub roles: BTreeSet<String>,
    /// What listings have shown.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub seen: Vec<Seen>,
    /// A listing is among the statements that is authorised again by its text.
    #[serde(default, skip_serializing_if = "is_false")]
    pub has_listings: bool,
    /// The statements with listings whose results were scanned.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub scanned: Vec<String>,
    /// The text of the statement may show it too: a block has put it together.
    #[serde(default, skip_serializing_if = "is_false")]
    pub in_text: bool,
    /// More was read than is recorded.
    #[serde(default, skip_serializing_if = "is_false")]
    pub is_incomplete: bool,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReadObject {
    pub kind: ReadKind,
    /// Of the database in the catalog.
    pub database: i64,
    /// Of the object in its database; zero of the database itself.
    pub id: i64,
    /// What it was called, which finds it quickly.
    pub schema: String,
    pub name: String,
    /// Words of privileges, separated by commas; without any, some privilege is needed.
    needs: String,
    /// The role that reads it; `None` is any role of the user.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    /// Of the policies that are attached to it, if there are any.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub policies: Option<u64>,
    /// A result may show values of it; else only the message of a failure may.
    #[serde(skip, default = "in_result")]
    shown: Shown,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ReadKind {
    Relation,
    Stage,
    Function,
    Procedure,
    SemanticView,
    /// INFORMATION_SCHEMA of it.
    Database,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shown {
    InResult,
    InFailure,
}

impl ReadObject {
    /// `None` for a privilege that this version does not know.
    pub fn needs(&self) -> Option<PrivilegeSet> {
        self.needs.split(',').filter(|words| !words.is_empty()).map(Privilege::of_words).collect()
    }

    fn is_same(&self, other: &Self) -> bool {
        let key = |read: &Self| (read.kind, read.database, read.id, read.policies);
        key(self) == key(other) && self.needs == other.needs && self.reader == other.reader
    }
}

impl Reads {
    /// Of a statement whose reads are not known.
    pub fn incomplete() -> Self {
        Self { is_incomplete: true, ..Self::default() }
    }

    /// `None` if it was not written by `of_result` or `of_failure`.
    pub fn parse(recorded: &str) -> Option<Self> {
        serde_json::from_str(recorded).ok()
    }

    /// What a result may show, as it is recorded.
    pub fn of_result(&self) -> Option<String> {
        let shown = self.objects.iter().filter(|read| read.shown == Shown::InResult).cloned().collect();
        Self { objects: shown, ..self.clone() }.of_failure()
    }

    /// What the message of a failure may show, as it is recorded.
    pub fn of_failure(&self) -> Option<String> {
        serde_json::to_string(self).ok()
    }

    /// What a text may show that was put together after these reads, as it is recorded.
    pub fn of_text(&self) -> Option<String> {
        Self { in_text: true, ..self.clone() }.of_failure()
    }

    /// The reads of something that this statement reads in turn.
    pub fn take_over(&mut self, other: &Self) {
        self.take_over_as(other, Shown::InResult);
    }

    /// For a variable or a temporary object that has its values from what was read. A listing can no longer be found by the text
    /// of the statement that uses these.
    pub fn add_sources(&mut self, reads: &Self) {
        self.take_over(reads);
        self.is_incomplete |= std::mem::take(&mut self.has_listings);
    }

    pub fn is_empty(&self) -> bool {
        let has_none = self.objects.is_empty() && self.seen.is_empty() && self.scanned.is_empty();
        has_none && !self.has_listings && !self.is_incomplete
    }

    fn take_over_as(&mut self, other: &Self, shown: Shown) {
        for read in &other.objects {
            self.note(ReadObject { shown, ..read.clone() });
        }
        for seen in &other.seen {
            self.is_incomplete |= !seen::merge(&mut self.seen, seen.clone());
        }
        self.roles.extend(other.roles.iter().cloned());
        self.has_listings |= other.has_listings;
        self.scanned.extend(other.scanned.iter().cloned());
        self.is_incomplete |= other.is_incomplete;
    }

    /// The reads of an earlier statement whose result is scanned.
    pub fn take_over_result(&mut self, handle: Uuid, recorded: Option<&str>) {
        let mut other = recorded.and_then(Self::parse).unwrap_or_else(Self::incomplete);
        if std::mem::take(&mut other.has_listings) {
            other.scanned.push(handle.to_string());
        }
        self.take_over(&other);
    }

    /// What failed was caught, and its message may be part of the result.
    pub fn show_failures(&mut self) {
        self.objects.iter_mut().for_each(|read| read.shown = Shown::InResult);
    }

    fn note(&mut self, read: ReadObject) {
        if let Some(known) = self.objects.iter_mut().find(|known| known.is_same(&read)) {
            if read.shown == Shown::InResult {
                known.shown = Shown::InResult;
            }
            return;
        }
        match self.objects.len() < OBJECTS_MAX {
            true => self.objects.push(read),
            false => self.is_incomplete = true,
        }
    }
}

/// A procedure with its owner's rights reads for its owner.
fn reader_of_session(state: &SessionState) -> Option<String> {
    state.has_owners_rights.then(|| state.role.name.clone())
}

fn words_of(needs: PrivilegeSet) -> String {
    let needed = Privilege::EVERY.iter().filter(|privilege| needs.contains(**privilege));
    needed.map(|privilege| privilege.words()).collect::<Vec<_>>().join(",")
}

fn in_result() -> Shown {
    Shown::InResult
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde passes a reference")]
fn is_false(value: &bool) -> bool {
    !value
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(id: i64, shown: Shown) -> ReadObject {
        let needs = words_of([Privilege::Select, Privilege::Usage].into_iter().collect());
        let (schema, name) = ("S".to_owned(), "T".to_owned());
        ReadObject {
            kind: ReadKind::Relation,
            database: 1,
            id,
            schema,
            name,
            needs,
            reader: None,
            policies: Some(u64::MAX),
            shown,
        }
    }

    #[test]
    fn a_result_shows_less_than_a_failure() {
        let mut reads = Reads::default();
        reads.note(read(1, Shown::InResult));
        reads.note(read(2, Shown::InFailure));
        reads.note(read(2, Shown::InFailure));
        let ids = |recorded: Option<String>| {
            let parsed = recorded.as_deref().and_then(Reads::parse).unwrap_or_default();
            assert!(parsed.objects.iter().all(|read| read.policies == Some(u64::MAX)));
            let needs = [Privilege::Select, Privilege::Usage].into_iter().collect();
            assert!(parsed.objects.iter().all(|read| read.needs() == Some(needs)));
            parsed.objects.iter().map(|read| read.id).collect::<Vec<_>>()
        };
        assert_eq!(ids(reads.of_result()), [1]);
        assert_eq!(ids(reads.of_failure()), [1, 2]);
        reads.show_failures();
        assert_eq!(ids(reads.of_result()), [1, 2]);
    }

    #[test]
    fn what_was_not_recorded_stays_unknown() {
        let mut reads = Reads::default();
        reads.take_over_result(Uuid::nil(), None);
        let recorded = reads.of_result();
        assert!(recorded.as_deref().and_then(Reads::parse).is_some_and(|parsed| parsed.is_incomplete));
        let mut many = Reads::default();
        (0..=OBJECTS_MAX).for_each(|id| many.note(read(id as i64, Shown::InResult)));
        assert!(many.is_incomplete);
    }

    #[test]
    fn a_scanned_listing_is_found_by_its_handle() {
        let mut reads = Reads::default();
        reads.take_over_result(Uuid::nil(), Some("{\"has_listings\":true}"));
        assert_eq!(reads.scanned, [Uuid::nil().to_string()]);
        assert!(!reads.has_listings);
    }
}
