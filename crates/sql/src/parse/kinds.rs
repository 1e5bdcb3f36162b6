//! The kinds of objects that CREATE, ALTER, DROP, DESCRIBE, COMMENT ON and GRANT OWNERSHIP name.

use super::Reader;
use crate::command::{LoginPolicyKind, ObjectKind};

const KINDS: [(&str, ObjectKind); 20] = [
    ("DATABASE", ObjectKind::Database),
    ("SCHEMA", ObjectKind::Schema),
    ("TABLE", ObjectKind::Table),
    ("VIEW", ObjectKind::View),
    ("MATERIALIZED VIEW", ObjectKind::View),
    ("SEMANTIC VIEW", ObjectKind::SemanticView),
    ("SEQUENCE", ObjectKind::Sequence),
    ("STAGE", ObjectKind::Stage),
    ("FILE FORMAT", ObjectKind::FileFormat),
    ("USER", ObjectKind::User),
    ("ROLE", ObjectKind::Role),
    ("WAREHOUSE", ObjectKind::Warehouse),
    ("SECURITY INTEGRATION", ObjectKind::Integration),
    ("CATALOG INTEGRATION", ObjectKind::Integration),
    ("INTEGRATION", ObjectKind::Integration),
    ("NETWORK POLICY", ObjectKind::NetworkPolicy),
    ("RESOURCE MONITOR", ObjectKind::ResourceMonitor),
    ("PASSWORD POLICY", ObjectKind::LoginPolicy(LoginPolicyKind::Password)),
    ("SESSION POLICY", ObjectKind::LoginPolicy(LoginPolicyKind::Session)),
    ("AUTHENTICATION POLICY", ObjectKind::LoginPolicy(LoginPolicyKind::Authentication)),
];

/// Eats the kind that comes next; `None` when it is one that firn does not have.
pub(super) fn read(reader: &mut Reader<'_>) -> Option<ObjectKind> {
    if reader.at("DATABASE ROLE") {
        return None;
    }
    KINDS.iter().find(|(words, _)| reader.eat(words)).map(|(_, kind)| *kind)
}

/// As a statement writes it.
pub(super) fn words(kind: ObjectKind) -> &'static str {
    KINDS.iter().find(|(_, known)| *known == kind).map_or("OBJECT", |(words, _)| words)
}
