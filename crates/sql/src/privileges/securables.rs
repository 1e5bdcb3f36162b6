//! The kinds of objects that privileges are granted on.

use super::Privilege;

/// A kind that firn has. Kinds of other services are in `unsupported::OBJECTS`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum SecurableKind {
    Account,
    User,
    Role,
    DatabaseRole,
    Warehouse,
    ResourceMonitor,
    NetworkPolicy,
    Integration,
    Database,
    Schema,
    Table,
    View,
    SemanticView,
    Sequence,
    Stage,
    FileFormat,
    Function,
    Procedure,
    MaskingPolicy,
    RowAccessPolicy,
    PasswordPolicy,
    SessionPolicy,
    AuthenticationPolicy,
    Tag,
}

/// Privileges to make objects in a schema; those of services that firn does not have are granted and never needed.
const CREATE_IN_SCHEMA: &[Privilege] = &[
    Privilege::CreateAggregationPolicy,
    Privilege::CreateAlert,
    Privilege::CreateAuthenticationPolicy,
    Privilege::CreateCortexSearchService,
    Privilege::CreateDynamicTable,
    Privilege::CreateEventTable,
    Privilege::CreateExternalTable,
    Privilege::CreateFileFormat,
    Privilege::CreateFunction,
    Privilege::CreateGitRepository,
    Privilege::CreateHybridTable,
    Privilege::CreateIcebergTable,
    Privilege::CreateImageRepository,
    Privilege::CreateMaskingPolicy,
    Privilege::CreateMaterializedView,
    Privilege::CreateModel,
    Privilege::CreateNetworkRule,
    Privilege::CreateNotebook,
    Privilege::CreatePasswordPolicy,
    Privilege::CreatePipe,
    Privilege::CreateProcedure,
    Privilege::CreateProjectionPolicy,
    Privilege::CreateRowAccessPolicy,
    Privilege::CreateSecret,
    Privilege::CreateSemanticView,
    Privilege::CreateSequence,
    Privilege::CreateService,
    Privilege::CreateSessionPolicy,
    Privilege::CreateStage,
    Privilege::CreateStream,
    Privilege::CreateStreamlit,
    Privilege::CreateTable,
    Privilege::CreateTag,
    Privilege::CreateTask,
    Privilege::CreateTemporaryTable,
    Privilege::CreateView,
    Privilege::AddSearchOptimization,
    Privilege::ApplyBudget,
    Privilege::Modify,
    Privilege::Monitor,
    Privilege::Usage,
];

const ON_ACCOUNT: &[Privilege] = &[
    Privilege::ApplyAggregationPolicy,
    Privilege::ApplyAuthenticationPolicy,
    Privilege::ApplyMaskingPolicy,
    Privilege::ApplyPasswordPolicy,
    Privilege::ApplyProjectionPolicy,
    Privilege::ApplyRowAccessPolicy,
    Privilege::ApplySessionPolicy,
    Privilege::ApplyTag,
    Privilege::AttachPolicy,
    Privilege::Audit,
    Privilege::CreateAccount,
    Privilege::CreateApplication,
    Privilege::CreateApplicationPackage,
    Privilege::CreateComputePool,
    Privilege::CreateDatabase,
    Privilege::CreateDataExchangeListing,
    Privilege::CreateExternalVolume,
    Privilege::CreateFailoverGroup,
    Privilege::CreateIntegration,
    Privilege::CreateNetworkPolicy,
    Privilege::CreateReplicationGroup,
    Privilege::CreateRole,
    Privilege::CreateShare,
    Privilege::CreateUser,
    Privilege::CreateWarehouse,
    Privilege::ExecuteAlert,
    Privilege::ExecuteManagedAlert,
    Privilege::ExecuteManagedTask,
    Privilege::ExecuteTask,
    Privilege::ImportShare,
    Privilege::ManageGrants,
    Privilege::ManageWarehouses,
    Privilege::Modify,
    Privilege::Monitor,
    Privilege::MonitorExecution,
    Privilege::MonitorSecurity,
    Privilege::MonitorUsage,
    Privilege::OverrideShareRestrictions,
    Privilege::ResolveAll,
];

const ON_TABLE: &[Privilege] = &[
    Privilege::ApplyBudget,
    Privilege::Delete,
    Privilege::EvolveSchema,
    Privilege::Insert,
    Privilege::Rebuild,
    Privilege::References,
    Privilege::Select,
    Privilege::Truncate,
    Privilege::Update,
];

