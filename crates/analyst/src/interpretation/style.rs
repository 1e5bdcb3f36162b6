//! Ways to read the same words. The plain style is what usually holds; the others weigh one thing differently, and the
//! judge decides between what they read.

/// How links and places are weighed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Style {
    /// What a column gains for being in a table already used.
    pub cohesion: f32,
    /// What a column loses for each join away from what it belongs to.
    pub distance: f32,
    /// What a phrase loses for each small word inside it.
    pub filler: f32,
    /// What a lower-case word is worth as a value of the data.
    pub lower_value: f32,
    /// What a table's name must lead a column's by.
    pub table_lead: f32,
    /// Whether a table that is only named takes part.
    pub joins_named: bool,
}

pub const PLAIN: Style =
    Style { cohesion: 0.15, distance: 0.1, filler: -0.4, lower_value: 0.8, table_lead: -0.06, joins_named: true };

/// The plain style first.
pub const STYLES: [Style; 8] = [
    PLAIN,
    Style { cohesion: 0.5, distance: 0.25, ..PLAIN },
    Style { filler: 0.1, ..PLAIN },
    Style { lower_value: 1.02, ..PLAIN },
    Style { lower_value: 0.3, ..PLAIN },
    Style { table_lead: 0.2, cohesion: 0.4, ..PLAIN },
    Style { joins_named: false, ..PLAIN },
    Style { cohesion: 0.5, distance: 0.25, joins_named: false, ..PLAIN },
];
