//! SHOW of every kind of object.

use sqlparser::tokenizer::Token;

use super::{Reader, grants, refused};
use crate::Failure;
use crate::command::{
    Command, GrantScope, GrantedKind, ListedFunctions, LoginPolicyKind, ObjectKind, Scope, SemanticScope, Show,
};
use crate::names::SchemaName;
use crate::semantic_views::{MetricName, SemanticItemKind};
use crate::unsupported::SHOWN;

const KINDS: [(&str, ObjectKind); 47] = [
    ("BUILTIN FUNCTIONS", ObjectKind::Function),
    ("USER FUNCTIONS", ObjectKind::Function),
    ("FUNCTIONS", ObjectKind::Function),
    ("USER PROCEDURES", ObjectKind::Procedure),
    ("PROCEDURES", ObjectKind::Procedure),
    ("MASKING POLICIES", ObjectKind::MaskingPolicy),
    ("ROW ACCESS POLICIES", ObjectKind::RowAccessPolicy),
    ("TAGS", ObjectKind::Tag),
    ("DATABASES", ObjectKind::Database),
    ("SCHEMAS", ObjectKind::Schema),
    ("TABLES", ObjectKind::Table),
    ("SEMANTIC VIEWS", ObjectKind::SemanticView),
    ("MATERIALIZED VIEWS", ObjectKind::MaterializedView),
    ("SEMANTIC DIMENSIONS", ObjectKind::SemanticItem(SemanticItemKind::Dimension)),
    ("SEMANTIC FACTS", ObjectKind::SemanticItem(SemanticItemKind::Fact)),
    ("SEMANTIC METRICS", ObjectKind::SemanticItem(SemanticItemKind::Metric)),
    ("VIEWS", ObjectKind::View),
    ("OBJECTS", ObjectKind::Object),
    ("COLUMNS", ObjectKind::Column),
    ("SEQUENCES", ObjectKind::Sequence),
    ("STAGES", ObjectKind::Stage),
    ("FILE FORMATS", ObjectKind::FileFormat),
    ("USERS", ObjectKind::User),
    ("ROLES", ObjectKind::Role),
    ("WAREHOUSES", ObjectKind::Warehouse),
    ("SECURITY INTEGRATIONS", ObjectKind::Integration),
    ("CATALOG INTEGRATIONS", ObjectKind::Integration),
    ("INTEGRATIONS", ObjectKind::Integration),
    ("NETWORK POLICIES", ObjectKind::NetworkPolicy),
    ("RESOURCE MONITORS", ObjectKind::ResourceMonitor),
    ("PASSWORD POLICIES", ObjectKind::LoginPolicy(LoginPolicyKind::Password)),
    ("SESSION POLICIES", ObjectKind::LoginPolicy(LoginPolicyKind::Session)),
    ("AUTHENTICATION POLICIES", ObjectKind::LoginPolicy(LoginPolicyKind::Authentication)),
    ("USER PROGRAMMATIC ACCESS TOKENS", ObjectKind::AccessToken),
    ("USER PATS", ObjectKind::AccessToken),
    ("PARAMETERS", ObjectKind::Parameter),
    ("GRANTS", ObjectKind::Grant),
    ("FUTURE GRANTS", ObjectKind::FutureGrant),
    ("DATABASE ROLES", ObjectKind::DatabaseRole),
    ("PRIMARY KEYS", ObjectKind::PrimaryKey),
    ("IMPORTED KEYS", ObjectKind::ImportedKey),
    ("EXPORTED KEYS", ObjectKind::ExportedKey),
    ("UNIQUE KEYS", ObjectKind::UniqueKey),
    ("ANALYST FEEDBACK", ObjectKind::AnalystFeedback),
    ("TRANSACTIONS", ObjectKind::Transaction),
    ("LOCKS", ObjectKind::Lock),
    ("SESSIONS", ObjectKind::Session),
];

pub(super) fn read(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("SHOW")?;
    let terse = reader.eat("TERSE");
    let functions = match () {
        () if reader.at("USER FUNCTIONS") => ListedFunctions::OfUsers,
        () if reader.at("BUILTIN FUNCTIONS") => ListedFunctions::BuiltIn,
        () => ListedFunctions::All,
    };
    let kind = kind(reader)?;
    let mut show = Show {
        kind,
        functions,
        terse,
        history: false,
        like: None,
        scope: Scope::Session,
        starts_with: None,
        limit: None,
        from: None,
    };
    show.history = reader.eat("HISTORY");
    if reader.eat("LIKE") {
        show.like = Some(reader.string()?);
    }
    match kind {
        ObjectKind::Grant => show.scope = grants_scope(reader)?,
        ObjectKind::FutureGrant => show.scope = future_grants_scope(reader)?,
        ObjectKind::AccessToken if reader.eat("FOR USER") => show.scope = Scope::User(reader.account_name()?),
        ObjectKind::Parameter if reader.eat("FOR") || reader.eat("IN") => show.scope = parameters_scope(reader)?,
        _ if reader.eat("IN") => show.scope = scope(reader, kind)?,
        _ => {}
    }
    if show.like.is_none() && reader.eat("LIKE") {
        show.like = Some(reader.string()?);
    }
    if reader.eat("STARTS WITH") {
        show.starts_with = Some(reader.string()?);
    }
    if kind == ObjectKind::Unsupported("TASKS") {
        reader.eat("ROOT ONLY");
    }
    if reader.eat("LIMIT") {
        let place = reader.place();
        show.limit = Some(u64::try_from(reader.integer()?).map_err(|_| reader.unexpected_at(place))?);
        if reader.eat("FROM") {
            show.from = Some(reader.string()?);
        }
    }
    Ok(Command::Show(show))
}

