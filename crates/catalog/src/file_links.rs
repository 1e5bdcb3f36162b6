//! Addresses of staged files that carry their own permission for a while: who may use them, in which role and until
//! when is signed with a key that lives as long as the process.

use firn_sql::stage_addresses::encoded;

use crate::catalog::Catalog;

/// Who may follow a link.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum LinkUse {
    /// Whoever has it.
    Anyone,
    /// The user who made it, once authenticated.
    Maker,
}

impl LinkUse {
    pub fn word(self) -> &'static str {
        match self {
            Self::Anyone => "anyone",
            Self::Maker => "maker",
        }
    }

    pub fn parse(word: &str) -> Option<Self> {
        [Self::Anyone, Self::Maker].into_iter().find(|known| known.word() == word)
    }
}

/// What a link permits: reading one file as this user in this role.
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
        let Self { link_use, user_id, role, expires_on_ms, address, login } = self;
        let (link_use, role) = (link_use.word(), encoded(role));
        let login = login.map_or_else(String::new, |number| format!("&login={number}"));
        format!(
            "{address}?use={link_use}&user={user_id}&role={role}&expires={expires_on_ms}{login}&signature={signature}"
        )
    }

    fn signed_text(&self) -> String {
        let Self { link_use, user_id, role, expires_on_ms, address, login } = self;
        let (link_use, role_length) = (link_use.word(), role.len());
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
    }
}
