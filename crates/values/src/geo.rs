//! GEOGRAPHY and GEOMETRY values: how they are read, stored, written and measured. A GEOGRAPHY is on a sphere, its edges
//! are arcs of great circles; a GEOMETRY is on a plane and has an SRID.

pub mod bounds;
mod contain;
mod edges;
pub mod geohash;
mod geojson;
mod numbers;
pub mod relations;
pub mod sphere;
pub mod validity;
mod wkb;
mod wkt;

use geo::{Coord, CoordsIter, Geometry, GeometryCollection, LineString, MapCoords, MultiLineString, MultiPoint, Point};
use geo::{MultiPolygon, Polygon};

pub use numbers::Notation;

/// The prefix of errors about well-formed but unsupported values.
pub const UNSUPPORTED: &str = "unsupported: ";

fn unsupported(feature: &str) -> String {
    format!("{UNSUPPORTED}{feature}")
}

/// The reference system of every GEOGRAPHY.
pub const WGS84: i32 = 4326;

/// No shape nests collections deeper than this.
const DEPTH_MAX: usize = 32;
/// The memory of a pair of coordinates, with the copies that reading and checking a shape makes.
const COORD_BYTES: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Model {
    /// GEOGRAPHY.
    Sphere,
    /// GEOMETRY.
    Plane,
}

impl Model {
    pub fn type_name(self) -> &'static str {
        match self {
            Self::Sphere => "GEOGRAPHY",
            Self::Plane => "GEOMETRY",
        }
    }
}

#[derive(Clone, Debug, PartialEq)]
pub struct Shape {
    pub model: Model,
    pub srid: i32,
    pub notation: Notation,
    pub geometry: Geometry<f64>,
}

/// Whether a shape whose rings cross themselves is an error.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Invalid {
    Refused,
    Allowed,
}

/// The forms a value is written in for people and programs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ShapeFormat {
    #[default]
    GeoJson,
    Wkt,
    Wkb,
    Ewkt,
    Ewkb,
}

impl ShapeFormat {
    pub fn parse(name: &str) -> Option<Self> {
        Some(match name.trim().to_ascii_uppercase().as_str() {
            "GEOJSON" => Self::GeoJson,
            "WKT" => Self::Wkt,
            "WKB" => Self::Wkb,
            "EWKT" => Self::Ewkt,
            "EWKB" => Self::Ewkb,
            _ => return None,
        })
    }
}

impl Shape {
    /// The result of a function.
    pub fn computed(model: Model, srid: i32, geometry: impl Into<Geometry<f64>>) -> Self {
        Self { model, srid, notation: Notation::Double, geometry: geometry.into() }
    }

    /// A shape of the same kind and notation.
    pub fn with(&self, geometry: impl Into<Geometry<f64>>) -> Self {
        Self { geometry: geometry.into(), ..*self }
    }

    /// WKT, EWKT, GeoJSON, or WKB and EWKB in hexadecimal digits.
    pub fn read_text(model: Model, text: &str, srid: Option<i32>, invalid: Invalid) -> Result<Self, String> {
        let text = text.trim();
        let is_hexadecimal = text.len() >= 10 && text.bytes().all(|byte| byte.is_ascii_hexdigit());
        let (own_srid, geometry) = if text.starts_with('{') {
            geojson::read(text)?
        } else if is_hexadecimal {
            wkb::read(&hexadecimal(text)?)?
        } else {
            wkt::read(text)?
        };
        Self::checked(model, own_srid, geometry, srid, invalid)
    }

    pub fn read_binary(model: Model, bytes: &[u8], srid: Option<i32>, invalid: Invalid) -> Result<Self, String> {
        let (own_srid, geometry) = wkb::read(bytes)?;
        Self::checked(model, own_srid, geometry, srid, invalid)
    }

