//! A column of a batch as it grows: the buffers of Arrow themselves. The places of NULLs hold zeros: what an engine leaves there
//! may be a value that a policy hides.

use crate::bitmap::Bitmap;
use crate::field::Storage;

/// Of decimals with fewer bits the ones to come will most likely fit into 64.
const FEW_BITS: u32 = 53;

#[derive(Debug)]
pub struct Column {
    storage: Storage,
    rows: usize,
    nulls: usize,
    /// Absent while there are no NULLs.
    validity: Option<Bitmap>,
    bits: Bitmap,
    parts: Parts,
    /// The bits of all decimals together.
    magnitude: u128,
}

/// Little-endian values.
#[derive(Debug, Default)]
pub struct Parts {
    /// Values of a fixed width, the ends of texts, or seconds.
    pub values: Vec<u8>,
    /// The bytes of texts, or nanoseconds.
    pub details: Vec<u8>,
    pub zones: Vec<u8>,
}

impl Column {
    #[must_use]
    pub fn new(storage: Storage) -> Self {
        Self {
            storage,
            rows: 0,
            nulls: 0,
            validity: None,
            bits: Bitmap::default(),
            parts: Parts::default(),
            magnitude: 0,
        }
    }

    #[must_use]
    pub fn storage(&self) -> Storage {
        self.storage
    }

    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    #[must_use]
    pub fn nulls(&self) -> usize {
        self.nulls
    }

    /// The bytes taken so far.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bits.bytes().len() + self.parts.values.len() + self.parts.details.len() + self.parts.zones.len()
    }

    pub(crate) fn validity(&self) -> Option<&[u8]> {
        self.validity.as_ref().map(Bitmap::bytes)
    }

    pub(crate) fn bits(&self) -> &[u8] {
        self.bits.bytes()
    }

    pub(crate) fn parts(&self) -> &Parts {
        &self.parts
    }

    pub(crate) fn fits_64_bits(&self) -> bool {
        self.magnitude >> 63 == 0
    }

    pub(crate) fn has_small_decimals(&self) -> bool {
        self.magnitude >> FEW_BITS == 0
    }

    /// Without rows; the memory stays for the next ones.
    pub(crate) fn clear(&mut self) {
        self.rows = 0;
        self.nulls = 0;
        self.validity = None;
        self.bits.clear();
        self.magnitude = 0;
        self.parts.values.clear();
        self.parts.details.clear();
        self.parts.zones.clear();
    }

    pub fn push_null(&mut self) {
        match self.storage {
            Storage::Boolean => self.bits.push(false),
            Storage::Text | Storage::Binary => self.push_end(),
            storage => {
                self.parts.values.resize(self.parts.values.len() + values_width(storage), 0);
                self.parts.details.resize(self.parts.details.len() + details_width(storage), 0);
                self.parts.zones.resize(self.parts.zones.len() + zones_width(storage), 0);
            }
        }
        let rows = self.rows;
        self.validity.get_or_insert_with(|| Bitmap::ones(rows)).push(false);
        self.rows += 1;
        self.nulls += 1;
    }

    fn note_valid(&mut self, count: usize) {
        self.rows += count;
        if let Some(validity) = &mut self.validity {
            validity.extend_ones(count);
        }
    }

    pub fn push_bit(&mut self, bit: bool) {
        self.bits.push(bit);
        self.note_valid(1);
    }

    /// A text or bytes.
    pub fn push_bytes(&mut self, bytes: &[u8]) {
        self.parts.details.extend_from_slice(bytes);
        self.push_end();
        self.note_valid(1);
    }

    /// Appends what is written; nothing must be taken away.
    pub fn push_written(&mut self, write: impl FnOnce(&mut Vec<u8>)) {
        write(&mut self.parts.details);
        self.push_end();
        self.note_valid(1);
    }

    fn push_end(&mut self) {
        // Batches are closed long before.
        let end = i32::try_from(self.parts.details.len()).unwrap_or(i32::MAX);
        self.parts.values.extend_from_slice(&end.to_le_bytes());
    }

    /// A value of a fixed width.
    pub fn push_value<const N: usize>(&mut self, value: [u8; N]) {
        self.parts.values.extend_from_slice(&value);
        self.note_valid(1);
    }

    /// Values of a fixed width, none of which is NULL.
    pub fn extend_values<const N: usize>(&mut self, values: impl ExactSizeIterator<Item = [u8; N]>) {
        let (start, count) = (self.parts.values.len(), values.len());
        self.parts.values.resize(start + N * count, 0);
        let (places, _) = self.parts.values[start..].as_chunks_mut::<N>();
        places.iter_mut().zip(values).for_each(|(place, value)| *place = value);
        self.note_valid(count);
    }

    pub fn push_decimal(&mut self, value: i128) {
        self.magnitude |= (value ^ (value >> 127)).unsigned_abs();
        self.push_value(value.to_le_bytes());
    }

    pub fn push_epoch_and_fraction(&mut self, epoch: i64, fraction: i32) {
        self.parts.details.extend_from_slice(&fraction.to_le_bytes());
        self.push_value(epoch.to_le_bytes());
    }

    pub fn push_epoch_and_zone(&mut self, epoch: i64, zone: i32) {
        self.parts.zones.extend_from_slice(&zone.to_le_bytes());
        self.push_value(epoch.to_le_bytes());
    }

    pub fn push_epoch_fraction_and_zone(&mut self, epoch: i64, fraction: i32, zone: i32) {
        self.parts.details.extend_from_slice(&fraction.to_le_bytes());
        self.push_epoch_and_zone(epoch, zone);
    }
}

fn values_width(storage: Storage) -> usize {
    match storage {
        Storage::Boolean | Storage::Text | Storage::Binary => 0,
        Storage::Int16 => 2,
        Storage::Int32 | Storage::Date => 4,
        Storage::Int64 | Storage::Double => 8,
        Storage::Decimal => 16,
        Storage::EpochFraction | Storage::EpochZone | Storage::EpochFractionZone => 8,
    }
}

fn details_width(storage: Storage) -> usize {
    if matches!(storage, Storage::EpochFraction | Storage::EpochFractionZone) { 4 } else { 0 }
}

fn zones_width(storage: Storage) -> usize {
    if matches!(storage, Storage::EpochZone | Storage::EpochFractionZone) { 4 } else { 0 }
}
