//! What listings have shown, by the identities of the objects: SHOW, DESCRIBE, GET_DDL and INFORMATION_SCHEMA list what a role has
//! any privilege on.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::fmt;

use firn_catalog::ActiveRole;
use firn_sql::privileges::SecurableKind;
use serde::de::Error;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use super::{Reads, reader_of_session};
use crate::session_state::SessionState;

const ACCOUNT_ADMIN: &str = "ACCOUNTADMIN";

/// Past this many objects a listing is not shown again after an access change.
const SEEN_MAX: usize = 20_000;

/// Of identities, which are random. Two that share these bits are taken for one, and may hide a listing too much.
const ID_BITS: u32 = 48;
const ID_DIGITS: usize = ID_BITS as usize / 4;

/// The objects of one database that a listing has shown to one reader.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Seen {
    pub place: SeenPlace,
    /// Of the database in the catalog.
    pub database: i64,
    /// As `ReadObject::reader`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub reader: Option<String>,
    ids: ShortIds,
}

/// Where identities are unique.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SeenPlace {
    /// The database itself, its schemas, and what is in them.
    Database,
    SemanticViews,
}

impl SeenPlace {
    /// `None` for kinds whose listings are authorised again by their texts.
    pub fn of(kind: SecurableKind) -> Option<Self> {
        match kind {
            SecurableKind::SemanticView => Some(Self::SemanticViews),
            SecurableKind::PasswordPolicy | SecurableKind::SessionPolicy | SecurableKind::AuthenticationPolicy => None,
            _ => Some(Self::Database),
        }
    }
}

impl Seen {
    /// In the place of an identity.
    pub const DATABASE_ITSELF: i64 = 0;

    pub fn contains(&self, id: i64) -> bool {
        self.ids.0.contains(&short(id))
    }

    fn is_beside(&self, other: &Self) -> bool {
        (self.place, self.database, &self.reader) == (other.place, other.database, &other.reader)
    }
}

/// Records what a listing shows to a role.
pub struct SeenRecorder<'a> {
    reads: &'a RefCell<Reads>,
    reader: Option<String>,
    sees_all: bool,
}

impl<'a> SeenRecorder<'a> {
    /// For the role of the session.
    pub fn of_session(state: &'a SessionState) -> Self {
        Self::new(state, &state.role, reader_of_session(state))
    }

    pub(super) fn new(state: &'a SessionState, role: &ActiveRole, reader: Option<String>) -> Self {
        let sees_all = role.is_account_admin();
        if sees_all && reader.is_none() {
            state.reads.borrow_mut().roles.insert(ACCOUNT_ADMIN.to_owned());
        }
        Self { reads: &state.reads, reader, sees_all }
    }

    /// The account's administrator sees everything, as long as somebody is one.
    pub(super) fn sees_all(&self) -> bool {
        self.sees_all
    }

    /// `id` is the identity of an object in the database, or `Seen::DATABASE_ITSELF`.
    pub fn note(&self, kind: SecurableKind, database: i64, id: i64) {
        let Some(place) = SeenPlace::of(kind).filter(|_| !self.sees_all) else { return };
        let mut reads = self.reads.borrow_mut();
        if !reads.is_incomplete && !add(&mut reads.seen, (place, database), self.reader.clone(), id) {
            reads.is_incomplete = true;
            reads.seen.clear();
        }
    }
}

/// Adds an object to those of the same database and reader. `false` if there are too many.
pub(super) fn add(all: &mut Vec<Seen>, (place, database): (SeenPlace, i64), reader: Option<String>, id: i64) -> bool {
    merge(all, Seen { place, database, reader, ids: ShortIds(BTreeSet::from([short(id)])) })
}

/// As `add`, for several objects.
pub(super) fn merge(all: &mut Vec<Seen>, other: Seen) -> bool {
    match all.iter_mut().find(|known| known.is_beside(&other)) {
        Some(known) => known.ids.0.extend(other.ids.0),
        None => all.push(other),
    }
    all.iter().map(|seen| seen.ids.0.len()).sum::<usize>() <= SEEN_MAX
}

fn short(id: i64) -> u64 {
    id.cast_unsigned() & ((1 << ID_BITS) - 1)
}

/// Written as hexadecimal digits without anything between.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
struct ShortIds(BTreeSet<u64>);

impl fmt::Display for ShortIds {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|id| write!(formatter, "{id:0ID_DIGITS$x}"))
    }
}

impl Serialize for ShortIds {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for ShortIds {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let digits = String::deserialize(deserializer)?;
        let read = |id: &[u8]| u64::from_str_radix(std::str::from_utf8(id).ok()?, 16).ok();
        let ids: Option<BTreeSet<u64>> = digits.as_bytes().chunks(ID_DIGITS).map(read).collect();
        ids.map(Self).ok_or_else(|| D::Error::custom("an identity is no number"))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

    use super::*;

    #[test]
    fn identities_are_read_back() {
        let mut all = Vec::new();
        for id in [1, 7, i64::MAX, 7] {
            assert!(add(&mut all, (SeenPlace::Database, 3), None, id));
        }
        assert!(add(&mut all, (SeenPlace::Database, 3), Some("R".to_owned()), 9));
        let read: Vec<Seen> = serde_json::from_str(&serde_json::to_string(&all).unwrap()).unwrap();
        assert_eq!(read, all);
        assert!([1, 7, i64::MAX].iter().all(|id| read[0].contains(*id)) && !read[0].contains(9));
        assert!(serde_json::from_str::<ShortIds>("\"12345g\"").is_err());
    }

    #[test]
    fn there_are_not_too_many() {
        let mut all = Vec::new();
        let added = (0..=SEEN_MAX as i64).map(|id| add(&mut all, (SeenPlace::Database, id % 2), None, id));
        assert_eq!(added.filter(|is_recorded| !is_recorded).count(), 1);
    }
}
