//! The files of stages: brought and fetched with `firn stage`, preserved over a restart, gone with what held
//! them, and loaded once however many ask at the same time.

use std::fs;
use std::path::Path;
use std::process::{Command, Output};

use firn_tests::server::{ADMIN_TOKEN, binary};
use firn_tests::{Client, Request, Server, comes_true};
use serde_json::json;

fn stage(server: &Server, arguments: &[&str]) -> Output {
    Command::new(binary())
        .arg("stage")
        .args(arguments)
        .env("FIRN_URL", server.base_url())
        .env("FIRN_TOKEN", ADMIN_TOKEN)
        .env("FIRN_DATABASE", "FILES")
        .output()
        .expect("run firn stage")
}

fn done(server: &Server, arguments: &[&str]) -> String {
    let output = stage(server, arguments);
    assert!(output.status.success(), "{arguments:?}: {}", String::from_utf8_lossy(&output.stderr));
    assert!(output.stderr.is_empty(), "no progress where nobody watches: {}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

fn prepared() -> (Server, Client) {
    let server = Server::start();
    let admin = server.admin();
    admin.rows("CREATE DATABASE FILES");
    admin.rows("CREATE STAGE FILES.PUBLIC.S");
    (server, admin)
}

fn put(client: &Client, path: &str, content: impl AsRef<[u8]>) {
    let mut request = Request::new("PUT", &format!("/api/v2/databases/FILES/schemas/PUBLIC/stages/{path}"));
    request.body = content.as_ref().to_vec();
    assert_eq!(client.send(&request).status, 200);
}

/// Every folder that holds a stage's files.
fn folders(server: &Server) -> usize {
    let entries = fs::read_dir(server.data_dir().join("stages")).unwrap();
    entries.filter(|entry| entry.as_ref().unwrap().file_name().to_string_lossy().contains('-')).count()
}

#[test]
fn the_command_brings_lists_fetches_and_removes_files() {
    let (server, admin) = prepared();
    let here = tempfile::tempdir().unwrap();
    let text = |path: &Path| path.display().to_string();
    let (one, two) = (here.path().join("one.csv"), here.path().join("two.csv"));
    fs::write(&one, "1,a\n2,b\n").unwrap();
    fs::write(&two, "3,c\n").unwrap();
    let output = done(&server, &["put", &text(&one), &text(&two), "@s/in/"]);
    assert_eq!(output, "put in/one.csv\nput in/two.csv\n");
    assert_eq!(
        done(&server, &["put", "--no-overwrite", &text(&one), "@s/in"]),
        "skipped in/one.csv, which is there already\n"
    );
    assert_eq!(done(&server, &["put", "--compress", &text(&one), "@FILES.PUBLIC.\"S\"/z"]), "put z/one.csv.gz\n");
    assert_eq!(admin.cell("SELECT SUM($1::INT) FROM @FILES.PUBLIC.S/in"), "6");
    assert_eq!(admin.cell("SELECT COUNT($1) FROM @FILES.PUBLIC.S/z/one.csv.gz"), "2");
    let listed = done(&server, &["ls", "@s/in"]);
    assert_eq!(listed.lines().count(), 2, "{listed}");
    assert!(listed.contains("           8  "), "{listed}");

    let there = here.path().join("there");
    assert_eq!(done(&server, &["get", "@s/in/", &text(&there)]), "got in/one.csv\ngot in/two.csv\n");
    assert_eq!(fs::read_to_string(there.join("one.csv")).unwrap(), "1,a\n2,b\n");
    assert_eq!(fs::read_dir(&there).unwrap().count(), 2, "nothing unfinished is left");

    assert_eq!(done(&server, &["rm", "@s/in/one.csv"]), "removed in/one.csv\n");
    assert_eq!(done(&server, &["rm", "@s/in/"]), "removed in/two.csv\n");
    for (arguments, expected) in [
        (vec!["get", "@s/none"], "there is no file at"),
        (vec!["ls", "@no_such_stage"], "does not exist or not authorized"),
        (vec!["ls", "s"], "is not a stage"),
        (vec!["ls", "@s", "--token", "wrong-token-wrong-token-wrong"], "token"),
        (vec!["put", "/no/such/file", "@s"], "cannot be read"),
    ] {
        let output = stage(&server, &arguments);
        assert!(!output.status.success(), "{arguments:?}");
        let output = String::from_utf8_lossy(&output.stderr);
        assert!(output.contains(expected), "{arguments:?}: {output}");
    }
}

#[test]
fn files_survive_a_restart_and_go_with_their_stage() {
    let (server, admin) = prepared();
    put(&admin, "S/files/kept.csv", "1\n");
    put(&admin, "~/files/own.csv", "2\n");
    let server = server.kill_and_restart();
    let admin = server.admin();
    assert_eq!(admin.cell("SELECT $1 FROM @FILES.PUBLIC.S/kept.csv"), "1");
    assert_eq!(admin.cell("SELECT $1 FROM @~/own.csv"), "2");
    assert_eq!(folders(&server), 2);
    admin.rows("CREATE OR REPLACE STAGE FILES.PUBLIC.S");
    assert_eq!(folders(&server), 1);
    put(&admin, "S/files/a/b.csv", "3\n");
    admin.rows("CREATE TABLE FILES.PUBLIC.T (A INT)");
    put(&admin, "%25T/files/t.csv", "4\n");
    assert_eq!(folders(&server), 3);
    admin.rows("DROP TABLE FILES.PUBLIC.T");
    assert_eq!(folders(&server), 3, "the table may come back");
    admin.rows("UNDROP TABLE FILES.PUBLIC.T");
    assert_eq!(admin.cell("SELECT $1 FROM @FILES.PUBLIC.%T/t.csv"), "4");
    admin.rows("ALTER TABLE FILES.PUBLIC.T SET DATA_RETENTION_TIME_IN_DAYS = 0");
    admin.rows("DROP TABLE FILES.PUBLIC.T");
    assert_eq!(folders(&server), 2);
    admin.rows("ALTER DATABASE FILES SET DATA_RETENTION_TIME_IN_DAYS = 0");
    admin.rows("DROP DATABASE FILES");
    assert_eq!(folders(&server), 1, "the user's own stage stays");
}

#[test]
fn a_file_is_loaded_once_however_many_ask() {
    let (_server, admin) = prepared();
    admin.rows("CREATE TABLE FILES.PUBLIC.T (A INT)");
    put(&admin, "S/files/x.csv", "1\n2\n3\n");
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| admin.rows("COPY INTO FILES.PUBLIC.T FROM @FILES.PUBLIC.S"));
        }
    });
    assert_eq!(admin.cell("SELECT COUNT(*) FROM FILES.PUBLIC.T"), "3");
}

