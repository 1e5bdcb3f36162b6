//! GeoJSON, with its members in alphabetical order.

use geo::{Coord, Geometry, GeometryCollection, LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon};
use serde_json::Value;

use super::{DEPTH_MAX, Notation, numbers, unsupported};
use crate::running_call::reserve;

/// The memory of an item of a list in GeoJSON.
const ITEM_BYTES: usize = 64;

pub(super) fn read(text: &str) -> Result<(Option<i32>, Geometry<f64>), String> {
    reserve(ITEM_BYTES * text.bytes().filter(|byte| matches!(byte, b',' | b'[' | b'{')).count());
    let value: Value = serde_json::from_str(text).map_err(|error| format!("GeoJSON is not well written: {error}"))?;
    Ok((None, geometry(&value, DEPTH_MAX)?))
}

fn geometry(value: &Value, depth: usize) -> Result<Geometry<f64>, String> {
    let coordinates = &value["coordinates"];
    Ok(match value["type"].as_str().unwrap_or_default() {
        "Point" => Geometry::Point(Point(coord(coordinates)?)),
        "LineString" => Geometry::LineString(line(coordinates)?),
        "Polygon" => Geometry::Polygon(polygon(coordinates)?),
        "MultiPoint" => Geometry::MultiPoint(MultiPoint::new(list(coordinates, |at| coord(at).map(Point))?)),
        "MultiLineString" => Geometry::MultiLineString(MultiLineString::new(list(coordinates, line)?)),
        "MultiPolygon" => Geometry::MultiPolygon(MultiPolygon::new(list(coordinates, polygon)?)),
        "GeometryCollection" => {
            let depth = depth.checked_sub(1).ok_or("collections are nested too deeply")?;
            let members = list(&value["geometries"], |member| geometry(member, depth))?;
            Geometry::GeometryCollection(GeometryCollection::from(members))
        }
        "" => return Err("GeoJSON has no type".to_owned()),
        other @ ("Feature" | "FeatureCollection") => {
            return Err(unsupported(&format!("GeoJSON {other}")));
        }
        other => return Err(format!("'{other}' is no GeoJSON type")),
    })
}

fn list<Item>(value: &Value, item: impl Fn(&Value) -> Result<Item, String>) -> Result<Vec<Item>, String> {
    let items = value.as_array().ok_or("GeoJSON has no list of coordinates where one belongs")?;
    items.iter().map(item).collect()
}

fn coord(value: &Value) -> Result<Coord<f64>, String> {
    let numbers = list(value, |number| number.as_f64().ok_or_else(|| "a coordinate is no number".to_owned()))?;
    match numbers[..] {
        [x, y] => Ok(Coord { x, y }),
        [_, _, ..] => Err(unsupported("coordinates of more than two dimensions")),
        _ => Err("a position has two coordinates".to_owned()),
    }
}

fn line(value: &Value) -> Result<LineString<f64>, String> {
    list(value, coord).map(LineString::new)
}

fn polygon(value: &Value) -> Result<Polygon<f64>, String> {
    let mut rings = list(value, line)?.into_iter();
    let exterior = rings.next().unwrap_or_else(|| LineString::new(Vec::new()));
    super::wkt::polygon(exterior, rings.collect())
}

pub(super) fn write(geometry: &Geometry<f64>, notation: Notation) -> String {
    let mut writer = Writer { notation, out: String::new() };
    writer.geometry(geometry);
    writer.out
}

struct Writer {
    notation: Notation,
    out: String,
}

impl Writer {
    fn list<Item>(&mut self, items: &[Item], write: impl Fn(&mut Self, &Item)) {
        self.out.push('[');
        for (index, item) in items.iter().enumerate() {
            if index > 0 {
                self.out.push(',');
            }
            write(self, item);
        }
        self.out.push(']');
    }

    fn coord(&mut self, at: &Coord<f64>) {
        self.list(&[at.x, at.y], |writer, number| numbers::write(*number, writer.notation, &mut writer.out));
    }

    fn line(&mut self, line: &LineString<f64>) {
        self.list(&line.0, Self::coord);
    }

    fn polygon(&mut self, polygon: &Polygon<f64>) {
        let rings = [polygon.exterior()].into_iter().chain(polygon.interiors()).filter(|ring| !ring.0.is_empty());
        self.list(&rings.collect::<Vec<_>>(), |writer, ring| writer.line(ring));
    }

    fn geometry(&mut self, geometry: &Geometry<f64>) {
        let (name, list) = match geometry {
            Geometry::GeometryCollection(_) => ("GeometryCollection", "geometries"),
            Geometry::Point(_) => ("Point", "coordinates"),
            Geometry::LineString(_) => ("LineString", "coordinates"),
            Geometry::Polygon(_) => ("Polygon", "coordinates"),
            Geometry::MultiPoint(_) => ("MultiPoint", "coordinates"),
            Geometry::MultiLineString(_) => ("MultiLineString", "coordinates"),
            _ => ("MultiPolygon", "coordinates"),
        };
        self.out.push_str("{\"");
        self.out.push_str(list);
        self.out.push_str("\":");
        match geometry {
            Geometry::Point(point) => self.coord(&point.0),
            Geometry::LineString(line) => self.line(line),
            Geometry::Polygon(polygon) => self.polygon(polygon),
            Geometry::MultiPoint(MultiPoint(points)) => self.list(points, |writer, point| writer.coord(&point.0)),
            Geometry::MultiLineString(MultiLineString(lines)) => self.list(lines, Self::line),
            Geometry::MultiPolygon(MultiPolygon(polygons)) => self.list(polygons, Self::polygon),
            Geometry::GeometryCollection(GeometryCollection(members)) => self.list(members, Self::geometry),
            Geometry::Line(_) | Geometry::Rect(_) | Geometry::Triangle(_) => {}
        }
        self.out.push_str(&format!(",\"type\":\"{name}\"}}"));
    }
}
