//! Reads the rows of a partition one by one: never all of them as values at once.

use std::borrow::Cow;
use std::error::Error;
use std::fmt;

use serde::de::{Deserialize, Deserializer, Error as _, SeqAccess, Visitor};

/// A cell as the wire has it; none is NULL.
pub struct Cell<'a>(pub Option<Cow<'a, str>>);

pub type TakeRow<'take> = &'take mut dyn FnMut(&[Cell<'_>]) -> Result<(), Box<dyn Error>>;

pub fn each(data: &str, take: TakeRow<'_>) -> Result<(), Box<dyn Error>> {
    let mut refused = None;
    let mut deserializer = serde_json::Deserializer::from_str(data);
    let read = deserializer.deserialize_seq(EachRow { take, refused: &mut refused });
    match (refused, read) {
        (Some(error), _) => Err(error),
        (None, Err(error)) => Err(format!("the server's rows cannot be read: {error}").into()),
        (None, Ok(())) => Ok(()),
    }
}

struct EachRow<'take, 'refused> {
    take: TakeRow<'take>,
    refused: &'refused mut Option<Box<dyn Error>>,
}

impl<'de> Visitor<'de> for EachRow<'_, '_> {
    type Value = ();

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("rows")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut rows: A) -> Result<(), A::Error> {
        while let Some(row) = rows.next_element::<Vec<Cell<'de>>>()? {
            if let Err(error) = (self.take)(&row) {
                *self.refused = Some(error);
                return Err(A::Error::custom("refused"));
            }
        }
        Ok(())
    }
}

impl<'de> Deserialize<'de> for Cell<'de> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_option(CellVisitor)
    }
}

struct CellVisitor;

impl<'de> Visitor<'de> for CellVisitor {
    type Value = Cell<'de>;

    fn expecting(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("a text or null")
    }

    fn visit_none<E>(self) -> Result<Cell<'de>, E> {
        Ok(Cell(None))
    }

    fn visit_unit<E>(self) -> Result<Cell<'de>, E> {
        Ok(Cell(None))
    }

    fn visit_some<D: Deserializer<'de>>(self, deserializer: D) -> Result<Cell<'de>, D::Error> {
        deserializer.deserialize_str(self)
    }

    fn visit_borrowed_str<E>(self, text: &'de str) -> Result<Cell<'de>, E> {
        Ok(Cell(Some(Cow::Borrowed(text))))
    }

    fn visit_str<E>(self, text: &str) -> Result<Cell<'de>, E> {
        Ok(Cell(Some(Cow::Owned(text.to_owned()))))
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn rows_come_one_by_one() {
        let mut seen = Vec::new();
        let mut take = |row: &[Cell<'_>]| {
            seen.push(row.iter().map(|cell| cell.0.as_deref().unwrap_or("NULL").to_owned()).collect::<Vec<_>>());
            Ok(())
        };
        each(r#"[["1", null], ["a\n\"b\"", "ü"]]"#, &mut take).unwrap();
        assert_eq!(seen, [["1", "NULL"], ["a\n\"b\"", "ü"]]);
    }

    #[test]
    fn an_error_of_the_taker_ends_it() {
        let mut count = 0;
        let mut take = |_: &[Cell<'_>]| {
            count += 1;
            Err("enough".into())
        };
        assert_eq!(each(r#"[["1"], ["2"]]"#, &mut take).unwrap_err().to_string(), "enough");
        assert_eq!(count, 1);
    }
}
