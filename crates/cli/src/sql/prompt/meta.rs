//! The prompt's own commands: a backslash or `!`, a word, and what belongs to it.

use std::path::PathBuf;
use std::time::Duration;

use clap::ValueEnum;

use crate::output::format::{Expanded, Format};

#[derive(Clone, Debug, PartialEq)]
pub enum Meta {
    Help,
    Describe(Option<String>),
    Databases,
    Use(Option<String>),
    Role(Option<String>),
    Warehouse(Option<String>),
    Output(Option<PathBuf>),
    Format(Option<Format>),
    Edit(Option<PathBuf>),
    Include(PathBuf),
    Timing(Option<Switch>),
    Watch(Duration),
    Expanded(Option<Expanded>),
    Last,
    Ask(String),
    Model(Option<String>),
    Quit,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Switch {
    On,
    Off,
}

/// Every command as the help lists it.
pub const COMMANDS: [(&str, &str); 18] = [
    ("\\?", "list these commands"),
    ("\\d [NAME]", "list tables and views, or the columns of one"),
    ("\\l", "list databases"),
    ("\\use [NAME]", "use a database or schema, or show what is in use"),
    ("\\role [NAME]", "use a role, or list one's roles"),
    ("\\warehouse [NAME]", "use a warehouse, or list them"),
    ("\\o [FILE]", "write results to a file, or to the screen again"),
    ("\\format [FORMAT]", "table, csv, tsv, json, jsonl, markdown or vertical"),
    ("\\e [FILE]", "edit the last statement, or a file, with $EDITOR"),
    ("\\i FILE", "run the statements of a file"),
    ("\\timing [on|off]", "show how long requests take"),
    ("\\watch [SECONDS]", "run the last statement every 2 seconds, until Ctrl-C"),
    ("\\x [on|off|auto]", "write a column a line; auto: where rows are too wide"),
    ("\\last", "show the last result again, without running anything"),
    ("\\ask QUESTION", "ask in plain English; the next question follows up"),
    ("\\model [NAME]", "the semantic view or model file that \\ask asks"),
    ("\\q", "leave; so do Ctrl-D, quit and exit"),
    ("!…", "means the same as \\…"),
];

const DEFAULT_WATCH: Duration = Duration::from_secs(2);
const WATCH_MAX_S: f64 = 86_400.0;

/// Whether a line is a command of the prompt, whatever it says.
pub fn is_command(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with('\\') || line.starts_with('!') || is_farewell(line)
}

fn is_farewell(line: &str) -> bool {
    let word = line.trim().trim_end_matches(';').trim_end().to_ascii_lowercase();
    matches!(word.as_str(), "quit" | "exit" | "help")
}

/// The command, or what is wrong with it.
pub fn parse(line: &str) -> Result<Meta, String> {
    let line = line.trim().trim_end_matches(';').trim_end();
    let command = line.strip_prefix('\\').or_else(|| line.strip_prefix('!')).unwrap_or(line);
    let (word, rest) = command.split_once(char::is_whitespace).unwrap_or((command, ""));
    let rest = rest.trim();
    let given = (!rest.is_empty()).then(|| rest.to_owned());
    Ok(match word {
        "?" | "help" | "h" => Meta::Help,
        "d" | "dt" | "describe" => Meta::Describe(given),
        "l" => Meta::Databases,
        "use" | "c" => Meta::Use(given),
        "role" => Meta::Role(given),
        "warehouse" => Meta::Warehouse(given),
        "o" => Meta::Output(given.map(PathBuf::from)),
        "format" => Meta::Format(given.map(|name| format(&name)).transpose()?),
        "e" | "edit" => Meta::Edit(given.map(PathBuf::from)),
        "i" | "source" => Meta::Include(given.map(PathBuf::from).ok_or("\\i needs a file")?),
        "timing" => Meta::Timing(given.map(|text| switch(&text)).transpose()?),
        "watch" => Meta::Watch(interval(given.as_deref())?),
        "x" => Meta::Expanded(given.map(|text| expanded(&text)).transpose()?),
        "last" => Meta::Last,
        "ask" => Meta::Ask(given.ok_or("\\ask needs a question")?),
        "model" => Meta::Model(given),
        "q" | "quit" | "exit" => Meta::Quit,
        other => return Err(format!("there is no command \\{other}; \\? lists those that there are")),
    })
}

fn format(name: &str) -> Result<Format, String> {
    Format::from_str(name, true).map_err(|_| {
        let names: Vec<_> = Format::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
        let names: Vec<&str> = names.iter().map(clap::builder::PossibleValue::get_name).collect();
        format!("`{name}` is no format; there are {}", names.join(", "))
    })
}

fn switch(text: &str) -> Result<Switch, String> {
    match text {
        "on" => Ok(Switch::On),
        "off" => Ok(Switch::Off),
        other => Err(format!("`{other}` is neither on nor off")),
    }
}

fn expanded(text: &str) -> Result<Expanded, String> {
    match text {
        "on" => Ok(Expanded::Always),
        "off" => Ok(Expanded::Never),
        "auto" => Ok(Expanded::WhenWide),
        other => Err(format!("`{other}` is neither on, off nor auto")),
    }
}

fn interval(text: Option<&str>) -> Result<Duration, String> {
    let Some(text) = text else { return Ok(DEFAULT_WATCH) };
    let seconds = text.parse().ok().filter(|seconds| (0.1..=WATCH_MAX_S).contains(seconds));
    seconds
        .map(Duration::from_secs_f64)
        .ok_or_else(|| format!("`{text}` is no number of seconds from 0.1 to {WATCH_MAX_S}"))
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn commands_are_read() {
        let check = |line: &str, expected: Meta| assert_eq!(parse(line), Ok(expected), "{line}");
        check("\\?", Meta::Help);
        check("!d  my table ;", Meta::Describe(Some("my table".to_owned())));
        check("\\d", Meta::Describe(None));
        check("\\watch", Meta::Watch(DEFAULT_WATCH));
        check("\\watch 0.5", Meta::Watch(Duration::from_millis(500)));
        check("\\x auto", Meta::Expanded(Some(Expanded::WhenWide)));
        check("\\format CSV", Meta::Format(Some(Format::Csv)));
        check("quit", Meta::Quit);
        check("exit ;", Meta::Quit);
        check("\\ask how many orders?", Meta::Ask("how many orders?".to_owned()));
    }

    #[test]
    fn what_is_wrong_is_named() {
        let check = |line: &str, expected: &str| {
            let message = parse(line).unwrap_err();
            assert!(message.contains(expected), "{message}");
        };
        check("\\nope", "no command \\nope");
        check("\\watch soon", "`soon`");
        check("\\watch 1e99", "no number of seconds");
        check("\\i", "needs a file");
        check("\\format xml", "there are table, csv");
        check("\\timing maybe", "neither on nor off");
    }

    #[test]
    fn lines_are_told_from_statements() {
        assert!(is_command("\\d") && is_command(" !d") && is_command("exit;") && is_command("Quit"));
        assert!(!is_command("select 1") && !is_command("exit_code"));
    }
}
