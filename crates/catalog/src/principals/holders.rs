//! The keys of those who can hold roles and privileges: account roles, database roles and users, in one space of texts.

/// Precedes the key of a database role; no name of a role begins with it.
const DATABASE_ROLE: char = '\u{1}';
/// Precedes the key of a user.
const USER: char = '\u{2}';

/// Whom a key names.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Holder {
    Role(String),
    /// By the id of the database.
    DatabaseRole {
        database: i64,
        name: String,
    },
    User(i64),
}

impl Holder {
    pub fn of_key(key: &str) -> Self {
        let in_database = || {
            let (database, name) = key.strip_prefix(DATABASE_ROLE)?.split_once(DATABASE_ROLE)?;
            Some(Self::DatabaseRole { database: database.parse().ok()?, name: name.to_owned() })
        };
        let user = || Some(Self::User(key.strip_prefix(USER)?.parse().ok()?));
        in_database().or_else(user).unwrap_or_else(|| Self::Role(key.to_owned()))
    }

    pub fn key(&self) -> String {
        match self {
            Self::Role(name) => name.clone(),
            Self::DatabaseRole { database, name } => format!("{DATABASE_ROLE}{database}{DATABASE_ROLE}{name}"),
            Self::User(id) => format!("{USER}{id}"),
        }
    }
}

/// Whether the key is that of an account role.
pub fn is_account_role(key: &str) -> bool {
    !key.starts_with([DATABASE_ROLE, USER])
}

#[cfg(test)]
mod tests {
    use super::{Holder, is_account_role};

    #[test]
    fn keys_name_their_holders() {
        let holders = [
            Holder::Role("SALES".to_owned()),
            Holder::DatabaseRole { database: 7, name: "a.b c".to_owned() },
            Holder::User(12),
        ];
        for holder in holders {
            assert_eq!(Holder::of_key(&holder.key()), holder);
            assert_eq!(is_account_role(&holder.key()), matches!(holder, Holder::Role(_)));
        }
    }
}
