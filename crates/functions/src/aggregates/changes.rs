//! CONDITIONAL_CHANGE_EVENT: how often a value differed from the one on the row before. A NULL differs from nothing.

use std::ffi::CStr;

use super::Aggregate;
use crate::columns::{Column, Values};
use crate::definition::{Answer, Kind};

/// A value, or NULL.
type Seen = Option<Box<str>>;

#[derive(Clone, Default)]
pub struct Changes {
    count: i64,
    /// The first and the last value seen, if any row was.
    ends: Option<(Seen, Seen)>,
}

fn differ(before: Option<&str>, after: Option<&str>) -> bool {
    matches!((before, after), (Some(before), Some(after)) if before != after)
}

impl Aggregate for Changes {
    const NAME: &'static CStr = c"firn_changes";
    const PARAMETERS: &'static [Kind] = &[Kind::Text];
    const RETURNS: Kind = Kind::Integer;

    fn add(&mut self, columns: &[Column<'_>], row: usize) -> Result<(), String> {
        let value = match columns.first() {
            Some(column) if !column.is_null(row) => match &column.values {
                // The engine's texts are valid UTF-8.
                Values::Text(texts) => std::str::from_utf8(texts[row].get()).ok().map(Box::from),
                _ => None,
            },
            _ => None,
        };
        match &mut self.ends {
            None => self.ends = Some((value.clone(), value)),
            Some((_, last)) => {
                self.count += i64::from(differ(last.as_deref(), value.as_deref()));
                *last = value;
            }
        }
        Ok(())
    }

    fn merge(&mut self, later: &Self) -> Result<(), String> {
        let Some((first, last)) = &later.ends else { return Ok(()) };
        match &mut self.ends {
            None => *self = later.clone(),
            Some((_, end)) => {
                self.count += later.count + i64::from(differ(end.as_deref(), first.as_deref()));
                end.clone_from(last);
            }
        }
        Ok(())
    }

    fn answer(&self) -> Answer<'static> {
        Answer::Integer(self.count)
    }
}
