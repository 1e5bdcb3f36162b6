//! The functions of GEOGRAPHY and GEOMETRY, as the engine calls them: they read the arguments, and return NULL for a NULL
//! argument. The computations are in `firn_values::geo`.

mod accessors;
mod arguments;
mod bounds;
mod casts;
mod cells;
mod constructors;
mod geohashes;
mod measures;
mod outputs;
mod overlays;
mod prepared_shapes;
mod projections;
mod regions;

use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};

use firn_values::geo::Shape;
use firn_values::running_call::Ended;

use crate::definition::{Answer, Definition};

pub const FAMILIES: &[&[&[Definition]]] = &[
    accessors::DEFINITIONS,
    bounds::DEFINITIONS,
    cells::DEFINITIONS,
    constructors::DEFINITIONS,
    geohashes::DEFINITIONS,
    measures::DEFINITIONS,
    outputs::DEFINITIONS,
    overlays::DEFINITIONS,
    projections::DEFINITIONS,
    regions::DEFINITIONS,
];

pub use casts::CASTS;

/// `None` is NULL.
type Evaluated = Result<Option<Answer<'static>>, String>;

/// The libraries may panic on invalid geometries; a panic is an error of the statement.
fn guarded(run: impl FnOnce() -> Evaluated) -> Result<Answer<'static>, String> {
    match catch_unwind(AssertUnwindSafe(run)) {
        Ok(evaluated) => evaluated.map(|answer| answer.unwrap_or(Answer::Null)),
        // The call met one of its limits.
        Err(payload) if payload.is::<Ended>() => resume_unwind(payload),
        Err(_) => Err(failure("the shape is too irregular for this function")),
    }
}

const PARSING: &str = "firn:100205:";
const FAILURE: &str = "firn:100217:";

/// What is wrong with an argument that is well written.
fn failure(message: &str) -> String {
    format!("{FAILURE}{message}")
}

fn unsupported(feature: &str) -> String {
    format!("firn:000002:Unsupported feature '{feature}'.")
}

/// NULL for errors in the arguments; unsupported features are still refused.
fn tried(evaluated: Evaluated) -> Evaluated {
    match evaluated {
        Err(message) if [PARSING, FAILURE].iter().any(|mark| message.starts_with(mark)) => Ok(None),
        other => other,
    }
}

fn encoded(shape: &Shape) -> Answer<'static> {
    Answer::Bytes(shape.encode())
}

/// A function of these kinds.
macro_rules! asks {
    ($name:literal, [$($kind:expr),*], $returns:expr, $run:path) => {
        &[Definition::new($name, &[$($kind),*], $returns, |columns, row| {
            $crate::geospatial::guarded(|| $run(Arguments { columns, row }))
        })]
    };
}

/// A function of a shape and more that makes a shape of the same type; of NULL it is the third one.
macro_rules! makes {
    ($name:literal, [$($more:expr),*], $run:path) => {
        &[
            Definition::new($name, &[Kind::Geography, $($more),*], Kind::Geography, |columns, row| {
                $crate::geospatial::guarded(|| $run(Arguments { columns, row }))
            }),
            Definition::new($name, &[Kind::Geometry, $($more),*], Kind::Geometry, |columns, row| {
                $crate::geospatial::guarded(|| $run(Arguments { columns, row }))
            }),
            Definition::new($name, &[Kind::Any, $($more),*], Kind::Geography, |columns, row| {
                $crate::geospatial::guarded(|| $run(Arguments { columns, row }))
            }),
        ]
    };
}

/// A function of two shapes that makes one of the same type.
macro_rules! joins {
    ($name:literal, $run:path) => {
        &[
            Definition::new($name, &[Kind::Geography, Kind::Geography], Kind::Geography, |columns, row| {
                $crate::geospatial::guarded(|| $run(Arguments { columns, row }))
            }),
            Definition::new($name, &[Kind::Geometry, Kind::Geometry], Kind::Geometry, |columns, row| {
                $crate::geospatial::guarded(|| $run(Arguments { columns, row }))
            }),
            Definition::new($name, &[Kind::Any, Kind::Any], Kind::Geography, |columns, row| {
                $crate::geospatial::guarded(|| $run(Arguments { columns, row }))
            }),
        ]
    };
}

/// A function of a list of shapes that makes one of the same type.
macro_rules! gathers {
    ($name:literal, $run:path) => {
        &[
            Definition::new($name, &[Kind::Geographies], Kind::Geography, |columns, row| {
                $crate::geospatial::guarded(|| $run(Arguments { columns, row }))
            }),
            Definition::new($name, &[Kind::Geometries], Kind::Geometry, |columns, row| {
                $crate::geospatial::guarded(|| $run(Arguments { columns, row }))
            }),
        ]
    };
}

use {asks, gathers, joins, makes};
