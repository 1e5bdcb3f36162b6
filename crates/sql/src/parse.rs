//! From tokens to a classified command: one module per family of statements.

mod account;
mod alter_table;
mod catalog_integrations;
mod columns;
mod containers;
mod copy;
mod create_table;
mod describe;
mod dml;
mod external_stages;
mod grants;
mod insert_many;
mod kinds;
mod login_policies;
mod policies;
mod properties;
mod refused;
mod resource_monitors;
mod routines;
mod semantic_views;
mod sequences;
mod session;
mod show;
mod stages;
mod tags;
mod users;
mod views;

pub use copy::copy_options;
pub use routines::routine_in_text;
pub use stages::{completed_name, object_name_in_text};
pub use tags::check_allowed_values;

use sqlparser::tokenizer::Token;

use crate::Failure;
use crate::command::{
    AccountCommand, Command, CreateMode, Ddl, IfMissing, ObjectKind, OwnershipTarget, RoutineKind, TableSource,
    Transaction,
};
use crate::reader::Reader;
use crate::unsupported::OBJECTS;

pub(crate) fn command(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let command = match reader.word().as_deref() {
        None if reader.at_token(&Token::LParen) => Command::Query(reader.query()?),
        None => return Err(reader.unexpected()),
        Some("SELECT" | "WITH" | "VALUES") => Command::Query(reader.query()?),
        Some("INSERT" | "UPDATE" | "DELETE" | "MERGE" | "TRUNCATE") => dml::read(reader)?,
        Some("CREATE") => create(reader)?,
        Some("ALTER") => alter(reader)?,
        Some("DROP") => drop(reader)?,
        Some("UNDROP") => undrop(reader)?,
        Some("COMMENT") => describe::comment_on(reader)?,
        Some("SHOW") => show::read(reader)?,
        Some("DESC" | "DESCRIBE") => describe::read(reader)?,
        Some("COPY") => copy::read(reader)?,
        Some("CALL") => semantic_views::call(reader)?,
        Some("LIST" | "LS") => stages::list(reader)?,
        Some("REMOVE" | "RM") => stages::remove(reader)?,
        Some("EXPLAIN") => describe::explain(reader)?,
        Some("USE") => session::read_use(reader)?,
        Some("SET") => session::set(reader)?,
        Some("UNSET") => session::unset(reader)?,
        Some("GRANT" | "REVOKE") => grants::read(reader)?,
        Some("BEGIN" | "START" | "COMMIT" | "ROLLBACK") => transaction(reader)?,
        Some(word) => return Err(refused::statement(word).unwrap_or_else(|| reader.unexpected())),
    };
    reader.expect_end()?;
    Ok(command)
}

/// The modifiers between CREATE and the kind of object.
#[derive(Default)]
struct Modifiers {
    or_replace: bool,
    words: Vec<&'static str>,
}

impl Modifiers {
    const WORDS: [&'static str; 10] = [
        "TRANSIENT",
        "TEMPORARY",
        "TEMP",
        "VOLATILE",
        "LOCAL",
        "GLOBAL",
        "SECURE",
        "RECURSIVE",
        "HYBRID",
        "MATERIALIZED",
    ];

    fn read(reader: &mut Reader<'_>) -> Self {
        let or_replace = reader.eat("OR REPLACE");
        // The objects that end with a block of statements end with their session here.
        if reader.at("SCOPED TEMPORARY") || reader.at("SCOPED TEMP") {
            reader.advance();
        }
        let words = std::iter::from_fn(|| reader.eat_one_of(&Self::WORDS)).collect();
        Self { or_replace, words }
    }

    /// Fails on a modifier that this kind of object does not have.
    fn allow(&self, kind: &str, allowed: &[&str]) -> Result<(), Failure> {
        match self.words.iter().find(|word| !allowed.contains(word)) {
            Some(word) => Err(Failure::unsupported(&format!("CREATE {word} {kind}"))),
            None => Ok(()),
        }
    }

    /// Reads `IF NOT EXISTS`, which does not go together with `OR REPLACE`.
    fn mode(&self, reader: &mut Reader<'_>) -> Result<CreateMode, Failure> {
        let place = reader.place();
        match (self.or_replace, reader.eat("IF NOT EXISTS")) {
            (true, true) => Err(reader.unexpected_at(place)),
            (true, false) => Ok(CreateMode::OrReplace),
            (false, true) => Ok(CreateMode::IfNotExists),
            (false, false) => Ok(CreateMode::New),
        }
    }
}

fn create(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let tags = tags::take_clause(reader)?;
    tags::tagged(create_untagged(reader)?, tags)
}

