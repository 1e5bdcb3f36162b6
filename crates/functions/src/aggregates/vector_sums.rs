//! VECTOR_SUM, VECTOR_AVG, VECTOR_MIN and VECTOR_MAX: element by element, NULLs left out. The answer is a text of
//! JSON, which the caller casts back to the vector's type.

use std::ffi::CStr;

use super::Aggregate;
use crate::columns::{Column, Values};
use crate::definition::{Answer, Kind};

#[derive(Clone, Default)]
struct Elements {
    count: u64,
    values: Vec<f64>,
}

impl Elements {
    fn take(&mut self, count: u64, values: &[f64], join: fn(f64, f64) -> f64) -> Result<(), String> {
        if count == 0 {
            return Ok(());
        }
        if self.count == 0 {
            self.values = values.to_vec();
        } else if self.values.len() == values.len() {
            self.values.iter_mut().zip(values).for_each(|(value, other)| *value = join(*value, *other));
        } else {
            return Err("firn:100078:Vectors of different dimensions cannot be aggregated".to_owned());
        }
        self.count += count;
        Ok(())
    }

    fn add(&mut self, columns: &[Column<'_>], row: usize, join: fn(f64, f64) -> f64) -> Result<(), String> {
        let Some(column) = columns.first().filter(|column| !column.is_null(row)) else { return Ok(()) };
        let Values::List { entries, element } = &column.values else { return Ok(()) };
        let Values::Double(values) = &element.values else { return Ok(()) };
        let start = entries[row].offset as usize;
        self.take(1, &values[start..start + entries[row].length as usize], join)
    }

    fn answer(&self, finish: impl Fn(f64) -> f64) -> Answer<'static> {
        if self.count == 0 {
            return Answer::Null;
        }
        let values: Vec<String> = self.values.iter().map(|value| format!("{:e}", finish(*value))).collect();
        Answer::Text(format!("[{}]", values.join(",")))
    }
}

macro_rules! vector_aggregate {
    ($name:ident, $engine_name:literal, $join:expr, $finish:expr) => {
        #[derive(Clone, Default)]
        pub struct $name(Elements);

        impl Aggregate for $name {
            const NAME: &'static CStr = $engine_name;
            const PARAMETERS: &'static [Kind] = &[Kind::Doubles];
            const RETURNS: Kind = Kind::Text;

            fn add(&mut self, columns: &[Column<'_>], row: usize) -> Result<(), String> {
                self.0.add(columns, row, $join)
            }

            fn merge(&mut self, later: &Self) -> Result<(), String> {
                self.0.take(later.0.count, &later.0.values, $join)
            }

            fn answer(&self) -> Answer<'static> {
                let finish: fn(f64, u64) -> f64 = $finish;
                self.0.answer(|value| finish(value, self.0.count))
            }
        }
    };
}

vector_aggregate!(Sum, c"firn_vector_sum", |value, other| value + other, |value, _| value);
vector_aggregate!(Average, c"firn_vector_avg", |value, other| value + other, |value, count| value / count as f64);
vector_aggregate!(Least, c"firn_vector_min", f64::min, |value, _| value);
vector_aggregate!(Greatest, c"firn_vector_max", f64::max, |value, _| value);
