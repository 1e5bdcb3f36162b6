//! Primary, unique and foreign keys.

use crate::names::ObjectName;

/// Keys are recorded and shown; like in the warehouse they are not enforced.
#[derive(Clone, Debug)]
pub struct TableConstraint {
    pub name: Option<String>,
    pub columns: Vec<String>,
    pub kind: ConstraintKind,
}

#[derive(Clone, Debug)]
pub enum ConstraintKind {
    PrimaryKey,
    Unique,
    ForeignKey { table: ObjectName, columns: Vec<String>, rules: KeyRules },
}

/// The referential actions of a foreign key.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KeyRules {
    pub on_update: KeyRule,
    pub on_delete: KeyRule,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum KeyRule {
    #[default]
    NoAction,
    Cascade,
    SetNull,
    SetDefault,
    Restrict,
}

impl KeyRule {
    const ALL: [Self; 5] = [Self::NoAction, Self::Cascade, Self::SetNull, Self::SetDefault, Self::Restrict];

    pub fn words(self) -> &'static str {
        match self {
            Self::NoAction => "NO ACTION",
            Self::Cascade => "CASCADE",
            Self::SetNull => "SET NULL",
            Self::SetDefault => "SET DEFAULT",
            Self::Restrict => "RESTRICT",
        }
    }

    pub fn of_words(words: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|rule| rule.words() == words)
    }
}
