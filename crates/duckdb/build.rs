//! With the feature `bundled`, compiles the engine's shared library. Sets the run path of every binary and test of the
//! package, so that they find the library at run time: in the checkout it was built from, or beside an installed binary.
//! The packages that link the engine share this script.

pub fn main() {
    println!("cargo::rerun-if-env-changed=DUCKDB_LIB_DIR");
    println!("cargo::rerun-if-env-changed=FIRN_DIST");
    println!("cargo::rerun-if-changed=../duckdb/build.rs");
    if std::env::var_os("CARGO_FEATURE_BUNDLED").is_some() {
        compile_library();
    }
    if std::env::var_os("CARGO_CFG_UNIX").is_none() {
        return;
    }
    let origin = if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "macos") {
        "@loader_path"
    } else {
        "$ORIGIN"
    };
    for folder in [origin.to_owned(), format!("{origin}/../lib")] {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
    if std::env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux") {
        export_called_by_library();
    }
    // What is packed for others says nothing of the machine it was built on.
    if let (Ok(folder), Err(_)) = (std::env::var("DUCKDB_LIB_DIR"), std::env::var("FIRN_DIST")) {
        println!("cargo::rustc-link-arg=-Wl,-rpath,{folder}");
    }
}

/// The engine's library is to call those of `src/engine_allocator.rs` and `src/deferred_truncation.rs`. A linker exports by
/// itself only what a library defines, or refers to without a version.
fn export_called_by_library() {
    for symbol in ["_Znwm", "_Znam", "ftruncate", "write"] {
        println!("cargo::rustc-link-arg=-Wl,--export-dynamic-symbol={symbol}");
    }
}

fn compile_library() {
    const SCRIPT: &str = "../../scripts/fetch_libduckdb.sh";
    println!("cargo::rerun-if-changed={SCRIPT}");
    println!("cargo::rerun-if-changed=../../scripts/libduckdb");
    match std::process::Command::new(SCRIPT).env("FEATURES", "bundled").status() {
        Ok(status) if status.success() => {}
        outcome => {
            println!("cargo::error=libduckdb cannot be compiled: {SCRIPT} ended with {outcome:?}");
            std::process::exit(1);
        }
    }
}
