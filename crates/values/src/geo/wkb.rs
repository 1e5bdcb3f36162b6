//! Well-known binary, and the extended form that carries the number of the reference system.

use geo::{Coord, Geometry, GeometryCollection, LineString, MultiLineString, MultiPoint, MultiPolygon, Point, Polygon};

use super::{COORD_BYTES, DEPTH_MAX, unsupported};
use crate::running_call::reserve;

const Z: u32 = 0x8000_0000;
const M: u32 = 0x4000_0000;
const SRID: u32 = 0x2000_0000;

pub(super) fn read(bytes: &[u8]) -> Result<(Option<i32>, Geometry<f64>), String> {
    let mut reader = Reader { bytes, big_endian: false };
    let read = reader.geometry(DEPTH_MAX)?;
    if reader.bytes.is_empty() { Ok(read) } else { Err("WKB goes on after its shape".to_owned()) }
}

pub(super) fn write(geometry: &Geometry<f64>, srid: Option<i32>, out: &mut Vec<u8>) {
    let mut begin = |code: u32| {
        out.push(1);
        out.extend_from_slice(&(if srid.is_some() { code | SRID } else { code }).to_le_bytes());
        if let Some(srid) = srid {
            out.extend_from_slice(&srid.to_le_bytes());
        }
    };
    match geometry {
        Geometry::Point(point) => {
            begin(1);
            write_coord(point.0, out);
        }
        Geometry::LineString(line) => {
            begin(2);
            write_line(line, out);
        }
        Geometry::Polygon(polygon) => {
            begin(3);
            write_polygon(polygon, out);
        }
        Geometry::MultiPoint(MultiPoint(points)) => {
            begin(4);
            write_members(points.iter().map(|point| Geometry::Point(*point)), out);
        }
        Geometry::MultiLineString(MultiLineString(lines)) => {
            begin(5);
            write_members(lines.iter().map(|line| Geometry::LineString(line.clone())), out);
        }
        Geometry::MultiPolygon(MultiPolygon(polygons)) => {
            begin(6);
            write_members(polygons.iter().map(|polygon| Geometry::Polygon(polygon.clone())), out);
        }
        Geometry::GeometryCollection(GeometryCollection(members)) => {
            begin(7);
            write_members(members.iter().cloned(), out);
        }
        Geometry::Line(_) | Geometry::Rect(_) | Geometry::Triangle(_) => {}
    }
}

fn write_members(members: impl ExactSizeIterator<Item = Geometry<f64>>, out: &mut Vec<u8>) {
    write_count(members.len(), out);
    for member in members {
        write(&member, None, out);
    }
}

fn write_count(count: usize, out: &mut Vec<u8>) {
    out.extend_from_slice(&u32::try_from(count).unwrap_or(u32::MAX).to_le_bytes());
}

fn write_coord(at: Coord<f64>, out: &mut Vec<u8>) {
    out.extend_from_slice(&at.x.to_le_bytes());
    out.extend_from_slice(&at.y.to_le_bytes());
}

fn write_line(line: &LineString<f64>, out: &mut Vec<u8>) {
    write_count(line.0.len(), out);
    line.0.iter().for_each(|at| write_coord(*at, out));
}

fn write_polygon(polygon: &Polygon<f64>, out: &mut Vec<u8>) {
    let rings = if polygon.exterior().0.is_empty() { 0 } else { 1 + polygon.interiors().len() };
    write_count(rings, out);
    if rings > 0 {
        write_line(polygon.exterior(), out);
        polygon.interiors().iter().for_each(|ring| write_line(ring, out));
    }
}

struct Reader<'bytes> {
    bytes: &'bytes [u8],
    big_endian: bool,
}

impl Reader<'_> {
    fn take<const LENGTH: usize>(&mut self) -> Result<[u8; LENGTH], String> {
        let (taken, rest) = self.bytes.split_first_chunk::<LENGTH>().ok_or("WKB ends too early")?;
        self.bytes = rest;
        Ok(*taken)
    }

    fn word(&mut self) -> Result<u32, String> {
        let bytes = self.take()?;
        Ok(if self.big_endian { u32::from_be_bytes(bytes) } else { u32::from_le_bytes(bytes) })
    }

    fn double(&mut self) -> Result<f64, String> {
        let bytes = self.take()?;
        Ok(if self.big_endian { f64::from_be_bytes(bytes) } else { f64::from_le_bytes(bytes) })
    }

    fn coord(&mut self) -> Result<Coord<f64>, String> {
        reserve(COORD_BYTES);
        Ok(Coord { x: self.double()?, y: self.double()? })
    }

    fn line(&mut self) -> Result<LineString<f64>, String> {
        (0..self.word()?).map(|_| self.coord()).collect::<Result<Vec<_>, _>>().map(LineString::new)
    }

    fn polygon(&mut self) -> Result<Polygon<f64>, String> {
        let mut rings = (0..self.word()?).map(|_| self.line()).collect::<Result<Vec<_>, _>>()?.into_iter();
        let exterior = rings.next().unwrap_or_else(|| LineString::new(Vec::new()));
        super::wkt::polygon(exterior, rings.collect())
    }

    fn geometry(&mut self, depth: usize) -> Result<(Option<i32>, Geometry<f64>), String> {
        let [order] = self.take()?;
        self.big_endian = match order {
            0 => true,
            1 => false,
            other => return Err(format!("WKB has no byte order {other}")),
        };
        let code = self.word()?;
        if code & (Z | M) != 0 || code & !SRID > 1000 {
            return Err(unsupported("coordinates of more than two dimensions"));
        }
        let srid = if code & SRID != 0 { Some(self.word()? as i32) } else { None };
        let geometry = match code & !SRID {
            1 => {
                let at = self.coord()?;
                if at.x.is_nan() {
                    return Err(unsupported("an empty POINT"));
                }
                Geometry::Point(Point(at))
            }
            2 => Geometry::LineString(self.line()?),
            3 => Geometry::Polygon(self.polygon()?),
            4 => Geometry::MultiPoint(self.members(depth, |member| match member {
                Geometry::Point(point) => Some(point),
                _ => None,
            })?),
            5 => Geometry::MultiLineString(MultiLineString::new(self.members(depth, |member| match member {
                Geometry::LineString(line) => Some(line),
                _ => None,
            })?)),
            6 => Geometry::MultiPolygon(MultiPolygon::new(self.members(depth, |member| match member {
                Geometry::Polygon(polygon) => Some(polygon),
                _ => None,
            })?)),
            7 => Geometry::GeometryCollection(GeometryCollection::from(
                self.members::<_, Vec<Geometry<f64>>>(depth, Some)?,
            )),
            other => return Err(format!("WKB has no shape of the number {other}")),
        };
        Ok((srid, geometry))
    }

    fn members<Member, Members: FromIterator<Member>>(
        &mut self,
        depth: usize,
        wanted: fn(Geometry<f64>) -> Option<Member>,
    ) -> Result<Members, String> {
        let depth = depth.checked_sub(1).ok_or("collections are nested too deeply")?;
        let count = self.word()?;
        let member = |_| wanted(self.geometry(depth)?.1).ok_or_else(|| "WKB mixes shapes".to_owned());
        (0..count).map(member).collect()
    }
}
