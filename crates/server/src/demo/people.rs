//! Employees and customers.

use super::calendar::{Day, FIRST_DAY, LAST_DAY};
use super::names::{COMPANY_ENDINGS, COMPANY_WORDS, FIRST_NAMES, LAST_NAMES};
use super::places::{REGIONS, Region, Store};
use super::random::Random;
use super::rows::{Cents, Row, Value};

pub struct Employee {
    pub id: i64,
    first_name: &'static str,
    last_name: &'static str,
    job_title: &'static str,
    pub department: &'static str,
    pub store_id: Option<i64>,
    pub manager_id: Option<i64>,
    salary: Cents,
    pub hired_on: Day,
    pub left_on: Option<Day>,
}

pub struct Customer {
    pub id: i64,
    first_name: &'static str,
    last_name: &'static str,
    company_name: Option<String>,
    email: Option<String>,
    pub segment: &'static str,
    pub loyalty_tier: Option<&'static str>,
    pub region_id: i64,
    country: &'static str,
    city: &'static str,
    birth_date: Option<Day>,
    pub signed_up_on: Day,
    accepts_marketing: bool,
}

const CUSTOMERS_MAX: usize = 1_800;
const SUPPORT_AGENTS: usize = 12;

impl Employee {
    pub fn works_on(&self, day: Day) -> bool {
        self.hired_on <= day && self.left_on.is_none_or(|left| day <= left)
    }
}

/// The chief executive, a manager for each region, the support desk, and the staff of every store.
/// Store managers and the first support agents stay, so that there is always someone to do the work.
pub fn employees(random: &mut Random, stores: &[Store]) -> Vec<Employee> {
    let mut staff = Vec::new();
    let founded_on = REGIONS[0].opened_on;
    let chief = hire(random, &mut staff, "Chief Executive", None, None, founded_on, (190_000, 190_000));
    let mut region_managers = Vec::new();
    for region in &REGIONS {
        let day = region.opened_on + -random.between(20, 120);
        region_managers.push(hire(random, &mut staff, "Regional Manager", None, Some(chief), day, (88_000, 120_000)));
    }
    let head_of_support =
        hire(random, &mut staff, "Head of Support", None, Some(chief), Day::of(2014, 6, 2), (82_000, 82_000));
    for index in 0..SUPPORT_AGENTS {
        let day = Day::of(2017, 1, 9) + random.between(0, 1_600);
        let agent = hire(random, &mut staff, "Support Agent", None, Some(head_of_support), day, (34_000, 46_000));
        if index >= 4 {
            may_leave(random, &mut staff, agent, None);
        }
    }
    for store in stores {
        staff_store(random, &mut staff, store, region_managers[store.region_id as usize - 1]);
    }
    staff
}

fn staff_store(random: &mut Random, staff: &mut Vec<Employee>, store: &Store, region_manager: i64) {
    let opening = store.opened_on + -random.between(10, 60);
    let at_store = Some(store.id);
    let manager = hire(random, staff, "Store Manager", at_store, Some(region_manager), opening, (52_000, 74_000));
    close_with(staff, manager, store.closed_on);
    let associates = 3 + store.floor_area / 250;
    for _ in 0..associates {
        let last_hiring_day = store.closed_on.unwrap_or(LAST_DAY) + -60;
        let day = opening + random.between(0, opening.days_until(last_hiring_day).max(0));
        let title =
            random.weighted(&[("Sales Associate", 0.7), ("Senior Sales Associate", 0.2), ("Workshop Technician", 0.1)]);
        let salary = if title == "Sales Associate" { (27_000, 36_000) } else { (35_000, 48_000) };
        let associate = hire(random, staff, title, at_store, Some(manager), day, salary);
        may_leave(random, staff, associate, store.closed_on);
    }
}

fn hire(
    random: &mut Random,
    staff: &mut Vec<Employee>,
    job_title: &'static str,
    store_id: Option<i64>,
    manager_id: Option<i64>,
    hired_on: Day,
    (salary_low, salary_high): (i64, i64),
) -> i64 {
    let id = staff.len() as i64 + 1;
    let first_name = *random.pick(&FIRST_NAMES);
    let last_name = *random.pick(&LAST_NAMES);
    staff.push(Employee {
        id,
        first_name,
        last_name,
        job_title,
        department: match job_title {
            "Support Agent" | "Head of Support" => "Support",
            _ if store_id.is_some() => "Sales",
            _ => "Management",
        },
        store_id,
        manager_id,
        salary: Cents(random.between(salary_low / 100, salary_high / 100) * 10_000),
        hired_on,
        left_on: None,
    });
    id
}

