//! The dialect's values: how they are read from texts, written as texts and cells, compared and accessed. Knows no
//! engine.

pub mod cells;
pub mod formats;
pub mod geo;
pub mod inputs;
pub mod running_call;
pub mod variant;
pub mod weeks;

pub use crate::formats::CellFormats;
pub use crate::geo::ShapeFormat;
pub use crate::inputs::{DEFAULT_CENTURY_START, InputFormats};
pub use crate::weeks::WeekRules;
