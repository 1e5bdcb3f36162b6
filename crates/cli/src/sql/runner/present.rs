//! Shows results while their partitions arrive: one is written while the next one is fetched.

use std::borrow::Cow;
use std::error::Error;
use std::io::Write;
use std::path::PathBuf;
use std::time::Instant;

use chrono_tz::Tz;

use super::{Mode, Runner, Timing, Words, is_interrupted};
use crate::failure::Failure;
use crate::output::cells;
use crate::output::format::{Format, Layout, RowWriter};
use crate::output::sayln;
use crate::output::sink::Sink;
use crate::output::terminal;
use crate::server::Server;
use crate::server::rows::Cell;
use crate::server::statements::{Outcome, Partition, ResultHead};
use crate::sql::script::{Kind, Planned};

/// The code of a result of which the server left out a part.
const CUT_CODE: &str = "391908";

/// Where results go.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Destination {
    Standard,
    /// A pager, if there is more than the screen holds.
    Pager,
    File(PathBuf),
}

impl Destination {
    pub fn open(&self) -> std::io::Result<Sink> {
        match self {
            Self::Standard => Ok(Sink::standard()),
            Self::Pager => {
                let (rows, columns) = terminal::size();
                Ok(Sink::paged(rows, columns))
            }
            Self::File(path) => Sink::appending(path),
        }
    }
}

impl Runner<'_> {
    /// Rows go to the results, what a statement says in words does not.
    pub(super) fn show(&mut self, mut head: ResultHead, statement: &Planned) -> Result<(), Box<dyn Error>> {
        let says_words = match statement.kind {
            Kind::Query | Kind::Secret => false,
            Kind::Other | Kind::Block | Kind::Unknown => is_status(&head),
            Kind::Change | Kind::Definition | Kind::TemporaryDefinition => true,
            Kind::Session(_) | Kind::Transaction(_) => true,
        };
        if says_words { self.show_words(&mut head, statement) } else { self.show_rows(head) }
    }

    /// A result by its handle, fetched anew.
    pub fn show_again(&mut self, handle: &str) -> Result<(), Box<dyn Error>> {
        match self.server.outcome(handle)? {
            Outcome::Succeeded(head) => self.show_rows(head),
            Outcome::Failed(failure) => Err(Failure::Statement(failure.message).into()),
            Outcome::Running(_) => Err("the statement still runs".into()),
        }
    }

    pub fn show_rows(&mut self, mut head: ResultHead) -> Result<(), Box<dyn Error>> {
        let zone = self.zone_for(&head);
        let is_next = self.last_result.replace(head.handle.clone()).is_some();
        let rows = head.row_count;
        let is_cut = head.code == CUT_CODE;
        let mut sink = self.destination.open()?;
        // Without an empty line between them two tables of Markdown are one.
        if is_next && self.layout.format == Format::Markdown {
            writeln!(sink)?;
        }
        let written = write_rows(self.server, &mut head, &self.layout, zone, &mut sink);
        // The pager is to end before anything else is shown.
        let finished = sink.finish();
        super::unless_closed(written.and_then(|()| Ok(finished?)), self.mode)?;
        if is_cut {
            sayln!("the server cut this result: it is larger than a result may be; these are the first {rows} rows");
        }
        if self.mode == Mode::Prompt {
            sayln!("{rows} {}", if rows == 1 { "row" } else { "rows" });
        }
        Ok(())
    }

    fn show_words(&mut self, head: &mut ResultHead, statement: &Planned) -> Result<(), Box<dyn Error>> {
        if self.words == Words::Hidden {
            return Ok(());
        }
        let columns = std::mem::take(&mut head.columns);
        let is_one_text = columns.len() == 1 && columns.iter().all(|column| column.kind == "text");
        head.first_partition().each_row(&mut |cells: &[Cell<'_>]| {
            let said = columns.iter().zip(cells).map(|(column, cell)| {
                let text = cell.0.as_deref().unwrap_or("NULL");
                if is_one_text { text.to_owned() } else { format!("{} {text}", column.name) }
            });
            sayln!("{}", cells::on_one_line(&said.collect::<Vec<_>>().join(", ")));
            Ok(())
        })?;
        let is_lost = statement.kind == Kind::TemporaryDefinition && self.kept.is_none();
        if is_lost && self.mode == Mode::Prompt {
            sayln!("It ends with this request; put what uses it on the same input.");
        }
        Ok(())
    }

    pub(super) fn show_time(&self, begun: Instant) {
        if self.timing == Timing::Shown {
            sayln!("{:.1} ms", begun.elapsed().as_secs_f64() * 1_000.0);
        }
    }

    /// The session's zone, asked for once a result has instants in it.
    fn zone_for(&mut self, head: &ResultHead) -> Tz {
        if let Some(zone) = self.session.zone {
            return zone;
        }
        if !head.columns.iter().any(|column| column.kind == "timestamp_ltz") {
            return Tz::UTC;
        }
        let zone = self.ask_for_zone().unwrap_or(Tz::UTC);
        self.session.zone = Some(zone);
        zone
    }

    fn ask_for_zone(&self) -> Option<Tz> {
        let mut sent = if self.kept.is_some() { Vec::new() } else { self.session.prelude("") };
        sent.push("SHOW PARAMETERS LIKE 'TIMEZONE'".to_owned());
        let submitted = self.server.submit(&sent.join(";\n"), sent.len(), self.context()).ok()?.ok()?;
        let mut head = self.wait(&submitted, submitted.statements.last()?).ok()?.ok()?;
        let place = head.columns.iter().position(|column| column.name.eq_ignore_ascii_case("value"))?;
        let mut zone = None;
        let read = head.first_partition().each_row(&mut |cells: &[Cell<'_>]| {
            zone = cells.get(place).and_then(|cell| cell.0.as_deref()?.parse().ok());
            Ok(())
        });
        read.ok().and(zone)
    }
}

