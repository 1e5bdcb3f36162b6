//! Files on their way to and from a stage.

use std::error::Error;
use std::fs::{self, File};
use std::io;
use std::path::{Path, PathBuf};

use firn_sql::stages::{StageLocation, StagePath};
use flate2::Compression;
use flate2::read::GzEncoder;

use super::client::{Client, Put, RemoteFile};
use crate::failure::Failure;
use crate::output::outln;
use crate::progress::{Progress, Watched};

pub struct PutOptions {
    pub compress: bool,
    pub overwrite: bool,
    pub quiet: bool,
}

pub fn put(
    client: &Client<'_>,
    files: &[PathBuf],
    location: &StageLocation,
    options: &PutOptions,
) -> Result<(), Box<dyn Error>> {
    // What can be known to be wrong is known before anything is sent.
    let names = files.iter().map(|file| name_of(file, options)).collect::<Result<Vec<_>, _>>()?;
    for (place, name) in names.iter().enumerate() {
        if let Some(other) = names[..place].iter().position(|earlier| earlier == name) {
            let (one, two) = (files[other].display(), files[place].display());
            return Err(Failure::usage(format!("`{one}` and `{two}` would both be `{name}` on the stage")));
        }
    }
    for (file, name) in files.iter().zip(names) {
        let path = match location.path.as_str() {
            "" => name.clone(),
            folder if folder.ends_with('/') => format!("{folder}{name}"),
            folder => format!("{folder}/{name}"),
        };
        let content = opened(file)?;
        let metadata = content.metadata()?;
        let mut watched = Watched { inner: content, progress: Progress::new(&name, metadata.len(), options.quiet) };
        let arrived = match options.compress {
            true => {
                client.put(location, &path, &mut GzEncoder::new(&mut watched, Compression::fast()), options.overwrite)
            }
            false => client.put(location, &path, &mut watched, options.overwrite),
        };
        watched.progress.finish();
        match arrived? {
            Put::Done => outln!("put {path}"),
            Put::ExistedBefore => outln!("skipped {path}, which is there already"),
        }
    }
    Ok(())
}

/// What a file is called on the stage, once it can be read.
fn name_of(file: &Path, options: &PutOptions) -> Result<String, Box<dyn Error>> {
    if !opened(file)?.metadata()?.is_file() {
        return Err(Failure::usage(format!("`{}` is not a file", file.display())));
    }
    let name = file.file_name().and_then(|name| name.to_str());
    let name =
        name.ok_or_else(|| Failure::usage(format!("`{}` has no name that a stage could take", file.display())))?;
    Ok(if options.compress { format!("{name}.gz") } else { name.to_owned() })
}

fn opened(file: &Path) -> Result<File, Box<dyn Error>> {
    File::open(file).map_err(|error| Failure::usage(format!("`{}` cannot be read: {error}", file.display())))
}

/// One file by its whole path, or all whose paths begin as the location's does.
pub fn get(client: &Client<'_>, location: &StageLocation, folder: &Path, quiet: bool) -> Result<(), Box<dyn Error>> {
    let mut found = client.list(location)?;
    if let Some(index) = found.iter().position(|file| file.path == location.path) {
        found = vec![found.swap_remove(index)];
    }
    if found.is_empty() {
        return Err(format!("there is no file at {location}").into());
    }
    let above = location.path.rfind('/').map_or(0, |slash| slash + 1);
    for file in &found {
        get_one(client, location, file, &folder.join(safe_path(&file.path, above)?), quiet)?;
        outln!("got {}", file.path);
    }
    Ok(())
}

/// What a server calls a file must not lead out of the folder it goes to.
fn safe_path(path: &str, above: usize) -> Result<PathBuf, Box<dyn Error>> {
    let checked =
        StagePath::parse(path).map_err(|_| format!("the server lists a file `{path}`, which is not a valid path"))?;
    Ok(checked.as_str().get(above..).unwrap_or_default().split('/').collect())
}

fn get_one(
    client: &Client<'_>,
    location: &StageLocation,
    file: &RemoteFile,
    target: &Path,
    quiet: bool,
) -> Result<(), Box<dyn Error>> {
    if let Some(parent) = target.parent() {
        fs::create_dir_all(parent)?;
    }
    let mut unfinished = target.as_os_str().to_owned();
    unfinished.push(".part");
    let unfinished = PathBuf::from(unfinished);
    let body = client.get(location, &file.path)?;
    let progress = Progress::new(&file.path, file.size, quiet);
    let mut watched = Watched { inner: body.into_reader(), progress };
    let written = File::create(&unfinished).and_then(|mut out| io::copy(&mut watched, &mut out));
    watched.progress.finish();
    if let Err(error) = written {
        // What did not arrive whole is of no use.
        let _ = fs::remove_file(&unfinished);
        return Err(error.into());
    }
    Ok(fs::rename(&unfinished, target)?)
}
