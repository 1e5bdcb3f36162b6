//! Geohashes: each letter halves the box of the world five times, in turn by longitude and by latitude.

use geo::{Coord, Rect};

const LETTERS: &[u8; 32] = b"0123456789bcdefghjkmnpqrstuvwxyz";
pub const LENGTH_MAX: usize = 20;

pub fn encode(at: Coord<f64>, length: usize) -> String {
    let mut bounds = world();
    let mut text = String::new();
    let mut by_longitude = true;
    for _ in 0..length.min(LENGTH_MAX) {
        let mut letter = 0;
        for _ in 0..5 {
            let (low, high, value) = side(&mut bounds, by_longitude, at);
            let middle = f64::midpoint(*low, *high);
            letter <<= 1;
            if value >= middle {
                letter |= 1;
                *low = middle;
            } else {
                *high = middle;
            }
            by_longitude = !by_longitude;
        }
        text.push(char::from(LETTERS[letter]));
    }
    text
}

/// The box of a geohash.
pub fn decode(text: &str) -> Result<Rect<f64>, String> {
    if text.is_empty() || text.len() > LENGTH_MAX {
        return Err(format!("Geohash '{text}' has not 1 to {LENGTH_MAX} letters"));
    }
    let mut bounds = world();
    let mut by_longitude = true;
    for letter in text.bytes() {
        let letter = letter.to_ascii_lowercase();
        let place = LETTERS.iter().position(|known| *known == letter);
        let place = place.ok_or_else(|| format!("Geohash '{text}' is not well written"))?;
        for bit in (0..5).rev() {
            let (low, high, _) = side(&mut bounds, by_longitude, Coord { x: 0.0, y: 0.0 });
            let middle = f64::midpoint(*low, *high);
            if place >> bit & 1 == 1 {
                *low = middle;
            } else {
                *high = middle;
            }
            by_longitude = !by_longitude;
        }
    }
    let [west, east, south, north] = bounds;
    Ok(Rect::new(Coord { x: west, y: south }, Coord { x: east, y: north }))
}

fn world() -> [f64; 4] {
    [-180.0, 180.0, -90.0, 90.0]
}

fn side(bounds: &mut [f64; 4], by_longitude: bool, at: Coord<f64>) -> (&mut f64, &mut f64, f64) {
    let [west, east, south, north] = bounds;
    if by_longitude { (west, east, at.x) } else { (south, north, at.y) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_hash_is_a_box_around_its_point() {
        let at = Coord { x: -122.306_100, y: 37.554_162 };
        assert_eq!(encode(at, 20), "9q9j8ue2v71y5zzy0s4q");
        assert_eq!(encode(at, 5), "9q9j8");
        let bounds = decode("9q9j8").unwrap_or_else(|error| panic!("{error}"));
        assert!(bounds.min().x < at.x && at.x < bounds.max().x && bounds.min().y < at.y && at.y < bounds.max().y);
        assert!(decode("").is_err() && decode("9a").is_err());
    }
}
