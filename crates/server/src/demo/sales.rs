//! Orders: how many there are on a day, where they are made, and what becomes of them.

use super::baskets::{self, OrderItem};
use super::calendar::{Day, FIRST_DAY, LAST_DAY, Moment};
use super::goods::Product;
use super::people::{Customer, Employee};
use super::places::{REGIONS, Region, Store};
use super::random::Random;
use super::rows::{Cents, Row, Value};

pub struct Order {
    pub id: i64,
    pub customer_id: i64,
    pub channel: Channel,
    pub store_id: Option<i64>,
    pub employee_id: Option<i64>,
    pub ordered_at: Moment,
    pub status: Status,
    payment_method: &'static str,
    pub promotion: Option<&'static str>,
    shipped_on: Option<Day>,
    pub delivered_on: Option<Day>,
    shipping_fee: Cents,
    pub total: Cents,
    pub items: Vec<OrderItem>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Channel {
    Store,
    Web,
    App,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Processing,
    Shipped,
    Completed,
    Cancelled,
}

/// What the shop consists of before anyone buys.
pub struct Shop<'world> {
    pub stores: &'world [Store],
    pub employees: &'world [Employee],
    pub customers: &'world [Customer],
    pub products: &'world [Product],
}

const FIRST_ORDER_ID: i64 = 100_001;
const APP_LAUNCHED_ON: Day = Day::of(2023, 4, 3);
const FREE_SHIPPING_FROM: Cents = Cents(10_000);
const MONTH_DEMAND: [f64; 12] = [1.25, 0.95, 0.85, 0.85, 0.95, 1.0, 1.0, 0.85, 0.9, 0.95, 1.45, 1.75];
const WEEKDAY_DEMAND: [f64; 7] = [0.85, 0.85, 0.9, 0.95, 1.15, 1.45, 0.85];

pub fn orders(random: &mut Random, shop: &Shop) -> Vec<Order> {
    let customers_by_region: Vec<Vec<&Customer>> = REGIONS
        .iter()
        .map(|region| shop.customers.iter().filter(|customer| customer.region_id == region.id).collect())
        .collect();
    let mut orders = Vec::new();
    for day in FIRST_DAY.to(LAST_DAY) {
        for (region, customers) in REGIONS.iter().zip(&customers_by_region) {
            for _ in 0..random.count(expected_orders(region, day)) {
                let known = customers.partition_point(|customer| customer.signed_up_on <= day);
                if known == 0 {
                    continue;
                }
                // The power makes some customers regulars and many rare.
                let customer = customers[(random.fraction().powf(1.35) * known as f64) as usize];
                let id = FIRST_ORDER_ID + orders.len() as i64;
                orders.push(order(random, shop, region, customer, day, id));
            }
        }
    }
    orders
}

/// Growth over the years, the season, the day of the week, sales campaigns, and one bad quarter.
pub fn expected_orders(region: &Region, day: Day) -> f64 {
    if day < region.opened_on {
        return 0.0;
    }
    let years = day.years_since(FIRST_DAY.max(region.opened_on));
    let season = MONTH_DEMAND[region.season_month(day)];
    let campaign = if baskets::promotion_on(day).is_some() { 1.5 } else { 1.0 };
    let strike = region.name == "Western Europe" && (Day::of(2023, 2, 1)..Day::of(2023, 5, 1)).contains(&day);
    let setback = if strike { 0.55 } else { 1.0 };
    region.daily_orders * region.yearly_growth.powf(years) * season * WEEKDAY_DEMAND[day.weekday()] * campaign * setback
}

fn order(random: &mut Random, shop: &Shop, region: &Region, customer: &Customer, day: Day, id: i64) -> Order {
    let (channel, store) = channel_and_store(random, shop, region, day);
    let employee = store.and_then(|store| seller(random, shop, store, day));
    let promotion = baskets::promotion(random, customer, day);
    let basket = baskets::Basket {
        order_id: id,
        region,
        customer,
        day,
        discount_percent: baskets::discount_percent(random, customer, store, promotion),
    };
    let items = basket.fill(random, shop.products);
    let total = Cents(items.iter().map(|item| item.amount.0).sum());
    let fate = fate(random, region, channel, day);
    Order {
        id,
        customer_id: customer.id,
        channel,
        store_id: store.map(|store| store.id),
        employee_id: employee,
        ordered_at: Moment { day, second: order_second(random, channel) },
        status: fate.status,
        payment_method: payment_method(random, customer, channel),
        promotion,
        shipped_on: fate.shipped_on,
        delivered_on: fate.delivered_on,
        shipping_fee: match channel {
            Channel::Store => Cents(0),
            _ if total >= FREE_SHIPPING_FROM => Cents(0),
            _ => Cents(390 + 100 * region.delivery_days),
        },
        total,
        items,
    }
}

