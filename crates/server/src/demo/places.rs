//! Regions and stores, and how business in each region differs.

use super::calendar::Day;
use super::random::Random;
use super::rows::{Row, Value};

pub struct Region {
    pub id: i64,
    pub name: &'static str,
    pub opened_on: Day,
    /// Orders on an ordinary day of 2022, or of the first year for a region opened later.
    pub daily_orders: f64,
    pub yearly_growth: f64,
    /// The part of its orders made online on the first day of the calendar.
    pub online_share: f64,
    pub delivery_days: i64,
    /// Months the seasons lag behind the north's: six in the south.
    pub season_shift_months: usize,
    pub cities: &'static [(&'static str, &'static str)],
}

pub struct Store {
    pub id: i64,
    pub name: String,
    pub kind: StoreKind,
    pub region_id: i64,
    pub country: &'static str,
    pub city: &'static str,
    pub floor_area: i64,
    pub opened_on: Day,
    pub closed_on: Option<Day>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StoreKind {
    Flagship,
    City,
    Outlet,
}

impl Region {
    /// The month of the northern year that this day feels like; January is 0.
    pub fn season_month(&self, day: Day) -> usize {
        (day.month() - 1 + self.season_shift_months) % 12
    }
}

impl Store {
    pub fn is_open_on(&self, day: Day) -> bool {
        self.opened_on <= day && self.closed_on.is_none_or(|closed| day <= closed)
    }
}

pub const REGIONS: [Region; 5] = [
    Region {
        id: 1,
        name: "Nordics",
        opened_on: Day::of(2009, 9, 1),
        daily_orders: 1.0,
        yearly_growth: 1.08,
        online_share: 0.42,
        delivery_days: 3,
        season_shift_months: 0,
        cities: &[
            ("Norway", "Oslo"),
            ("Norway", "Bergen"),
            ("Sweden", "Stockholm"),
            ("Sweden", "Gothenburg"),
            ("Finland", "Helsinki"),
            ("Denmark", "Copenhagen"),
        ],
    },
    Region {
        id: 2,
        name: "Central Europe",
        opened_on: Day::of(2012, 3, 15),
        daily_orders: 1.3,
        yearly_growth: 1.12,
        online_share: 0.36,
        delivery_days: 2,
        season_shift_months: 0,
        cities: &[
            ("Germany", "Munich"),
            ("Germany", "Berlin"),
            ("Germany", "Hamburg"),
            ("Austria", "Innsbruck"),
            ("Austria", "Vienna"),
            ("Switzerland", "Zurich"),
        ],
    },
    Region {
        id: 3,
        name: "Western Europe",
        opened_on: Day::of(2016, 5, 2),
        daily_orders: 0.8,
        yearly_growth: 1.02,
        online_share: 0.40,
        delivery_days: 3,
        season_shift_months: 0,
        cities: &[
            ("France", "Lyon"),
            ("France", "Paris"),
            ("United Kingdom", "London"),
            ("United Kingdom", "Edinburgh"),
            ("Netherlands", "Amsterdam"),
        ],
    },
    Region {
        id: 4,
        name: "North America",
        opened_on: Day::of(2018, 10, 1),
        daily_orders: 0.6,
        yearly_growth: 1.28,
        online_share: 0.48,
        delivery_days: 5,
        season_shift_months: 0,
        cities: &[
            ("United States", "Denver"),
            ("United States", "Seattle"),
            ("United States", "Boston"),
            ("Canada", "Vancouver"),
            ("Canada", "Calgary"),
        ],
    },
    Region {
        id: 5,
        name: "Oceania",
        opened_on: Day::of(2024, 2, 1),
        daily_orders: 0.45,
        yearly_growth: 1.60,
        online_share: 0.55,
        delivery_days: 6,
        season_shift_months: 6,
        cities: &[("Australia", "Melbourne"), ("Australia", "Sydney"), ("New Zealand", "Queenstown")],
    },
];

/// One store in every city, the first of each region being its flagship; two have closed.
pub fn stores(random: &mut Random) -> Vec<Store> {
    let mut stores = Vec::new();
    for region in &REGIONS {
        for (index, (country, city)) in region.cities.iter().copied().enumerate() {
            let kind = match index {
                0 => StoreKind::Flagship,
                _ if index % 3 == 2 => StoreKind::Outlet,
                _ => StoreKind::City,
            };
            let (suffix, smallest, largest) = match kind {
                StoreKind::Flagship => (" Flagship", 1_400, 2_200),
                StoreKind::City => ("", 350, 900),
                StoreKind::Outlet => (" Outlet", 600, 1_100),
            };
            let first_chance = index as i64 * 200;
            stores.push(Store {
                id: stores.len() as i64 + 1,
                name: format!("{city}{suffix}"),
                kind,
                region_id: region.id,
                country,
                city,
                floor_area: random.between(smallest, largest),
                opened_on: region.opened_on + first_chance + random.between(0, 40),
                closed_on: match city {
                    "Hamburg" => Some(Day::of(2024, 8, 31)),
                    "Amsterdam" => Some(Day::of(2025, 3, 29)),
                    _ => None,
                },
            });
        }
    }
    stores
}

impl StoreKind {
    fn as_str(self) -> &'static str {
        match self {
            Self::Flagship => "Flagship",
            Self::City => "City",
            Self::Outlet => "Outlet",
        }
    }
}

impl Row for Region {
    const TABLE: &'static str = "REGIONS";

    fn values(&self) -> Vec<Value> {
        vec![self.id.into(), self.name.into(), self.opened_on.into()]
    }
}

impl Row for Store {
    const TABLE: &'static str = "STORES";

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            (&self.name).into(),
            self.kind.as_str().into(),
            self.region_id.into(),
            self.country.into(),
            self.city.into(),
            self.floor_area.into(),
            self.opened_on.into(),
            self.closed_on.into(),
        ]
    }
}