fn may_leave(random: &mut Random, staff: &mut [Employee], id: i64, store_closed_on: Option<Day>) {
    close_with(staff, id, store_closed_on);
    let employee = &mut staff[id as usize - 1];
    let leaving_day = employee.hired_on + random.between(120, 2_500);
    let latest = employee.left_on.unwrap_or(LAST_DAY);
    if random.chance(0.45) && leaving_day < latest {
        employee.left_on = Some(leaving_day);
    }
}

fn close_with(staff: &mut [Employee], id: i64, store_closed_on: Option<Day>) {
    staff[id as usize - 1].left_on = store_closed_on;
}

/// In the order they signed up within each region; more join every year.
pub fn customers(random: &mut Random) -> Vec<Customer> {
    let mut customers = Vec::new();
    let total_share: f64 = REGIONS.iter().map(customer_share).sum();
    for region in &REGIONS {
        let wanted = (CUSTOMERS_MAX as f64 * customer_share(region) / total_share) as usize;
        let first_day = region.opened_on.max(FIRST_DAY + -500);
        let span = first_day.days_until(LAST_DAY) as f64;
        let mut signup_days: Vec<Day> =
            (0..wanted).map(|_| first_day + (span * random.fraction().powf(0.8)) as i64).collect();
        signup_days.sort_unstable();
        // Someone is there to buy from the first day on.
        signup_days.iter_mut().take(5).for_each(|day| *day = first_day);
        for day in signup_days {
            let id = customers.len() as i64 + 1;
            customers.push(customer(random, id, region, day));
        }
    }
    customers
}

fn customer_share(region: &Region) -> f64 {
    let years = FIRST_DAY.max(region.opened_on).days_until(LAST_DAY) as f64 / 365.25;
    region.daily_orders * region.yearly_growth.powf(years / 2.0) * years.sqrt()
}

fn customer(random: &mut Random, id: i64, region: &Region, signed_up_on: Day) -> Customer {
    let (country, city) = *random.pick(region.cities);
    let first_name = *random.pick(&FIRST_NAMES);
    let last_name = *random.pick(&LAST_NAMES);
    let segment = random.weighted(&[("Consumer", 0.82), ("Business", 0.11), ("Club", 0.07)]);
    let company_name = match segment {
        "Business" => Some(format!("{} {}", random.pick(&COMPANY_WORDS), random.pick(&COMPANY_ENDINGS))),
        "Club" => Some(format!("{city} {}", random.pick(&["Alpine Club", "Ski Team", "Cycling Club", "Scouts"]))),
        _ => None,
    };
    let loyalty_tier =
        random.weighted(&[(None, 0.38), (Some("Bronze"), 0.36), (Some("Silver"), 0.18), (Some("Gold"), 0.08)]);
    let address = format!("{}.{}{id}@example.com", first_name.to_lowercase(), last_name.to_lowercase());
    Customer {
        id,
        first_name,
        last_name,
        company_name,
        email: (!random.chance(0.06)).then(|| address.replace([' ', '\''], "")),
        segment,
        loyalty_tier,
        region_id: region.id,
        country,
        city,
        birth_date: (segment == "Consumer" && random.chance(0.78))
            .then(|| Day::of(1948, 1, 1) + random.between(0, 365 * 58)),
        signed_up_on,
        accepts_marketing: random.chance(0.61),
    }
}

impl Row for Employee {
    const TABLE: &'static str = "EMPLOYEES";

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            self.first_name.into(),
            self.last_name.into(),
            self.job_title.into(),
            self.department.into(),
            self.store_id.into(),
            self.manager_id.into(),
            self.salary.into(),
            self.hired_on.into(),
            self.left_on.into(),
        ]
    }
}

impl Row for Customer {
    const TABLE: &'static str = "CUSTOMERS";

    fn values(&self) -> Vec<Value> {
        vec![
            self.id.into(),
            self.first_name.into(),
            self.last_name.into(),
            self.company_name.as_ref().into(),
            self.email.as_ref().into(),
            self.segment.into(),
            self.loyalty_tier.into(),
            self.region_id.into(),
            self.country.into(),
            self.city.into(),
            self.birth_date.into(),
            self.signed_up_on.into(),
            self.accepts_marketing.into(),
        ]
    }
}
