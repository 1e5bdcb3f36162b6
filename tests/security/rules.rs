//! Random grants and revocations, each followed by statements of random roles: what these may do is what a simple model of
//! the documented rules says. `FIRN_SEED` repeats a run; `FIRN_ROUNDS` makes it longer.

use std::collections::{BTreeMap, BTreeSet};

use firn_tests::random::Random;
use firn_tests::{Client, Server};

const ROLES: usize = 5;
const SCHEMAS: usize = 2;
const TABLES: usize = 3;
const PRIVILEGES: [&str; 4] = ["SELECT", "INSERT", "DELETE", "TRUNCATE"];

/// Who has something: one of the roles, PUBLIC, or the database role.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Holder {
    Role(usize),
    Public,
    DatabaseRole,
}

impl Holder {
    fn any(numbers: &mut Random) -> Self {
        match numbers.index(ROLES + 2) {
            role if role < ROLES => Self::Role(role),
            role if role == ROLES => Self::Public,
            _ => Self::DatabaseRole,
        }
    }

    fn sql(self) -> String {
        match self {
            Self::Role(role) => format!("ROLE R{role}"),
            Self::Public => "ROLE PUBLIC".to_owned(),
            Self::DatabaseRole => "DATABASE ROLE D.DR".to_owned(),
        }
    }
}

/// A table by its schema and its number.
type Table = (usize, usize);

fn shown((schema, table): Table) -> String {
    format!("D.S{schema}.T{table}")
}

