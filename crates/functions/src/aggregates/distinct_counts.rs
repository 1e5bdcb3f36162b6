//! APPROX_COUNT_DISTINCT: an estimate from the hashes of the values (HyperLogLog), which is exact for a few of them. A
//! group of few values keeps their hashes, so that many groups take little memory.

use std::ffi::CStr;

use super::Aggregate;
use crate::columns::{Column, Values};
use crate::definition::{Answer, Kind};
use crate::scalar::sketches::{hll_add, hll_empty, hll_estimate, hll_merge};

/// Up to this number hashes are stored exactly.
const FEW_MAX: usize = 64;

#[derive(Clone)]
pub enum DistinctCount {
    /// Sorted, each once.
    Few(Vec<u64>),
    Registers(Vec<u8>),
}

impl Default for DistinctCount {
    fn default() -> Self {
        Self::Few(Vec::new())
    }
}

impl DistinctCount {
    fn take(&mut self, hash: u64) {
        match self {
            Self::Few(hashes) => {
                if let Err(place) = hashes.binary_search(&hash) {
                    hashes.insert(place, hash);
                }
                if hashes.len() > FEW_MAX {
                    *self = Self::Registers(registers_of(hashes));
                }
            }
            Self::Registers(registers) => hll_add(registers, hash),
        }
    }
}

fn registers_of(hashes: &[u64]) -> Vec<u8> {
    let mut registers = hll_empty();
    hashes.iter().for_each(|hash| hll_add(&mut registers, *hash));
    registers
}

impl Aggregate for DistinctCount {
    const NAME: &'static CStr = c"firn_distinct_count";
    const PARAMETERS: &'static [Kind] = &[Kind::Integer];
    const RETURNS: Kind = Kind::Integer;

    fn add(&mut self, columns: &[Column<'_>], row: usize) -> Result<(), String> {
        if let Some(column) = columns.first().filter(|column| !column.is_null(row))
            && let Values::Int64 { values, .. } = &column.values
        {
            // The highest bits choose the register; the sign is none of them.
            self.take((values[row] as u64) << 1);
        }
        Ok(())
    }

    fn merge(&mut self, later: &Self) -> Result<(), String> {
        match (&mut *self, later) {
            (_, Self::Few(hashes)) => hashes.iter().for_each(|hash| self.take(*hash)),
            (Self::Few(hashes), Self::Registers(others)) => {
                let mut registers = registers_of(hashes);
                hll_merge(&mut registers, others);
                *self = Self::Registers(registers);
            }
            (Self::Registers(registers), Self::Registers(others)) => hll_merge(registers, others),
        }
        Ok(())
    }

    fn answer(&self) -> Answer<'static> {
        Answer::Integer(match self {
            Self::Few(hashes) => hashes.len() as i64,
            Self::Registers(registers) => hll_estimate(registers),
        })
    }
}
