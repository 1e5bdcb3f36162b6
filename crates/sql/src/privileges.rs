//! The privileges of the dialect, the kinds of objects they are granted on, and which of them each kind has.

mod securables;

pub use securables::SecurableKind;

/// Declares the privileges with their words.
macro_rules! privileges {
    ($($name:ident $words:literal,)*) => {
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Privilege { $($name,)* }

        impl Privilege {
            pub const EVERY: &'static [Self] = &[$(Self::$name,)*];

            /// As a statement writes it.
            pub const fn words(self) -> &'static str {
                match self { $(Self::$name => $words,)* }
            }
        }
    };
}

privileges! {
    Ownership "OWNERSHIP",
    AddSearchOptimization "ADD SEARCH OPTIMIZATION",
    Apply "APPLY",
    ApplyAggregationPolicy "APPLY AGGREGATION POLICY",
    ApplyAuthenticationPolicy "APPLY AUTHENTICATION POLICY",
    ApplyBudget "APPLYBUDGET",
    ApplyMaskingPolicy "APPLY MASKING POLICY",
    ApplyPasswordPolicy "APPLY PASSWORD POLICY",
    ApplyProjectionPolicy "APPLY PROJECTION POLICY",
    ApplyRowAccessPolicy "APPLY ROW ACCESS POLICY",
    ApplySessionPolicy "APPLY SESSION POLICY",
    ApplyTag "APPLY TAG",
    AttachPolicy "ATTACH POLICY",
    Audit "AUDIT",
    CreateAccount "CREATE ACCOUNT",
    CreateAggregationPolicy "CREATE AGGREGATION POLICY",
    CreateAlert "CREATE ALERT",
    CreateApplication "CREATE APPLICATION",
    CreateApplicationPackage "CREATE APPLICATION PACKAGE",
    CreateAuthenticationPolicy "CREATE AUTHENTICATION POLICY",
    CreateComputePool "CREATE COMPUTE POOL",
    CreateCortexSearchService "CREATE CORTEX SEARCH SERVICE",
    CreateDatabase "CREATE DATABASE",
    CreateDatabaseRole "CREATE DATABASE ROLE",
    CreateDataExchangeListing "CREATE DATA EXCHANGE LISTING",
    CreateDynamicTable "CREATE DYNAMIC TABLE",
    CreateEventTable "CREATE EVENT TABLE",
    CreateExternalTable "CREATE EXTERNAL TABLE",
    CreateExternalVolume "CREATE EXTERNAL VOLUME",
    CreateFailoverGroup "CREATE FAILOVER GROUP",
    CreateFileFormat "CREATE FILE FORMAT",
    CreateFunction "CREATE FUNCTION",
    CreateGitRepository "CREATE GIT REPOSITORY",
    CreateHybridTable "CREATE HYBRID TABLE",
    CreateIcebergTable "CREATE ICEBERG TABLE",
    CreateImageRepository "CREATE IMAGE REPOSITORY",
    CreateIntegration "CREATE INTEGRATION",
    CreateMaskingPolicy "CREATE MASKING POLICY",
    CreateMaterializedView "CREATE MATERIALIZED VIEW",
    CreateModel "CREATE MODEL",
    CreateNetworkPolicy "CREATE NETWORK POLICY",
    CreateNetworkRule "CREATE NETWORK RULE",
    CreateNotebook "CREATE NOTEBOOK",
    CreatePasswordPolicy "CREATE PASSWORD POLICY",
    CreatePipe "CREATE PIPE",
    CreateProcedure "CREATE PROCEDURE",
    CreateProjectionPolicy "CREATE PROJECTION POLICY",
    CreateReplicationGroup "CREATE REPLICATION GROUP",
    CreateRole "CREATE ROLE",
    CreateRowAccessPolicy "CREATE ROW ACCESS POLICY",
    CreateSchema "CREATE SCHEMA",
    CreateSecret "CREATE SECRET",
    CreateSemanticView "CREATE SEMANTIC VIEW",
    CreateSequence "CREATE SEQUENCE",
    CreateService "CREATE SERVICE",
    CreateSessionPolicy "CREATE SESSION POLICY",
    CreateShare "CREATE SHARE",
    CreateStage "CREATE STAGE",
    CreateStream "CREATE STREAM",
    CreateStreamlit "CREATE STREAMLIT",
    CreateTable "CREATE TABLE",
    CreateTag "CREATE TAG",
    CreateTask "CREATE TASK",
    CreateTemporaryTable "CREATE TEMPORARY TABLE",
    CreateUser "CREATE USER",
    CreateView "CREATE VIEW",
    CreateWarehouse "CREATE WAREHOUSE",
    Delete "DELETE",
    EvolveSchema "EVOLVE SCHEMA",
    ExecuteAlert "EXECUTE ALERT",
    ExecuteManagedAlert "EXECUTE MANAGED ALERT",
    ExecuteManagedTask "EXECUTE MANAGED TASK",
    ExecuteTask "EXECUTE TASK",
    ImportedPrivileges "IMPORTED PRIVILEGES",
    ImportShare "IMPORT SHARE",
    Insert "INSERT",
    ManageGrants "MANAGE GRANTS",
    ManageWarehouses "MANAGE WAREHOUSES",
    Modify "MODIFY",
    ModifyProgrammaticAuthenticationMethods "MODIFY PROGRAMMATIC AUTHENTICATION METHODS",
    Monitor "MONITOR",
    MonitorExecution "MONITOR EXECUTION",
    MonitorSecurity "MONITOR SECURITY",
    MonitorUsage "MONITOR USAGE",
    Operate "OPERATE",
    OverrideShareRestrictions "OVERRIDE SHARE RESTRICTIONS",
    Read "READ",
    Rebuild "REBUILD",
    References "REFERENCES",
    ReferenceUsage "REFERENCE_USAGE",
    ResolveAll "RESOLVE ALL",
    Select "SELECT",
    Truncate "TRUNCATE",
    Update "UPDATE",
    Usage "USAGE",
    UseAnyRole "USE_ANY_ROLE",
    Write "WRITE",
}

