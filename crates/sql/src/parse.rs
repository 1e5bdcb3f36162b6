//! From tokens to a classified command: one module per family of statements.

mod account;
mod alter_table;
mod columns;
mod containers;
mod create_table;
mod data_types;
mod describe;
mod dml;
mod grants;
mod names;
mod properties;
mod reader;
mod refused;
mod sequences;
mod session;
mod show;
mod users;
mod views;

pub use data_types::{declared_type, type_in_tree};
pub(crate) use names::name_from_tree;
pub(crate) use reader::Reader;

use sqlparser::tokenizer::Token;

use crate::Failure;
use crate::command::{Command, CreateMode, Ddl, IfMissing, ObjectKind, Transaction};

pub(crate) fn command(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    let command = match reader.word().as_deref() {
        None if reader.at_token(&Token::LParen) => Command::Query(reader.query()?),
        None => return Err(reader.unexpected()),
        Some("SELECT" | "WITH" | "VALUES") => Command::Query(reader.query()?),
        Some("INSERT" | "UPDATE" | "DELETE" | "MERGE" | "TRUNCATE") => dml::read(reader)?,
        Some("CREATE") => create(reader)?,
        Some("ALTER") => alter(reader)?,
        Some("DROP") => drop(reader)?,
        Some("COMMENT") => describe::comment_on(reader)?,
        Some("SHOW") => show::read(reader)?,
        Some("DESC" | "DESCRIBE") => describe::read(reader)?,
        Some("USE") => session::read_use(reader)?,
        Some("GRANT" | "REVOKE") => grants::read(reader)?,
        Some("BEGIN" | "START" | "COMMIT" | "ROLLBACK") => transaction(reader)?,
        Some(word) => return Err(refused::statement(word).unwrap_or_else(|| reader.unexpected())),
    };
    reader.expect_end()?;
    Ok(command)
}

/// What stands between CREATE and the kind of the thing.
#[derive(Default)]
struct Modifiers {
    or_replace: bool,
    words: Vec<&'static str>,
}

impl Modifiers {
    const WORDS: [&'static str; 9] =
        ["TRANSIENT", "TEMPORARY", "TEMP", "VOLATILE", "LOCAL", "GLOBAL", "SECURE", "RECURSIVE", "HYBRID"];

    fn read(reader: &mut Reader<'_>) -> Self {
        let or_replace = reader.eat("OR REPLACE");
        let words = std::iter::from_fn(|| reader.eat_one_of(&Self::WORDS)).collect();
        Self { or_replace, words }
    }

    /// Fails when a modifier is there that this kind of thing does not have.
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
    reader.expect("CREATE")?;
    let modifiers = Modifiers::read(reader);
    let kinds = [
        "DATABASE ROLE",
        "DATABASE",
        "SCHEMA",
        "TABLE",
        "VIEW",
        "SEQUENCE",
        "USER",
        "ROLE",
        "WAREHOUSE",
        "SECURITY INTEGRATION",
    ];
    match reader.eat_one_of(&kinds) {
        Some("DATABASE") => containers::create_database(reader, &modifiers),
        Some("SCHEMA") => containers::create_schema(reader, &modifiers),
        Some("TABLE") => create_table::read(reader, &modifiers),
        Some("VIEW") => views::create(reader, &modifiers),
        Some("SEQUENCE") => sequences::create(reader, &modifiers),
        Some("USER") => users::create(reader, &modifiers),
        Some("ROLE") => account::create_role(reader, &modifiers),
        Some("WAREHOUSE") => account::create_warehouse(reader, &modifiers),
        Some("SECURITY INTEGRATION") => account::create_integration(reader, &modifiers),
        Some(kind) => Err(Failure::unsupported(&format!("CREATE {kind}"))),
        None => Err(refused::kind(reader, "CREATE")),
    }
}

fn alter(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("ALTER")?;
    let kinds = [
        "DATABASE ROLE",
        "DATABASE",
        "SCHEMA",
        "TABLE",
        "VIEW",
        "SEQUENCE",
        "USER",
        "ROLE",
        "WAREHOUSE",
        "SECURITY INTEGRATION",
        "INTEGRATION",
        "SESSION",
        "ACCOUNT",
    ];
    match reader.eat_one_of(&kinds) {
        Some("DATABASE") => containers::alter_database(reader),
        Some("SCHEMA") => containers::alter_schema(reader),
        Some("TABLE") => alter_table::read(reader),
        Some("VIEW") => views::alter(reader),
        Some("SEQUENCE") => sequences::alter(reader),
        Some("USER") => users::alter(reader),
        Some("ROLE") => account::alter_role(reader),
        Some("WAREHOUSE") => account::alter_warehouse(reader),
        Some("SECURITY INTEGRATION" | "INTEGRATION") => account::alter_integration(reader),
        Some("SESSION") => session::alter(reader),
        Some("ACCOUNT") => account::alter_account(reader),
        Some(kind) => Err(Failure::unsupported(&format!("ALTER {kind}"))),
        None => Err(refused::kind(reader, "ALTER")),
    }
}

fn drop(reader: &mut Reader<'_>) -> Result<Command, Failure> {
    reader.expect("DROP")?;
    let kinds = [
        "DATABASE ROLE",
        "DATABASE",
        "SCHEMA",
        "TABLE",
        "VIEW",
        "SEQUENCE",
        "USER",
        "ROLE",
        "WAREHOUSE",
        "SECURITY INTEGRATION",
        "INTEGRATION",
    ];
    let command = match reader.eat_one_of(&kinds) {
        Some("DATABASE") => return containers::drop_database(reader),
        Some("SCHEMA") => return containers::drop_schema(reader),
        Some("TABLE") => drop_object(reader, ObjectKind::Table)?,
        Some("VIEW") => drop_object(reader, ObjectKind::View)?,
        Some("SEQUENCE") => drop_object(reader, ObjectKind::Sequence)?,
        Some("USER") => account::drop(reader, ObjectKind::User)?,
        Some("ROLE") => account::drop(reader, ObjectKind::Role)?,
        Some("WAREHOUSE") => account::drop(reader, ObjectKind::Warehouse)?,
        Some("SECURITY INTEGRATION" | "INTEGRATION") => account::drop(reader, ObjectKind::Integration)?,
        Some(kind) => return Err(Failure::unsupported(&format!("DROP {kind}"))),
        None => return Err(refused::kind(reader, "DROP")),
    };
    reader.eat_one_of(&["CASCADE", "RESTRICT"]);
    Ok(command)
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
            if !reader.at_end() {
                return Err(Failure::unsupported("BEGIN … END block"));
            }
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
