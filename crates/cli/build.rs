//! Links like the engine does, brings the console along, and lets the command say which commit it was built from.

#[path = "build/console.rs"]
mod console;
#[path = "../duckdb/build.rs"]
mod duckdb;

use std::path::Path;
use std::process::Command;

fn main() {
    duckdb::main();
    console::main();
    println!("cargo::rerun-if-env-changed=FIRN_COMMIT");
    let version = env!("CARGO_PKG_VERSION");
    let named = match commit() {
        Some(commit) => format!("{version} ({commit})"),
        None => version.to_owned(),
    };
    println!("cargo::rustc-env=FIRN_VERSION={named}");
}

/// The commit of the checkout; none in sources without git, unless FIRN_COMMIT names it.
fn commit() -> Option<String> {
    if let Ok(commit) = std::env::var("FIRN_COMMIT") {
        return Some(commit).filter(|commit| !commit.is_empty());
    }
    let folder = git(&["rev-parse", "--absolute-git-dir"])?;
    // HEAD names a branch, and each commit adds a line to the log of HEAD.
    for file in ["HEAD", "logs/HEAD"] {
        let file = Path::new(&folder).join(file);
        if file.exists() {
            println!("cargo::rerun-if-changed={}", file.display());
        }
    }
    git(&["rev-parse", "--short=12", "HEAD"])
}

fn git(arguments: &[&str]) -> Option<String> {
    let output = Command::new("git").args(arguments).output().ok().filter(|output| output.status.success())?;
    let text = String::from_utf8(output.stdout).ok()?.trim().to_owned();
    (!text.is_empty()).then_some(text)
}
