//! Files that only a regular file may stand for. Opening a FIFO waits until somebody writes into it, and what is written through
//! a link goes into another file.

use std::fs::{self, File, FileType, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::{FileTypeExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use rustix::fs::OFlags;

/// Something that is in the place of a file or folder of the server's.
#[derive(Debug, thiserror::Error)]
#[error(
    "`{}` is {found} where the server has {expected}; move it away, bring back the server's own if there was one, and start again",
    path.display()
)]
pub struct InTheWay {
    path: PathBuf,
    found: &'static str,
    expected: &'static str,
}

/// Opens a file for reading; `InvalidData` where it is no regular one.
pub fn open(place: &Path) -> io::Result<File> {
    opened(OpenOptions::new().read(true), OFlags::NONBLOCK, place)
}

pub fn read(place: &Path) -> io::Result<Vec<u8>> {
    let mut content = Vec::new();
    open(place)?.read_to_end(&mut content)?;
    Ok(content)
}

pub fn read_to_string(place: &Path) -> io::Result<String> {
    String::from_utf8(read(place)?).map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
}

/// Opens a file that is written. A link is not followed.
pub fn open_with(options: &mut OpenOptions, place: &Path) -> io::Result<File> {
    opened(options, OFlags::NONBLOCK | OFlags::NOFOLLOW, place)
}

fn opened(options: &mut OpenOptions, flags: OFlags, place: &Path) -> io::Result<File> {
    let file = options.custom_flags(flags.bits() as i32).open(place)?;
    let file_type = file.metadata()?.file_type();
    if file_type.is_file() {
        return Ok(file);
    }
    let message = format!("the file is {} and no regular file", kind_of(file_type));
    Err(io::Error::new(io::ErrorKind::InvalidData, message))
}

/// Whether a file may be a link to one that lies elsewhere.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Links {
    Followed,
    Refused,
}

/// Fails where something else is in the place of a file. One that is missing is made later, or not needed.
pub fn require_file(place: &Path, links: Links) -> Result<(), InTheWay> {
    let metadata = match links {
        Links::Followed => fs::metadata(place),
        Links::Refused => fs::symlink_metadata(place),
    };
    match metadata {
        Ok(metadata) if !metadata.is_file() => Err(in_the_way(place, metadata.file_type(), "a file")),
        _ => Ok(()),
    }
}

/// As `require_file`, for a folder, which may be a link.
pub fn require_folder(place: &Path) -> Result<(), InTheWay> {
    match fs::metadata(place) {
        Ok(metadata) if !metadata.is_dir() => Err(in_the_way(place, metadata.file_type(), "a folder")),
        _ => Ok(()),
    }
}

fn in_the_way(place: &Path, found: FileType, expected: &'static str) -> InTheWay {
    InTheWay { path: place.to_owned(), found: kind_of(found), expected }
}

pub fn kind_of(file_type: FileType) -> &'static str {
    match () {
        () if file_type.is_file() => "a file",
        () if file_type.is_dir() => "a folder",
        () if file_type.is_symlink() => "a link",
        () if file_type.is_fifo() => "a FIFO",
        () if file_type.is_socket() => "a socket",
        () => "a device",
    }
}

#[cfg(test)]
mod tests {
    #![expect(clippy::unwrap_used, reason = "a test fails by panicking")]

    use std::os::unix::fs::symlink;
    use std::os::unix::net::UnixListener;
    use std::process::Command;

    use super::*;

    #[test]
    fn what_is_no_regular_file_is_refused_without_waiting() {
        let folder = tempfile::tempdir().unwrap();
        let place = |name: &str| folder.path().join(name);
        assert!(Command::new("mkfifo").arg(place("fifo")).status().unwrap().success());
        fs::create_dir(place("folder")).unwrap();
        let _socket = UnixListener::bind(place("socket")).unwrap();
        fs::write(place("file"), "content").unwrap();
        symlink(place("file"), place("link")).unwrap();
        for (name, kind) in [("fifo", "a FIFO"), ("folder", "a folder"), ("socket", "a socket")] {
            assert!(open(&place(name)).is_err(), "{name}");
            assert!(open_with(OpenOptions::new().append(true).create(true), &place(name)).is_err(), "{name}");
            let message = require_file(&place(name), Links::Followed).unwrap_err().to_string();
            assert!(message.contains(kind) && message.contains(name), "{message}");
        }
        assert_eq!(read(&place("link")).unwrap(), b"content");
        assert!(open_with(OpenOptions::new().append(true), &place("link")).is_err());
        assert!(require_file(&place("link"), Links::Followed).is_ok());
        assert!(require_file(&place("link"), Links::Refused).is_err());
        assert!(require_file(&place("missing"), Links::Refused).is_ok());
        assert!(require_folder(&place("folder")).is_ok() && require_folder(&place("file")).is_err());
        assert!(open_with(OpenOptions::new().append(true), &place("file")).is_ok());
    }
}