/// `status`, with a sentence.
fn is_status(head: &ResultHead) -> bool {
    head.row_count == 1 && matches!(head.columns.as_slice(), [only] if only.name == "status" && only.kind == "text")
}

fn write_rows(
    server: &Server,
    head: &mut ResultHead,
    layout: &Layout,
    zone: Tz,
    sink: &mut Sink,
) -> Result<(), Box<dyn Error>> {
    let mut writer = layout.writer();
    writer.begin(&head.columns, sink)?;
    let kinds = head.columns.iter().map(|column| column.kind.clone()).collect();
    let shown = Shown { kinds, zone, format: layout.format };
    let mut partition = head.first_partition();
    let (handle, count) = (head.handle.as_str(), head.partition_count);
    for next in 1..=count {
        let fetched = std::thread::scope(|scope| {
            let fetch = (next < count)
                .then(|| scope.spawn(move || server.partition(handle, next).map_err(|error| error.to_string())));
            write_partition(&partition, &shown, writer.as_mut(), sink)?;
            let fetched = fetch.map(|fetch| fetch.join().unwrap_or_else(|_| Err("fetching broke off".to_owned())));
            fetched.transpose().map_err(|error| -> Box<dyn Error> { error.into() })
        })?;
        match fetched {
            Some(fetched) => partition = fetched,
            None => break,
        }
    }
    writer.end(sink)?;
    Ok(sink.flush()?)
}

/// How the cells of a result become texts.
struct Shown {
    kinds: Vec<String>,
    zone: Tz,
    format: Format,
}

impl Shown {
    fn text<'a>(&self, cell: &'a str, kind: &str) -> Cow<'a, str> {
        let is_for_people = matches!(self.format, Format::Table | Format::Vertical | Format::Markdown);
        if is_for_people && cells::is_semi_structured(kind) && cell.contains('\n') {
            return Cow::Owned(cells::compact_json(cell));
        }
        cells::text(cell, kind, self.zone)
    }
}

fn write_partition(
    partition: &Partition,
    shown: &Shown,
    writer: &mut dyn RowWriter,
    sink: &mut Sink,
) -> Result<(), Box<dyn Error>> {
    partition.each_row(&mut |row: &[Cell<'_>]| {
        if is_interrupted() {
            return Err(Failure::Interrupted.into());
        }
        let texts = row.iter().zip(&shown.kinds).map(|(cell, kind)| Some(shown.text(cell.0.as_deref()?, kind)));
        let row: Vec<Option<Cow<'_, str>>> = texts.collect();
        Ok(writer.row(&row, sink)?)
    })
}
