//! Output that goes to a pager if it is longer or wider than the screen, and straight to the screen if not.

use std::io::{self, Write};
use std::process::{Child, Command, Stdio};

use unicode_width::UnicodeWidthStr;

use crate::interrupts::Ignored;

/// Quits if one screen is enough, chops long lines instead of wrapping them, shows colours, leaves the screen as it is.
const DEFAULT_PAGER: &str = "less -SRFX";
/// Lines of the screen that the prompt and the line of times take.
const LINES_KEPT: usize = 3;

pub struct Paged {
    rows: usize,
    columns: usize,
    state: State,
}

enum State {
    /// As long as the screen may hold it.
    Waiting {
        text: Vec<u8>,
        lines: usize,
    },
    Shown(Pager),
    /// There is no pager.
    Straight,
}

struct Pager {
    process: Child,
    _keyboard: Ignored,
}

impl Paged {
    pub fn new(rows: usize, columns: usize) -> Self {
        Self { rows, columns, state: State::Waiting { text: Vec::new(), lines: 0 } }
    }

    pub fn finish(mut self) -> io::Result<()> {
        if let State::Waiting { text, .. } = &self.state {
            if !String::from_utf8_lossy(text).lines().any(|line| width(line) > self.columns) {
                return io::stdout().write_all(text).and_then(|()| io::stdout().flush());
            }
            self.open()?;
        }
        match self.state {
            State::Shown(mut pager) => {
                drop(pager.process.stdin.take());
                pager.process.wait().map(drop)
            }
            _ => io::stdout().flush(),
        }
    }

    fn open(&mut self) -> io::Result<()> {
        let State::Waiting { text, .. } = std::mem::replace(&mut self.state, State::Straight) else { return Ok(()) };
        if let Some(pager) = Pager::start() {
            self.state = State::Shown(pager);
        }
        self.write_all(&text)
    }
}

impl Write for Paged {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match &mut self.state {
            State::Waiting { text, lines } => {
                text.extend_from_slice(bytes);
                *lines += bytes.iter().filter(|byte| **byte == b'\n').count();
                if *lines + LINES_KEPT > self.rows {
                    self.open()?;
                }
                Ok(bytes.len())
            }
            State::Shown(pager) => match &mut pager.process.stdin {
                Some(input) => input.write(bytes),
                None => Err(io::ErrorKind::BrokenPipe.into()),
            },
            State::Straight => io::stdout().write(bytes),
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Pager {
    fn start() -> Option<Self> {
        let chosen = std::env::var("PAGER").ok().filter(|pager| !pager.trim().is_empty());
        let pager = chosen.unwrap_or_else(|| DEFAULT_PAGER.to_owned());
        let program = pager.split_whitespace().next().unwrap_or_default();
        let is_there = Command::new("sh").args(["-c", "command -v -- \"$0\" >/dev/null", program]).status();
        if !is_there.is_ok_and(|status| status.success()) {
            return None;
        }
        let keyboard = Ignored::begin();
        let process = Command::new("sh").args(["-c", &pager]).stdin(Stdio::piped()).spawn().ok()?;
        Some(Self { process, _keyboard: keyboard })
    }
}

/// A pager that is left early must be gone before the screen is written to.
impl Drop for Pager {
    fn drop(&mut self) {
        drop(self.process.stdin.take());
        // It may have ended long since.
        let _ = self.process.wait();
    }
}

/// Places that a line takes on the screen; colours take none.
fn width(line: &str) -> usize {
    let mut parts = line.split('\u{1b}');
    let first = parts.next().unwrap_or_default().width();
    first + parts.map(|part| part.split_once('m').map_or(0, |(_, text)| text.width())).sum::<usize>()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_take_no_place() {
        assert_eq!(width("abc"), 3);
        assert_eq!(width("\u{1b}[1mabc\u{1b}[0m d"), 5);
    }
}
