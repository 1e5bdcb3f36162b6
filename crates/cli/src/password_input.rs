//! Passwords: typed twice without being shown, or the first line of the standard input.

use std::error::Error;
use std::io::{self, BufRead, IsTerminal, Write};

use rustix::termios::{LocalModes, OptionalActions, Termios, tcgetattr, tcsetattr};
use tokio::runtime::Builder;
use tokio::signal::unix::{SignalKind, signal};

use crate::failure::Failure;
use crate::interrupts;

pub fn new_password() -> Result<String, Box<dyn Error>> {
    if !io::stdin().is_terminal() {
        let password = first_line()?;
        return if password.is_empty() {
            Err(Failure::usage("the standard input has no password"))
        } else {
            Ok(password)
        };
    }
    let password = asked("Password: ")?;
    if password.is_empty() {
        return Err(Failure::usage("the password is empty"));
    }
    if asked("Again: ")? == password { Ok(password) } else { Err(Failure::usage("the two passwords differ")) }
}

fn asked(words: &str) -> Result<String, Box<dyn Error>> {
    let _hidden = HiddenInput::begin()?;
    eprint!("{words}");
    io::stderr().flush()?;
    let typed = first_line();
    eprintln!();
    typed
}

fn first_line() -> Result<String, Box<dyn Error>> {
    let mut line = String::new();
    io::stdin().lock().read_line(&mut line)?;
    Ok(line.trim_end_matches(['\n', '\r']).to_owned())
}

/// What is typed is not shown until this is dropped, or Ctrl-C ends the process.
struct HiddenInput(Termios);

impl HiddenInput {
    fn begin() -> Result<Self, Box<dyn Error>> {
        let before = tcgetattr(io::stdin())?;
        restore_on_interrupt(before.clone())?;
        let mut hidden = before.clone();
        hidden.local_modes.remove(LocalModes::ECHO);
        tcsetattr(io::stdin(), OptionalActions::Flush, &hidden)?;
        Ok(Self(before))
    }
}

impl Drop for HiddenInput {
    fn drop(&mut self) {
        // A terminal that is gone shows nothing anyway.
        let _ = tcsetattr(io::stdin(), OptionalActions::Now, &self.0);
    }
}

fn restore_on_interrupt(before: Termios) -> io::Result<()> {
    let runtime = Builder::new_current_thread().enable_all().build()?;
    let mut interrupts = runtime.block_on(async { signal(SignalKind::interrupt()) })?;
    std::thread::Builder::new().name("interrupts".to_owned()).spawn(move || {
        if runtime.block_on(interrupts.recv()).is_some() {
            let _ = tcsetattr(io::stdin(), OptionalActions::Now, &before);
            eprintln!();
            std::process::exit(i32::from(interrupts::exit_code()));
        }
    })?;
    Ok(())
}
