//! The line editor, and the editor of the user's own.

use std::error::Error;
use std::io::Write;
use std::path::Path;
use std::process::Command;

use nu_ansi_term::{Color, Style};
use reedline::{
    ColumnarMenu, DefaultHinter, EditCommand, Emacs, InputMode, KeyCode, KeyModifiers, MenuBuilder, Reedline,
    ReedlineEvent, ReedlineMenu, ValidationResult, Validator, default_emacs_keybindings,
};

use super::catalog::SharedCatalog;
use super::complete::SqlCompleter;
use super::highlight::SqlColors;
use super::history::SafeHistory;
use super::meta::is_command;
use crate::interrupts::Ignored;
use crate::output::format::Colors;
use crate::sql::script::is_complete;

const COMPLETIONS: &str = "completions";

pub fn create(catalog: SharedCatalog, colors: Colors) -> Reedline {
    let menu = ColumnarMenu::default().with_name(COMPLETIONS).with_marker("> ").with_columns(4);
    // What stands behind the cursor names relations, too.
    let menu = menu.with_input_mode(InputMode::FullBuffer);
    let mut editor = Reedline::create()
        .with_completer(Box::new(SqlCompleter { catalog }))
        .with_menu(ReedlineMenu::EngineCompleter(Box::new(menu)))
        .with_partial_completions(true)
        .with_quick_completions(true)
        .with_validator(Box::new(Statements))
        .with_edit_mode(Box::new(Emacs::new(keys())))
        .use_bracketed_paste(true)
        .with_ansi_colors(colors == Colors::On);
    if colors == Colors::On {
        editor = editor
            .with_highlighter(Box::new(SqlColors))
            .with_hinter(Box::new(DefaultHinter::default().with_style(Style::new().fg(Color::DarkGray))));
    }
    match SafeHistory::open() {
        Some(history) => editor.with_history(Box::new(history)),
        None => editor,
    }
}

fn keys() -> reedline::Keybindings {
    let mut keys = default_emacs_keybindings();
    let open_or_next =
        ReedlineEvent::UntilFound(vec![ReedlineEvent::Menu(COMPLETIONS.to_owned()), ReedlineEvent::MenuNext]);
    keys.add_binding(KeyModifiers::NONE, KeyCode::Tab, open_or_next);
    keys.add_binding(KeyModifiers::SHIFT, KeyCode::BackTab, ReedlineEvent::MenuPrevious);
    keys.add_binding(KeyModifiers::ALT, KeyCode::Enter, ReedlineEvent::Edit(vec![EditCommand::InsertNewline]));
    keys
}

/// Enter sends what is over, and begins a new line in what is not.
struct Statements;

impl Validator for Statements {
    fn validate(&self, line: &str) -> ValidationResult {
        if is_command(line) || is_complete(line) { ValidationResult::Complete } else { ValidationResult::Incomplete }
    }
}

/// The text as the user's editor leaves it.
pub fn edited(text: &str) -> Result<String, Box<dyn Error>> {
    let mut file = tempfile::Builder::new().prefix("firn-").suffix(".sql").tempfile()?;
    file.write_all(text.as_bytes())?;
    file.flush()?;
    edit(file.path())?;
    Ok(std::fs::read_to_string(file.path())?.trim_end().to_owned())
}

pub fn edit(path: &Path) -> Result<(), Box<dyn Error>> {
    let variable = |name: &str| std::env::var(name).ok().filter(|value| !value.trim().is_empty());
    let editor = variable("VISUAL").or_else(|| variable("EDITOR")).unwrap_or_else(|| "vi".to_owned());
    // Until the editor ends, the keyboard is its own.
    let _keyboard = Ignored::begin();
    let status = Command::new("sh").args(["-c", &format!("{editor} \"$0\"")]).arg(path).status()?;
    if status.success() { Ok(()) } else { Err(format!("the editor `{editor}` ended with {status}").into()) }
}