impl Privilege {
    /// The privilege of these words in upper case, each separated by one space.
    pub fn of_words(words: &str) -> Option<Self> {
        Self::EVERY.iter().copied().find(|privilege| privilege.words() == words)
    }
}

/// A set of privileges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PrivilegeSet(u128);

impl PrivilegeSet {
    pub const NONE: Self = Self(0);
    pub const EVERY: Self = Self(u128::MAX);

    #[must_use]
    pub const fn with(self, privilege: Privilege) -> Self {
        Self(self.0 | 1 << privilege as u8)
    }

    #[must_use]
    pub const fn union(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }

    #[must_use]
    pub const fn contains(self, privilege: Privilege) -> bool {
        self.0 & (1 << privilege as u8) != 0
    }

    #[must_use]
    pub const fn contains_all(self, wanted: Self) -> bool {
        self.0 & wanted.0 == wanted.0
    }

    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<Privilege> for PrivilegeSet {
    fn from_iter<I: IntoIterator<Item = Privilege>>(privileges: I) -> Self {
        privileges.into_iter().fold(Self::NONE, Self::with)
    }
}

const _: () = assert!(Privilege::EVERY.len() <= 128, "a set has 128 bits");

#[cfg(test)]
mod tests {
    use super::{Privilege, PrivilegeSet, SecurableKind};

    #[test]
    fn words_name_one_privilege() {
        for privilege in Privilege::EVERY {
            assert_eq!(Privilege::of_words(privilege.words()), Some(*privilege));
        }
        assert_eq!(Privilege::of_words("FLY"), None);
    }

    #[test]
    fn sets_hold_what_was_put_in() {
        let set: PrivilegeSet = [Privilege::Select, Privilege::Write].into_iter().collect();
        assert!(set.contains(Privilege::Select) && set.contains(Privilege::Write) && !set.contains(Privilege::Usage));
        assert!(set.contains_all(PrivilegeSet::NONE.with(Privilege::Select)));
        assert!(!set.contains_all(set.with(Privilege::Usage)));
        assert!(PrivilegeSet::NONE.is_empty() && !set.is_empty());
    }

    #[test]
    fn every_kind_has_privileges_but_never_ownership_among_all() {
        for kind in SecurableKind::EVERY {
            let privileges = kind.privileges();
            assert!(!privileges.contains(&Privilege::Ownership), "{}", kind.words());
            use SecurableKind::{DatabaseRole, NetworkPolicy, Role};
            let has_owner_alone = matches!(kind, Role | DatabaseRole | NetworkPolicy);
            assert_eq!(privileges.is_empty(), has_owner_alone, "{}", kind.words());
        }
    }
}
