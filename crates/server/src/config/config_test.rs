//! Precedence of the sources and what is refused.

#![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::path::PathBuf;
use std::time::Duration;

use clap::builder::Resettable;
use clap::{Args, Command, FromArgMatches};

use super::*;

/// Settings as the command line gives them, whatever the environment of the tests sets: `make` sets `FIRN_DATA_DIR`.
fn parse_flags(flags: &[&str]) -> Settings {
    let command = Settings::augment_args(Command::new("firn")).mut_args(|argument| argument.env(Resettable::Reset));
    Settings::from_arg_matches(&command.get_matches_from([&["firn"], flags].concat())).unwrap()
}

fn with_file(name: &str, text: &str, flags: &[&str]) -> Result<Config, ConfigError> {
    let path = std::env::temp_dir().join(format!("firn-config-{}-{name}.toml", std::process::id()));
    std::fs::write(&path, text).unwrap();
    let config = Config::load(parse_flags(flags), Some(&path));
    std::fs::remove_file(&path).unwrap();
    config
}

#[test]
fn defaults_are_the_contract_s() {
    let config = Config::load(Settings::default(), None).unwrap();
    assert_eq!(config.data_dir, PathBuf::from("./firn-data"));
    assert_eq!(config.listen.to_string(), "127.0.0.1:8090");
    assert_eq!(config.account, "FIRN");
    assert_eq!(config.api, ApiSwitch::On);
    assert_eq!(config.limits.sync_wait, Duration::from_secs(45));
    assert_eq!(config.limits.body_bytes_max, 16 << 20);
}

#[test]
fn a_flag_counts_before_the_file_and_the_file_before_the_default() {
    let file = "account = \"acme\"\nsync_wait_ms = 100\nbody_bytes_max = \"1MiB\"\nsql_bytes_max = 10";
    let config = with_file("order", file, &["--sync-wait-ms", "200", "--demo"]).unwrap();
    assert_eq!(config.account, "ACME");
    assert_eq!(config.limits.sync_wait, Duration::from_millis(200));
    assert_eq!(config.limits.body_bytes_max, 1 << 20);
    assert_eq!(config.limits.sql_bytes_max, 10);
    assert_eq!(config.limits.bindings_max, 100_000);
    assert_eq!(config.demo, Demo::Load);
}

#[test]
fn wrong_settings_are_refused_by_name() {
    let check = |name: &str, text: &str, part: &str| {
        let refusal = with_file(name, text, &[]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(refusal.contains(part), "{text} gave {refusal}");
    };
    check("unknown", "sync_wait = 5", "sync_wait");
    check("type", "sync_wait_ms = \"5\"", "sync_wait_ms");
    check("size", "body_bytes_max = \"much\"", "much");
    check("tls", "tls_cert = \"a.pem\"", "tls_key");
    check("account", "account = \"a.b\"", "`account`");
    check("weak", "admin_token = \"abc\"", "too easy to guess");
    check("token", "admin_token = \"two words\"", "`admin_token`");
    check("no_token", "admin_token = \"\"", "`admin_token`");
    check("threads", "threads = 0", "`threads` is 0; give 1 to 1024");
    check("many_threads", "threads = 100000", "`threads`");
    check("no_time", "statement_timeout_s_max = 0", "`statement_timeout_s_max`");
    check("much_time", "statement_timeout_s_max = 9223372036854775807", "`statement_timeout_s_max`");
    check("retention", "result_retention_s = 9223372036854775807", "`result_retention_s`");
    check("sweep", "sweep_interval_ms = 0", "`sweep_interval_ms`");
    check("places", "external_stages = [\"s3://b\"]", "external_stages");
    check("endpoints", "spark_endpoints = [\"http://b\"]", "spark_endpoints");
    check("token", "spark_endpoints = [\"sc://b/;token=x\"]", "spark_endpoints");
    check("backups", "data_dir = \"/srv/firn\"\nbackup_dir = \"/srv/firn/backups\"", "inside of the data folder");
    check("address", "public_url = \"firn.example.com\"", "public_url");
    check("proxies", "trusted_proxies = [\"10.0.0.0/64\"]", "trusted_proxies");
    check("link", "external_stages = [\"http://169.254.169.254/*\"]", "no storage's");
}

#[test]
fn an_empty_token_is_none() {
    let token = |text: &str| with_file("empty_token", text, &["--admin-token", ""]).unwrap().admin_token;
    assert_eq!(token(""), None);
    let strong = "0123456789-abcdef-ghijklmn";
    assert_eq!(token(&format!("admin_token = \"{strong}\"")).as_deref(), Some(strong));
}

#[test]
fn places_of_external_stages_are_a_list() {
    let places = |config: Result<Config, ConfigError>| config.unwrap().external_stages.len();
    assert_eq!(places(with_file("none", "", &[])), 0);
    assert_eq!(places(with_file("list", "external_stages = [\"https://a/b\", \"https://c/*\"]", &[])), 2);
    assert_eq!(places(with_file("flag", "", &["--external-stages", "https://a/b,http://127.0.0.1:9000/*"])), 2);
    assert_eq!(places(with_file("empty", "external_stages = [\"https://a/b\"]", &["--external-stages", ""])), 0);
}

/// The defaults shown in the help are those that hold, and each flag has its variable.
#[test]
fn help_shows_the_actual_defaults() {
    let defaults: toml::Table = toml::from_str(&Settings::defaults().to_toml().unwrap()).unwrap();
    let command = Settings::augment_args(Command::new("firn"));
    for argument in command.get_arguments() {
        let key = argument.get_id().as_str();
        assert_eq!(argument.get_long(), Some(key.replace('_', "-").as_str()));
        assert_eq!(argument.get_env().unwrap().to_str(), Some(format!("FIRN_{}", key.to_uppercase()).as_str()));
        let help = argument.get_help().unwrap().to_string();
        let default = match defaults.get(key) {
            Some(toml::Value::String(text)) => text.clone(),
            Some(other) => other.to_string(),
            None => continue,
        };
        assert!(help.contains(&format!("[default: {default}]")), "{key}: {help} does not say {default}");
    }
}

#[test]
fn printed_settings_hide_the_token() {
    let printed = Settings { admin_token: Some("secret".to_owned()), ..Settings::default() }.to_toml().unwrap();
    assert_eq!(printed, "admin_token = \"(set)\"\n");
}