const ON_DATABASE: &[Privilege] = &[
    Privilege::ApplyBudget,
    Privilege::CreateDatabaseRole,
    Privilege::CreateSchema,
    Privilege::ImportedPrivileges,
    Privilege::Modify,
    Privilege::Monitor,
    Privilege::ReferenceUsage,
    Privilege::Usage,
];

impl SecurableKind {
    pub const EVERY: &'static [Self] = &[
        Self::Account,
        Self::User,
        Self::Role,
        Self::DatabaseRole,
        Self::Warehouse,
        Self::ResourceMonitor,
        Self::NetworkPolicy,
        Self::Integration,
        Self::Database,
        Self::Schema,
        Self::Table,
        Self::View,
        Self::SemanticView,
        Self::Sequence,
        Self::Stage,
        Self::FileFormat,
        Self::Function,
        Self::Procedure,
        Self::MaskingPolicy,
        Self::RowAccessPolicy,
        Self::PasswordPolicy,
        Self::SessionPolicy,
        Self::AuthenticationPolicy,
        Self::Tag,
    ];

    /// As a statement writes one of it.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Account => "ACCOUNT",
            Self::User => "USER",
            Self::Role => "ROLE",
            Self::DatabaseRole => "DATABASE ROLE",
            Self::Warehouse => "WAREHOUSE",
            Self::ResourceMonitor => "RESOURCE MONITOR",
            Self::NetworkPolicy => "NETWORK POLICY",
            Self::Integration => "INTEGRATION",
            Self::Database => "DATABASE",
            Self::Schema => "SCHEMA",
            Self::Table => "TABLE",
            Self::View => "VIEW",
            Self::SemanticView => "SEMANTIC VIEW",
            Self::Sequence => "SEQUENCE",
            Self::Stage => "STAGE",
            Self::FileFormat => "FILE FORMAT",
            Self::Function => "FUNCTION",
            Self::Procedure => "PROCEDURE",
            Self::MaskingPolicy => "MASKING POLICY",
            Self::RowAccessPolicy => "ROW ACCESS POLICY",
            Self::PasswordPolicy => "PASSWORD POLICY",
            Self::SessionPolicy => "SESSION POLICY",
            Self::AuthenticationPolicy => "AUTHENTICATION POLICY",
            Self::Tag => "TAG",
        }
    }

    /// As SHOW GRANTS and the state file write it: words joined by underscores.
    pub fn label(self) -> String {
        self.words().replace(' ', "_")
    }

    pub fn of_label(label: &str) -> Option<Self> {
        Self::EVERY.iter().copied().find(|kind| kind.label() == label)
    }

    /// What ALL PRIVILEGES grants on one of it.
    pub const fn privileges(self) -> &'static [Privilege] {
        match self {
            Self::Account => ON_ACCOUNT,
            Self::User => &[Privilege::ModifyProgrammaticAuthenticationMethods, Privilege::Monitor],
            // Roles are granted themselves; a network policy has its ownership alone.
            Self::Role | Self::DatabaseRole | Self::NetworkPolicy => &[],
            Self::FileFormat | Self::Sequence | Self::Function | Self::Procedure => &[Privilege::Usage],
            Self::MaskingPolicy
            | Self::RowAccessPolicy
            | Self::PasswordPolicy
            | Self::SessionPolicy
            | Self::AuthenticationPolicy
            | Self::Tag => &[Privilege::Apply],
            Self::Warehouse => {
                &[Privilege::ApplyBudget, Privilege::Modify, Privilege::Monitor, Privilege::Operate, Privilege::Usage]
            }
            Self::ResourceMonitor => &[Privilege::Modify, Privilege::Monitor],
            Self::Integration => &[Privilege::Usage, Privilege::UseAnyRole],
            Self::Database => ON_DATABASE,
            Self::Schema => CREATE_IN_SCHEMA,
            Self::Table => ON_TABLE,
            Self::View => &[Privilege::References, Privilege::Select],
            Self::SemanticView => &[Privilege::Monitor, Privilege::References, Privilege::Select],
            Self::Stage => &[Privilege::Read, Privilege::Usage, Privilege::Write],
        }
    }

    /// Whether its objects are in a schema.
    pub const fn is_in_schema(self) -> bool {
        matches!(
            self,
            Self::Table
                | Self::View
                | Self::SemanticView
                | Self::Sequence
                | Self::Stage
                | Self::FileFormat
                | Self::Function
                | Self::Procedure
                | Self::MaskingPolicy
                | Self::RowAccessPolicy
                | Self::PasswordPolicy
                | Self::SessionPolicy
                | Self::AuthenticationPolicy
                | Self::Tag
        )
    }
}
