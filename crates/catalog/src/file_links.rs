//! Addresses of staged files that carry their own permission for a while: who may use them, in which role and until
//! when is signed with a key that lives as long as the process.

use firn_sql::stage_addresses::encoded;
use uuid::Uuid;

use crate::catalog::Catalog;

/// Who may follow a link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LinkUse {
    /// Whoever has it.
    Anyone,
    /// The user who made it, once authenticated.
    Maker,
    /// Whoever has it, to carry files for a PUT or GET.
    Driver(DriverUse),
}

impl LinkUse {
    fn words(&self) -> String {
        match self {
            Self::Anyone => "anyone".to_owned(),
            Self::Maker => "maker".to_owned(),
            Self::Driver(driver) => driver.words(),
        }
    }

    /// That of a link which reads one file.
    pub fn parse_reading(word: &str) -> Option<Self> {
        [Self::Anyone, Self::Maker].into_iter().find(|known| known.words() == word)
    }
}

/// What a driver may do with a stage's files, as long as its session lives and the stage is the same.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DriverUse {
    pub verb: DriverVerb,
    pub reach: LinkReach,
    /// The stage by its name, and what no other stage of that name has.
    pub stage: String,
    pub stage_identity: String,
    pub has_secondary_roles: bool,
    pub session: Option<Uuid>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DriverVerb {
    /// Bring files, over those that are there.
    Put,
    /// Bring files that are not there yet.
    PutNew,
    Get,
}

impl DriverVerb {
    pub fn word(self) -> &'static str {
        match self {
            Self::Put => "put",
            Self::PutNew => "put-new",
            Self::Get => "get",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Put, Self::PutNew, Self::Get].into_iter().find(|known| known.word() == word)
    }
}

/// Which files an address means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkReach {
    One,
    /// All whose address begins so.
    Below,
}

impl LinkReach {
    pub fn word(self) -> &'static str {
        match self {
            Self::One => "one",
            Self::Below => "below",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::One, Self::Below].into_iter().find(|known| known.word() == word)
    }
}

impl DriverUse {
    fn words(&self) -> String {
        let Self { verb, reach, stage, stage_identity, has_secondary_roles, session } = self;
        let session = session.map_or_else(String::new, |session| session.to_string());
        format!(
            "{}&reach={}&secondary={has_secondary_roles}&session={session}&stage={}&identity={}",
            verb.word(),
            reach.word(),
            encoded(stage),
            encoded(stage_identity)
        )
    }
}

/// What a link permits this user in this role: to read one file, or what its use says.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FileLink {
    pub link_use: LinkUse,
    pub user_id: i64,
    pub role: String,
    pub expires_on_ms: i64,
    /// The path of the file's address.
    pub address: String,
    /// The number of what its maker showed to be let in, if the link ends with that.
    pub login: Option<u64>,
}

impl FileLink {
    /// The address with what it permits.
    pub fn url(&self, signature: &str) -> String {
        format!("{}?{}", self.address, self.query(signature))
    }

    /// As `url`, in one word, for a header.
    pub fn token(&self, signature: &str) -> String {
        format!("address={}&{}", encoded(&self.address), self.query(signature))
    }

    fn query(&self, signature: &str) -> String {
        let Self { link_use, user_id, role, expires_on_ms, address: _, login } = self;
        let (link_use, role) = (link_use.words(), encoded(role));
        let login = login.map_or_else(String::new, |number| format!("&login={number}"));
        format!("use={link_use}&user={user_id}&role={role}&expires={expires_on_ms}{login}&signature={signature}")
    }

    fn signed_text(&self) -> String {
        let Self { link_use, user_id, role, expires_on_ms, address, login } = self;
        let (link_use, role_length) = (link_use.words(), role.len());
        format!("{link_use}\n{user_id}\n{expires_on_ms}\n{login:?}\n{role_length}\n{role}\n{address}")
    }
}

impl Catalog {
    pub fn sign_link(&self, link: &FileLink) -> String {
        self.link_key().sign(&link.signed_text())
    }

    /// Whether this server signed the link; takes as long whatever the signature is.
    pub fn signed_link(&self, link: &FileLink, signature: &str) -> bool {
        let expected = self.sign_link(link);
        let differences = expected.bytes().zip(signature.bytes()).fold(0, |found, (one, other)| found | (one ^ other));
        expected.len() == signature.len() && differences == 0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_part_of_a_link_is_signed() {
        let link = FileLink {
            link_use: LinkUse::Anyone,
            user_id: 1,
            role: "R".to_owned(),
            expires_on_ms: 5,
            address: "/a".to_owned(),
            login: Some(1),
        };
        let others = [
            FileLink { link_use: LinkUse::Maker, ..link.clone() },
            FileLink { user_id: 2, ..link.clone() },
            FileLink { role: "S".to_owned(), ..link.clone() },
            FileLink { expires_on_ms: 6, ..link.clone() },
            FileLink { address: "/b".to_owned(), ..link.clone() },
            FileLink { login: Some(2), ..link.clone() },
            FileLink { login: None, ..link.clone() },
        ];
        assert!(others.iter().all(|other| other.signed_text() != link.signed_text()));

        let driver = DriverUse {
            verb: DriverVerb::Put,
            reach: LinkReach::One,
            stage: "D.S.T".to_owned(),
            stage_identity: "stage-1".to_owned(),
            has_secondary_roles: false,
            session: None,
        };
        let of = |driver: DriverUse| FileLink { link_use: LinkUse::Driver(driver), ..link.clone() }.signed_text();
        let others = [
            DriverUse { verb: DriverVerb::PutNew, ..driver.clone() },
            DriverUse { verb: DriverVerb::Get, ..driver.clone() },
            DriverUse { reach: LinkReach::Below, ..driver.clone() },
            DriverUse { stage: "D.S.U".to_owned(), ..driver.clone() },
            DriverUse { stage: "D.S.T&identity=stage-2".to_owned(), ..driver.clone() },
            DriverUse { stage_identity: "stage-2".to_owned(), ..driver.clone() },
            DriverUse { has_secondary_roles: true, ..driver.clone() },
            DriverUse { session: Some(Uuid::nil()), ..driver.clone() },
        ];
        assert!(others.into_iter().all(|other| of(other) != of(driver.clone())));
    }
}
