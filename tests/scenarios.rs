//! The scenarios of `tests/http/`, one test per file.

use std::path::{Path, PathBuf};

use firn_tests::scenario;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("http")
}

macro_rules! scenarios {
    ($($name:ident)*) => {
        $(
            #[test]
            fn $name() {
                scenario::run(&folder().join(concat!(stringify!($name), ".yaml")));
            }
        )*

        #[test]
        fn every_file_is_run() {
            let listed = [$(stringify!($name)),*];
            for entry in std::fs::read_dir(folder()).unwrap() {
                let path = entry.unwrap().path();
                let stem = path.file_stem().unwrap_or_default().to_string_lossy().into_owned();
                let is_scenario = path.extension().is_some_and(|extension| extension == "yaml");
                assert!(!is_scenario || listed.contains(&stem.as_str()), "{stem}.yaml is not in the list");
            }
        }
    };
}

scenarios! {
    account_usage
    account_usage_size
    admission
    analyst
    analyst_confidence
    analyst_days
    analyst_requests
    analyst_sides
    analyst_suggestions
    analyst_validate
    bindings
    bound_files
    cancel
    clones
    dml
    downloads
    driver_statements
    errors
    external_stages
    file_links
    functions_of_others
    geospatial
    history
    history_list
    limits
    login_policies
    multi_statement
    network_policies
    objects
    old_listings
    old_results
    old_results_by_identity
    old_results_of_copies
    ownership
    parameters
    partitions
    passwords
    policies
    profiles
    privileges
    query_parameters
    resource_monitors
    retention
    retry
    reuse
    roles
    row_types
    sessions
    showing
    stage_files
    stage_limits
    states
    stored_definitions
    switched_off
    tags
    temporary_names
    timeout
    too_large
    transactions
    users
}
