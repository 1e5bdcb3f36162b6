//! Does what is typed at the prompt.

use std::error::Error;
use std::fs::File;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use chrono::Local;

use super::asking::Asking;
use super::catalog::SharedCatalog;
use super::meta::{self, COMMANDS, Meta, Switch, is_command};
use super::{editor, tables};
use crate::interrupts;
use crate::output::format::{Colors, Controls, Expanded};
use crate::output::sayln;
use crate::server::Table;
use crate::sql::runner::{Destination, Runner, Timing};
use crate::sql::source::Source;
use crate::sql::{read, show_error};

const WATCH_STEP: Duration = Duration::from_millis(50);

pub struct Shell<'a> {
    pub runner: Runner<'a>,
    asking: Asking<'a>,
    catalog: SharedCatalog,
    last_text: String,
    /// Where results go when they go to no file, and how they are written there.
    screen: (Destination, Colors, Controls),
}

/// What the prompt does next.
#[derive(Debug, PartialEq, Eq)]
pub enum Next {
    Read,
    ReadWith(String),
    Leave,
}

impl<'a> Shell<'a> {
    pub fn new(runner: Runner<'a>, asking: Asking<'a>, catalog: SharedCatalog) -> Self {
        let screen = (runner.destination.clone(), runner.layout.colors, runner.layout.controls);
        Self { runner, asking, catalog, last_text: String::new(), screen }
    }

    pub fn take(&mut self, text: &str) -> Next {
        if text.trim().is_empty() {
            return Next::Read;
        }
        if !is_command(text) {
            text.clone_into(&mut self.last_text);
            show_error(self.runner.run(text, &Source::Typed));
            return Next::Read;
        }
        let done = match meta::parse(text) {
            Ok(Meta::Quit) => return Next::Leave,
            Ok(Meta::Edit(file)) => self.edit(file.as_deref()),
            Ok(command) => self.run_command(command).map(|()| Next::Read),
            Err(message) => Err(message.into()),
        };
        done.unwrap_or_else(|error| {
            show_error(Err(error));
            Next::Read
        })
    }

    fn run_command(&mut self, command: Meta) -> Result<(), Box<dyn Error>> {
        match command {
            Meta::Help => self.help(),
            Meta::Describe(None) => self.list_relations(),
            Meta::Describe(Some(name)) => self.describe(&name),
            Meta::Databases => self.show("SHOW DATABASES", &["name", "owner", "comment"]),
            Meta::Use(None) => self.show_names(),
            Meta::Use(Some(name)) => self.use_place(&name),
            Meta::Role(None) => self.show(ROLES, &[]),
            Meta::Role(Some(name)) => self.runner.run(&format!("USE ROLE {name}"), &Source::Typed),
            Meta::Warehouse(None) => {
                self.show("SHOW WAREHOUSES", &["name", "state", "size", "running", "queued", "comment"])
            }
            Meta::Warehouse(Some(name)) => self.runner.run(&format!("USE WAREHOUSE {name}"), &Source::Typed),
            Meta::Output(file) => self.send_results_to(file),
            Meta::Format(format) => {
                self.runner.layout.format = format.unwrap_or(self.runner.layout.format);
                say(&format!("results are written as {:?}", self.runner.layout.format).to_lowercase());
                Ok(())
            }
            Meta::Include(file) => {
                let (text, source) = read(&file)?;
                self.runner.run(&text, &source)
            }
            Meta::Timing(switch) => {
                self.set_timing(switch);
                Ok(())
            }
            Meta::Watch(interval) => self.watch(interval),
            Meta::Expanded(expanded) => {
                self.set_expanded(expanded);
                Ok(())
            }
            Meta::Last => {
                let handle = self.runner.last_result.clone().ok_or("there is no result yet")?;
                self.runner.show_again(&handle)
            }
            Meta::Ask(question) => self.ask(&question),
            Meta::Model(model) => {
                self.choose_model(model);
                Ok(())
            }
            Meta::Edit(_) | Meta::Quit => Ok(()),
        }
    }

    fn help(&self) -> Result<(), Box<dyn Error>> {
        let row = |(usage, words): &(&str, &str)| vec![Some((*usage).to_owned()), Some((*words).to_owned())];
        let columns = vec!["command".to_owned(), "does".to_owned()];
        let rows = COMMANDS.iter().map(row).collect();
        tables::show(&self.runner, &Table { columns, types: vec!["text".to_owned(); 2], rows }, &[])?;
        say("Enter sends what ends with a semicolon; Alt-Enter begins a new line; Tab completes; Ctrl-R searches.");
        Ok(())
    }

    fn show(&self, sql: &str, columns: &[&str]) -> Result<(), Box<dyn Error>> {
        let table = self.runner.rows(sql)?;
        tables::show(&self.runner, &table, columns)
    }

    fn list_relations(&self) -> Result<(), Box<dyn Error>> {
        let names = &self.runner.session.names;
        let database = names.database.as_deref().ok_or("no database is in use; \\l lists them, \\use chooses one")?;
        let of_schema =
            names.schema.as_deref().map(|schema| format!("TABLE_SCHEMA = {}", firn_sql::names::quote_literal(schema)));
        let chosen = of_schema.unwrap_or_else(|| "TABLE_SCHEMA <> 'INFORMATION_SCHEMA'".to_owned());
        let sql = format!(
            "SELECT TABLE_SCHEMA AS \"schema\", TABLE_NAME AS \"name\", LOWER(TABLE_TYPE) AS \"kind\", COMMENT AS \"comment\" \
             FROM {}.INFORMATION_SCHEMA.TABLES WHERE {chosen} ORDER BY 1, 2",
            firn_sql::names::quote_identifier(database)
        );
        self.show(&sql, &[])
    }

