//! Columns of values as typed slices, which functions read without a copy. The layouts are those that columnar engines
//! share: a text is its length with its bytes or a pointer to them, a list a range of the elements' column.

use std::ops::Range;
use std::slice;

/// One column of a chunk, or one level of a nested value.
pub struct Column<'chunk> {
    /// One bit per value, set where it is not NULL; absent when none is NULL.
    validity: Option<&'chunk [u64]>,
    pub values: Values<'chunk>,
}

/// Integers and decimals share their storage: an integer is a decimal of scale 0. Ticks count from the
/// epoch, or from midnight.
pub enum Values<'chunk> {
    Null,
    Boolean(&'chunk [u8]),
    Int8(&'chunk [i8]),
    Int16 {
        values: &'chunk [i16],
        scale: usize,
    },
    Int32 {
        values: &'chunk [i32],
        scale: usize,
    },
    Int64 {
        values: &'chunk [i64],
        scale: usize,
    },
    Int128 {
        values: &'chunk [Wide],
        scale: usize,
    },
    Uint8(&'chunk [u8]),
    Uint16(&'chunk [u16]),
    Uint32(&'chunk [u32]),
    Uint64(&'chunk [u64]),
    Uint128(&'chunk [Wide]),
    Float(&'chunk [f32]),
    Double(&'chunk [f64]),
    Text(&'chunk [Bytes]),
    Json(&'chunk [Bytes]),
    Blob(&'chunk [Bytes]),
    /// See `firn_values::geo`.
    Geography(&'chunk [Bytes]),
    Geometry(&'chunk [Bytes]),
    Bit(&'chunk [Bytes]),
    Uuid(&'chunk [Wide]),
    Date(&'chunk [i32]),
    Time {
        ticks: &'chunk [i64],
        per_second: i64,
    },
    TimeWithOffset(&'chunk [u64]),
    Timestamp {
        ticks: &'chunk [i64],
        per_second: i64,
    },
    TimestampWithZone(&'chunk [i64]),
    /// See `ZonedTimestamp`.
    TimestampTz(&'chunk [Interval]),
    Interval(&'chunk [Interval]),
    Enum {
        codes: Codes<'chunk>,
        names: &'chunk [String],
    },
    List {
        entries: &'chunk [ListEntry],
        element: Box<Column<'chunk>>,
    },
    Array {
        length: usize,
        element: Box<Column<'chunk>>,
    },
    Struct(Vec<(&'chunk str, Column<'chunk>)>),
    Map {
        entries: &'chunk [ListEntry],
        key: Box<Column<'chunk>>,
        value: Box<Column<'chunk>>,
    },
}

pub enum Codes<'chunk> {
    One(&'chunk [u8]),
    Two(&'chunk [u16]),
    Four(&'chunk [u32]),
}

impl Codes<'_> {
    #[inline]
    pub fn get(&self, row: usize) -> usize {
        match self {
            Self::One(codes) => usize::from(codes[row]),
            Self::Two(codes) => usize::from(codes[row]),
            Self::Four(codes) => codes[row] as usize,
        }
    }
}

/// The elements of one list: a range of the elements' column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct ListEntry {
    pub offset: u64,
    pub length: u64,
}

/// The three parts of an interval, none of which is carried into another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C)]
pub struct Interval {
    pub months: i32,
    pub days: i32,
    pub micros: i64,
}

/// 128 bits in two halves, so that they are aligned like 64 bits.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Wide {
    lower: u64,
    upper: u64,
}

impl Wide {
    #[inline]
    pub fn unsigned(self) -> u128 {
        u128::from(self.upper) << 64 | u128::from(self.lower)
    }

    #[inline]
    pub fn signed(self) -> i128 {
        self.unsigned() as i128
    }
}

/// A string or blob: its bytes inside when short, else a pointer to them.
#[repr(transparent)]
pub struct Bytes(Layout);

#[repr(C)]
union Layout {
    inlined: Inlined,
    pointer: Pointer,
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Inlined {
    length: u32,
    bytes: [u8; INLINED_MAX as usize],
}

#[derive(Clone, Copy)]
#[repr(C)]
struct Pointer {
    length: u32,
    prefix: [u8; 4],
    start: *const u8,
}

const INLINED_MAX: u32 = 12;

impl Bytes {
    #[inline]
    pub fn get(&self) -> &[u8] {
        // SAFETY: the length is at the same offset in both representations and decides which one it is; the bytes live in
        // the column, which outlives the borrow of `self`.
        unsafe {
            let length = self.0.inlined.length;
            let start = if length <= INLINED_MAX {
                (&raw const self.0.inlined.bytes).cast::<u8>()
            } else {
                self.0.pointer.start
            };
            slice::from_raw_parts(start, length as usize)
        }
    }
}

impl<'chunk> Column<'chunk> {
    /// `validity` has a bit for each of the values, in words of 64.
    pub fn new(validity: Option<&'chunk [u64]>, values: Values<'chunk>) -> Self {
        Self { validity, values }
    }

    /// Whether any of the rows may be NULL.
    pub fn may_have_nulls(&self, rows: Range<usize>) -> bool {
        match &self.validity {
            None => matches!(self.values, Values::Null),
            Some(words) => words[rows.start / 64..rows.end.div_ceil(64)].iter().any(|word| *word != u64::MAX),
        }
    }

    #[inline]
    pub fn is_null(&self, row: usize) -> bool {
        match &self.validity {
            None => matches!(self.values, Values::Null),
            Some(words) => words[row / 64] >> (row % 64) & 1 == 0,
        }
    }
}
