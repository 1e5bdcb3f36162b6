//! What follows from orders: returns, support tickets, and the targets they are measured against.

use super::baskets::OrderItem;
use super::calendar::{Day, FIRST_DAY, LAST_DAY, Moment};
use super::goods::CATEGORIES;
use super::people::{Customer, Employee};
use super::places::REGIONS;
use super::random::Random;
use super::rows::{Cents, Row, Value};
use super::sales::{Channel, Order, Status, expected_orders};

pub struct Return {
    pub id: i64,
    pub order_id: i64,
    pub line_number: i64,
    pub returned_on: Day,
    pub quantity: i64,
    reason: Option<&'static str>,
    pub refund: Cents,
}

pub struct SupportTicket {
    pub id: i64,
    pub customer_id: i64,
    pub order_id: Option<i64>,
    pub employee_id: i64,
    topic: &'static str,
    priority: &'static str,
    pub opened_at: Moment,
    pub closed_at: Option<Moment>,
    satisfaction: Option<i64>,
}

pub struct SalesTarget {
    pub region_id: i64,
    pub month: Day,
    amount: Cents,
}

/// What an order brings on average in the first year, as the planners see it.
const PLANNED_ORDER_AMOUNT_EUROS: f64 = 500.0;

pub fn returns(random: &mut Random, orders: &[Order]) -> Vec<Return> {
    let mut returns = Vec::new();
    for order in orders.iter().filter(|order| order.status == Status::Completed) {
        let received_on = order.delivered_on.unwrap_or(order.ordered_at.day);
        for item in &order.items {
            let online_rate = CATEGORIES[item.category].return_rate;
            let rate = if order.channel == Channel::Store { online_rate * 0.35 } else { online_rate };
            let returned_on = received_on + random.between(1, 30);
            if random.chance(rate) && returned_on <= LAST_DAY {
                let id = 500_001 + returns.len() as i64;
                returns.push(one_return(random, id, item, returned_on));
            }
        }
    }
    returns
}

fn one_return(random: &mut Random, id: i64, item: &OrderItem, returned_on: Day) -> Return {
    let quantity = if random.chance(0.8) { item.quantity } else { random.between(1, item.quantity) };
    let reason = match CATEGORIES[item.category].name {
        "Footwear" | "Outerwear" => random.weighted(&[
            ("Wrong size", 0.55),
            ("Changed mind", 0.2),
            ("Not as described", 0.15),
            ("Damaged", 0.1),
        ]),
        _ => random.weighted(&[
            ("Changed mind", 0.35),
            ("Damaged", 0.3),
            ("Not as described", 0.25),
            ("Late delivery", 0.1),
        ]),
    };
    Return {
        id,
        order_id: item.order_id,
        line_number: item.line_number,
        returned_on,
        quantity,
        reason: (!random.chance(0.08)).then_some(reason),
        refund: Cents(item.amount.0 * quantity / item.quantity),
    }
}

/// Some orders lead to a question, late and cancelled ones more often; other questions have no order.
pub fn support_tickets(
    random: &mut Random,
    orders: &[Order],
    customers: &[Customer],
    employees: &[Employee],
) -> Vec<SupportTicket> {
    let mut tickets = Vec::new();
    for order in orders {
        let probability = match (order.status, order.channel) {
            (Status::Cancelled, _) => 0.3,
            (_, Channel::Store) => 0.03,
            _ => 0.14,
        };
        if random.chance(probability) {
            let opened = Moment { day: order.ordered_at.day + random.between(1, 12), ..order.ordered_at };
            tickets.extend(ticket(random, order.customer_id, Some(order.id), opened, employees));
        }
        if random.chance(0.02) {
            let customer = random.pick(customers);
            let opened = order.ordered_at.after_minutes(random.between(30, 2_000));
            if customer.signed_up_on <= opened.day {
                tickets.extend(ticket(random, customer.id, None, opened, employees));
            }
        }
    }
    tickets.sort_by_key(|ticket| ticket.opened_at);
    for (index, ticket) in tickets.iter_mut().enumerate() {
        ticket.id = 9_001 + index as i64;
    }
    tickets
}

fn ticket(
    random: &mut Random,
    customer_id: i64,
    order_id: Option<i64>,
    opened_at: Moment,
    employees: &[Employee],
) -> Option<SupportTicket> {
    let agents: Vec<i64> = employees
        .iter()
        .filter(|employee| employee.department == "Support" && employee.works_on(opened_at.day))
        .map(|employee| employee.id)
        .collect();
    if agents.is_empty() || opened_at.day > LAST_DAY {
        return None;
    }
    let topic = match order_id {
        Some(_) => random.weighted(&[("Delivery", 0.42), ("Return", 0.28), ("Product", 0.18), ("Payment", 0.12)]),
        None => random.weighted(&[("Account", 0.45), ("Product", 0.45), ("Payment", 0.1)]),
    };
    let priority = random.weighted(&[("Low", 0.2), ("Normal", 0.55), ("High", 0.2), ("Urgent", 0.05)]);
    let hours_max = match priority {
        "Urgent" => 8,
        "High" => 30,
        "Normal" => 96,
        _ => 240,
    };
    let solved_at = opened_at.after_minutes(random.between(12, hours_max * 60));
    let is_forgotten = random.chance(0.015);
    let closed_at = (solved_at.day <= LAST_DAY && !is_forgotten).then_some(solved_at);
    let rating = random.weighted(&[(1, 0.06), (2, 0.08), (3, 0.17), (4, 0.36), (5, 0.33)]);
    Some(SupportTicket {
        id: 0,
        customer_id,
        order_id,
        employee_id: *random.pick(&agents),
        topic,
        priority,
        opened_at,
        closed_at,
        satisfaction: (closed_at.is_some() && random.chance(0.58)).then_some(rating),
    })
}

/// The planners know the season and hope for a little more growth than there is.
pub fn sales_targets(random: &mut Random) -> Vec<SalesTarget> {
    let mut targets = Vec::new();
    for region in &REGIONS {
        for month in FIRST_DAY.to(LAST_DAY).filter(|day| day.parts().2 == 1 && *day >= region.opened_on) {
            let last_day = month + 27;
            let expected: f64 = month.to(last_day).map(|day| expected_orders(region, day)).sum();
            let hope = (0.94 + 0.2 * random.fraction()) * 1.05_f64.powf(month.years_since(FIRST_DAY));
            let euros = expected * PLANNED_ORDER_AMOUNT_EUROS * hope * 30.4 / 28.0;
            targets.push(SalesTarget {
                region_id: region.id,
                month,
                amount: Cents((euros / 500.0).round() as i64 * 50_000),
            });
        }
    }
    targets
}

impl Row for Return {
    const TABLE: &'static str = "RETURNS";

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            self.order_id.into(),
            self.line_number.into(),
            self.returned_on.into(),
            self.quantity.into(),
            self.reason.into(),
            self.refund.into(),
        ]
    }
}

impl Row for SupportTicket {
    const TABLE: &'static str = "SUPPORT_TICKETS";

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            self.customer_id.into(),
            self.order_id.into(),
            self.employee_id.into(),
            self.topic.into(),
            self.priority.into(),
            self.opened_at.into(),
            self.closed_at.into(),
            self.satisfaction.into(),
        ]
    }
}

impl Row for SalesTarget {
    const TABLE: &'static str = "SALES_TARGETS";

    fn values(&self) -> Vec<Value> {
        vec![self.region_id.into(), self.month.into(), self.amount.into()]
    }
}