    fn describe(&self, name: &str) -> Result<(), Box<dyn Error>> {
        const COLUMNS: [&str; 6] = ["name", "type", "null?", "default", "primary key", "comment"];
        self.show(&format!("DESCRIBE TABLE {name}"), &COLUMNS)
    }

    fn show_names(&self) -> Result<(), Box<dyn Error>> {
        let names = self.runner.session.names.clone();
        let values = [
            ("role", names.role),
            ("warehouse", names.warehouse),
            ("database", names.database),
            ("schema", names.schema),
        ];
        let columns = values.iter().map(|(name, _)| (*name).to_owned()).collect();
        let rows = vec![values.into_iter().map(|(_, value)| value).collect()];
        tables::show(&self.runner, &Table { columns, types: vec!["text".to_owned(); 4], rows }, &[])
    }

    /// A name alone is a database's, unless only a schema has it.
    fn use_place(&mut self, name: &str) -> Result<(), Box<dyn Error>> {
        let catalog = self.catalog.get();
        let stored = match name.strip_prefix('"') {
            Some(quoted) => quoted.trim_end_matches('"').to_owned(),
            None => name.to_uppercase(),
        };
        let is_schema = name.contains('.') || !catalog.databases.contains(&stored) && catalog.schemas.contains(&stored);
        let kind = if is_schema { "SCHEMA" } else { "DATABASE" };
        self.runner.run(&format!("USE {kind} {name}"), &Source::Typed)
    }

    fn send_results_to(&mut self, file: Option<PathBuf>) -> Result<(), Box<dyn Error>> {
        let Some(file) = file else {
            let layout = &mut self.runner.layout;
            (self.runner.destination, layout.colors, layout.controls) = self.screen.clone();
            say("results go to the screen");
            return Ok(());
        };
        File::create(&file).map_err(|error| format!("{}: {error}", file.display()))?;
        say(&format!("results go to {}", file.display()));
        self.runner.destination = Destination::File(file);
        (self.runner.layout.colors, self.runner.layout.controls) = (Colors::Off, Controls::Written);
        Ok(())
    }

    fn edit(&self, file: Option<&Path>) -> Result<Next, Box<dyn Error>> {
        let text = match file {
            Some(file) => {
                editor::edit(file)?;
                read(file)?.0.trim_end().to_owned()
            }
            None => editor::edited(&self.last_text)?,
        };
        Ok(Next::ReadWith(text))
    }

    fn set_timing(&mut self, switch: Option<Switch>) {
        self.runner.timing = match (switch, self.runner.timing) {
            (Some(Switch::On), _) | (None, Timing::Hidden) => Timing::Shown,
            (Some(Switch::Off), _) | (None, Timing::Shown) => Timing::Hidden,
        };
        say(if self.runner.timing == Timing::Shown { "times are shown" } else { "times are not shown" });
    }

    fn set_expanded(&mut self, expanded: Option<Expanded>) {
        let toggled = if self.runner.layout.expanded == Expanded::Never { Expanded::Always } else { Expanded::Never };
        self.runner.layout.expanded = expanded.unwrap_or(toggled);
        say(match self.runner.layout.expanded {
            Expanded::Always => "every column has a line",
            Expanded::Never => "every row has a line",
            Expanded::WhenWide => "every column has a line where rows are wider than the screen",
        });
    }

    /// Until Ctrl-C, or a failure.
    fn watch(&mut self, interval: Duration) -> Result<(), Box<dyn Error>> {
        if self.last_text.is_empty() {
            return Err("there is no statement yet to watch".into());
        }
        let text = self.last_text.clone();
        let unpaged = self.unpaged();
        let paged = std::mem::replace(&mut self.runner.destination, unpaged);
        let mut outcome = Ok(());
        while outcome.is_ok() && !interrupts::came() {
            say(&format!("{}, every {} s; Ctrl-C ends it", Local::now().format("%H:%M:%S"), interval.as_secs_f64()));
            outcome = self.runner.run(&text, &Source::Typed);
            let waited = Instant::now();
            while outcome.is_ok() && !interrupts::came() && waited.elapsed() < interval {
                std::thread::sleep(WATCH_STEP);
            }
        }
        self.runner.destination = paged;
        outcome
    }

    fn unpaged(&self) -> Destination {
        match &self.runner.destination {
            Destination::Pager => Destination::Standard,
            other => other.clone(),
        }
    }

    fn ask(&mut self, question: &str) -> Result<(), Box<dyn Error>> {
        let names = self.runner.session.names.clone();
        let (runner, last_text) = (&mut self.runner, &mut self.last_text);
        self.asking.ask(question, &names, &mut |statement| {
            // What was generated can be edited and watched like what was typed.
            *last_text = format!("{};", statement.trim_end().trim_end_matches(';'));
            runner.run(statement, &Source::Typed)
        })
    }

    fn choose_model(&mut self, model: Option<String>) {
        if let Some(model) = model {
            self.asking.choose(&model);
        }
        match self.asking.chosen() {
            Some(chosen) => say(&format!("\\ask asks {chosen}")),
            None => say("no model is chosen; \\ask takes the semantic view, if there is one alone"),
        }
    }
}

const ROLES: &str =
    "SELECT VALUE::VARCHAR AS \"role\" FROM TABLE(FLATTEN(INPUT => PARSE_JSON(CURRENT_AVAILABLE_ROLES()))) ORDER BY 1";

fn say(text: &str) {
    sayln!("{text}");
}