    fn checked(
        model: Model,
        own_srid: Option<i32>,
        geometry: Geometry<f64>,
        srid: Option<i32>,
        invalid: Invalid,
    ) -> Result<Self, String> {
        let geometry = geometry.map_coords(|at| Coord { x: numbers::rounded(at.x), y: numbers::rounded(at.y) });
        let (srid, notation) = match model {
            Model::Sphere => {
                if let Some(other) = own_srid.or(srid).filter(|srid| *srid != WGS84) {
                    return Err(format!("SRID {other} is not supported for GEOGRAPHY; use {WGS84}"));
                }
                (WGS84, Notation::Plain)
            }
            Model::Plane => (srid.or(own_srid).unwrap_or(0), Notation::Double),
        };
        let shape = Self { model, srid, notation, geometry };
        validity::check_coordinates(&shape)?;
        if invalid == Invalid::Refused {
            validity::check(&shape)?;
        }
        Ok(shape)
    }

    /// From the stored bytes: one for the notation, then EWKB.
    pub fn decode(model: Model, bytes: &[u8]) -> Result<Self, String> {
        let (notation, rest) = bytes.split_first().ok_or("the stored shape is empty")?;
        let (srid, geometry) = wkb::read(rest)?;
        let notation = if *notation == 0 { Notation::Plain } else { Notation::Double };
        let unset = if model == Model::Sphere { WGS84 } else { 0 };
        Ok(Self { model, srid: srid.unwrap_or(unset), notation, geometry })
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut bytes = vec![u8::from(self.notation == Notation::Double)];
        let srid = (self.model == Model::Plane && self.srid != 0).then_some(self.srid);
        wkb::write(&self.geometry, srid, &mut bytes);
        bytes
    }

    pub fn to_geojson(&self) -> String {
        geojson::write(&self.geometry, self.notation)
    }

    pub fn to_wkt(&self) -> String {
        wkt::write(self)
    }

    pub fn to_ewkt(&self) -> String {
        format!("SRID={};{}", self.srid, self.to_wkt())
    }

    pub fn to_wkb(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        wkb::write(&self.geometry, None, &mut bytes);
        bytes
    }

    pub fn to_ewkb(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        wkb::write(&self.geometry, Some(self.srid), &mut bytes);
        bytes
    }

    pub fn points(&self) -> usize {
        self.geometry.coords_count()
    }

    pub fn is_empty(&self) -> bool {
        self.points() == 0
    }
}

/// The simple parts of a geometry: points, lines and polygons.
#[derive(Default)]
pub struct Parts<'shape> {
    pub points: Vec<Point<f64>>,
    pub lines: Vec<&'shape LineString<f64>>,
    pub polygons: Vec<&'shape Polygon<f64>>,
}

impl<'shape> Parts<'shape> {
    pub fn of(geometry: &'shape Geometry<f64>) -> Self {
        let mut parts = Self::default();
        parts.add(geometry);
        parts
    }

    fn add(&mut self, geometry: &'shape Geometry<f64>) {
        match geometry {
            Geometry::Point(point) => self.points.push(*point),
            Geometry::MultiPoint(MultiPoint(points)) => self.points.extend(points),
            Geometry::LineString(line) => self.lines.push(line),
            Geometry::MultiLineString(MultiLineString(lines)) => self.lines.extend(lines),
            Geometry::Polygon(polygon) => self.polygons.push(polygon),
            Geometry::MultiPolygon(MultiPolygon(polygons)) => self.polygons.extend(polygons),
            Geometry::GeometryCollection(GeometryCollection(members)) => {
                members.iter().for_each(|member| self.add(member));
            }
            // The readers make none of these.
            Geometry::Line(_) | Geometry::Rect(_) | Geometry::Triangle(_) => {}
        }
    }
}

fn hexadecimal(text: &str) -> Result<Vec<u8>, String> {
    if !text.len().is_multiple_of(2) {
        return Err("the hexadecimal digits are not in pairs".to_owned());
    }
    let pair = |place: usize| u8::from_str_radix(&text[place..place + 2], 16).map_err(|error| error.to_string());
    (0..text.len()).step_by(2).map(pair).collect()
}