fn kind(reader: &mut Reader<'_>) -> Result<ObjectKind, Failure> {
    if let Some((_, kind)) = KINDS.iter().find(|(words, _)| reader.eat(words)) {
        return Ok(*kind);
    }
    if reader.eat("VARIABLES") {
        return Ok(ObjectKind::Variable);
    }
    if let Some((words, _)) = SHOWN.iter().find(|(words, _)| reader.eat(words)) {
        return Ok(ObjectKind::Unsupported(words));
    }
    Err(refused::kind(reader, "SHOW"))
}

fn scope(reader: &mut Reader<'_>, kind: ObjectKind) -> Result<Scope, Failure> {
    if reader.eat("ACCOUNT") {
        return Ok(Scope::Account);
    }
    if reader.eat("DATABASE") {
        let name = if name_follows(reader) { reader.account_name()? } else { String::new() };
        return Ok(Scope::Database(name));
    }
    if reader.eat("SCHEMA") {
        let current = SchemaName { database: None, schema: String::new() };
        return Ok(Scope::Schema(if name_follows(reader) { reader.schema_name()? } else { current }));
    }
    if reader.eat("TABLE") || reader.eat("VIEW") {
        return Ok(Scope::Object(reader.object_name()?));
    }
    match kind {
        ObjectKind::SemanticItem(kind) => {
            reader.eat("SEMANTIC VIEW");
            let name = reader.object_name()?;
            let metric = match kind {
                SemanticItemKind::Dimension if reader.eat("FOR METRIC") => Some(metric_name(reader)?),
                _ => None,
            };
            Ok(Scope::SemanticView(Box::new(SemanticScope { name, metric })))
        }
        ObjectKind::Schema | ObjectKind::DatabaseRole => Ok(Scope::Database(reader.account_name()?)),
        ObjectKind::Column
        | ObjectKind::PrimaryKey
        | ObjectKind::ImportedKey
        | ObjectKind::ExportedKey
        | ObjectKind::UniqueKey => Ok(Scope::Object(reader.object_name()?)),
        _ => Ok(match reader.schema_name()? {
            SchemaName { database: None, schema } => Scope::SchemaOrDatabase(schema),
            name => Scope::Schema(name),
        }),
    }
}

fn metric_name(reader: &mut Reader<'_>) -> Result<MetricName, Failure> {
    let first = reader.identifier()?;
    Ok(match reader.eat_token(&Token::Period) {
        true => MetricName { table: Some(first), name: reader.identifier()? },
        false => MetricName { table: None, name: first },
    })
}

/// `IN DATABASE` and `IN SCHEMA` alone mean the session's own.
fn name_follows(reader: &Reader<'_>) -> bool {
    !reader.at_end() && !["LIKE", "STARTS WITH", "LIMIT"].iter().any(|words| reader.at(words))
}

fn grants_scope(reader: &mut Reader<'_>) -> Result<Scope, Failure> {
    Ok(Scope::Grants(Box::new(grant_scope(reader)?)))
}

fn grant_scope(reader: &mut Reader<'_>) -> Result<GrantScope, Failure> {
    if reader.at_end() || reader.at("LIMIT") {
        return Ok(GrantScope::OfCaller);
    }
    if reader.eat("TO") {
        return Ok(GrantScope::To(grants::grantee(reader)?));
    }
    match reader.eat_one_of(&["OF DATABASE ROLE", "OF ROLE", "ON ACCOUNT", "ON"]) {
        Some("OF DATABASE ROLE") => Ok(GrantScope::OfDatabaseRole(reader.database_role_name()?)),
        Some("OF ROLE") => Ok(GrantScope::OfRole(reader.account_name()?)),
        Some("ON ACCOUNT") => Ok(GrantScope::OnAccount),
        Some(_) => granted_object(reader),
        None if reader.at("OF") || reader.at("IN") => Err(Failure::unsupported("SHOW GRANTS of shares")),
        None => Err(reader.unexpected()),
    }
}

fn granted_object(reader: &mut Reader<'_>) -> Result<GrantScope, Failure> {
    let kind = grants::granted_kind(reader);
    if let GrantedKind::Unsupported(words) = kind {
        return Err(Failure::unsupported(&format!("SHOW GRANTS ON {words}")));
    }
    Ok(GrantScope::On { kind, name: grants::granted_name(reader, kind)? })
}

/// `SHOW FUTURE GRANTS IN … | TO …`.
fn future_grants_scope(reader: &mut Reader<'_>) -> Result<Scope, Failure> {
    let scope = match reader.eat("IN") {
        true => GrantScope::FutureIn(grants::container(reader)?),
        false => {
            reader.expect("TO")?;
            GrantScope::FutureTo(grants::grantee(reader)?)
        }
    };
    Ok(Scope::Grants(Box::new(scope)))
}

fn parameters_scope(reader: &mut Reader<'_>) -> Result<Scope, Failure> {
    match reader.eat_one_of(&["ACCOUNT", "SESSION", "USER", "WAREHOUSE", "DATABASE", "SCHEMA", "TABLE"]) {
        Some("ACCOUNT") => Ok(Scope::Account),
        Some("SESSION") => Ok(Scope::Session),
        Some("USER") => Ok(Scope::User(if name_follows(reader) { reader.account_name()? } else { String::new() })),
        Some("WAREHOUSE") => Ok(Scope::Warehouse(reader.account_name()?)),
        Some(kind) => Err(Failure::unsupported(&format!("SHOW PARAMETERS IN {kind}"))),
        None => Err(reader.unexpected()),
    }
}
