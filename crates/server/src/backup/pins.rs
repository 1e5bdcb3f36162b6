//! The files of a data folder at one moment. Database files and their logs are open files with the length that they had;
//! files of stages and results, which never change but may be removed, are linked into a folder of their own.

use std::collections::HashMap;
use std::fs::{self, DirBuilder, File};
use std::io;
use std::os::unix::fs::{DirBuilderExt, FileExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use firn_engine::disk_room::require_room;

use super::layout::{STAGE_KEY, pins_folder};
use super::manifest::{Entry, SourceId};

/// The headers at the start of a database file change with every checkpoint, and with nothing else.
const HEADER_BYTES: usize = 3 * 4096;

/// Folders of stages begin so; the others beside them hold what can be made again.
const STAGE_FOLDERS: [&str; 3] = ["stage-", "table-", "user-"];

/// How long a checkpoint that began before may still take.
const SETTLING_WAIT: Duration = Duration::from_secs(5);
const SETTLING_CHECK: Duration = Duration::from_millis(1);

/// A file that changed within this time may change again without another modification time.
const SAME_TIME_NS: i64 = 2_000_000_000;

pub struct Pinned {
    pub files: Vec<SourceFile>,
    headers: Vec<Header>,
    folder: Option<PathBuf>,
}

pub struct SourceFile {
    /// Below the data folder.
    pub path: String,
    pub bytes: u64,
    pub modified_ns: i64,
    pub id: SourceId,
    /// Whether every change from now on changes the modification time too.
    pub is_settled: bool,
    pub content: Content,
}

pub enum Content {
    Open(File),
    At(PathBuf),
}

struct Header {
    path: String,
    file: File,
    bytes: Vec<u8>,
}

impl Drop for Pinned {
    fn drop(&mut self) {
        if let Some(folder) = &self.folder {
            // What is left is removed before the next backup, or at the next start.
            let _ = fs::remove_dir_all(folder);
        }
    }
}

impl SourceFile {
    fn new(path: String, metadata: &fs::Metadata, content: Content) -> Self {
        let modified_ns = metadata.mtime().saturating_mul(1_000_000_000).saturating_add(metadata.mtime_nsec());
        let now_ns = chrono::Utc::now().timestamp_nanos_opt().unwrap_or(i64::MAX);
        Self {
            path,
            bytes: metadata.len(),
            modified_ns,
            id: SourceId { device: metadata.dev(), inode: metadata.ino() },
            is_settled: now_ns.saturating_sub(modified_ns) > SAME_TIME_NS,
            content,
        }
    }

    /// Whether the backup before has the file as it is now.
    pub fn is_same_as(&self, entry: &Entry) -> bool {
        entry.source == Some(self.id) && entry.bytes == self.bytes && entry.modified_ns == self.modified_ns
    }
}

impl Pinned {
    /// Everything in the data folder but its state. Nothing but commits may happen meanwhile.
    pub fn take(data_dir: &Path, before: &HashMap<&str, &Entry>) -> io::Result<Self> {
        let pins = pins_folder(data_dir);
        super::remove_left_over(data_dir)?;
        DirBuilder::new().mode(0o700).create(&pins)?;
        let mut pinned = Self { files: Vec::new(), headers: Vec::new(), folder: Some(pins) };
        pinned.take_databases(&data_dir.join("databases"))?;
        pinned.take_key(&data_dir.join(STAGE_KEY))?;
        for folder in entries(&data_dir.join("stages"))? {
            if STAGE_FOLDERS.iter().any(|prefix| folder.name.starts_with(prefix)) {
                pinned.link_all(&folder.path, &format!("stages/{}", folder.name), before)?;
            }
        }
        pinned.link_all(&data_dir.join("results"), "results", before)?;
        Ok(pinned)
    }

    /// The first database whose file was written by a checkpoint since.
    pub fn changed(&self) -> io::Result<Option<&str>> {
        for header in &self.headers {
            if read_header(&header.file)? != header.bytes {
                return Ok(Some(&header.path));
            }
        }
        Ok(None)
    }

    /// Files and logs of databases as they were at the same moment: nothing has changed between two looks at all of them.
    fn take_databases(&mut self, folder: &Path) -> io::Result<()> {
        let deadline = Instant::now() + SETTLING_WAIT;
        loop {
            let (files, headers) = open_databases(folder)?;
            let is_checkpointing = files.iter().any(|file| file.path.contains(".wal."));
            let is_over = Instant::now() > deadline;
            if (!is_checkpointing || is_over) && is_same_moment(&files, &headers, folder)? {
                self.files.extend(files);
                self.headers.extend(headers);
                return Ok(());
            }
            if is_over {
                return Err(io::Error::other("the databases do not settle"));
            }
            std::thread::sleep(SETTLING_CHECK);
        }
    }

    fn take_key(&mut self, path: &Path) -> io::Result<()> {
        // Opening a FIFO would wait for somebody who writes to it.
        if path.metadata().is_ok_and(|found| !found.is_file()) {
            return Err(io::Error::other(format!("`{STAGE_KEY}` is not a regular file")));
        }
        match File::open(path) {
            Ok(file) => {
                let metadata = file.metadata()?;
                self.files.push(SourceFile::new(STAGE_KEY.to_owned(), &metadata, Content::Open(file)));
                Ok(())
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
            Err(error) => Err(error),
        }
    }

    fn link_all(&mut self, folder: &Path, path: &str, before: &HashMap<&str, &Entry>) -> io::Result<()> {
        for entry in entries(folder)? {
            let below = format!("{path}/{}", entry.name);
            let metadata = match fs::symlink_metadata(&entry.path) {
                Ok(metadata) => metadata,
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                Err(error) => return Err(error),
            };
            if metadata.is_dir() {
                self.link_all(&entry.path, &below, before)?;
            } else if metadata.is_file() {
                let mut file = SourceFile::new(below, &metadata, Content::At(entry.path));
                if !before.get(file.path.as_str()).is_some_and(|entry| file.is_same_as(entry))
                    && !self.pin(&mut file)?
                {
                    continue;
                }
                self.files.push(file);
            }
        }
        Ok(())
    }

    /// `false` where the file is gone: a result that is being removed.
    fn pin(&self, file: &mut SourceFile) -> io::Result<bool> {
        let (Some(folder), Content::At(place)) = (&self.folder, &file.content) else { return Ok(true) };
        let pin = folder.join(self.files.len().to_string());
        let linked = fs::hard_link(place, &pin).or_else(|error| match error.kind() {
            io::ErrorKind::NotFound => Err(error),
            // Not every file system has links.
            _ => require_room(folder, file.bytes).and_then(|()| fs::copy(place, &pin).map(drop)),
        });
        match linked {
            Ok(()) => {
                file.content = Content::At(pin);
                Ok(true)
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }
}

struct FolderEntry {
    name: String,
    path: PathBuf,
}

/// In the order of their names; none where there is no such folder.
fn entries(folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let listed = match fs::read_dir(folder) {
        Ok(listed) => listed,
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(error),
    };
    let mut found = Vec::new();
    for entry in listed {
        let entry = entry?;
        // Every name of ours is plain.
        if let Ok(name) = entry.file_name().into_string() {
            found.push(FolderEntry { name, path: entry.path() });
        }
    }
    found.sort_by(|one, other| one.name.cmp(&other.name));
    Ok(found)
}

/// Whoever runs the server may have put a database on another disk and linked it here.
fn database_entries(folder: &Path) -> io::Result<Vec<FolderEntry>> {
    let mut found = entries(folder)?;
    found.retain(|entry| !entry.name.ends_with(".unfinished") && entry.path.is_file());
    Ok(found)
}

fn open_databases(folder: &Path) -> io::Result<(Vec<SourceFile>, Vec<Header>)> {
    let (mut files, mut headers) = (Vec::new(), Vec::new());
    for entry in database_entries(folder)? {
        let file = match File::open(&entry.path) {
            Ok(file) => file,
            // A log that its checkpoint has just removed.
            Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
            Err(error) => return Err(error),
        };
        let metadata = file.metadata()?;
        let path = format!("databases/{}", entry.name);
        if entry.name.ends_with(".duckdb") {
            let bytes = read_header(&file)?;
            headers.push(Header { path: path.clone(), file: file.try_clone()?, bytes });
        }
        files.push(SourceFile::new(path, &metadata, Content::Open(file)));
    }
    Ok((files, headers))
}

/// Whether no log has grown, no file has come or gone and no checkpoint has ended since the files were opened.
fn is_same_moment(files: &[SourceFile], headers: &[Header], folder: &Path) -> io::Result<bool> {
    for file in files.iter().filter(|file| !file.path.ends_with(".duckdb")) {
        let Content::Open(open) = &file.content else { continue };
        if open.metadata()?.len() != file.bytes {
            return Ok(false);
        }
    }
    for header in headers {
        if read_header(&header.file)? != header.bytes {
            return Ok(false);
        }
    }
    let now = database_entries(folder)?.into_iter().map(|entry| format!("databases/{}", entry.name));
    Ok(now.eq(files.iter().map(|file| file.path.clone())))
}

/// Shorter for a file that is no database.
fn read_header(file: &File) -> io::Result<Vec<u8>> {
    let mut bytes = vec![0; HEADER_BYTES];
    let mut length = 0;
    while length < bytes.len() {
        match file.read_at(&mut bytes[length..], length as u64)? {
            0 => break,
            more => length += more,
        }
    }
    bytes.truncate(length);
    Ok(bytes)
}
