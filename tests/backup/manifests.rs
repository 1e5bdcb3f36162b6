//! Manifests whose sum is right but which lead elsewhere, are of an unknown format or name files that are gone.

use std::fs;
use std::os::unix::fs::symlink;
use std::path::Path;

use serde_json::{Value, json};
use sha2::{Digest, Sha256};

use super::{back_up, fill, folder, restored, server_with_backups, text};

/// Changes the manifest of a backup and writes the sum anew.
fn rewrite(backup: &Path, change: impl FnOnce(&mut Value)) {
    let place = backup.join("manifest.json");
    let mut manifest: Value = serde_json::from_slice(&fs::read(&place).unwrap()).unwrap();
    change(&mut manifest);
    let content = serde_json::to_vec(&manifest).unwrap();
    let sum: String = Sha256::digest(&content).iter().map(|byte| format!("{byte:02x}")).collect();
    fs::write(place, content).unwrap();
    fs::write(backup.join("manifest.json.sha256"), format!("{sum}  manifest.json\n")).unwrap();
}

fn files(backup: &Path) -> Vec<String> {
    let manifest: Value = serde_json::from_slice(&fs::read(backup.join("manifest.json")).unwrap()).unwrap();
    let files = manifest["files"].as_array().unwrap().iter();
    files.map(|file| file["path"].as_str().unwrap().to_owned()).collect()
}

/// Adds a file to the manifest that is in the backup under another path.
fn add_path(manifest: &mut Value, path: &str) {
    let files = manifest["files"].as_array_mut().unwrap();
    let mut entry = files.iter().find(|file| file["path"] == "databases/SHOP.duckdb").unwrap().clone();
    entry["path"] = json!(path);
    files.push(entry);
}

type Damage = (&'static str, &'static str, Box<dyn Fn(&Path)>);

fn damages() -> Vec<Damage> {
    let named = |path: &'static str| -> Box<dyn Fn(&Path)> {
        Box::new(move |backup| rewrite(backup, |manifest| add_path(manifest, path)))
    };
    let format = |number: u32| -> Box<dyn Fn(&Path)> {
        Box::new(move |backup| rewrite(backup, |it| it["format"] = json!(number)))
    };
    vec![
        ("two slashes", "it names the file `databases//SHOP.duckdb`", named("databases//SHOP.duckdb")),
        ("a dot", "it names the file `databases/./SHOP.duckdb`", named("databases/./SHOP.duckdb")),
        ("upwards", "it names the file `databases/../../x`", named("databases/../../x")),
        ("absolute", "it names the file `/tmp/x`", named("/tmp/x")),
        ("another folder", "it names the file `elsewhere/x`", named("elsewhere/x")),
        ("twice", "`databases/SHOP.duckdb` twice", named("databases/SHOP.duckdb")),
        ("format 0", "format 0 is unknown", format(0)),
        ("format 99", "is newer than this one", format(99)),
        (
            "a log that is gone",
            "databases/SHOP.duckdb.wal` is missing",
            Box::new(|backup| fs::remove_file(backup.join("databases/SHOP.duckdb.wal")).unwrap()),
        ),
        (
            "a link for a file",
            "databases/SHOP.duckdb` is not a regular file",
            Box::new(|backup| {
                fs::rename(backup.join("databases/SHOP.duckdb"), backup.join("moved")).unwrap();
                symlink("../moved", backup.join("databases/SHOP.duckdb")).unwrap();
            }),
        ),
        (
            "a link for a folder",
            "is not a folder",
            Box::new(|backup| {
                fs::rename(backup.join("databases"), backup.join("moved")).unwrap();
                symlink("moved", backup.join("databases")).unwrap();
            }),
        ),
    ]
}

/// A sum says that nobody changed a manifest by accident, not that what it names can be trusted.
#[test]
fn manifests_are_checked_beyond_their_sum() {
    let (server, backups) = server_with_backups();
    fill(&server.admin());
    back_up(&server, "one");
    assert!(files(&backups.path().join("one")).contains(&"databases/SHOP.duckdb.wal".to_owned()), "no log to remove");
    for (name, part, damage) in damages() {
        let copy = folder("firn-manifest-");
        let (backup, data_dir) = (copy.path().join("backup"), copy.path().join("data"));
        let copied = std::process::Command::new("cp").arg("-r").arg(backups.path().join("one")).arg(&backup).status();
        assert!(copied.unwrap().success());
        damage(&backup);
        let arguments = ["restore", "--from", backup.to_str().unwrap(), "--data-dir", data_dir.to_str().unwrap()];
        let output = super::firn(&arguments);
        let said = text(&output);
        assert!(!output.status.success() && said.contains(part), "{name}: {said}");
        assert!(!data_dir.exists(), "{name}: something stays");
    }
}

/// A backup may be reached through a link; only inside of it are there none.
#[test]
fn a_backup_behind_a_link_is_restored() {
    let (server, backups) = server_with_backups();
    fill(&server.admin());
    back_up(&server, "one");
    let links = folder("firn-links-");
    symlink(backups.path(), links.path().join("backups")).unwrap();
    symlink(backups.path().join("one"), links.path().join("one")).unwrap();
    for from in ["backups/one", "one"] {
        let copy = restored(&links.path().join(from));
        assert_eq!(copy.admin().cell("SELECT COUNT(*) FROM SHOP.PUBLIC.T"), "1000", "{from}");
    }
}
