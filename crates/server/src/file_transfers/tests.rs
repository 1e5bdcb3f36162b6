//! Which permission each driver is given, and where its files are carried.

use serde_json::Value;

use super::*;

fn plan(direction: Direction) -> TransferPlan {
    TransferPlan {
        stage: "\"D\".\"S\".\"T\"".to_owned(),
        stage_identity: "stage-1".to_owned(),
        path: "in".to_owned(),
        role: "R".to_owned(),
        has_secondary_roles: false,
        parallel: 4,
        direction,
    }
}

fn put(is_stage_bound: bool) -> TransferPlan {
    plan(Direction::Upload {
        source: "C:\\data\\a b.csv".to_owned(),
        is_stage_bound,
        auto_compress: true,
        overwrite: false,
        source_compression: "auto_detect".to_owned(),
    })
}

fn get() -> TransferPlan {
    plan(Direction::Download {
        target: "/tmp/".to_owned(),
        files: vec!["in/a.csv".to_owned(), "in/b c.csv".to_owned()],
    })
}

fn carrier(client: DriverClient, base_url: &str) -> Carrier<'_> {
    Carrier { user_id: 1, session: None, client, base_url, expires_on_ms: 5 }
}

#[test]
fn drivers_are_told_what_they_can_use() {
    const HTTP: &str = "http://h:1";
    const HTTPS: &str = "https://h:1";
    use DriverClient::{Node, Other, Universal};
    for (client, base_url, upload, bound_upload, download) in [
        (Universal, HTTP, Permission::Token, Permission::Token, Permission::Token),
        (Universal, HTTPS, Permission::Token, Permission::Token, Permission::Token),
        (Node { major: 3 }, HTTP, Permission::Token, Permission::Token, Permission::Both),
        (Node { major: 2 }, HTTP, Permission::Address, Permission::Both, Permission::Address),
        (Node { major: 2 }, HTTPS, Permission::Token, Permission::Token, Permission::Both),
        (Other, HTTP, Permission::Address, Permission::Both, Permission::Address),
        (Other, HTTPS, Permission::Token, Permission::Token, Permission::Token),
    ] {
        let carrier = carrier(client, base_url);
        let found = [put(false), put(true), get()].map(|plan| carrier.permission(&plan));
        assert_eq!(found, [upload, bound_upload, download], "{client:?} {base_url}");
    }
}

#[test]
fn end_points_have_a_scheme_only_where_it_is_plain() {
    assert_eq!(carrier(DriverClient::Other, "https://h:1").end_point(), "h:1/driver/files");
    assert_eq!(carrier(DriverClient::Other, "http://h:1").end_point(), "http://h:1/driver/files");
}

#[test]
fn addresses_are_those_of_the_door() {
    assert_eq!(address_of("stage-1", "a b/ä%.csv"), "/driver/files/stage-1/a%20b/%C3%A4%25.csv");
    assert!(address_of("stage-1", "in/x").starts_with(&address_of("stage-1", "in/")));
    assert_eq!(last_part("/p/a.csv"), "a.csv");
    assert_eq!(last_part("C:\\p\\a.csv"), "a.csv");
    assert_eq!(last_part("a.csv"), "a.csv");
}

#[test]
fn fields_are_named_as_drivers_read_them() {
    let common = TransferAnswer {
        command: "UPLOAD",
        operation: "Node",
        src_locations: vec!["/p/*.csv".to_owned()],
        parallel: 4,
        threshold: 1,
        of_direction: OfDirection::Upload {
            auto_compress: true,
            overwrite: false,
            source_compression: "none".to_owned(),
        },
        encryption_material: None,
        presigned_urls: None,
        stage_info: Value::Null,
    };
    let shown = serde_json::to_value(common).unwrap_or_default();
    for name in ["command", "src_locations", "autoCompress", "overwrite", "sourceCompression", "encryptionMaterial"] {
        assert!(shown.get(name).is_some(), "{name}");
    }
}
