//! Well-known text, and the extended form that begins with the number of the reference system.

use geo::{Coord, Geometry, GeometryCollection, LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon};

use super::numbers::{plain, shown};
use super::{COORD_BYTES, DEPTH_MAX, Model, Notation, Shape, unsupported};
use crate::running_call::reserve;

pub(super) fn read(text: &str) -> Result<(Option<i32>, Geometry<f64>), String> {
    let (srid, rest) = match text.split_once(';') {
        Some((prefix, rest)) => (Some(srid(prefix)?), rest),
        None => (None, text),
    };
    let mut reader = Reader { rest: rest.trim_start() };
    let geometry = reader.geometry(DEPTH_MAX)?;
    if reader.rest.is_empty() { Ok((srid, geometry)) } else { Err(reader.unexpected()) }
}

/// `SRID=4326`.
fn srid(prefix: &str) -> Result<i32, String> {
    let number = prefix.split_once('=').filter(|(name, _)| name.trim().eq_ignore_ascii_case("SRID"));
    number.and_then(|(_, number)| number.trim().parse().ok()).ok_or_else(|| format!("'{prefix}' is no SRID"))
}

/// A polygon of closed rings.
pub(super) fn polygon(exterior: LineString<f64>, interiors: Vec<LineString<f64>>) -> Result<Polygon<f64>, String> {
    for ring in interiors.iter().chain([&exterior]).filter(|ring| !ring.0.is_empty()) {
        if ring.0.first() != ring.0.last() {
            return Err("a ring of a polygon is not closed".to_owned());
        }
        if ring.0.len() < 4 {
            return Err("a ring of a polygon has fewer than three different points".to_owned());
        }
    }
    Ok(Polygon::new(exterior, interiors))
}

struct Reader<'text> {
    rest: &'text str,
}

impl Reader<'_> {
    fn unexpected(&self) -> String {
        let shown: String = self.rest.chars().take(20).collect();
        if shown.is_empty() { "WKT ends too early".to_owned() } else { format!("unexpected '{shown}' in WKT") }
    }

    fn takes(&mut self, mark: char) -> bool {
        match self.rest.strip_prefix(mark) {
            Some(rest) => {
                self.rest = rest.trim_start();
                true
            }
            None => false,
        }
    }

    fn expect(&mut self, mark: char) -> Result<(), String> {
        if self.takes(mark) { Ok(()) } else { Err(self.unexpected()) }
    }

    fn word(&mut self) -> String {
        let end = self.rest.find(|letter: char| !letter.is_ascii_alphabetic()).unwrap_or(self.rest.len());
        let (word, rest) = self.rest.split_at(end);
        self.rest = rest.trim_start();
        word.to_ascii_uppercase()
    }

    fn number(&mut self) -> Result<f64, String> {
        let is_part = |letter: char| letter.is_ascii_digit() || "+-.eE".contains(letter);
        let end = self.rest.find(|letter| !is_part(letter)).unwrap_or(self.rest.len());
        let number: f64 = self.rest[..end].parse().map_err(|_| self.unexpected())?;
        self.rest = self.rest[end..].trim_start();
        Ok(number)
    }

    fn coord(&mut self) -> Result<Coord<f64>, String> {
        reserve(COORD_BYTES);
        let at = Coord { x: self.number()?, y: self.number()? };
        if self.rest.starts_with([',', ')']) {
            return Ok(at);
        }
        Err(match self.number() {
            Ok(_) => unsupported("coordinates of more than two dimensions"),
            Err(_) => self.unexpected(),
        })
    }

    /// `EMPTY`, or the items between brackets.
    fn list<Item>(&mut self, item: impl Fn(&mut Self) -> Result<Item, String>) -> Result<Vec<Item>, String> {
        if self.rest.len() >= 5 && self.rest.is_char_boundary(5) && self.rest[..5].eq_ignore_ascii_case("EMPTY") {
            self.rest = self.rest[5..].trim_start();
            return Ok(Vec::new());
        }
        self.expect('(')?;
        let mut items = vec![item(self)?];
        while self.takes(',') {
            items.push(item(self)?);
        }
        self.expect(')')?;
        Ok(items)
    }

    fn line(&mut self) -> Result<LineString<f64>, String> {
        self.list(Self::coord).map(LineString::new)
    }

    fn polygon(&mut self) -> Result<Polygon<f64>, String> {
        let mut rings = self.list(Self::line)?.into_iter();
        let exterior = rings.next().unwrap_or_else(|| LineString::new(Vec::new()));
        polygon(exterior, rings.collect())
    }

    /// A point of a MULTIPOINT may go without brackets of its own.
    fn point_of_many(&mut self) -> Result<Point<f64>, String> {
        let bracketed = self.takes('(');
        let at = self.coord()?;
        if bracketed {
            self.expect(')')?;
        }
        Ok(Point(at))
    }

    fn geometry(&mut self, depth: usize) -> Result<Geometry<f64>, String> {
        let word = self.word();
        let flat = word.trim_end_matches(['Z', 'M']);
        let next = self.rest.as_bytes().first().map(u8::to_ascii_uppercase);
        if (flat != word && !flat.is_empty()) || matches!(next, Some(b'Z' | b'M')) {
            return Err(unsupported("coordinates of more than two dimensions"));
        }
        Ok(match word.as_str() {
            "POINT" => match self.list(Self::coord)?[..] {
                [at] => Geometry::Point(Point(at)),
                [] => return Err(unsupported("an empty POINT")),
                _ => return Err("a POINT has one pair of coordinates".to_owned()),
            },
            "LINESTRING" => Geometry::LineString(self.line()?),
            "POLYGON" => Geometry::Polygon(self.polygon()?),
            "MULTIPOINT" => Geometry::MultiPoint(MultiPoint::new(self.list(Self::point_of_many)?)),
            "MULTILINESTRING" => Geometry::MultiLineString(MultiLineString::new(self.list(Self::line)?)),
            "MULTIPOLYGON" => Geometry::MultiPolygon(MultiPolygon::new(self.list(Self::polygon)?)),
            "GEOMETRYCOLLECTION" => {
                let depth = depth.checked_sub(1).ok_or("collections are nested too deeply")?;
                Geometry::GeometryCollection(GeometryCollection::from(self.list(|reader| reader.geometry(depth))?))
            }
            "" => return Err(self.unexpected()),
            other => return Err(format!("'{other}' is no shape")),
        })
    }
}