fn create_untagged(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("CREATE")?;
    if reader.at("OR ALTER") {
        return create_or_alter(reader);
    }
    let modifiers = Modifiers::read(reader);
    if reader.at("INTEGRATION") {
        return Err(refused::kind(reader, "CREATE"));
    }
    if reader.eat("CATALOG INTEGRATION") {
        return catalog_integrations::create(reader, &modifiers);
    }
    if let Some(kind) = routine_kind(reader) {
        return routines::create(reader, &modifiers, kind);
    }
    if reader.eat("DATABASE ROLE") {
        return account::create_database_role(reader, &modifiers);
    }
    match kinds::read(reader) {
        Some(ObjectKind::Database) => containers::create_database(reader, &modifiers),
        Some(ObjectKind::Schema) => containers::create_schema(reader, &modifiers),
        Some(ObjectKind::Table) => create_table::read(reader, &modifiers),
        Some(ObjectKind::View) => views::create(reader, &modifiers),
        Some(ObjectKind::SemanticView) => semantic_views::create(reader, &modifiers),
        Some(ObjectKind::Sequence) => sequences::create(reader, &modifiers),
        Some(ObjectKind::Stage) => stages::create(reader, &modifiers),
        Some(ObjectKind::FileFormat) => stages::create_format(reader, &modifiers),
        Some(ObjectKind::User) => users::create(reader, &modifiers),
        Some(ObjectKind::Role) => account::create_role(reader, &modifiers),
        Some(ObjectKind::Warehouse) => account::create_warehouse(reader, &modifiers),
        Some(ObjectKind::Integration) => account::create_integration(reader, &modifiers),
        Some(ObjectKind::NetworkPolicy) => account::create_network_policy(reader, &modifiers),
        Some(ObjectKind::ResourceMonitor) => resource_monitors::create(reader, &modifiers),
        Some(ObjectKind::LoginPolicy(kind)) => login_policies::create(reader, &modifiers, kind),
        Some(kind) => Err(Failure::unsupported(&format!("CREATE {}", kinds::words(kind)))),
        None => Err(refused::kind(reader, "CREATE")),
    }
}

/// `CREATE OR ALTER TABLE` and `VIEW`; of other kinds it is refused by name.
fn create_or_alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("OR ALTER")?;
    let mut modifiers = Modifiers::read(reader);
    if reader.at("VIEW") && !modifiers.words.contains(&"MATERIALIZED") {
        reader.advance();
        modifiers.or_replace = true;
        let mut command = views::create(reader, &modifiers)?;
        if let Command::Ddl(Ddl::CreateView(view)) = &mut command {
            view.or_alter = true;
        }
        return Ok(command);
    }
    if !reader.eat("TABLE") {
        return Err(refused::or_alter(reader));
    }
    let mut command = create_table::read(reader, &modifiers)?;
    if let Command::Ddl(Ddl::CreateTable(table)) = &mut command {
        if !matches!(table.source, TableSource::Definition) {
            return Err(Failure::unsupported("CREATE OR ALTER TABLE … AS, LIKE, CLONE or USING TEMPLATE"));
        }
        if table.mode != CreateMode::New {
            return Err(Failure::unsupported("CREATE OR ALTER TABLE IF NOT EXISTS"));
        }
        table.or_alter = true;
    }
    Ok(command)
}

fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("ALTER")?;
    if let Some(command) = tags::alter_object(reader)? {
        return Ok(command);
    }
    if !reader.at("SESSION POLICY") && reader.eat("SESSION") {
        return session::alter(reader);
    }
    if reader.eat("ACCOUNT") {
        return account::alter_account(reader);
    }
    if let Some(kind) = routine_kind(reader) {
        return routines::alter(reader, kind);
    }
    if reader.eat("DATABASE ROLE") {
        return account::alter_database_role(reader);
    }
    if reader.eat("CATALOG INTEGRATION") {
        return catalog_integrations::alter(reader);
    }
    match kinds::read(reader) {
        Some(ObjectKind::Database) => containers::alter_database(reader),
        Some(ObjectKind::Schema) => containers::alter_schema(reader),
        Some(ObjectKind::Table) => alter_table::read(reader),
        Some(ObjectKind::View) => views::alter(reader),
        Some(ObjectKind::SemanticView) => semantic_views::alter(reader),
        Some(ObjectKind::Sequence) => sequences::alter(reader),
        Some(ObjectKind::Stage) => stages::alter(reader),
        Some(ObjectKind::FileFormat) => stages::alter_format(reader),
        Some(ObjectKind::User) => users::alter(reader),
        Some(ObjectKind::Role) => account::alter_role(reader),
        Some(ObjectKind::Warehouse) => account::alter_warehouse(reader),
        Some(ObjectKind::Integration) => account::alter_integration(reader),
        Some(ObjectKind::NetworkPolicy) => account::alter_network_policy(reader),
        Some(ObjectKind::ResourceMonitor) => resource_monitors::alter(reader),
        Some(ObjectKind::LoginPolicy(kind)) => login_policies::alter(reader, kind),
        Some(kind) => Err(Failure::unsupported(&format!("ALTER {}", kinds::words(kind)))),
        None => Err(refused::kind(reader, "ALTER")),
    }
}

