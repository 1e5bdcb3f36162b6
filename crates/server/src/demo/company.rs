//! The whole demo company, made from one seed: a retailer of outdoor goods with stores and a web shop.

use super::aftermath::{self, Return, SalesTarget, SupportTicket};
use super::baskets::OrderItem;
use super::goods::{self, Product, Supplier};
use super::people::{self, Customer, Employee};
use super::places::{self, REGIONS, Store};
use super::random::Random;
use super::rows::insert_statements;
use super::sales::{self, Order, Shop};

pub struct Company {
    stores: Vec<Store>,
    employees: Vec<Employee>,
    suppliers: Vec<Supplier>,
    products: Vec<Product>,
    customers: Vec<Customer>,
    orders: Vec<Order>,
    returns: Vec<Return>,
    support_tickets: Vec<SupportTicket>,
    sales_targets: Vec<SalesTarget>,
}

impl Company {
    pub fn generate(seed: u64) -> Self {
        let random = &mut Random::seeded(seed);
        let stores = places::stores(random);
        let employees = people::employees(random, &stores);
        let suppliers = goods::suppliers(random);
        let products = goods::products(random);
        let customers = people::customers(random);
        let shop = Shop { stores: &stores, employees: &employees, customers: &customers, products: &products };
        let orders = sales::orders(random, &shop);
        let returns = aftermath::returns(random, &orders);
        let support_tickets = aftermath::support_tickets(random, &orders, &customers, &employees);
        let sales_targets = aftermath::sales_targets(random);
        Self { stores, employees, suppliers, products, customers, orders, returns, support_tickets, sales_targets }
    }

    /// Every row as INSERT statements, tables that are referred to first.
    pub fn insert_statements(&self) -> Vec<String> {
        let order_items = self.order_items();
        [
            insert_statements(&REGIONS),
            insert_statements(&self.stores),
            insert_statements(&self.employees),
            insert_statements(&self.suppliers),
            insert_statements(&self.products),
            insert_statements(&self.customers),
            insert_statements(&self.orders),
            insert_statements(&order_items),
            insert_statements(&self.returns),
            insert_statements(&self.support_tickets),
            insert_statements(&self.sales_targets),
        ]
        .concat()
    }

    pub fn row_count(&self) -> usize {
        REGIONS.len()
            + self.stores.len()
            + self.employees.len()
            + self.suppliers.len()
            + self.products.len()
            + self.customers.len()
            + self.orders.len()
            + self.order_items().len()
            + self.returns.len()
            + self.support_tickets.len()
            + self.sales_targets.len()
    }

