//! Sketches: distinct counts (HyperLogLog), bitmaps, similarity (MinHash) and percentiles (t-digest). Aggregates collect
//! their values in a list, from which a state is made here; states are combined likewise.

use std::collections::BTreeMap;

use serde_json::{Value, json};
use tdigests::{Centroid, TDigest};

use super::native::{Argument, Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Array, Binaries, Binary, Double, Doubles, Integer, Integers, Object, Text, Texts};

/// Registers of a HyperLogLog state: an error of about 1.6 percent.
const REGISTER_BITS: u32 = 12;
const REGISTERS: usize = 1 << REGISTER_BITS;
const BITMAP_BYTES: usize = 32_768 / 8;
const HASHES_MAX: i64 = 1_024;
const CENTROIDS_MAX: usize = 1_000;

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_hll_state", &[Integers], Binary, |row| Ok(Answer::Bytes(hll_state(row.list(0))))),
    Native::new(c"firn_hll_combined", &[Binaries], Binary, hll_combined),
    Native::new(c"firn_hll_estimate", &[Binary], Integer, |row| {
        Ok(Answer::Integer(hll_estimate(registers(row.bytes(0))?)))
    }),
    Native::new(c"firn_hll_export", &[Binary], Object, |row| {
        Ok(Answer::Text(
            json!({ "version": 4, "precision": REGISTER_BITS, "dense": registers(row.bytes(0))? }).to_string(),
        ))
    }),
    Native::new(c"firn_hll_import", &[Text], Binary, hll_import),
    Native::new(c"firn_bitmap", &[Integers], Binary, bitmap),
    Native::new(c"firn_bitmap_combined", &[Binaries], Binary, bitmap_combined),
    Native::new(c"firn_bitmap_count", &[Binary], Integer, |row| {
        Ok(Answer::Integer(row.bytes(0).iter().map(|byte| i64::from(byte.count_ones())).sum()))
    }),
    Native::new(c"firn_minhash", &[Integer, Integers], Object, minhash),
    Native::new(c"firn_minhash_combined", &[Texts], Object, |row| {
        let combined =
            states(row)?.into_iter().reduce(|one, other| one.iter().zip(other).map(|(a, b)| *a.min(&b)).collect());
        Ok(combined.map(|state| minhash_json(&state)).into())
    }),
    Native::new(c"firn_similarity", &[Texts], Double, similarity),
    Native::new(c"firn_top_state", &[Text], Object, |row| Ok(Answer::Text(top_json(&counts(row.text(0))?)))),
    Native::new(c"firn_top_combined", &[Texts, Integer], Object, top_combined),
    Native::new(c"firn_top_estimate", &[Text, Integer], Array, |row| {
        let top = state_counts(row.text(0))?.into_iter().take(row.integer(1).max(0) as usize);
        Ok(Answer::Text(json!(top.collect::<Vec<_>>()).to_string()))
    }),
    Native::new(c"firn_percentile_state", &[Doubles], Object, |row| {
        let values = row.list(0).iter().filter_map(|value| match value {
            Argument::Double(value) => Some(Centroid::new(*value, 1.0)),
            _ => None,
        });
        Ok(Answer::Text(percentile_json(digest(values.collect()))))
    }),
    Native::new(c"firn_percentile_combined", &[Texts], Object, |row| {
        let centroids: Result<Vec<_>, String> = row.list(0).iter().map(centroids).collect();
        Ok(Answer::Text(percentile_json(digest(centroids?.concat()))))
    }),
    Native::new(c"firn_percentile_estimate", &[Text, Double], Double, |row| {
        let digest = digest(centroids(&Argument::Text(row.text(0)))?);
        Ok(digest.map_or(Answer::Null, |digest| Answer::Double(digest.estimate_quantile(row.double(1)))))
    }),
];

fn invalid_state(function: &str) -> String {
    format!("firn:100048:Invalid state for {function}")
}

