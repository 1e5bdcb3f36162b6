//! Reads configuration files, which nobody but their owner may read since they hold secrets. They are never written.

use std::error::Error;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use super::variable;
use crate::failure::Failure;

/// The table of a file; none where there is no such file.
pub fn table(path: &Path) -> Result<Option<toml::Table>, Box<dyn Error>> {
    let Some(text) = text(path)? else { return Ok(None) };
    let read = text.parse::<toml::Table>();
    // The parser's message quotes the line, which may hold a secret.
    let table = read.map_err(|error| {
        let line = error.span().map_or(1, |span| 1 + text[..span.start.min(text.len())].matches('\n').count());
        Failure::usage(format!("{}, line {line}: {}", path.display(), error.message()))
    })?;
    Ok(Some(table))
}

/// The content of a file of secrets; none where there is no such file.
pub fn text(path: &Path) -> Result<Option<String>, Box<dyn Error>> {
    let metadata = match std::fs::metadata(path) {
        Ok(metadata) => metadata,
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(Failure::usage(format!("{}: {error}", path.display()))),
    };
    let mode = metadata.permissions().mode() & 0o777;
    if mode & 0o077 != 0 {
        let path = path.display();
        return Err(Failure::usage(format!(
            "{path} may be read or written by others (mode {mode:04o}), and is not used; run: chmod 0600 {path}"
        )));
    }
    let text = std::fs::read_to_string(path);
    text.map(Some).map_err(|error| Failure::usage(format!("{}: {error}", path.display())))
}

/// `~/x` is below the home folder.
pub fn expanded(path: &str) -> PathBuf {
    match (path.strip_prefix("~/"), home()) {
        (Some(rest), Some(home)) => home.join(rest),
        _ => PathBuf::from(path),
    }
}

pub fn home() -> Option<PathBuf> {
    variable("HOME").map(PathBuf::from)
}

/// The folder of the user's configuration files.
pub fn configuration_folder() -> Option<PathBuf> {
    variable("XDG_CONFIG_HOME").map(PathBuf::from).or_else(|| home().map(|home| home.join(".config")))
}
