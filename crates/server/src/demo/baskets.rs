//! What goes into an order: products of the season, their prices, discounts and campaigns.

use super::calendar::Day;
use super::goods::{CATEGORIES, Product};
use super::people::Customer;
use super::places::{Region, Store, StoreKind};
use super::random::Random;
use super::rows::{Cents, Row, Value};

pub struct OrderItem {
    pub order_id: i64,
    pub line_number: i64,
    pub product_id: i64,
    pub category: usize,
    pub quantity: i64,
    unit_price: Cents,
    discount_percent: i64,
    pub amount: Cents,
}

pub fn promotion_on(day: Day) -> Option<&'static str> {
    match day.parts() {
        (_, 1, 2..=20) => Some("Winter Sale"),
        (_, 7, 5..=20) => Some("Summer Sale"),
        (_, 11, 22..=30) => Some("Black Friday"),
        _ => None,
    }
}

pub fn promotion(random: &mut Random, customer: &Customer, day: Day) -> Option<&'static str> {
    if customer.signed_up_on.days_until(day) < 14 && random.chance(0.5) {
        return Some("Welcome");
    }
    promotion_on(day).filter(|_| random.chance(0.7))
}

pub fn discount_percent(
    random: &mut Random,
    customer: &Customer,
    store: Option<&Store>,
    promotion: Option<&str>,
) -> i64 {
    let for_promotion = match promotion {
        Some("Welcome") => 10,
        Some("Black Friday") => *random.pick(&[15, 20, 25, 30]),
        Some(_) => *random.pick(&[10, 20, 30]),
        None => 0,
    };
    let for_loyalty = match customer.loyalty_tier {
        Some("Gold") => 10,
        Some("Silver") => 5,
        _ => 0,
    };
    let for_outlet = if store.is_some_and(|store| store.kind == StoreKind::Outlet) { 15 } else { 0 };
    for_promotion.max(for_loyalty).max(for_outlet)
}

/// Who buys, where, when and at what discount.
pub struct Basket<'world> {
    pub order_id: i64,
    pub region: &'world Region,
    pub customer: &'world Customer,
    pub day: Day,
    pub discount_percent: i64,
}

impl Basket<'_> {
    pub fn fill(&self, random: &mut Random, products: &[Product]) -> Vec<OrderItem> {
        let lines = random.weighted(&[(1, 0.46), (2, 0.28), (3, 0.15), (4, 0.08), (5, 0.03)]);
        let mut items: Vec<OrderItem> = Vec::new();
        for _ in 0..lines {
            let product = self.choose(random, products);
            if items.iter().all(|item| item.product_id != product.id) {
                let line_number = items.len() as i64 + 1;
                items.push(self.item(random, product, line_number));
            }
        }
        items
    }

    /// Every category has products on sale at any time, so the choice is never empty.
    fn choose<'list>(&self, random: &mut Random, products: &'list [Product]) -> &'list Product {
        let month = self.region.season_month(self.day);
        let by_category: Vec<(usize, f64)> =
            CATEGORIES.iter().enumerate().map(|(index, category)| (index, category.season[month])).collect();
        let category = random.weighted(&by_category);
        let on_sale: Vec<(&Product, f64)> = products
            .iter()
            .filter(|product| product.category == category && product.is_sold_on(self.day))
            .map(|product| (product, product.popularity))
            .collect();
        random.weighted(&on_sale)
    }

    fn item(&self, random: &mut Random, product: &Product, line_number: i64) -> OrderItem {
        let quantity = quantity(random, self.customer, product);
        let unit_price = price_on(product, self.day);
        OrderItem {
            order_id: self.order_id,
            line_number,
            product_id: product.id,
            category: product.category,
            quantity,
            unit_price,
            discount_percent: self.discount_percent,
            amount: Cents((quantity * unit_price.0 * (100 - self.discount_percent) + 50) / 100),
        }
    }
}

fn quantity(random: &mut Random, customer: &Customer, product: &Product) -> i64 {
    match (customer.segment, CATEGORIES[product.category].name) {
        ("Consumer", "Accessories") => random.weighted(&[(1, 0.6), (2, 0.28), (3, 0.12)]),
        ("Consumer", _) => random.weighted(&[(1, 0.92), (2, 0.08)]),
        (_, "Cycling") => random.weighted(&[(1, 0.7), (2, 0.3)]),
        _ => random.between(1, 8),
    }
}

/// Prices rise by three percent each New Year after the launch and end in 90 cents.
fn price_on(product: &Product, day: Day) -> Cents {
    let years = (day.parts().0 - product.launched_on.parts().0.max(2022)).max(0);
    let raised = product.list_price.0 as f64 * 1.03_f64.powi(years);
    Cents((raised / 100.0).round() as i64 * 100 - 10)
}

impl Row for &OrderItem {
    const TABLE: &'static str = "ORDER_ITEMS";

    fn values(&self) -> Vec<Value> {
        vec![
            self.order_id.into(),
            self.line_number.into(),
            self.product_id.into(),
            self.quantity.into(),
            self.unit_price.into(),
            self.discount_percent.into(),
            self.amount.into(),
        ]
    }
}
