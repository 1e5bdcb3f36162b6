//! Statements the dialect knows and firn does not offer, and those of engines: refused by name.

use super::Reader;
use crate::Failure;

/// First words of commands that move files between a client and a stage.
const NOT_OVER_THE_API: [&str; 2] = ["PUT", "GET"];

const UNSUPPORTED: [&str; 26] = [
    "ANALYZE",
    "ATTACH",
    "CHECKPOINT",
    "CLOSE",
    "DEALLOCATE",
    "DETACH",
    "EXPORT",
    "FETCH",
    "FORCE",
    "FROM",
    "IMPORT",
    "INSTALL",
    "LET",
    "LOAD",
    "LOCK",
    "OPEN",
    "PIVOT",
    "PRAGMA",
    "PREPARE",
    "RESET",
    "RETURN",
    "SUMMARIZE",
    "UNLOAD",
    "UNPIVOT",
    "UPDATE_EXTENSIONS",
    "VACUUM",
];

/// Words that begin the name of a kind of object.
const KINDS: [&str; 56] = [
    "ACCOUNT",
    "ACCOUNTS",
    "AGGREGATE",
    "AGGREGATION",
    "ALERT",
    "ALERTS",
    "API",
    "APPLICATION",
    "AUTHENTICATION",
    "CATALOG",
    "CHANNELS",
    "COLUMN",
    "COMPUTE",
    "CONNECTION",
    "CORTEX",
    "DATASET",
    "DELEGATED",
    "DYNAMIC",
    "EVENT",
    "EXPORTED",
    "EXTERNAL",
    "FAILOVER",
    "FILE",
    "FUNCTION",
    "FUNCTIONS",
    "FUTURE",
    "GIT",
    "ICEBERG",
    "IMAGE",
    "INDEX",
    "INTEGRATION",
    "JOIN",
    "LISTING",
    "LOCKS",
    "MACRO",
    "MANAGED",
    "MASKING",
    "MODEL",
    "NETWORK",
    "NOTEBOOK",
    "NOTIFICATION",
    "ORGANIZATION",
    "PACKAGES",
    "PASSWORD",
    "PIPE",
    "PROCEDURE",
    "PROCEDURES",
    "REPLICATION",
    "RESOURCE",
    "RESULT",
    "ROW",
    "SECRET",
    "SEMANTIC",
    "SERVICE",
    "SESSION",
    "STORAGE",
];

const MORE_KINDS: [&str; 73] = [
    "AGENT",
    "AGENTS",
    "APPLICATIONS",
    "AVAILABLE",
    "BACKUP",
    "BUDGET",
    "BUILTIN",
    "CATALOGS",
    "CLASSES",
    "CONNECTIONS",
    "CONTACT",
    "CONTACTS",
    "DATA",
    "DATABASE",
    "DATASETS",
    "DBT",
    "EMAIL",
    "ENDPOINTS",
    "EXPERIMENT",
    "EXPERIMENTS",
    "EXTENSION",
    "FEATURE",
    "FORECAST",
    "GATEWAY",
    "GATEWAYS",
    "HYBRID",
    "INDEXES",
    "INTERACTIVE",
    "LISTINGS",
    "MCP",
    "MODELS",
    "NOTEBOOKS",
    "ONLINE",
    "OPENFLOW",
    "PACKAGE",
    "PIPES",
    "POLICY",
    "POSTGRES",
    "PRIVACY",
    "PRIVILEGES",
    "PROJECTION",
    "PROVISIONED",
    "REFERENCES",
    "REGIONS",
    "REPOSITORIES",
    "RULE",
    "SEARCH",
    "SECRETS",
    "SERVICES",
    "SESSIONS",
    "SHARE",
    "SHARES",
    "SNAPSHOT",
    "SNAPSHOTS",
    "SNOWFLAKE",
    "STREAM",
    "STREAMLIT",
    "STREAMLITS",
    "STREAMS",
    "SYSTEM",
    "TABLESPACE",
    "TAG",
    "TAGS",
    "TASK",
    "TASKS",
    "TRANSACTION",
    "TRIGGER",
    "TYPE",
    "TYPES",
    "USER",
    "VERSIONS",
    "WORKSPACE",
    "WORKSPACES",
];

pub(super) fn statement(word: &str) -> Option<Failure> {
    if NOT_OVER_THE_API.contains(&word) {
        let carried = format!("{word}; `firn stage {}` carries files", word.to_ascii_lowercase());
        return Some(Failure::not_over_the_api(&carried));
    }
    UNSUPPORTED.contains(&word).then(|| Failure::unsupported(word))
}

/// `CREATE OR ALTER kind`; the reader stands before the kind.
pub(super) fn or_alter(reader: &Reader<'_>) -> Failure {
    match reader.word() {
        Some(kind) => Failure::unsupported(&format!("CREATE OR ALTER {}", with_second_word(reader, kind))),
        None => reader.unexpected(),
    }
}

/// The reader stands before the kind of object that `verb` was to act on.
pub(super) fn kind(reader: &Reader<'_>, verb: &str) -> Failure {
    match reader.word() {
        Some(first) if KINDS.contains(&first.as_str()) || MORE_KINDS.contains(&first.as_str()) => {
            Failure::unsupported(&format!("{verb} {}", with_second_word(reader, first)))
        }
        _ => reader.unexpected(),
    }
}

/// Kinds of two words are told whole: `FILE FORMAT`, `MASKING POLICY`.
fn with_second_word(reader: &Reader<'_>, first: String) -> String {
    const SECOND: [&str; 21] = [
        "ACCESS",
        "FORMAT",
        "FORMATS",
        "FUNCTION",
        "GROUP",
        "INTEGRATION",
        "INTEGRATIONS",
        "KEYS",
        "MONITOR",
        "MONITORS",
        "POLICIES",
        "POLICY",
        "POOL",
        "PROCEDURE",
        "REPOSITORY",
        "ROLE",
        "RULE",
        "TABLE",
        "TABLES",
        "VIEW",
        "VIEWS",
    ];
    match reader.nth_word(1) {
        Some(second) if SECOND.contains(&second.as_str()) => format!("{first} {second}"),
        _ => first,
    }
}
