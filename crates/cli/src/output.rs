//! What commands print. A reader that has read enough closes its end, as `head` does; that ends the command quietly.

pub mod cells;
mod delimited;
pub mod format;
mod json;
mod markdown;
mod pager;
pub mod sink;
mod table;
pub mod terminal;
mod vertical;

use std::fmt;
use std::io::{self, ErrorKind, Write};

pub(crate) fn write(text: fmt::Arguments<'_>) {
    if let Err(error) = io::stdout().write_fmt(text) {
        if error.kind() == ErrorKind::BrokenPipe {
            std::process::exit(0);
        }
        eprintln!("firn: the output cannot be written: {error}");
        std::process::exit(1);
    }
}

/// Prints as `print!` does.
macro_rules! out {
    ($($text:tt)*) => {
        crate::output::write(format_args!($($text)*))
    };
}

/// Prints as `println!` does.
macro_rules! outln {
    ($($text:tt)*) => {
        crate::output::write(format_args!("{}\n", format_args!($($text)*)))
    };
}

/// Says what is no result, on the standard error. If nobody listens there, nothing is lost.
pub(crate) fn write_to_errors(text: fmt::Arguments<'_>) {
    let _ = io::stderr().write_fmt(text);
}

/// Prints to the standard error as `eprintln!` does, which would panic if that is closed.
macro_rules! sayln {
    ($($text:tt)*) => {
        crate::output::write_to_errors(format_args!("{}\n", format_args!($($text)*)))
    };
}

pub(crate) use {out, outln, sayln};
