//! A server of a command's own, for as long as the command runs.

use std::error::Error;
use std::hash::{BuildHasher, RandomState};
use std::io::{BufRead, BufReader};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

/// Ends with the command; the folder it was given stays, one of its own goes.
pub struct OwnServer {
    process: Child,
    own_folder: Option<PathBuf>,
    pub url: String,
}

impl OwnServer {
    /// On a data folder that no other server holds.
    pub fn on(folder: &Path) -> Result<Self, Box<dyn Error>> {
        Self::start(folder, None, &[])
    }

    /// With the demo database and nothing else; also the token of its user ADMIN.
    pub fn with_demo() -> Result<(Self, String), Box<dyn Error>> {
        let token = format!("own-{}", random_text());
        let folder = std::env::temp_dir().join(format!("firn-{}-{}", std::process::id(), &random_text()[..8]));
        let server = Self::start(&folder, Some(folder.clone()), &[("FIRN_ADMIN_TOKEN", &token), ("FIRN_DEMO", "true")]);
        Ok((server?, token))
    }

    fn start(folder: &Path, own_folder: Option<PathBuf>, settings: &[(&str, &str)]) -> Result<Self, Box<dyn Error>> {
        let mut command = Command::new(std::env::current_exe()?);
        command.args(["serve", "--listen", "127.0.0.1:0", "--data-dir"]).arg(folder);
        command.envs(settings.iter().copied()).stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped());
        let mut process = command.spawn()?;
        let outputs: (Option<_>, Option<_>) = (process.stdout.take(), process.stderr.take());
        let mut server = Self { process, own_folder, url: String::new() };
        let (found, lines) = std::sync::mpsc::channel();
        let to_errors = found.clone();
        // Both readers end with the server: its outputs close then.
        std::thread::spawn(move || follow(outputs.0, |line| drop(found.send(line))));
        std::thread::spawn(move || follow(outputs.1, |line| drop(to_errors.send(line))));
        let mut output = Vec::new();
        for line in lines {
            if let Some((_, address)) = line.split_once("listening on ") {
                server.url = address.split_whitespace().next().unwrap_or_default().to_owned();
                return Ok(server);
            }
            output.push(line);
        }
        Err(format!("a server could not be started: {}", output.join(" ")).into())
    }
}

fn follow(output: Option<impl std::io::Read>, mut forward: impl FnMut(String)) {
    for line in output.into_iter().flat_map(|output| BufReader::new(output).lines()).map_while(Result::ok) {
        forward(line);
    }
}

impl Drop for OwnServer {
    fn drop(&mut self) {
        // A server that is gone already is what is wanted.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if let Some(folder) = &self.own_folder {
            let _ = std::fs::remove_dir_all(folder);
        }
    }
}

/// Letters that nobody can guess.
fn random_text() -> String {
    (0..4).map(|number| format!("{:016x}", RandomState::new().hash_one(number))).collect()
}
