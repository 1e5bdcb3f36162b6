//! What INFORMATION_SCHEMA shows to whom: by ownership, and by privileges on schemas and objects.

use firn_sql::ObjectName;

use crate::bench::Bench;

const OBJECTS: &str = "create schema s; create table s.t (a int primary key, b int references s.t (a)); \
                       create view s.v as select a from s.t; create sequence s.q; create table s.other (z int); \
                       create schema hidden; create table hidden.t (a int, b int)";

/// Views of INFORMATION_SCHEMA, the column with the object's name, and which object of `S` they show.
const VIEWS: &[(&str, &str, &str)] = &[
    ("tables", "table_name", "T"),
    ("columns", "distinct table_name", "T"),
    ("views", "table_name", "V"),
    ("sequences", "sequence_name", "Q"),
    ("table_constraints", "distinct table_name", "T"),
    ("referential_constraints", "constraint_schema", "S"),
];

struct Granted<'a> {
    schemas: &'a [&'a str],
    objects: &'a [&'a str],
}

impl Bench {
    fn shown_to(&mut self, role: &str, granted: &Granted<'_>, view: &str, column: &str) -> String {
        let schemas = self.session.schemas("DB").unwrap();
        let is_granted = |name: &str| granted.schemas.iter().any(|schema| schema.eq_ignore_ascii_case(name));
        self.context.granted_schemas =
            schemas.iter().filter(|schema| is_granted(&schema.name)).map(|schema| schema.id).collect();
        let id = |name: &&str| {
            let name = ObjectName::qualified("DB", "S", &name.to_uppercase());
            self.session.describe(&name).unwrap().unwrap().id
        };
        self.context.granted_objects = granted.objects.iter().map(id).collect();
        self.context.visible_owners = Some(vec![role.to_owned()]);
        self.run(&format!("select {column} from information_schema.{view} order by 1"))
    }
}

#[test]
fn an_object_is_visible_with_a_privilege_on_it_and_on_its_schema() {
    let mut bench = Bench::new();
    bench.run(OBJECTS);
    for (view, column, object) in VIEWS {
        let granted = if *object == "S" { "T" } else { object };
        let both = Granted { schemas: &["s"], objects: &[granted] };
        let expected = format!("[\"{object}\"]");
        assert_eq!(bench.shown_to("READER", &both, view, column), expected, "{view}");
        let alone = Granted { schemas: &[], objects: &[granted] };
        assert_eq!(bench.shown_to("READER", &alone, view, column), "", "{view} without the schema");
        let elsewhere = Granted { schemas: &["hidden"], objects: &[granted] };
        assert_eq!(bench.shown_to("READER", &elsewhere, view, column), "", "{view} with another schema");
    }
}

#[test]
fn a_schema_is_visible_with_a_privilege_on_it() {
    let mut bench = Bench::new();
    bench.run(OBJECTS);
    let names = "schema_name";
    for (schemas, expected) in [
        (&["s"][..], r#"["INFORMATION_SCHEMA"],["S"]"#),
        (&["s", "public"][..], r#"["INFORMATION_SCHEMA"],["PUBLIC"],["S"]"#),
        (&[][..], r#"["INFORMATION_SCHEMA"]"#),
    ] {
        assert_eq!(bench.shown_to("READER", &Granted { schemas, objects: &["t"] }, "schemata", names), expected);
    }
    let all = r#"["HIDDEN"],["INFORMATION_SCHEMA"],["PUBLIC"],["S"]"#;
    assert_eq!(bench.shown_to("ACCOUNTADMIN", &Granted { schemas: &[], objects: &[] }, "schemata", names), all);
}

#[test]
fn the_history_of_loads_is_that_of_visible_tables() {
    let mut bench = Bench::new();
    bench.run(OBJECTS);
    bench.run("create stage i; copy into @i from (select 1, 2); copy into s.t from @i; copy into hidden.t from @i");
    for view in ["load_history", "copy_history"] {
        let granted = Granted { schemas: &["s", "hidden"], objects: &["t"] };
        assert_eq!(bench.shown_to("READER", &granted, view, "table_name"), r#"["T"]"#, "{view}");
        let alone = Granted { schemas: &[], objects: &["t"] };
        assert_eq!(bench.shown_to("READER", &alone, view, "table_name"), "", "{view}");
    }
}

#[test]
fn the_history_of_loads_shows_no_value_and_its_stage_to_the_owner_alone() {
    let mut bench = Bench::new();
    bench.run(OBJECTS);
    bench.run("create stage i; create or replace table s.t (a varchar(3), b number(2, 0))");
    bench.run("copy into @i/text from (select 'secret', 1); copy into s.t from @i/text on_error = continue");
    bench.run("copy into @i/number from (select 'a', 4711); copy into s.t from @i/number on_error = continue");
    let granted = Granted { schemas: &["s"], objects: &["t"] };
    for view in ["load_history", "copy_history"] {
        let shown = bench.shown_to("READER", &granted, view, "first_error_message");
        assert!(shown.contains("'***'") || shown.contains("value ***"), "{view}: {shown}");
        assert!(!shown.contains("secret") && !shown.contains("4711"), "{view}: {shown}");
    }
    assert_eq!(bench.shown_to("READER", &granted, "copy_history", "count(stage_location), count(*)"), r#"["0","2"]"#);
    let all = bench.shown_to("ACCOUNTADMIN", &granted, "copy_history", "count(stage_location), count(*)");
    assert_eq!(all, r#"["2","2"]"#);
}

#[test]
fn many_privileges_are_looked_up_like_few() {
    let mut bench = Bench::new();
    bench.run(OBJECTS);
    let granted = Granted { schemas: &["s"], objects: &["t"] };
    bench.shown_to("READER", &granted, "tables", "table_name");
    bench.context.granted_objects.extend(1..10_000);
    bench.check("select table_name from information_schema.tables", r#"["T"]"#);
}
