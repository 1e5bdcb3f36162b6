//! Lists the files of the built console for the binary to bring along. Without them the binary is built all the same, and
//! says at `/` how they are made.

use std::fmt::Write;
use std::path::{Path, PathBuf};

const FOLDER: &str = "../../web/dist";

/// Written last, so that it changes with every build of the console.
const STATE: &str = "../../web/dist/state";

pub fn main() {
    // What is missing counts as changed: the next build looks again.
    println!("cargo::rerun-if-changed={STATE}");
    let mut files = Vec::new();
    if Path::new(STATE).exists() {
        collect(Path::new(FOLDER), &mut files);
    }
    files.sort();
    let mut list = String::from("&[\n");
    for file in &files {
        let (Ok(name), Ok(whole)) = (file.strip_prefix(FOLDER), file.canonicalize()) else { continue };
        // Writing to a string cannot fail.
        let _ = writeln!(list, "    firn_server::ConsoleFile {{ path: {name:?}, bytes: include_bytes!({whole:?}) }},");
    }
    list.push(']');
    let target = PathBuf::from(std::env::var_os("OUT_DIR").unwrap_or_default()).join("console.rs");
    if let Err(error) = std::fs::write(&target, list) {
        println!("cargo::error={} cannot be written: {error}", target.display());
    }
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if path != Path::new(STATE) {
            files.push(path);
        }
    }
}
