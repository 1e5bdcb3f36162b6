//! The functions of semi-structured values, as the engine calls them: they read the arguments and handle NULLs. The
//! computations are in `firn_values::variant`.

mod access;
mod arguments;
mod arrays;
mod casts;
mod conversions;
pub mod flatten;
mod hashing;
mod maps;
mod notifications;
mod objects;
mod search;
mod values;
mod xml;

use crate::definition::Definition;

pub const FAMILIES: &[&[Definition]] = &[
    access::DEFINITIONS,
    arrays::DEFINITIONS,
    conversions::DEFINITIONS,
    hashing::DEFINITIONS,
    maps::DEFINITIONS,
    notifications::DEFINITIONS,
    objects::DEFINITIONS,
    search::DEFINITIONS,
    xml::DEFINITIONS,
];

pub use arguments::{Arguments, stored};
pub use casts::CASTS;
