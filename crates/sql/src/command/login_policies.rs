//! Password, session and authentication policies: objects of a schema that hold for the account or for users.

use super::{CreateMode, IfMissing, Property};
use crate::names::ObjectName;
use crate::privileges::{Privilege, SecurableKind};

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LoginPolicyKind {
    Password,
    Session,
    Authentication,
}

impl LoginPolicyKind {
    pub const EVERY: [Self; 3] = [Self::Password, Self::Session, Self::Authentication];

    /// As a statement writes it.
    pub const fn words(self) -> &'static str {
        self.securable().words()
    }

    pub const fn securable(self) -> SecurableKind {
        match self {
            Self::Password => SecurableKind::PasswordPolicy,
            Self::Session => SecurableKind::SessionPolicy,
            Self::Authentication => SecurableKind::AuthenticationPolicy,
        }
    }

    /// `PASSWORD_POLICY`, as SHOW and the state file write it.
    pub fn label(self) -> String {
        self.securable().label()
    }

    pub fn of_label(label: &str) -> Option<Self> {
        Self::EVERY.into_iter().find(|kind| kind.label() == label)
    }

    /// The privilege on a schema to create one.
    pub const fn creation(self) -> Privilege {
        match self {
            Self::Password => Privilege::CreatePasswordPolicy,
            Self::Session => Privilege::CreateSessionPolicy,
            Self::Authentication => Privilege::CreateAuthenticationPolicy,
        }
    }

    /// The privilege on the account to set any of them on the account and on users.
    pub const fn application(self) -> Privilege {
        match self {
            Self::Password => Privilege::ApplyPasswordPolicy,
            Self::Session => Privilege::ApplySessionPolicy,
            Self::Authentication => Privilege::ApplyAuthenticationPolicy,
        }
    }
}

#[derive(Clone, Debug)]
pub enum LoginPolicyCommand {
    Create {
        kind: LoginPolicyKind,
        name: ObjectName,
        mode: CreateMode,
        properties: Vec<Property>,
    },
    Alter {
        kind: LoginPolicyKind,
        name: ObjectName,
        if_missing: IfMissing,
        change: LoginPolicyChange,
    },
    Drop {
        kind: LoginPolicyKind,
        name: ObjectName,
        if_missing: IfMissing,
    },
    /// `ALTER ACCOUNT | USER … SET PASSWORD POLICY p`.
    Attach {
        kind: LoginPolicyKind,
        holder: PolicyHolder,
        policy: ObjectName,
        replacing: Replacing,
    },
    /// `ALTER ACCOUNT | USER … UNSET PASSWORD POLICY`.
    Detach {
        kind: LoginPolicyKind,
        holder: PolicyHolder,
    },
}

#[derive(Clone, Debug)]
pub enum LoginPolicyChange {
    Rename(ObjectName),
    Set(Vec<Property>),
    Unset(Vec<String>),
}

/// What a policy is set on.
#[derive(Clone, Debug)]
pub enum PolicyHolder {
    Account,
    User { name: String, if_missing: IfMissing },
}

/// Whether a policy takes the place of another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Replacing {
    Refused,
    /// FORCE.
    Forced,
}
