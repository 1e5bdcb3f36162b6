//! Protocol Buffers as far as Spark Connect needs them: fields of texts, bytes, numbers and messages.

/// A message as it is written.
#[derive(Clone, Default)]
pub(crate) struct Message(Vec<u8>);

const VARINT: u64 = 0;
const BITS_64: u64 = 1;
const LENGTH: u64 = 2;
const BITS_32: u64 = 5;

impl Message {
    pub(crate) fn text(self, number: u64, text: &str) -> Self {
        self.bytes(number, text.as_bytes())
    }

    pub(crate) fn flag(mut self, number: u64, value: bool) -> Self {
        self.varint(number << 3 | VARINT);
        self.varint(u64::from(value));
        self
    }

    pub(crate) fn number(mut self, number: u64, value: u64) -> Self {
        self.varint(number << 3 | VARINT);
        self.varint(value);
        self
    }

    pub(crate) fn message(self, number: u64, message: &Self) -> Self {
        self.bytes(number, &message.0)
    }

    pub(crate) fn bytes(mut self, number: u64, bytes: &[u8]) -> Self {
        self.varint(number << 3 | LENGTH);
        self.varint(bytes.len() as u64);
        self.0.extend_from_slice(bytes);
        self
    }

    pub(crate) fn into_bytes(self) -> Vec<u8> {
        self.0
    }

    fn varint(&mut self, mut value: u64) {
        while value >= 0x80 {
            self.0.push(value as u8 | 0x80);
            value >>= 7;
        }
        self.0.push(value as u8);
    }
}

/// The value of a field as it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Value<'a> {
    Number(u64),
    Bytes(&'a [u8]),
}

impl<'a> Value<'a> {
    pub(crate) fn bytes(self) -> &'a [u8] {
        match self {
            Self::Bytes(bytes) => bytes,
            Self::Number(_) => &[],
        }
    }

    pub(crate) fn text(self) -> String {
        String::from_utf8_lossy(self.bytes()).into_owned()
    }

    pub(crate) fn number(self) -> u64 {
        match self {
            Self::Number(number) => number,
            Self::Bytes(_) => 0,
        }
    }
}

/// The fields of a message in their order; what is damaged ends them.
pub(crate) struct Fields<'a>(pub(crate) &'a [u8]);

impl<'a> Iterator for Fields<'a> {
    type Item = (u64, Value<'a>);

    fn next(&mut self) -> Option<Self::Item> {
        let key = self.varint()?;
        let value = match key & 7 {
            VARINT => Value::Number(self.varint()?),
            BITS_64 => Value::Number(u64::from_le_bytes(*self.take(8)?.first_chunk()?)),
            BITS_32 => Value::Number(u32::from_le_bytes(*self.take(4)?.first_chunk()?).into()),
            LENGTH => {
                let length = usize::try_from(self.varint()?).ok()?;
                Value::Bytes(self.take(length)?)
            }
            _ => return None,
        };
        Some((key >> 3, value))
    }
}

impl<'a> Fields<'a> {
    fn take(&mut self, length: usize) -> Option<&'a [u8]> {
        let (taken, rest) = self.0.split_at_checked(length)?;
        self.0 = rest;
        Some(taken)
    }

    fn varint(&mut self) -> Option<u64> {
        let mut value = 0;
        for shift in (0..64).step_by(7) {
            let (first, rest) = self.0.split_first()?;
            self.0 = rest;
            value |= u64::from(first & 0x7f) << shift;
            if first & 0x80 == 0 {
                return Some(value);
            }
        }
        None
    }
}

/// The first field of a number.
pub(crate) fn field(message: &[u8], number: u64) -> Option<Value<'_>> {
    Fields(message).find(|(found, _)| *found == number).map(|(_, value)| value)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_written_is_read() {
        let inner = Message::default().text(1, "größer").flag(2, true);
        let bytes = Message::default().number(1, 300).message(2, &inner).bytes(900, &[0, 255]).into_bytes();
        assert_eq!(field(&bytes, 1), Some(Value::Number(300)));
        assert_eq!(field(&bytes, 900), Some(Value::Bytes(&[0, 255])));
        let inner = field(&bytes, 2).map(Value::bytes).unwrap_or_default();
        assert_eq!(field(inner, 1).map(Value::text), Some("größer".to_owned()));
        assert_eq!(field(inner, 2).map(Value::number), Some(1));
        assert_eq!(field(&bytes, 3), None);
    }

    #[test]
    fn damaged_messages_end_early() {
        let bytes = Message::default().text(1, "text").number(2, u64::MAX).into_bytes();
        for end in 0..bytes.len() {
            let _ = Fields(&bytes[..end]).count();
        }
        assert_eq!(Fields(&[0xff; 20]).count(), 0);
        assert_eq!(Fields(&[0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f]).count(), 0);
    }
}
