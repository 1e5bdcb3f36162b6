//! Cursors and result sets.

use firn_sql::blocks::{Fragment, Source};
use firn_sql::lookups::Rows;
use firn_sql::{Constant, Failure};

use super::Interpreter;
use super::errors::ScriptError;
use super::scopes::{Cursor, Named};

impl Interpreter<'_> {
    pub(super) fn rows_of(&mut self, source: &Source, using: &[Constant]) -> Result<Rows, ScriptError> {
        match source {
            Source::Statement(statement) => self.statement(statement, using).map(|(rows, _)| rows),
            Source::ResultSet(name) => match self.scopes.find(name) {
                Some(Named::ResultSet(Some(rows))) => self.copied(rows),
                _ => Err(Failure::new("000904", "42000", format!("{name} is no result set with rows")).into()),
            },
        }
    }

    pub(super) fn open(&mut self, name: &str, using: &[Fragment]) -> Result<(), ScriptError> {
        let source = match self.scopes.find(name) {
            Some(Named::Cursor(cursor)) => cursor.source.clone(),
            _ => return Err(no_cursor(name)),
        };
        let using = using.iter().map(|value| self.evaluate(value, None)).collect::<Result<Vec<_>, _>>()?;
        let rows = self.rows_of(&source, &using)?;
        if let Some(Named::Cursor(cursor)) = self.scopes.find_mut(name) {
            cursor.rows = Some((rows, 0));
        }
        Ok(())
    }

    /// The rows that nobody has fetched from an open cursor, or all of one that is not open.
    pub(super) fn rows_left(&mut self, name: &str) -> Result<Rows, ScriptError> {
        let source = match self.scopes.find(name) {
            Some(Named::Cursor(Cursor { rows: Some((rows, next)), .. })) => {
                self.memory().take_copy(rows)?;
                let left = rows.rows.iter().skip(*next).cloned().collect();
                return Ok(Rows { rows: left, ..rows.clone() });
            }
            Some(Named::Cursor(cursor)) => cursor.source.clone(),
            _ => return Err(no_cursor(name)),
        };
        self.rows_of(&source, &[])
    }

    /// Past the last row the variables become NULL.
    pub(super) fn fetch(&mut self, name: &str, into: &[String]) -> Result<(), ScriptError> {
        let Some(Named::Cursor(cursor)) = self.scopes.find_mut(name) else { return Err(no_cursor(name)) };
        let Some((rows, next)) = &mut cursor.rows else {
            return Err(Failure::new("090233", "24000", format!("cursor {name} is not open; OPEN opens it")).into());
        };
        if into.len() != rows.columns.len() {
            let message = format!("{} variables for the {} columns of cursor {name}", into.len(), rows.columns.len());
            return Err(Failure::new("002020", "21S01", message).into());
        }
        let place = *next;
        *next += 1;
        let values: Vec<Constant> = (0..into.len())
            .map(|column| {
                let nothing = || Constant::null(rows.columns[column].1.clone());
                rows.value(place, column).unwrap_or_else(nothing)
            })
            .collect();
        into.iter().zip(values).try_for_each(|(name, value)| self.set_variable(name, value))
    }

    pub(super) fn close(&mut self, name: &str) -> Result<(), ScriptError> {
        match self.scopes.find_mut(name) {
            Some(Named::Cursor(cursor)) => {
                cursor.rows = None;
                Ok(())
            }
            _ => Err(no_cursor(name)),
        }
    }
}

fn no_cursor(name: &str) -> ScriptError {
    Failure::new("000904", "42000", format!("{name} is no declared cursor")).into()
}
