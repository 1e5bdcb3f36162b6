#![expect(clippy::unwrap_used, reason = "a failed assumption is a failed test")]

use super::*;

fn put(files: &StageFiles, folder: &str, path: &str, content: &str) {
    let incoming = files.receive();
    fs::write(incoming.place(), content).unwrap();
    files.put(incoming, folder, &StagePath::parse(path).unwrap()).unwrap();
}

fn listed(files: &StageFiles, prefix: &str) -> Vec<String> {
    files.list("stage-1", prefix).unwrap().into_iter().map(|file| file.path.to_string()).collect()
}

#[test]
fn files_keep_their_names_whatever_they_are() {
    let root = tempfile::tempdir().unwrap();
    let files = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    let names = ["a", "a/b", "a/b.csv", "a*b?[1].csv", "ümlaut/x y%25.gz", ".hidden", "...", "a=1/b=%/c"];
    for name in names {
        put(&files, "stage-1", name, name);
    }
    let mut expected = names.map(str::to_owned).to_vec();
    expected.sort();
    assert_eq!(listed(&files, ""), expected);
    assert_eq!(listed(&files, "a/"), ["a/b", "a/b.csv"]);
    assert_eq!(listed(&files, "a/b."), ["a/b.csv"]);
    for name in names {
        let path = StagePath::parse(name).unwrap();
        let found = files.find("stage-1", &path).unwrap().unwrap();
        assert_eq!(fs::read_to_string(found.place).unwrap(), name);
        assert!(files.remove("stage-1", &path).unwrap(), "{name}");
        assert!(!files.remove("stage-1", &path).unwrap(), "{name}");
    }
    assert!(listed(&files, "").is_empty());
}

#[test]
fn links_are_not_files() {
    let root = tempfile::tempdir().unwrap();
    let files = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    put(&files, "stage-1", "x", "x");
    std::os::unix::fs::symlink("/etc/passwd", root.path().join("stage-1/link")).unwrap();
    assert_eq!(listed(&files, ""), ["x"]);
    assert!(files.find("stage-1", &StagePath::parse("link").unwrap()).unwrap().is_none());
}

#[test]
fn sums_follow_the_content() {
    let root = tempfile::tempdir().unwrap();
    let files = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    put(&files, "stage-1", "x", "hello");
    let path = StagePath::parse("x").unwrap();
    let sum = |files: &StageFiles| files.md5("stage-1", &files.find("stage-1", &path).unwrap().unwrap()).unwrap();
    assert_eq!(sum(&files), "5d41402abc4b2a76b9719d911017c592");
    assert_eq!(sum(&files), "5d41402abc4b2a76b9719d911017c592");
    put(&files, "stage-1", "x", "");
    assert_eq!(sum(&files), "d41d8cd98f00b204e9800998ecf8427e");
}

/// A sum is moved to its place whole, and one that a crash has cut is not taken for the content's.
#[test]
fn sums_are_whole_or_computed_again() {
    let root = tempfile::tempdir().unwrap();
    let files = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    let path = StagePath::parse("x").unwrap();
    let sum = |files: &StageFiles| files.md5("stage-1", &files.find("stage-1", &path).unwrap().unwrap()).unwrap();
    put(&files, "stage-1", "x", "hello");
    sum(&files);
    let (place, former) = (root.path().join("sums/stage-1/x"), root.path().join("former"));
    let written = fs::read_to_string(&place).unwrap();
    fs::hard_link(&place, &former).unwrap();
    put(&files, "stage-1", "x", "");
    sum(&files);
    assert_eq!(fs::read_to_string(&former).unwrap(), written, "a sum was overwritten in its place");
    assert_eq!(fs::read_dir(root.path().join("incoming")).unwrap().count(), 0);

    put(&files, "stage-1", "x", "hello");
    sum(&files);
    let written = fs::read_to_string(&place).unwrap();
    fs::write(&place, &written[..written.len() - 5]).unwrap();
    assert_eq!(sum(&files), "5d41402abc4b2a76b9719d911017c592");
}

/// What reads a stage needs no room on the disk.
#[test]
fn sums_that_cannot_be_stored_are_computed() {
    let root = tempfile::tempdir().unwrap();
    let files = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    put(&files, "stage-1", "x", "hello");
    fs::remove_dir_all(root.path().join("sums")).unwrap();
    fs::write(root.path().join("sums"), "in the way").unwrap();
    put(&files, "stage-1", "y", "hello");
    let file = files.find("stage-1", &StagePath::parse("x").unwrap()).unwrap().unwrap();
    assert_eq!(files.md5("stage-1", &file).unwrap(), "5d41402abc4b2a76b9719d911017c592");
}

/// A file that was put in the place of another, or again after a removal, has its own sum.
#[test]
fn only_what_was_put_is_verified() {
    let root = tempfile::tempdir().unwrap();
    let files = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    let path = StagePath::parse("x").unwrap();
    let verify = |files: &StageFiles| {
        let file = files.find("stage-1", &path).unwrap().unwrap();
        files.verify("stage-1", &file, &|| false).map_err(|error| error.kind())
    };
    put(&files, "stage-1", "x", "first");
    assert_eq!(verify(&files), Ok(()));
    put(&files, "stage-1", "x", "other");
    assert_eq!(verify(&files), Ok(()));
    files.remove("stage-1", &path).unwrap();
    put(&files, "stage-1", "x", "again");
    assert_eq!(verify(&files), Ok(()));
    fs::write(root.path().join("stage-1/x"), "wrong").unwrap();
    assert_eq!(verify(&files), Err(io::ErrorKind::InvalidData));
    let file = files.find("stage-1", &path).unwrap().unwrap();
    assert_eq!(files.verify("stage-1", &file, &|| true).map_err(|error| error.kind()), Err(io::ErrorKind::Interrupted));
    assert_ne!(files.md5("stage-1", &file).unwrap(), "", "its sum is that of its content");
    assert_eq!(verify(&files), Err(io::ErrorKind::InvalidData), "and the one that was put stays");
    // Of a file that somebody else stored there nothing is known: its first content counts.
    fs::remove_dir_all(root.path().join("sums")).unwrap();
    assert_eq!(verify(&files), Ok(()));
    let again = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    assert_eq!(verify(&again), Ok(()));
}