#[test]
fn a_body_that_breaks_off_leaves_nothing() {
    use std::io::{Read, Write};
    let (server, admin) = prepared();
    let address = server.base_url().trim_start_matches("http://").to_owned();
    let mut connection = std::net::TcpStream::connect(&address).unwrap();
    let head = format!(
        "PUT /api/v2/databases/FILES/schemas/PUBLIC/stages/S/files/x HTTP/1.1\r\nHost: x\r\nUser-Agent: t/1\r\n\
         Authorization: Bearer {ADMIN_TOKEN}\r\nContent-Length: 100\r\n\r\nonly a part"
    );
    connection.write_all(head.as_bytes()).unwrap();
    connection.shutdown(std::net::Shutdown::Write).unwrap();
    let _ = connection.read_to_end(&mut Vec::new());
    assert!(admin.rows("LIST @FILES.PUBLIC.S").is_empty());
    let incoming = server.data_dir().join("stages/incoming");
    let is_empty = || fs::read_dir(&incoming).unwrap().next().is_none();
    assert!(comes_true(is_empty), "a broken upload is still in {}", incoming.display());
}

#[test]
fn folders_that_somebody_removed_are_made_again() {
    let (server, admin) = prepared();
    put(&admin, "S/files/before", "1");
    fs::remove_dir_all(server.data_dir().join("stages")).unwrap();
    put(&admin, "S/files/after", "2");
    let names: Vec<_> = admin.rows("LIST @FILES.PUBLIC.S").into_iter().map(|row| row[0].clone().unwrap()).collect();
    assert_eq!(names, ["s/after"]);
    admin.rows("COPY INTO @FILES.PUBLIC.S/unloaded FROM (SELECT 1)");
}