pub(super) fn write(shape: &Shape) -> String {
    let number = match (shape.model, shape.notation) {
        (Model::Sphere, Notation::Double) => shown,
        _ => plain,
    };
    let mut writer = Writer { number, out: String::new() };
    writer.geometry(&shape.geometry);
    writer.out
}

struct Writer {
    number: fn(f64) -> String,
    out: String,
}

impl Writer {
    fn list<Item>(&mut self, items: &[Item], write: impl Fn(&mut Self, &Item)) {
        if items.is_empty() {
            self.out.push_str("EMPTY");
            return;
        }
        self.out.push('(');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            write(self, item);
        }
        self.out.push(')');
    }

    /// A name, with a blank before EMPTY.
    fn tagged<Item>(&mut self, name: &str, items: &[Item], write: impl Fn(&mut Self, &Item)) {
        self.out.push_str(name);
        if items.is_empty() {
            self.out.push(' ');
        }
        self.list(items, write);
    }

    fn coord(&mut self, at: &Coord<f64>) {
        self.out.push_str(&(self.number)(at.x));
        self.out.push(' ');
        self.out.push_str(&(self.number)(at.y));
    }

    fn line(&mut self, line: &LineString<f64>) {
        self.list(&line.0, Self::coord);
    }

    fn rings(polygon: &Polygon<f64>) -> Vec<&LineString<f64>> {
        let all = [polygon.exterior()].into_iter().chain(polygon.interiors());
        all.filter(|ring| !ring.0.is_empty()).collect()
    }

    fn geometry(&mut self, geometry: &Geometry<f64>) {
        match geometry {
            Geometry::Point(point) => self.tagged("POINT", &[point.0], Self::coord),
            Geometry::LineString(line) => self.tagged("LINESTRING", &line.0, Self::coord),
            Geometry::Polygon(polygon) => {
                self.tagged("POLYGON", &Self::rings(polygon), |writer, ring| writer.line(ring));
            }
            Geometry::MultiPoint(MultiPoint(points)) => {
                self.tagged("MULTIPOINT", points, |writer, point| writer.list(&[point.0], Self::coord));
            }
            Geometry::MultiLineString(MultiLineString(lines)) => self.tagged("MULTILINESTRING", lines, Self::line),
            Geometry::MultiPolygon(MultiPolygon(polygons)) => {
                self.tagged("MULTIPOLYGON", polygons, |writer, polygon| {
                    writer.list(&Self::rings(polygon), |writer, ring| writer.line(ring));
                });
            }
            Geometry::GeometryCollection(GeometryCollection(members)) => {
                self.tagged("GEOMETRYCOLLECTION", members, Self::geometry);
            }
            Geometry::Line(_) | Geometry::Rect(_) | Geometry::Triangle(_) => {}
        }
    }
}