fn channel_and_store<'world>(
    random: &mut Random,
    shop: &Shop<'world>,
    region: &Region,
    day: Day,
) -> (Channel, Option<&'world Store>) {
    let online_share = region.online_share + 0.04 * day.years_since(FIRST_DAY);
    let open_stores: Vec<(&Store, f64)> = shop
        .stores
        .iter()
        .filter(|store| store.region_id == region.id && store.is_open_on(day))
        .map(|store| (store, store.floor_area as f64))
        .collect();
    if open_stores.is_empty() || random.chance(online_share) {
        let app_share = if day < APP_LAUNCHED_ON { 0.0 } else { 0.15 + 0.1 * day.years_since(APP_LAUNCHED_ON) };
        let channel = if random.chance(app_share) { Channel::App } else { Channel::Web };
        return (channel, None);
    }
    (Channel::Store, Some(random.weighted(&open_stores)))
}

fn seller(random: &mut Random, shop: &Shop, store: &Store, day: Day) -> Option<i64> {
    let at_work: Vec<i64> = shop
        .employees
        .iter()
        .filter(|employee| employee.store_id == Some(store.id) && employee.works_on(day))
        .map(|employee| employee.id)
        .collect();
    (!at_work.is_empty()).then(|| *random.pick(&at_work))
}

struct Fate {
    status: Status,
    shipped_on: Option<Day>,
    delivered_on: Option<Day>,
}

fn fate(random: &mut Random, region: &Region, channel: Channel, day: Day) -> Fate {
    if random.chance(if channel == Channel::Store { 0.008 } else { 0.045 }) {
        return Fate { status: Status::Cancelled, shipped_on: None, delivered_on: None };
    }
    if channel == Channel::Store {
        return Fate { status: Status::Completed, shipped_on: None, delivered_on: None };
    }
    let shipping_day = day + random.between(0, 2);
    let delay = if random.chance(0.07) { random.between(3, 10) } else { random.between(0, 1) };
    let delivery_day = shipping_day + region.delivery_days + delay;
    let shipped_on = (shipping_day <= LAST_DAY).then_some(shipping_day);
    let delivered_on = (delivery_day <= LAST_DAY).then_some(delivery_day);
    let status = match (shipped_on, delivered_on) {
        (_, Some(_)) => Status::Completed,
        (Some(_), None) => Status::Shipped,
        (None, None) => Status::Processing,
    };
    Fate { status, shipped_on, delivered_on }
}

fn order_second(random: &mut Random, channel: Channel) -> i64 {
    let (opens, closes) = if channel == Channel::Store { (9, 19) } else { (6, 23) };
    random.between(opens * 3_600, closes * 3_600 - 1)
}

fn payment_method(random: &mut Random, customer: &Customer, channel: Channel) -> &'static str {
    match (customer.segment, channel) {
        ("Business" | "Club", _) => random.weighted(&[("Invoice", 0.7), ("Card", 0.3)]),
        (_, Channel::Store) => random.weighted(&[("Card", 0.66), ("Cash", 0.2), ("Wallet", 0.1), ("Gift Card", 0.04)]),
        _ => random.weighted(&[("Card", 0.58), ("Wallet", 0.32), ("Invoice", 0.06), ("Gift Card", 0.04)]),
    }
}

impl Channel {
    fn as_str(self) -> &'static str {
        match self {
            Self::Store => "Store",
            Self::Web => "Web",
            Self::App => "App",
        }
    }
}

impl Status {
    fn as_str(self) -> &'static str {
        match self {
            Self::Processing => "Processing",
            Self::Shipped => "Shipped",
            Self::Completed => "Completed",
            Self::Cancelled => "Cancelled",
        }
    }
}

impl Row for Order {
    const TABLE: &'static str = "ORDERS";

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            self.customer_id.into(),
            self.channel.as_str().into(),
            self.store_id.into(),
            self.employee_id.into(),
            self.ordered_at.into(),
            self.status.as_str().into(),
            self.payment_method.into(),
            self.promotion.into(),
            self.shipped_on.into(),
            self.delivered_on.into(),
            self.shipping_fee.into(),
            self.total.into(),
        ]
    }
}
