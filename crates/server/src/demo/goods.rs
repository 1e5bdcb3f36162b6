//! Suppliers and products, and which months each category sells in.

use super::calendar::{Day, FIRST_DAY, LAST_DAY};
use super::names::SUPPLIERS;
use super::random::Random;
use super::rows::{Cents, Row, Value};

pub struct Category {
    pub name: &'static str,
    /// How much of it is bought in each month, January first, where 1.0 is an average category in
    /// an average month.
    pub season: [f64; 12],
    /// How often a piece bought online comes back.
    pub return_rate: f64,
    kinds: &'static [Kind],
}

/// A subcategory: its noun, the range its price lies in (in euros), and the sizes it comes in.
struct Kind {
    name: &'static str,
    noun: &'static str,
    price: (i64, i64),
    weight_grams: (i64, i64),
    sizes: &'static [&'static str],
}

pub struct Supplier {
    pub id: i64,
    name: &'static str,
    country: &'static str,
    lead_time_days: i64,
    rating_tenths: Option<i64>,
    is_preferred: bool,
}

pub struct Product {
    pub id: i64,
    name: String,
    /// Index into `CATEGORIES`.
    pub category: usize,
    subcategory: &'static str,
    pub supplier_id: i64,
    pub list_price: Cents,
    unit_cost: Cents,
    pub launched_on: Day,
    pub discontinued_on: Option<Day>,
    attributes: Option<String>,
    pub popularity: f64,
}

impl Product {
    pub fn is_sold_on(&self, day: Day) -> bool {
        self.launched_on <= day && self.discontinued_on.is_none_or(|last| day <= last)
    }
}

const PRODUCTS_PER_KIND: usize = 8;
const CLOTHING_SIZES: &[&str] = &["XS", "S", "M", "L", "XL"];
const SHOE_SIZES: &[&str] = &["38", "39", "40", "41", "42", "43", "44", "45"];

pub const CATEGORIES: [Category; 6] = [
    Category {
        name: "Skiing",
        season: [2.6, 1.9, 0.9, 0.3, 0.1, 0.1, 0.1, 0.2, 0.6, 1.3, 2.3, 3.0],
        return_rate: 0.07,
        kinds: &[
            kind("Skis", "Ski", (349, 849), (2_800, 4_200), &["156", "163", "170", "177", "184"]),
            kind("Ski Boots", "Ski Boot", (229, 549), (2_900, 3_900), SHOE_SIZES),
            kind("Snowboards", "Snowboard", (299, 649), (2_500, 3_400), &["148", "152", "156", "160"]),
            kind("Helmets", "Snow Helmet", (79, 219), (380, 520), &["S", "M", "L"]),
        ],
    },
    Category {
        name: "Outerwear",
        season: [1.4, 1.0, 0.8, 0.6, 0.5, 0.4, 0.4, 0.6, 1.2, 1.6, 1.9, 1.8],
        return_rate: 0.15,
        kinds: &[
            kind("Jackets", "Jacket", (119, 499), (320, 1_100), CLOTHING_SIZES),
            kind("Trousers", "Trousers", (79, 269), (280, 700), CLOTHING_SIZES),
            kind("Base Layers", "Base Layer", (39, 99), (120, 260), CLOTHING_SIZES),
            kind("Gloves", "Gloves", (29, 119), (80, 240), &["S", "M", "L"]),
        ],
    },
    Category {
        name: "Hiking",
        season: [0.4, 0.5, 0.9, 1.3, 1.6, 1.8, 1.8, 1.5, 1.1, 0.7, 0.5, 0.7],
        return_rate: 0.05,
        kinds: &[
            kind("Backpacks", "Backpack", (69, 289), (700, 2_200), &[]),
            kind("Tents", "Tent", (179, 699), (1_100, 4_800), &[]),
            kind("Sleeping Bags", "Sleeping Bag", (89, 429), (550, 1_700), &["Regular", "Long"]),
            kind("Stoves", "Stove", (39, 159), (90, 480), &[]),
        ],
    },
    Category {
        name: "Footwear",
        season: [0.7, 0.7, 1.0, 1.2, 1.3, 1.2, 1.1, 1.1, 1.2, 1.0, 1.0, 1.1],
        return_rate: 0.17,
        kinds: &[
            kind("Hiking Boots", "Hiking Boot", (119, 329), (900, 1_500), SHOE_SIZES),
            kind("Trail Shoes", "Trail Shoe", (89, 189), (500, 760), SHOE_SIZES),
            kind("Sandals", "Sandal", (49, 119), (400, 620), SHOE_SIZES),
        ],
    },
    Category {
        name: "Cycling",
        season: [0.3, 0.5, 1.1, 1.6, 1.8, 1.7, 1.5, 1.2, 0.9, 0.6, 0.5, 0.8],
        return_rate: 0.06,
        kinds: &[
            kind("Bikes", "Bike", (699, 2_499), (8_900, 15_500), &["S", "M", "L"]),
            kind("Bike Helmets", "Bike Helmet", (49, 199), (230, 360), &["S", "M", "L"]),
            kind("Jerseys", "Jersey", (49, 139), (120, 220), CLOTHING_SIZES),
        ],
    },
    Category {
        name: "Accessories",
        season: [0.8, 0.7, 0.8, 0.9, 1.0, 1.0, 1.0, 0.9, 0.9, 0.9, 1.3, 1.9],
        return_rate: 0.03,
        kinds: &[
            kind("Goggles", "Goggles", (49, 199), (90, 170), &[]),
            kind("Bottles", "Bottle", (15, 45), (110, 380), &[]),
            kind("Headlamps", "Headlamp", (29, 129), (60, 140), &[]),
            kind("Socks", "Socks", (12, 35), (40, 90), &["S", "M", "L"]),
        ],
    },
];