fn hll_state(hashes: &[Argument<'_>]) -> Vec<u8> {
    let mut registers = hll_empty();
    for hash in hashes {
        let Argument::Integer(hash) = hash else { continue };
        hll_add(&mut registers, *hash as u64);
    }
    registers
}

pub(crate) fn hll_empty() -> Vec<u8> {
    vec![0; REGISTERS]
}

/// Takes in the hash of one more value.
pub(crate) fn hll_add(registers: &mut [u8], hash: u64) {
    let register = (hash >> (u64::BITS - REGISTER_BITS)) as usize;
    let rank = ((hash << REGISTER_BITS) | (1 << (REGISTER_BITS - 1))).leading_zeros() + 1;
    registers[register] = registers[register].max(rank as u8);
}

pub(crate) fn hll_merge(registers: &mut [u8], others: &[u8]) {
    registers.iter_mut().zip(others).for_each(|(register, other)| *register = (*register).max(*other));
}

fn registers(state: &[u8]) -> Result<&[u8], String> {
    if state.len() == REGISTERS { Ok(state) } else { Err(invalid_state("HLL_ESTIMATE")) }
}

fn hll_combined(row: &Row<'_>) -> Evaluated {
    let mut combined = hll_empty();
    for state in row.list(0) {
        let Argument::Bytes(state) = state else { continue };
        hll_merge(&mut combined, registers(state)?);
    }
    Ok(Answer::Bytes(combined))
}

pub(crate) fn hll_estimate(registers: &[u8]) -> i64 {
    let count = REGISTERS as f64;
    let sum: f64 = registers.iter().map(|rank| 2_f64.powi(-i32::from(*rank))).sum();
    let raw = 0.7213 / (1.0 + 1.079 / count) * count * count / sum;
    let empty = registers.iter().filter(|rank| **rank == 0).count();
    if raw <= 2.5 * count && empty > 0 {
        (count * (count / empty as f64).ln()).round() as i64
    } else {
        raw.round() as i64
    }
}

fn hll_import(row: &Row<'_>) -> Evaluated {
    let refused = || invalid_state("HLL_IMPORT");
    let state: Value = serde_json::from_str(row.text(0)).map_err(|_| refused())?;
    let dense: Vec<u8> = serde_json::from_value(state["dense"].clone()).map_err(|_| refused())?;
    registers(&dense).map_err(|_| refused())?;
    Ok(Answer::Bytes(dense))
}

fn bitmap(row: &Row<'_>) -> Evaluated {
    let mut bits = vec![0_u8; BITMAP_BYTES];
    for position in row.list(0) {
        let Argument::Integer(position) = position else { continue };
        let place = usize::try_from(*position).ok().filter(|place| *place < BITMAP_BYTES * 8).ok_or_else(|| {
            format!("firn:100048:Invalid bit position {position} for BITMAP_CONSTRUCT_AGG; use BITMAP_BIT_POSITION")
        })?;
        bits[place / 8] |= 1 << (place % 8);
    }
    Ok(Answer::Bytes(bits))
}

fn bitmap_combined(row: &Row<'_>) -> Evaluated {
    let mut combined = vec![0_u8; BITMAP_BYTES];
    for other in row.list(0) {
        let Argument::Bytes(other) = other else { continue };
        if other.len() != BITMAP_BYTES {
            return Err(invalid_state("BITMAP_OR_AGG"));
        }
        combined.iter_mut().zip(*other).for_each(|(byte, more)| *byte |= more);
    }
    Ok(Answer::Bytes(combined))
}

/// The least of each of `k` hashes over all values.
fn minhash(row: &Row<'_>) -> Evaluated {
    let count = row.integer(0);
    if !(1..=HASHES_MAX).contains(&count) {
        return Err(format!("firn:100048:Invalid number of hashes {count} for MINHASH; use 1 to {HASHES_MAX}"));
    }
    let least = |number: i64| {
        let hashes = row.list(1).iter().filter_map(|hash| match hash {
            Argument::Integer(hash) => Some(mixed(*hash as u64, number as u64)),
            _ => None,
        });
        hashes.min().unwrap_or(u64::MAX)
    };
    Ok(Answer::Text(minhash_json(&(0..count).map(least).collect::<Vec<_>>())))
}

fn mixed(hash: u64, number: u64) -> u64 {
    let seeded = (hash ^ number.wrapping_mul(0x9E37_79B9_7F4A_7C15)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let seeded = (seeded ^ (seeded >> 29)).wrapping_mul(0x94D0_49BB_1331_11EB);
    seeded ^ (seeded >> 32)
}

fn minhash_json(state: &[u64]) -> String {
    json!({ "state": state, "type": "minhash", "version": 1 }).to_string()
}

fn states(row: &Row<'_>) -> Result<Vec<Vec<u64>>, String> {
    let refused = || invalid_state("MINHASH_COMBINE and APPROXIMATE_SIMILARITY");
    let texts = row.list(0).iter().filter_map(|text| match text {
        Argument::Text(text) => Some(*text),
        _ => None,
    });
    texts
        .map(|text| {
            let state: Value = serde_json::from_str(text).map_err(|_| refused())?;
            serde_json::from_value(state["state"].clone()).map_err(|_| refused())
        })
        .collect()
}

/// The share of hashes that all states agree on.
fn similarity(row: &Row<'_>) -> Evaluated {
    let states = states(row)?;
    let Some((first, others)) = states.split_first() else { return Ok(Answer::Null) };
    if others.iter().any(|other| other.len() != first.len()) || first.is_empty() {
        return Err(invalid_state("APPROXIMATE_SIMILARITY"));
    }
    let agreed = (0..first.len()).filter(|place| others.iter().all(|other| other[*place] == first[*place])).count();
    Ok(Answer::Double(agreed as f64 / first.len() as f64))
}

/// Values with how often they are there, the most frequent first.
fn counts(text: &str) -> Result<Vec<(Value, u64)>, String> {
    serde_json::from_str(text).map_err(|_| invalid_state("APPROX_TOP_K_COMBINE and APPROX_TOP_K_ESTIMATE"))
}

fn state_counts(text: &str) -> Result<Vec<(Value, u64)>, String> {
    let state: Value = serde_json::from_str(text).unwrap_or_default();
    counts(&state["state"].to_string())
}

fn top_json(counts: &[(Value, u64)]) -> String {
    json!({ "state": counts, "type": "approx_top_k", "version": 1 }).to_string()
}

/// Arguments: states, and the number of values in the combined one.
fn top_combined(row: &Row<'_>) -> Evaluated {
    let mut totals: BTreeMap<String, (Value, u64)> = BTreeMap::new();
    for state in row.list(0) {
        let Argument::Text(state) = state else { continue };
        for (value, count) in state_counts(state)? {
            totals.entry(value.to_string()).or_insert((value, 0)).1 += count;
        }
    }
    let mut combined: Vec<(Value, u64)> = totals.into_values().collect();
    combined.sort_by_key(|(_, count)| std::cmp::Reverse(*count));
    combined.truncate(row.integer(1).max(1) as usize);
    Ok(Answer::Text(top_json(&combined)))
}

/// `None` of nothing but NaN, which has no rank.
fn digest(mut centroids: Vec<Centroid>) -> Option<TDigest> {
    centroids.retain(|centroid| centroid.weight > 0.0 && !centroid.mean.is_nan());
    if centroids.is_empty() {
        return None;
    }
    let mut digest = TDigest::from_centroids(centroids);
    digest.compress(CENTROIDS_MAX);
    Some(digest)
}

fn percentile_json(digest: Option<TDigest>) -> String {
    let centroids = digest.as_ref().map(TDigest::centroids).unwrap_or_default();
    let flat: Vec<f64> = centroids.iter().flat_map(|centroid| [centroid.mean, centroid.weight]).collect();
    json!({ "state": flat, "type": "tdigest", "version": 1 }).to_string()
}

fn centroids(state: &Argument<'_>) -> Result<Vec<Centroid>, String> {
    let refused = || invalid_state("APPROX_PERCENTILE_ESTIMATE");
    let Argument::Text(text) = state else { return Ok(Vec::new()) };
    let state: Value = serde_json::from_str(text).map_err(|_| refused())?;
    let flat: Vec<f64> = serde_json::from_value(state["state"].clone()).map_err(|_| refused())?;
    Ok(flat.chunks_exact(2).map(|pair| Centroid::new(pair[0], pair[1])).collect())
}
