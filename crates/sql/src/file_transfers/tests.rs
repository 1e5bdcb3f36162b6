//! The forms in which drivers write PUT and GET.

#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::{is_file_transfer, read};
use crate::Failure;
use crate::bindings::{Binding, BindingValue, Bindings};
use crate::command::{FileSource, FileTransfer, GetFiles, PutFiles};
use crate::source::SourceStatement;

fn command(text: &str, bound: &[&str]) -> Result<FileTransfer, Failure> {
    let bindings: Bindings = (1..)
        .zip(bound)
        .map(|(place, text)| {
            let value = BindingValue::One(Some((*text).to_owned()));
            (place.to_string(), Binding { type_name: "TEXT".to_owned(), value })
        })
        .collect();
    read(&SourceStatement { text: text.to_owned(), line: 1, position: 0 }, Some(&bindings)).unwrap()
}

fn put(text: &str, bound: &[&str]) -> PutFiles {
    match command(text, bound).unwrap() {
        FileTransfer::Put(put) => put,
        other => panic!("{text}: {other:?}"),
    }
}

fn get(text: &str) -> GetFiles {
    match command(text, &[]).unwrap() {
        FileTransfer::Get(get) => get,
        other => panic!("{text}: {other:?}"),
    }
}

#[test]
fn paths_and_stages_are_read_in_every_form() {
    for (text, source, location) in [
        ("put file:///p/a.csv @s/x", "/p/a.csv", "@S/x"),
        ("PUT file:///p/*.csv @~/in/ auto_compress=false parallel=4 overwrite=False", "/p/*.csv", "@~/in/"),
        ("PUT /* by a tool */ 'file:///my dir/it''s.csv' '@s/x y' ;", "/my dir/it's.csv", "@S/x y"),
        ("put 'file://C:\\\\temp\\\\a.csv' @%t", "C:\\temp\\a.csv", "@%\"T\""),
        ("put file://C:\\temp\\a.csv @db.s.%t/in", "C:\\temp\\a.csv", "@\"DB\".\"S\".%\"T\"/in"),
        ("PUT file://1'@SYSTEM$BIND/6f3a' overwrite=true", "1", "@SYSTEM$BIND/6f3a"),
        ("PUT file:///a '@\"S\".\"%items\"/\"17.x\"' OVERWRITE=TRUE, PARALLEL=4", "/a", "@\"S\".%\"items\"/17.x"),
        ("PUT file://a @\"my stage\"/\"b c\"/d", "a", "@\"my stage\"/b c/d"),
        ("\n-- one\nput\tfile://~/a.csv\n@s -- two", "~/a.csv", "@S"),
    ] {
        let read = put(text, &[]);
        assert_eq!((read.source.path(), read.location.to_string().as_str()), (source, location), "{text}");
        assert!(is_file_transfer(text), "{text}");
    }
}

#[test]
fn a_stage_may_be_bound() {
    let read = put("PUT file:///tmp/file0.txt ? parallel=4 overwrite=True", &["@\"D\".\"S\".\"st\""]);
    assert_eq!(read.location.to_string(), "@D.S.\"st\"");
    assert!(matches!(read.source, FileSource::BesideBoundStage(_)));
    assert!(read.overwrite);
    assert_eq!(command("PUT file:///a ?", &[]).unwrap_err().code, "002049");
    assert_eq!(command("PUT file:///a ?", &["s"]).unwrap_err().code, "001007");
}

#[test]
fn options_have_defaults_and_limits() {
    let read = put("put file://a @s", &[]);
    assert_eq!((read.parallel, read.auto_compress, read.overwrite), (4, true, false));
    assert_eq!(read.source_compression, "auto_detect");
    let read = put("put file://a @s source_compression = 'GZIP' AUTO_COMPRESS=FALSE", &[]);
    assert_eq!((read.source_compression.as_str(), read.auto_compress), ("gzip", false));
    for (text, code) in [
        ("put file://a @s parallel = 0", "001007"),
        ("put file://a @s parallel = 100", "001007"),
        ("put file://a @s overwrite = maybe", "001007"),
        ("put file://a @s source_compression = lzo", "001007"),
        ("put file://a @s colour = 1", "000002"),
        ("put file://a @s; select 1", "001003"),
        ("put file://a @s overwrite", "001003"),
        ("put file://a", "001003"),
        ("put a @s", "001007"),
        ("put file:// @s", "001007"),
        ("put 'file://a @s", "001003"),
        ("put file://a @s/../t", "001007"),
        ("get @s", "001007"),
    ] {
        assert_eq!(command(text, &[]).unwrap_err().code, code, "{text}");
    }
}

#[test]
fn get_names_a_folder_and_may_choose_files() {
    let read = get("GET @s/x/ 'file:///tmp/out dir/' PATTERN = '.*[.]csv(.gz)?' overwrite=true parallel=2");
    assert_eq!((read.location.to_string().as_str(), read.target.as_str()), ("@S/x/", "/tmp/out dir/"));
    assert_eq!((read.pattern.as_deref(), read.parallel), (Some(".*[.]csv(.gz)?"), 2));
    assert_eq!(get("get @~/a.csv file://out").pattern, None);
}

#[test]
fn other_statements_are_none() {
    for text in ["select 1", "putter", "get_x", "", "p", "GETDATE()", "-- put\nselect 1"] {
        assert!(!is_file_transfer(text), "{text}");
    }
}