#[test]
fn only_forgotten_folders_are_swept() {
    let root = tempfile::tempdir().unwrap();
    let files = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    for folder in ["stage-1", "stage-2", "user-1"] {
        put(&files, folder, "x", "x");
    }
    files.sweep(|_| vec!["stage-2".to_owned()]).unwrap();
    let left = |folder: &str| files.list(folder, "").unwrap().len();
    assert_eq!((left("stage-1"), left("stage-2"), left("user-1")), (0, 1, 1));
}

#[test]
fn quotas_count_what_is_there_and_what_comes() {
    let root = tempfile::tempdir().unwrap();
    let quotas = StageQuotas { user_bytes_max: 10, bytes_max: 15 };
    let files = StageFiles::open(root.path(), quotas).unwrap();
    let try_put = |folder: &str, path: &str, bytes: usize| {
        let incoming = files.receive();
        fs::write(incoming.place(), "x".repeat(bytes)).unwrap();
        files.put(incoming, folder, &StagePath::parse(path).unwrap()).map(drop).map_err(|error| error.kind())
    };
    let full = Err(io::ErrorKind::QuotaExceeded);
    assert_eq!(try_put("user-1", "a", 8), Ok(()));
    assert_eq!(try_put("user-1", "b", 3), full);
    assert_eq!(try_put("user-1", "a", 10), Ok(()), "it replaces the first");
    assert_eq!(try_put("stage-1", "c", 6), full);
    assert_eq!(try_put("stage-1", "c", 5), Ok(()));
    assert!(files.remove("user-1", &StagePath::parse("a").unwrap()).unwrap());
    let incoming = files.receive();
    assert!(files.admit(&incoming, "user-2", 6).is_ok());
    assert!(files.admit(&incoming, "user-2", 5).is_err());
    assert_eq!(try_put("stage-1", "d", 5), full, "what is on its way counts");
    drop(incoming);
    assert_eq!(try_put("stage-1", "d", 5), Ok(()));
    files.remove_folder("stage-1").unwrap();
    let again = StageFiles::open(root.path(), quotas).unwrap();
    assert!(again.admit(&again.receive(), "user-1", 10).is_ok());
}

#[test]
fn of_several_that_replace_one_version_one_succeeds() {
    let root = tempfile::tempdir().unwrap();
    let files = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    put(&files, "stage-1", "a", "first");
    let path = StagePath::parse("a").unwrap();
    let first = files.find("stage-1", &path).unwrap().unwrap();
    let expected = Precondition::Sum(vec![files.md5("stage-1", &first).unwrap()]);
    let replace = |content: String| {
        let incoming = files.receive();
        fs::write(incoming.place(), &content).unwrap();
        files.put_with_sums(incoming, "stage-1", &path, ReceivedSums { md5: &content, digest: None }, &expected)
    };
    let replaced: Vec<io::Result<StagedFile>> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..8).map(|number| scope.spawn(move || replace(number.to_string()))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    assert_eq!(replaced.iter().filter(|result| result.is_ok()).count(), 1);
    assert!(replaced.iter().filter_map(|result| result.as_ref().err()).all(UnmetPrecondition::is_cause_of));
    assert!(files.remove_if("stage-1", &path, &expected).is_err());
    assert!(files.remove_if("stage-1", &path, &Precondition::Present).unwrap());
    assert!(files.check("stage-1", &path, &Precondition::Absent).is_ok());
}

#[test]
fn files_that_vanished_are_reported_once() {
    let root = tempfile::tempdir().unwrap();
    let files = StageFiles::open(root.path(), StageQuotas::default()).unwrap();
    for path in ["a/gone.csv", "a/removed.csv", "a/stays.csv", "also gone"] {
        put(&files, "stage-1", path, path);
    }
    put(&files, "stage-2", "x", "x");
    put(&files, "stage-3", "stays", "x");
    files.remove("stage-1", &StagePath::parse("a/removed.csv").unwrap()).unwrap();
    assert_eq!(files.take_missing().unwrap(), []);

    for path in ["a/gone.csv", "also gone"] {
        let file = files.find("stage-1", &StagePath::parse(path).unwrap()).unwrap().unwrap();
        fs::remove_file(file.place).unwrap();
    }
    fs::remove_dir_all(root.path().join("stage-2")).unwrap();
    let missing = |folder: &str, paths: &[&str]| MissingFiles {
        folder: folder.to_owned(),
        paths: paths.iter().map(|path| (*path).to_owned()).collect(),
    };
    let expected = [missing("stage-1", &["a/gone.csv", "also gone"]), missing("stage-2", &["x"])];
    assert_eq!(files.take_missing().unwrap(), expected);
    assert_eq!(files.take_missing().unwrap(), []);
}