#[test]
fn files_in_other_encodings_are_loaded() {
    let (_server, admin) = prepared();
    admin.rows("CREATE TABLE FILES.PUBLIC.T (NAME VARCHAR, PRICE VARCHAR)");
    let text = "name,price\n\"Zoë, \nLtd\",5 €\nÉva,\n";
    let utf_16 = |mark: &[u16]| mark.iter().copied().chain(text.encode_utf16()).collect::<Vec<_>>();
    let little: Vec<u8> = utf_16(&[0xfeff]).into_iter().flat_map(u16::to_le_bytes).collect();
    let big: Vec<u8> = utf_16(&[]).into_iter().flat_map(u16::to_be_bytes).collect();
    let windows = text.replace('€', "\u{80}").chars().map(|character| character as u8).collect::<Vec<_>>();
    for (encoding, content) in [("UTF16", &little), ("UTF-16BE", &big), ("windows1252", &windows)] {
        put(&admin, "s/files/names.csv", content);
        let format = format!("TYPE = CSV FIELD_OPTIONALLY_ENCLOSED_BY = '\"' ENCODING = '{encoding}'");
        admin.rows("TRUNCATE TABLE FILES.PUBLIC.T");
        admin.rows(&format!("COPY INTO FILES.PUBLIC.T FROM @FILES.PUBLIC.S FILE_FORMAT = ({format} SKIP_HEADER = 1)"));
        let loaded = admin.cell("SELECT LISTAGG(NAME || ':' || COALESCE(PRICE, '-'), ';') FROM FILES.PUBLIC.T");
        assert_eq!(loaded, "Zoë, \nLtd:5 €;Éva:-", "{encoding}");
        admin.rows(&format!("CREATE OR REPLACE FILE FORMAT FILES.PUBLIC.F {format} PARSE_HEADER = TRUE"));
        let inferred = "SELECT LISTAGG(COLUMN_NAME, ',') FROM TABLE(INFER_SCHEMA(LOCATION => '@FILES.PUBLIC.S', \
                        FILE_FORMAT => 'FILES.PUBLIC.F'))";
        assert_eq!(admin.cell(inferred), "name,price", "{encoding}");
        assert_eq!(admin.cell("SELECT COUNT($2) FROM @FILES.PUBLIC.S (FILE_FORMAT => 'FILES.PUBLIC.F')"), "1");
    }
    // Half a character at the end.
    put(&admin, "s/files/names.csv", &little[..little.len() - 1]);
    let copy = "COPY INTO FILES.PUBLIC.T FROM @FILES.PUBLIC.S FILE_FORMAT = (TYPE = CSV ENCODING = 'UTF16'";
    let refused = admin.sql(&format!("{copy})"));
    assert_eq!((refused.status, refused.code().as_str()), (422, "100144"), "{}", refused.text());
    admin.rows("TRUNCATE TABLE FILES.PUBLIC.T");
    admin.rows(&format!("{copy} SKIP_HEADER = 1 REPLACE_INVALID_CHARACTERS = TRUE)"));
    assert_eq!(admin.cell("SELECT COUNT(*) FROM FILES.PUBLIC.T WHERE CONTAINS(NAME || PRICE, '\u{fffd}')"), "1");
}

/// A few megabytes that become a line of 20 gigabytes: reading it would take longer than any test waits.
#[test]
fn a_line_that_does_not_end_is_read_only_as_long_as_its_statement_may_take() {
    let (_server, admin) = prepared();
    admin.rows("CREATE TABLE FILES.PUBLIC.T (LINE VARCHAR)");
    let piece = vec![b'0'; 64 << 20];
    let mut compressor = libdeflater::Compressor::new(libdeflater::CompressionLvl::default());
    let mut packed = vec![0; compressor.gzip_compress_bound(piece.len())];
    let length = compressor.gzip_compress(&piece, &mut packed).unwrap();
    put(&admin, "s/files/line.csv.gz", packed[..length].repeat(320));
    for sql in [
        "SELECT LENGTH($1) FROM @FILES.PUBLIC.S/line.csv.gz",
        "COPY INTO FILES.PUBLIC.T FROM @FILES.PUBLIC.S FILE_FORMAT = (TYPE = CSV)",
        "COPY INTO FILES.PUBLIC.T FROM @FILES.PUBLIC.S FILE_FORMAT = (TYPE = CSV RECORD_DELIMITER = 'ab')",
    ] {
        let stopped = admin.sql_with(sql, json!({"timeout": 1}));
        assert_eq!((stopped.status, stopped.code().as_str()), (408, "000630"), "{sql}: {}", stopped.text());
    }
}