const fn kind(
    name: &'static str,
    noun: &'static str,
    price: (i64, i64),
    weight_grams: (i64, i64),
    sizes: &'static [&'static str],
) -> Kind {
    Kind { name, noun, price, weight_grams, sizes }
}

const MODEL_NAMES: [&str; 32] = [
    "Alta", "Arrow", "Aurora", "Basalt", "Borealis", "Breeze", "Cirrus", "Comet", "Corvus", "Drift", "Eira", "Falcon",
    "Glacier", "Gneiss", "Halo", "Kite", "Lumen", "Lynx", "Marten", "Nimbus", "Nova", "Orbit", "Osprey", "Pollux",
    "Raven", "Sable", "Solstice", "Strato", "Talus", "Tern", "Vega", "Zephyr",
];

const COLORS: [&str; 10] = ["Black", "Blue", "Forest", "Graphite", "Mustard", "Orange", "Plum", "Red", "Sand", "White"];

pub fn suppliers(random: &mut Random) -> Vec<Supplier> {
    let mut suppliers = Vec::new();
    for (name, country) in SUPPLIERS {
        suppliers.push(Supplier {
            id: suppliers.len() as i64 + 1,
            name,
            country,
            lead_time_days: random.between(2, 16) * 7,
            rating_tenths: (!random.chance(0.15)).then(|| random.between(28, 49)),
            is_preferred: random.chance(0.4),
        });
    }
    suppliers
}

/// The first half of each kind is on sale over the whole calendar; the others come and go.
pub fn products(random: &mut Random) -> Vec<Product> {
    let mut products = Vec::new();
    for (category_index, category) in CATEGORIES.iter().enumerate() {
        for kind in category.kinds {
            let first_model = random.index(MODEL_NAMES.len());
            for index in 0..PRODUCTS_PER_KIND {
                let model = MODEL_NAMES[(first_model + 5 * index) % MODEL_NAMES.len()];
                let id = 1_001 + products.len() as i64;
                products.push(product(random, id, category_index, kind, model, index));
            }
        }
    }
    products
}

fn product(random: &mut Random, id: i64, category: usize, kind: &Kind, model: &str, index: usize) -> Product {
    let list_price = Cents(random.between(kind.price.0, kind.price.1) * 100 - 10);
    let cost_percent = random.between(44, 66);
    let is_lasting = index < PRODUCTS_PER_KIND / 2;
    let launched_on =
        if is_lasting { Day::of(2018, 2, 1) + random.between(0, 1_300) } else { FIRST_DAY + random.between(30, 1_400) };
    let last_day = launched_on + random.between(400, 1_000);
    let discontinued_on = (!is_lasting && last_day < LAST_DAY && random.chance(0.6)).then_some(last_day);
    let is_described = launched_on > Day::of(2018, 12, 31) || random.chance(0.5);
    Product {
        id,
        name: format!("{model} {}", kind.noun),
        category,
        subcategory: kind.name,
        supplier_id: random.between(1, SUPPLIERS.len() as i64),
        list_price,
        unit_cost: Cents(list_price.0 * cost_percent / 100),
        launched_on,
        discontinued_on,
        attributes: is_described.then(|| attributes(random, kind)),
        // Dear things are bought less often.
        popularity: (0.3 + 2.0 * random.fraction()) / (list_price.0 as f64).sqrt(),
    }
}

fn attributes(random: &mut Random, kind: &Kind) -> String {
    let color = random.pick(&COLORS);
    let weight = random.between(kind.weight_grams.0, kind.weight_grams.1);
    let waterproof = random.chance(0.4);
    let sizes: Vec<String> = kind.sizes.iter().map(|size| format!("\"{size}\"")).collect();
    let sizes = if sizes.is_empty() { String::new() } else { format!(",\"sizes\":[{}]", sizes.join(",")) };
    format!("{{\"color\":\"{color}\",\"weight_grams\":{weight},\"waterproof\":{waterproof}{sizes}}}")
}

impl Row for Supplier {
    const TABLE: &'static str = "SUPPLIERS";

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            self.name.into(),
            self.country.into(),
            self.lead_time_days.into(),
            self.rating_tenths.map_or(Value::Null, Value::Rating),
            self.is_preferred.into(),
        ]
    }
}

impl Row for Product {
    const TABLE: &'static str = "PRODUCTS";

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            (&self.name).into(),
            CATEGORIES[self.category].name.into(),
            self.subcategory.into(),
            self.supplier_id.into(),
            self.list_price.into(),
            self.unit_cost.into(),
            self.launched_on.into(),
            self.discontinued_on.into(),
            self.attributes.clone().map_or(Value::Null, Value::Json),
        ]
    }
}
