//! What is known of the terminal.

use std::io::{self, IsTerminal};

use clap::ValueEnum;

use super::format::Colors;

const DEFAULT_ROWS: usize = 24;
const DEFAULT_COLUMNS: usize = 80;

/// The option `--color`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, ValueEnum)]
pub enum ColorChoice {
    #[default]
    Auto,
    Always,
    Never,
}

impl ColorChoice {
    pub fn colors(self) -> Colors {
        let is_on = match self {
            Self::Always => true,
            Self::Never => false,
            Self::Auto => io::stdout().is_terminal() && variable_is_empty("NO_COLOR") && !is_dumb(),
        };
        if is_on { Colors::On } else { Colors::Off }
    }
}

fn variable_is_empty(name: &str) -> bool {
    std::env::var_os(name).is_none_or(|value| value.is_empty())
}

pub fn is_dumb() -> bool {
    std::env::var("TERM").is_ok_and(|terminal| terminal == "dumb")
}

/// Rows and columns of the screen.
pub fn size() -> (usize, usize) {
    let known = rustix::termios::tcgetwinsize(io::stdout()).ok();
    let known = known.filter(|size| size.ws_row > 0 && size.ws_col > 0);
    known.map_or((DEFAULT_ROWS, DEFAULT_COLUMNS), |size| (usize::from(size.ws_row), usize::from(size.ws_col)))
}
