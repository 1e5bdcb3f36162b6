//! Where `firn` learns of servers: flags, variables, its own configuration file, and the files of the vendor's tools as they are.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use firn_tests::cli::{Cli, code, errors, output};
use firn_tests::server::{ACCOUNT, ADMIN_TOKEN};
use rsa::pkcs8::{EncodePrivateKey, EncodePublicKey};

const OWN: &str = ".config/firn/config.toml";
const WHO: &str = "select current_user() as u, current_role() as r";

/// The host and the port of the server.
fn address(cli: &Cli) -> (String, String) {
    let (host, port) = cli.server().base_url().trim_start_matches("http://").split_once(':').unwrap();
    (host.to_owned(), port.to_owned())
}

fn check(cli: &Cli, arguments: &[&str], expected: &str) {
    let ran = cli.run(&[&["sql", WHO, "--no-header"], arguments].concat());
    assert_eq!((code(&ran), output(&ran).trim()), (0, expected), "{arguments:?}: {}", errors(&ran));
}

fn refused(cli: &Cli, arguments: &[&str], expected_code: i32, words: &str) {
    let ran = cli.run(&[&["sql", WHO], arguments].concat());
    assert_eq!(code(&ran), expected_code, "{arguments:?}: {}", errors(&ran));
    assert!(errors(&ran).contains(words), "{arguments:?}: {}", errors(&ran));
}

#[test]
fn profiles_are_read_from_the_configuration() {
    let cli = Cli::start().without_variables();
    let url = cli.server().base_url().to_owned();
    let config = format!(
        "default_connection_name = 'dev'\n\
         [connections.dev]\nurl = '{url}'\ntoken = '{ADMIN_TOKEN}'\ndatabase = 'demo'\ncolor = 'red'\n\
         [connections.sys]\nurl = '{url}'\ntoken = '{ADMIN_TOKEN}'\nrole = 'sysadmin'\n\
         [connections.nothing]\nurl = '{url}'\n"
    );
    cli.file(OWN, &config);
    check(&cli, &[], "ADMIN,ACCOUNTADMIN");
    let database = |arguments: &[&str]| {
        let ran = cli.run(&[&["sql", "select current_database()", "--no-header"], arguments].concat());
        output(&ran).trim().to_owned()
    };
    assert_eq!(database(&[]), "DEMO");
    assert_eq!(database(&["--database", "\"DEMO\""]), "DEMO");
    assert_eq!(database(&["--database", "firn"]), "FIRN");
    check(&cli, &["-c", "sys"], "ADMIN,SYSADMIN");
    check(&cli, &["-c", "sys", "--role", "accountadmin"], "ADMIN,ACCOUNTADMIN");
    refused(&cli, &["-c", "nothing"], 3, "a token is missing");
    refused(&cli, &["-c", "other"], 2, "it has dev, nothing, sys");
    let cli = cli.with_variable("FIRN_CONNECTIONS_SYS_ROLE", "public").with_variable("FIRN_CONNECTION", "sys");
    check(&cli, &[], "ADMIN,PUBLIC");
    check(&cli, &["-c", "dev"], "ADMIN,ACCOUNTADMIN");
}

#[test]
fn variables_name_a_server_without_a_profile() {
    let cli = Cli::start();
    cli.file(
        OWN,
        "default_connection_name = 'dev'\n[connections.dev]\nurl = 'http://127.0.0.1:1'\ntoken = 'x'\nrole = 'R'\n",
    );
    check(&cli, &[], "ADMIN,ACCOUNTADMIN");
    refused(&cli, &["-c", "dev"], 3, "no answer from http://127.0.0.1:1");
}

#[test]
fn a_profile_counts_before_variables_whatever_its_keys() {
    let cli = Cli::start();
    let (host, port) = address(&cli);
    let admin = cli.server().admin();
    admin.rows("CREATE USER PROFILED PASSWORD = 'only she knows it'");
    let secret = admin.rows("ALTER USER PROFILED ADD PROGRAMMATIC ACCESS TOKEN T")[0][1].clone().unwrap();
    let token = cli.file("token", &secret);
    let at = format!("host = '{host}'\nport = {port}\nprotocol = 'http'\n");
    let nowhere = "host = '127.0.0.1'\nport = 1\nprotocol = 'http'\n";
    cli.file(
        OWN,
        &format!(
            "[connections.elsewhere]\n{nowhere}user = 'profiled'\npassword = 'p'\n\
             [connections.tokened]\n{nowhere}token = 'abc'\n\
             [connections.typed]\n{at}user = 'profiled'\npassword = 'only she knows it'\n\
             [connections.filed]\n{at}token_file_path = '{token}'\n\
             [connections.mistyped]\n{at}tokn = 'abc'\n"
        ),
    );
    refused(&cli, &["-c", "elsewhere"], 3, "no answer from http://127.0.0.1:1");
    refused(&cli, &["-c", "tokened"], 3, "no answer from http://127.0.0.1:1");
    refused(&cli, &["-c", "mistyped"], 2, "`tokn`");
    check(&cli, &["-c", "typed"], "PROFILED,PUBLIC");
    check(&cli, &["-c", "filed"], "PROFILED,PUBLIC");
    check(&cli, &["-c", "filed", "--token", ADMIN_TOKEN], "ADMIN,ACCOUNTADMIN");
}

