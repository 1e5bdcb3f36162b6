//! A progress bar on the terminal. Where the standard error is no terminal, nothing is written.

use std::io::{self, IsTerminal, Read, Write};
use std::time::{Duration, Instant};

const BAR_WIDTH: usize = 30;
const UPDATE_INTERVAL: Duration = Duration::from_millis(100);

pub struct Progress {
    name: String,
    total: u64,
    done: u64,
    begun: Instant,
    last_update: Option<Instant>,
    shown: bool,
}

impl Progress {
    pub fn new(name: &str, total: u64, quiet: bool) -> Self {
        let shown = !quiet && io::stderr().is_terminal();
        Self { name: name.to_owned(), total, done: 0, begun: Instant::now(), last_update: None, shown }
    }

    pub fn add(&mut self, bytes: u64) {
        self.done += bytes;
        if self.shown && self.last_update.is_none_or(|last_update| last_update.elapsed() >= UPDATE_INTERVAL) {
            self.update();
        }
    }

    /// For work that counts its bytes itself.
    pub fn set(&mut self, done: u64, total: u64) {
        self.total = total;
        self.done = self.done.min(done);
        self.add(done - self.done);
    }

    pub fn finish(mut self) {
        if self.shown {
            self.update();
            let _ = writeln!(io::stderr());
        }
    }

    fn update(&mut self) {
        self.last_update = Some(Instant::now());
        // A terminal that cannot be written to is no reason to stop.
        let _ = write!(io::stderr(), "\r{}", self.line());
    }

    fn line(&self) -> String {
        let share = if self.total == 0 { 1.0 } else { (self.done as f64 / self.total as f64).min(1.0) };
        let filled = (share * BAR_WIDTH as f64) as usize;
        let speed = self.done as f64 / self.begun.elapsed().as_secs_f64().max(0.001);
        format!(
            "{} [{}{}] {:>3.0} % of {}, {}/s ",
            self.name,
            "#".repeat(filled),
            " ".repeat(BAR_WIDTH - filled),
            share * 100.0,
            size(self.total as f64),
            size(speed)
        )
    }
}

pub fn size(bytes: f64) -> String {
    let mut amount = bytes;
    for unit in ["B", "kB", "MB"] {
        if amount < 1_000.0 {
            return format!("{amount:.1} {unit}");
        }
        amount /= 1_000.0;
    }
    format!("{amount:.1} GB")
}

/// A reader that reports the number of bytes read.
pub struct Watched<R> {
    pub inner: R,
    pub progress: Progress,
}

impl<R: Read> Read for Watched<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let length = self.inner.read(buffer)?;
        self.progress.add(length as u64);
        Ok(length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_shows_share_and_size() {
        let progress = Progress { done: 500, ..Progress::new("x.csv", 1_000, true) };
        let line = progress.line();
        assert!(line.starts_with("x.csv [###############               ]  50 % of 1.0 kB, "), "{line}");
        assert_eq!(size(12_345_678.0), "12.3 MB");
        assert_eq!(size(999.0), "999.0 B");
    }
}