    fn order_items(&self) -> Vec<&OrderItem> {
        self.orders.iter().flat_map(|order| &order.items).collect()
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use super::super::calendar::{Day, FIRST_DAY, LAST_DAY};
    use super::super::sales::{Channel, Status};
    use super::*;

    const SEED: u64 = 1;

    #[test]
    fn the_same_seed_makes_the_same_company() {
        let statements = Company::generate(SEED).insert_statements();
        assert_eq!(statements, Company::generate(SEED).insert_statements());
        assert_ne!(statements, Company::generate(SEED + 1).insert_statements());
    }

    #[test]
    fn no_value_holds_what_separates_values() {
        for statement in Company::generate(SEED).insert_statements() {
            let fields: Vec<usize> = statement.lines().skip(1).map(|line| line.matches('|').count()).collect();
            assert!(fields.windows(2).all(|pair| pair[0] == pair[1]), "{}", &statement[..100]);
        }
    }

    #[test]
    fn the_tables_have_the_wanted_sizes() {
        let company = Company::generate(SEED);
        for (table, count, wanted) in [
            ("STORES", company.stores.len(), 25..26),
            ("EMPLOYEES", company.employees.len(), 150..300),
            ("SUPPLIERS", company.suppliers.len(), 18..19),
            ("PRODUCTS", company.products.len(), 176..177),
            ("CUSTOMERS", company.customers.len(), 1_700..1_801),
            ("ORDERS", company.orders.len(), 8_000..12_000),
            ("ORDER_ITEMS", company.order_items().len(), 16_000..24_000),
            ("RETURNS", company.returns.len(), 800..1_600),
            ("SUPPORT_TICKETS", company.support_tickets.len(), 800..1_600),
            ("SALES_TARGETS", company.sales_targets.len(), 4 * 54 + 29..4 * 54 + 30),
        ] {
            assert!(wanted.contains(&count), "{table} has {count} rows");
        }
        assert!((30_000..40_000).contains(&company.row_count()));
    }

    #[test]
    fn every_reference_finds_its_row() {
        let company = Company::generate(SEED);
        let stores: HashMap<i64, &Store> = company.stores.iter().map(|store| (store.id, store)).collect();
        let employees: HashMap<i64, &Employee> = company.employees.iter().map(|one| (one.id, one)).collect();
        let customers: HashMap<i64, &Customer> = company.customers.iter().map(|one| (one.id, one)).collect();
        let products: HashMap<i64, &Product> = company.products.iter().map(|one| (one.id, one)).collect();
        let orders: HashMap<i64, &Order> = company.orders.iter().map(|one| (one.id, one)).collect();
        assert_eq!(orders.len(), company.orders.len());

        for employee in &company.employees {
            assert!(employee.store_id.is_none_or(|id| stores.contains_key(&id)));
            assert!(employee.manager_id.is_none_or(|id| employees.contains_key(&id)));
            assert!(employee.left_on.is_none_or(|left| employee.hired_on <= left), "{}", employee.id);
        }
        for product in &company.products {
            assert!(company.suppliers.iter().any(|supplier| supplier.id == product.supplier_id));
        }
        for order in &company.orders {
            let day = order.ordered_at.day;
            assert!((FIRST_DAY..=LAST_DAY).contains(&day));
            assert!(customers[&order.customer_id].signed_up_on <= day);
            assert_eq!(order.store_id.is_some(), order.channel == Channel::Store);
            assert!(order.store_id.is_none_or(|id| stores[&id].is_open_on(day)));
            assert_eq!(order.employee_id.is_some(), order.store_id.is_some());
            assert!(order.employee_id.is_none_or(|id| employees[&id].works_on(day)));
            assert!(!order.items.is_empty());
            assert_eq!(order.total.0, order.items.iter().map(|item| item.amount.0).sum::<i64>());
            assert!(order.items.iter().all(|item| products[&item.product_id].is_sold_on(day) && item.amount.0 > 0));
        }
        for returned in &company.returns {
            let order = orders[&returned.order_id];
            let item = &order.items[returned.line_number as usize - 1];
            assert!(returned.quantity <= item.quantity && returned.refund <= item.amount);
            assert!(order.ordered_at.day < returned.returned_on && returned.returned_on <= LAST_DAY);
        }
        for ticket in &company.support_tickets {
            assert!(customers.contains_key(&ticket.customer_id) && employees.contains_key(&ticket.employee_id));
            assert!(ticket.order_id.is_none_or(|id| orders[&id].customer_id == ticket.customer_id));
            assert!(ticket.closed_at.is_none_or(|closed| ticket.opened_at < closed));
        }
    }

    #[test]
    fn the_year_has_its_seasons_and_the_business_grows() {
        let company = Company::generate(SEED);
        let orders_in = |first: Day, last: Day| {
            company.orders.iter().filter(|order| (first..=last).contains(&order.ordered_at.day)).count()
        };
        let december = orders_in(Day::of(2024, 12, 1), Day::of(2024, 12, 31));
        let march = orders_in(Day::of(2024, 3, 1), Day::of(2024, 3, 31));
        assert!(december > march * 3 / 2, "{december} orders in December, {march} in March");
        let first_year = orders_in(Day::of(2022, 1, 1), Day::of(2022, 12, 31));
        let last_year = orders_in(Day::of(2025, 1, 1), Day::of(2025, 12, 31));
        assert!(last_year > first_year * 5 / 4, "{last_year} orders in 2025, {first_year} in 2022");
        assert!(company.orders.iter().any(|order| order.status == Status::Processing));
    }
}