#[test]
fn files_that_others_may_read_are_refused() {
    let cli = Cli::start().without_variables();
    let file = cli.file(OWN, "[connections.dev]\ntoken = 'x'\n");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    refused(&cli, &["-c", "dev"], 2, "mode 0644");
    refused(&cli, &["-c", "dev"], 2, "chmod 0600");
    cli.file(OWN, "[connections.dev]\ntoken = 'secret-of-a-broken-line\n");
    refused(&cli, &["-c", "dev"], 2, "config.toml, line 2");
    let ran = cli.run(&["sql", WHO, "-c", "dev"]);
    assert!(!errors(&ran).contains("secret-of"), "{}", errors(&ran));
    // What is not needed is not read.
    let cli = cli.with_variable("FIRN_URL", "http://127.0.0.1:1").with_variable("FIRN_TOKEN", "x");
    fs::set_permissions(&file, fs::Permissions::from_mode(0o644)).unwrap();
    refused(&cli, &[], 3, "no answer");
}

#[test]
fn the_vendor_files_are_read_as_they_are() {
    let cli = Cli::start().without_variables();
    let (host, port) = address(&cli);
    let at = format!("account = 'acme'\nhost = '{host}'\nport = {port}\nprotocol = 'http'\nuser = 'ADMIN'\n");
    let token = cli.file("token", &format!("{ADMIN_TOKEN}\n"));
    let config = format!(
        "default_connection_name = 'pat'\n[connections.pat]\n{at}authenticator = 'PROGRAMMATIC_ACCESS_TOKEN'\ntoken = '{ADMIN_TOKEN}'\n\
         [connections.filed]\n{at}authenticator = 'PROGRAMMATIC_ACCESS_TOKEN'\ntoken_file_path = '{token}'\nrole = 'sysadmin'\n\
         [connections.browser]\n{at}authenticator = 'externalbrowser'\n[connections.cli.logs]\nlevel = 'info'\n"
    );
    let written = cli.file(".snowflake/config.toml", &config);
    check(&cli, &["-c", "snowflake"], "ADMIN,ACCOUNTADMIN");
    check(&cli, &["-c", "snowflake:pat"], "ADMIN,ACCOUNTADMIN");
    check(&cli, &["-c", "snowflake:filed"], "ADMIN,SYSADMIN");
    refused(&cli, &["-c", "snowflake:browser"], 2, "EXTERNALBROWSER is not offered");
    // connections.toml stands in the place of what config.toml says of connections.
    let connections =
        cli.file(".snowflake/connections.toml", &format!("[pat]\n{at}token = '{ADMIN_TOKEN}'\nrole = 'sysadmin'\n"));
    check(&cli, &["-c", "snowflake:pat"], "ADMIN,SYSADMIN");
    refused(&cli, &["-c", "snowflake:filed"], 2, "there are pat");
    fs::set_permissions(&connections, fs::Permissions::from_mode(0o604)).unwrap();
    refused(&cli, &["-c", "snowflake:pat"], 2, "mode 0604");
    fs::remove_file(&connections).unwrap();
    let cli = cli.with_variable("SNOWFLAKE_CONNECTIONS_PAT_ROLE", "public").with_variable("SNOWFLAKE_ROLE", "nobody");
    check(&cli, &["-c", "snowflake:pat"], "ADMIN,PUBLIC");
    assert_eq!(fs::read_to_string(written).unwrap(), config, "the files are never written");
    let elsewhere = cli.home().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::rename(cli.home().join(".snowflake/config.toml"), elsewhere.join("config.toml")).unwrap();
    let elsewhere = elsewhere.display().to_string();
    let cli =
        cli.with_variable("SNOWFLAKE_HOME", &elsewhere).with_variable("SNOWFLAKE_DEFAULT_CONNECTION_NAME", "filed");
    check(&cli, &["-c", "snowflake:"], "ADMIN,SYSADMIN");
}

#[test]
fn key_pairs_and_passwords_are_ways_in() {
    let cli = Cli::start().without_variables();
    let (host, port) = address(&cli);
    let admin = cli.server().admin();
    let key = rsa::RsaPrivateKey::new(&mut rsa::rand_core::OsRng, 2048).unwrap();
    let public = STANDARD.encode(key.to_public_key().to_public_key_der().unwrap().as_bytes());
    let private = STANDARD.encode(key.to_pkcs8_der().unwrap().as_bytes());
    admin.rows("CREATE USER KEYED");
    admin.rows(&format!("ALTER USER KEYED SET RSA_PUBLIC_KEY = '{public}'"));
    admin.rows("CREATE USER TYPED PASSWORD = 'only she knows it'");
    let file = cli.file("key.p8", &format!("-----BEGIN PRIVATE KEY-----\n{private}\n-----END PRIVATE KEY-----\n"));
    let at = format!("account = '{ACCOUNT}'\nhost = '{host}'\nport = {port}\nprotocol = 'http'\n");
    cli.file(
        ".snowflake/connections.toml",
        &format!(
            "[keyed]\n{at}user = 'keyed'\nauthenticator = 'SNOWFLAKE_JWT'\nprivate_key_file = '{file}'\n\
             [path]\n{at}user = 'keyed'\nprivate_key_path = '~/key.p8'\n\
             [typed]\n{at}user = 'typed'\npassword = 'only she knows it'\n\
             [wrong]\n{at}user = 'typed'\npassword = 'guessed wrong'\n"
        ),
    );
    check(&cli, &["-c", "snowflake:keyed"], "KEYED,PUBLIC");
    check(&cli, &["-c", "snowflake:path"], "KEYED,PUBLIC");
    check(&cli, &["-c", "snowflake:typed"], "TYPED,PUBLIC");
    refused(&cli, &["-c", "snowflake:wrong"], 3, "firn: ");
    fs::set_permissions(Path::new(&file), fs::Permissions::from_mode(0o640)).unwrap();
    refused(&cli, &["-c", "snowflake:keyed"], 2, "mode 0640");
    // More sessions than a user may have at a time: each one is ended.
    for _ in 0..3 {
        check(&cli, &["-c", "snowflake:typed"], "TYPED,PUBLIC");
    }
}
