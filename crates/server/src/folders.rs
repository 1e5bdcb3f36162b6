//! Where folders lie that may not exist yet.

use std::path::{Path, PathBuf};

/// Whether `inner` is `outer` or below it, whatever links lead there.
pub fn is_within(inner: &Path, outer: &Path) -> bool {
    resolved(inner).starts_with(resolved(outer))
}

/// The part that exists without its links, and the rest as it is.
fn resolved(path: &Path) -> PathBuf {
    let path = std::path::absolute(path).unwrap_or_else(|_| path.to_owned());
    let existing = path.ancestors().find_map(|part| Some((part, part.canonicalize().ok()?)));
    match existing {
        Some((part, whole)) => path.strip_prefix(part).map_or_else(|_| whole.clone(), |rest| whole.join(rest)),
        None => path,
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use super::*;

    #[test]
    fn links_and_folders_that_are_not_made_yet_are_seen_through() {
        let root = tempfile::tempdir().unwrap();
        let data = root.path().join("data");
        std::fs::create_dir(&data).unwrap();
        std::os::unix::fs::symlink(&data, root.path().join("link")).unwrap();
        for inside in ["data", "data/backups", "data/a/b/c", "link", "link/a/b"] {
            assert!(is_within(&root.path().join(inside), &data), "{inside}");
        }
        for outside in ["", "data-2", "backups", "backups/data"] {
            assert!(!is_within(&root.path().join(outside), &data), "{outside}");
        }
    }
}