fn drop(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("DROP")?;
    if let Some(kind) = routine_kind(reader) {
        return routines::drop(reader, kind);
    }
    if reader.eat("DATABASE ROLE") {
        return account::drop_database_role(reader);
    }
    let Some(kind) = kinds::read(reader) else { return drop_unsupported(reader) };
    let command = match kind {
        ObjectKind::Database => return containers::drop_database(reader),
        ObjectKind::Schema => return containers::drop_schema(reader),
        ObjectKind::Table | ObjectKind::View | ObjectKind::Sequence => drop_object(reader, kind)?,
        ObjectKind::SemanticView => semantic_views::drop(reader)?,
        ObjectKind::Stage => stages::drop(reader)?,
        ObjectKind::FileFormat => stages::drop_format(reader)?,
        ObjectKind::LoginPolicy(kind) => login_policies::drop(reader, kind)?,
        _ => account::drop(reader, kind)?,
    };
    reader.eat_one_of(&["CASCADE", "RESTRICT"]);
    Ok(command)
}

/// `UNDROP TABLE | SCHEMA | DATABASE | TAG name`.
fn undrop(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("UNDROP")?;
    let target = match reader.eat_one_of(&["TABLE", "SCHEMA", "DATABASE", "TAG"]) {
        Some("TAG") => {
            OwnershipTarget::Routine { kind: RoutineKind::Tag, name: reader.object_name()?, types: Vec::new() }
        }
        Some("TABLE") => OwnershipTarget::Object { kind: ObjectKind::Table, name: reader.object_name()? },
        Some("SCHEMA") => OwnershipTarget::Schema(reader.schema_name()?),
        Some(_) => OwnershipTarget::Database(reader.account_name()?),
        None => {
            let kind = reader.word().unwrap_or_default();
            return Err(Failure::unsupported(format!("UNDROP {kind}").trim_end()));
        }
    };
    if reader.at("AT") || reader.at("BEFORE") {
        return Err(Failure::unsupported("AT | BEFORE"));
    }
    Ok(Command::Ddl(Ddl::Undrop(target)))
}

fn routine_kind(reader: &mut Reader<'_>) -> Option<RoutineKind> {
    RoutineKind::EVERY.into_iter().find(|kind| reader.eat(kind.word()))
}

/// DROP IF EXISTS of a kind of object that does not exist here succeeds.
fn drop_unsupported(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    if !OBJECTS.iter().any(|kind| reader.eat(&format!("{kind} IF EXISTS"))) {
        return Err(refused::kind(reader, "DROP"));
    }
    let name = reader.name_parts()?.pop().unwrap_or_default();
    reader.eat_one_of(&["CASCADE", "RESTRICT", "FORCE"]);
    Ok(Command::Account(AccountCommand::DropUnsupported { name }))
}

fn drop_object(reader: &mut Reader<'_>, kind: ObjectKind) -> Result<Command, Failure> {
    let if_missing = if_exists(reader);
    Ok(Command::Ddl(Ddl::Drop { kind, name: reader.object_name()?, if_missing }))
}

fn if_exists(reader: &mut Reader<'_>) -> IfMissing {
    if reader.eat("IF EXISTS") { IfMissing::Skip } else { IfMissing::Fail }
}

fn transaction(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let transaction = match reader.eat_one_of(&["BEGIN", "START TRANSACTION", "COMMIT", "ROLLBACK"]) {
        Some("BEGIN") => {
            reader.eat_one_of(&["WORK", "TRANSACTION"]);
            begin_name(reader)?;
            Transaction::Begin
        }
        Some("START TRANSACTION") => {
            begin_name(reader)?;
            Transaction::Begin
        }
        Some("COMMIT") => {
            reader.eat("WORK");
            Transaction::Commit
        }
        Some(_) => {
            reader.eat("WORK");
            Transaction::Rollback
        }
        None => {
            reader.advance();
            return Err(reader.unexpected());
        }
    };
    Ok(Command::Transaction(transaction))
}

fn begin_name(reader: &mut Reader<'_>) -> Result<(), Failure> {
    if reader.eat("NAME") {
        reader.identifier()?;
    }
    Ok(())
}

#[cfg(test)]
mod tests;
