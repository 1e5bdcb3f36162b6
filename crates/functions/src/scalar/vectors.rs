//! Distances and products of vectors.

use super::native::{Argument, Evaluated, Native, Row};
use crate::definition::{Answer, Kind};
use Kind::{Double, Doubles};

pub(super) const FUNCTIONS: &[Native] = &[
    Native::new(c"firn_vector_inner_product", &[Doubles, Doubles], Double, |row| {
        computed(row, |pairs| pairs.iter().map(|(left, right)| left * right).sum())
    }),
    Native::new(c"firn_vector_l1_distance", &[Doubles, Doubles], Double, |row| {
        computed(row, |pairs| pairs.iter().map(|(left, right)| (left - right).abs()).sum())
    }),
    Native::new(c"firn_vector_l2_distance", &[Doubles, Doubles], Double, |row| {
        computed(row, |pairs| pairs.iter().map(|(left, right)| (left - right).powi(2)).sum::<f64>().sqrt())
    }),
    Native::new(c"firn_vector_cosine_similarity", &[Doubles, Doubles], Double, |row| {
        computed(row, |pairs| {
            let product: f64 = pairs.iter().map(|(left, right)| left * right).sum();
            let left: f64 = pairs.iter().map(|(left, _)| left * left).sum();
            let right: f64 = pairs.iter().map(|(_, right)| right * right).sum();
            product / (left * right).sqrt()
        })
    }),
];

fn computed(row: &Row<'_>, compute: impl Fn(&[(f64, f64)]) -> f64) -> Evaluated {
    let (left, right) = (elements(row, 0), elements(row, 1));
    if left.len() != right.len() {
        let message = format!("vectors of the dimensions {} and {}", left.len(), right.len());
        return Err(format!("firn:100078:{message} cannot be compared"));
    }
    let pairs: Vec<(f64, f64)> = left.into_iter().zip(right).collect();
    Ok(Answer::Double(compute(&pairs)))
}

fn elements(row: &Row<'_>, index: usize) -> Vec<f64> {
    row.list(index)
        .iter()
        .filter_map(|element| match element {
            Argument::Double(value) => Some(*value),
            _ => None,
        })
        .collect()
}