#[derive(Default)]
struct Model {
    /// Each role with those that it was granted.
    granted_roles: BTreeMap<usize, BTreeSet<Holder>>,
    usage_of_database: BTreeSet<Holder>,
    usage_of_schemas: BTreeSet<(usize, Holder)>,
    /// `None` is ACCOUNTADMIN.
    owners: BTreeMap<Table, Option<usize>>,
    privileges: BTreeSet<(Table, &'static str, Holder)>,
    future: BTreeSet<(usize, &'static str, Holder)>,
}

/// What a statement on a table answers.
#[derive(Debug, PartialEq, Eq)]
enum Answer {
    Allowed,
    Insufficient,
    Missing,
}

impl Model {
    fn held_by(&self, role: usize) -> BTreeSet<Holder> {
        let mut held = BTreeSet::from([Holder::Public]);
        let mut open = vec![Holder::Role(role)];
        while let Some(holder) = open.pop() {
            if held.insert(holder)
                && let Holder::Role(role) = holder
            {
                open.extend(self.granted_roles.get(&role).into_iter().flatten());
            }
        }
        held
    }

    fn answer(&self, role: usize, table: Table, privilege: &'static str) -> Answer {
        let held = self.held_by(role);
        let uses_database = held.iter().any(|holder| self.usage_of_database.contains(holder));
        let uses_schema = held.iter().any(|holder| self.usage_of_schemas.contains(&(table.0, *holder)));
        if !uses_database || !uses_schema {
            return Answer::Missing;
        }
        let owner = self.owners.get(&table).copied().flatten();
        if owner.is_some_and(|owner| held.contains(&Holder::Role(owner))) {
            return Answer::Allowed;
        }
        let mut of_table = self.privileges.iter().filter(|(of, _, holder)| *of == table && held.contains(holder));
        match of_table.clone().any(|(_, granted, _)| *granted == privilege) {
            true => Answer::Allowed,
            false if of_table.next().is_some() => Answer::Insufficient,
            false => Answer::Missing,
        }
    }

    /// Changes the model, and returns the statement that changes the server alike.
    fn change(&mut self, numbers: &mut Random) -> String {
        let table = (numbers.index(SCHEMAS), numbers.index(TABLES));
        let privilege = PRIVILEGES[numbers.index(PRIVILEGES.len())];
        let holder = Holder::any(numbers);
        let (verb, to) = if numbers.index(2) == 0 { ("GRANT", "TO") } else { ("REVOKE", "FROM") };
        let grants = verb == "GRANT";
        match numbers.index(10) {
            0 => {
                change(&mut self.usage_of_database, holder, grants);
                format!("{verb} USAGE ON DATABASE D {to} {}", holder.sql())
            }
            1 | 2 => {
                change(&mut self.usage_of_schemas, (table.0, holder), grants);
                format!("{verb} USAGE ON SCHEMA D.S{} {to} {}", table.0, holder.sql())
            }
            3..=5 => {
                change(&mut self.privileges, (table, privilege, holder), grants);
                format!("{verb} {privilege} ON TABLE {} {to} {}", shown(table), holder.sql())
            }
            6 => self.change_role(numbers, verb, to),
            7 => {
                let owner = numbers.index(ROLES);
                self.owners.insert(table, Some(owner));
                let keeps = numbers.index(2) == 0;
                if !keeps {
                    self.privileges.retain(|(of, ..)| *of != table);
                }
                let current = if keeps { "COPY" } else { "REVOKE" };
                format!("GRANT OWNERSHIP ON TABLE {} TO ROLE R{owner} {current} CURRENT GRANTS", shown(table))
            }
            8 => {
                change(&mut self.future, (table.0, privilege, holder), grants);
                format!("{verb} {privilege} ON FUTURE TABLES IN SCHEMA D.S{} {to} {}", table.0, holder.sql())
            }
            _ => self.change_table(numbers, table),
        }
    }

    /// Roles are granted to those of smaller numbers, so that there is no circle.
    fn change_role(&mut self, numbers: &mut Random, verb: &str, to: &str) -> String {
        let grantee = numbers.index(ROLES - 1);
        let role = grantee + 1 + numbers.index(ROLES - grantee - 1);
        let granted = if numbers.index(3) == 0 { Holder::DatabaseRole } else { Holder::Role(role) };
        change(self.granted_roles.entry(grantee).or_default(), granted, verb == "GRANT");
        format!("{verb} {} {to} ROLE R{grantee}", granted.sql())
    }

    fn change_table(&mut self, numbers: &mut Random, table: Table) -> String {
        let other = (table.0, (table.1 + 1 + numbers.index(TABLES - 1)) % TABLES);
        match numbers.index(2) == 0 {
            // Grants and owners go with the tables.
            true => {
                let swapped = |of: Table| match of {
                    of if of == table => other,
                    of if of == other => table,
                    of => of,
                };
                let all = std::mem::take(&mut self.privileges);
                self.privileges = all.into_iter().map(|(of, what, who)| (swapped(of), what, who)).collect();
                let all = std::mem::take(&mut self.owners);
                self.owners = all.into_iter().map(|(of, owner)| (swapped(of), owner)).collect();
                format!("ALTER TABLE {} SWAP WITH {}", shown(table), shown(other))
            }
            false => {
                let keeps = numbers.index(2) == 0;
                if !keeps {
                    self.privileges.retain(|(of, ..)| *of != table);
                }
                let future = self.future.iter().filter(|(schema, ..)| *schema == table.0);
                self.privileges.extend(future.map(|(_, what, who)| (table, *what, *who)));
                self.owners.insert(table, None);
                let copy = if keeps { "COPY GRANTS " } else { "" };
                format!("CREATE OR REPLACE TABLE {} {copy}AS SELECT 1 AS N", shown(table))
            }
        }
    }
}

fn change<T: Ord>(set: &mut BTreeSet<T>, item: T, adds: bool) {
    if adds {
        set.insert(item);
    } else {
        set.remove(&item);
    }
}

/// Statements that change no rows, each with the privilege that it needs.
fn statement(privilege: &str, table: Table) -> String {
    let table = shown(table);
    match privilege {
        "SELECT" => format!("SELECT COUNT(*) FROM {table}"),
        "INSERT" => format!("INSERT INTO {table} SELECT 1 AS N WHERE FALSE"),
        "DELETE" => format!("DELETE FROM {table}"),
        _ => format!("TRUNCATE TABLE {table}"),
    }
}

fn answer(client: &Client, statement: &str) -> Answer {
    let answer = client.sql(statement);
    let text = answer.text();
    match answer.status {
        200 => Answer::Allowed,
        422 if text.contains("\"003001\"") => Answer::Insufficient,
        422 if text.contains("\"002003\"") => Answer::Missing,
        _ => panic!("{statement}: {answer}"),
    }
}

#[test]
fn roles_may_what_a_model_of_the_rules_says() {
    let number = |name: &str, otherwise: u64| std::env::var(name).map_or(otherwise, |text| text.parse().unwrap());
    let (seed, rounds) = (number("FIRN_SEED", 16), number("FIRN_ROUNDS", 300));
    let server = Server::start();
    let admin = server.admin();
    for text in ["CREATE DATABASE D", "CREATE DATABASE ROLE D.DR"] {
        admin.rows(text);
    }
    for schema in 0..SCHEMAS {
        admin.rows(&format!("CREATE SCHEMA D.S{schema}"));
        (0..TABLES).for_each(|table| drop(admin.rows(&format!("CREATE TABLE {} (N INT)", shown((schema, table))))));
    }
    let users: Vec<Client> = (0..ROLES)
        .map(|role| {
            admin.rows(&format!("CREATE ROLE R{role}"));
            admin.rows(&format!("CREATE USER U{role} DEFAULT_ROLE = R{role} DEFAULT_WAREHOUSE = COMPUTE_WH"));
            admin.rows(&format!("GRANT ROLE R{role} TO USER U{role}"));
            let token = admin.rows(&format!("ALTER USER U{role} ADD PROGRAMMATIC ACCESS TOKEN T"));
            server.client(token[0][1].as_deref().unwrap())
        })
        .collect();
    // A database role may use its database from the beginning.
    let usage_of_database = BTreeSet::from([Holder::DatabaseRole]);
    let (mut model, mut numbers) = (Model { usage_of_database, ..Model::default() }, Random(seed));
    for round in 0..rounds {
        let change = model.change(&mut numbers);
        println!("{round}: {change}");
        admin.rows(&change);
        for _ in 0..4 {
            let (role, table) = (numbers.index(ROLES), (numbers.index(SCHEMAS), numbers.index(TABLES)));
            let privilege = PRIVILEGES[numbers.index(PRIVILEGES.len())];
            let asked = statement(privilege, table);
            let expected = model.answer(role, table, privilege);
            assert_eq!(
                answer(&users[role], &asked),
                expected,
                "seed {seed}, round {round}, {change}; R{role}: {asked}"
            );
        }
    }
}
