//! Tables of FlatBuffers as they are read. Whatever the bytes are, nothing outside of them is read.

#[derive(Clone, Copy)]
pub struct TableView<'a> {
    bytes: &'a [u8],
    start: usize,
}

impl<'a> TableView<'a> {
    pub fn root(bytes: &'a [u8]) -> Option<Self> {
        Some(Self { bytes, start: u32_at(bytes, 0)? as usize })
    }

    /// Where a field is; `None` if it has its default.
    fn place(&self, number: usize) -> Option<usize> {
        let distance = i32::from_le_bytes(array_at(self.bytes, self.start)?);
        let vtable = usize::try_from(i64::try_from(self.start).ok()?.checked_sub(distance.into())?).ok()?;
        let length = usize::from(u16::from_le_bytes(array_at(self.bytes, vtable)?));
        let slot = 4 + 2 * number;
        if slot + 2 > length {
            return None;
        }
        match u16::from_le_bytes(array_at(self.bytes, vtable.checked_add(slot)?)?) {
            0 => None,
            offset => self.start.checked_add(offset.into()),
        }
    }

    pub fn byte(&self, number: usize) -> Option<u8> {
        self.bytes.get(self.place(number)?).copied()
    }

    pub fn short(&self, number: usize) -> Option<i16> {
        array_at(self.bytes, self.place(number)?).map(i16::from_le_bytes)
    }

    pub fn int(&self, number: usize) -> Option<i32> {
        array_at(self.bytes, self.place(number)?).map(i32::from_le_bytes)
    }

    pub fn long(&self, number: usize) -> Option<i64> {
        array_at(self.bytes, self.place(number)?).map(i64::from_le_bytes)
    }

    /// Where what a field refers to begins.
    fn target(&self, place: usize) -> Option<usize> {
        place.checked_add(u32_at(self.bytes, place)? as usize)
    }

    pub fn table(&self, number: usize) -> Option<TableView<'a>> {
        Some(Self { bytes: self.bytes, start: self.target(self.place(number)?)? })
    }

    /// The length of a vector and where its elements begin.
    fn vector(&self, number: usize) -> Option<(usize, usize)> {
        let start = self.target(self.place(number)?)?;
        Some((u32_at(self.bytes, start)? as usize, start.checked_add(4)?))
    }

    pub fn text(&self, number: usize) -> Option<&'a str> {
        let (length, start) = self.vector(number)?;
        std::str::from_utf8(self.bytes.get(start..start.checked_add(length)?)?).ok()
    }

    pub fn tables(&self, number: usize) -> Option<Vec<TableView<'a>>> {
        let (length, start) = self.vector(number)?;
        let of = |index: usize| {
            Some(Self { bytes: self.bytes, start: self.target(start.checked_add(index.checked_mul(4)?)?)? })
        };
        // A length beyond the bytes ends at the first element that is not there.
        (0..length).map(of).collect()
    }

    /// A vector of structs of two 64-bit numbers.
    pub fn pairs(&self, number: usize) -> Option<Vec<[i64; 2]>> {
        let (length, start) = self.vector(number)?;
        let of = |index: usize| {
            let place = start.checked_add(index.checked_mul(16)?)?;
            let first = i64::from_le_bytes(array_at(self.bytes, place)?);
            Some([first, i64::from_le_bytes(array_at(self.bytes, place.checked_add(8)?)?)])
        };
        (0..length).map(of).collect()
    }
}

fn u32_at(bytes: &[u8], place: usize) -> Option<u32> {
    array_at(bytes, place).map(u32::from_le_bytes)
}

fn array_at<const N: usize>(bytes: &[u8], place: usize) -> Option<[u8; N]> {
    bytes.get(place..)?.first_chunk().copied()
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;
    use crate::flat_table_writer::{Table, Value};

    #[test]
    fn what_was_written_is_read() {
        let inner = |text| Table::default().with(0, Value::Text(text)).with(1, Value::Bool(true));
        let bytes = Table::default()
            .with(0, Value::Short(4))
            .with(2, Value::Long(-5))
            .with(3, Value::Int(7))
            .with(4, Value::Tables(vec![inner("a"), inner("longer")]))
            .with(5, Value::Pairs(vec![[1, 2], [-3, i64::MAX]]))
            .with(6, Value::Table(inner("")))
            .to_bytes();
        let root = TableView::root(&bytes).unwrap();
        assert_eq!((root.long(2), root.int(3), root.long(1), root.byte(20)), (Some(-5), Some(7), None, None));
        let texts: Vec<_> = root.tables(4).unwrap().iter().map(|table| (table.text(0), table.byte(1))).collect();
        assert_eq!(texts, [(Some("a"), Some(1)), (Some("longer"), Some(1))]);
        assert_eq!(root.pairs(5), Some(vec![[1, 2], [-3, i64::MAX]]));
        assert_eq!(root.table(6).unwrap().text(0), Some(""));
    }

    #[test]
    fn damaged_bytes_are_read_without_harm() {
        let whole = Table::default().with(1, Value::Text("text")).with(2, Value::Pairs(vec![[1, 2]])).to_bytes();
        for place in 0..whole.len() {
            for value in [0, 1, 0x7f, 0x80, 0xff] {
                let mut damaged = whole.clone();
                damaged[place] = value;
                damaged.truncate(whole.len() - place % 3);
                if let Some(root) = TableView::root(&damaged) {
                    let _ = (root.text(1), root.pairs(2), root.tables(2).map(|tables| tables.len()), root.table(1));
                }
            }
        }
    }
}
