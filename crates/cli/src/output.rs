//! What commands print. A reader that has read enough closes its end, as `head` does; that ends the command quietly.

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

pub(crate) use {out, outln};
