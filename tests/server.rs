//! A firn server as a child process. Dropping it ends the process; its data folder goes with the
//! last server that uses it.

use std::io::{BufRead, BufReader, Read};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use tempfile::TempDir;

use crate::Client;

pub const ADMIN_TOKEN: &str = "test-admin-token-0123456789abcdef";
pub const ACCOUNT: &str = "TESTACCOUNT";

const READY_WAIT: Duration = Duration::from_secs(120);

pub struct Server {
    process: Child,
    base_url: String,
    data: Arc<TempDir>,
    settings: Vec<(String, String)>,
    disk: Disk,
    log: Arc<Mutex<String>>,
}

/// Where the data folder lies.
#[derive(Clone, Copy)]
enum Disk {
    Real,
    /// In memory, and this large; only the server sees it.
    Small {
        bytes: u64,
    },
}

impl Server {
    /// A server on a fresh data folder with the default settings.
    pub fn start() -> Self {
        Self::start_with(&[])
    }

    /// A server on a fresh data folder; settings are `FIRN_…` variables, an empty one is left out.
    pub fn start_with(settings: &[(&str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let data = Arc::new(tempfile::Builder::new().prefix("firn-test-").tempdir().expect("a temporary folder"));
        Self::launch(data, settings, Disk::Real)
    }

    /// A server whose data folder is a disk of its own of so many bytes, which vanishes with the process. Needs `unshare`.
    pub fn start_on_small_disk(bytes: u64, settings: &[(&str, &str)]) -> Self {
        let settings = settings.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
        let data = Arc::new(tempfile::Builder::new().prefix("firn-small-").tempdir().expect("a temporary folder"));
        Self::launch(data, settings, Disk::Small { bytes })
    }

    /// A server that a script becomes, which names its data folder itself; it may mount disks that only the server sees.
    pub fn start_by_script(script: &str) -> Self {
        let data = Arc::new(tempfile::Builder::new().prefix("firn-test-").tempdir().expect("a temporary folder"));
        let mut command = Command::new("unshare");
        command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
        Self::follow_start(with_settings(command, &[]), data, Vec::new(), Disk::Real)
    }

    fn launch(data: Arc<TempDir>, settings: Vec<(String, String)>, disk: Disk) -> Self {
        Self::follow_start(command(data.path(), &settings, disk), data, settings, disk)
    }

    fn follow_start(mut command: Command, data: Arc<TempDir>, settings: Vec<(String, String)>, disk: Disk) -> Self {
        let mut process = command.spawn().expect("start firn");
        let log = Arc::new(Mutex::new(String::new()));
        let (found, address) = channel();
        let stdout = process.stdout.take().expect("stdout is piped");
        let stderr = process.stderr.take().expect("stderr is piped");
        follow(stdout, Arc::clone(&log), found.clone());
        follow(stderr, Arc::clone(&log), found);
        let base_url = wait_until_ready(&mut process, &address, &log);
        Self { process, base_url, data, settings, disk, log }
    }

    /// Ends the process as a power cut would and starts it again on the same data.
    pub fn kill_and_restart(mut self) -> Self {
        self.kill();
        let (data, settings, disk) = (Arc::clone(&self.data), self.settings.clone(), self.disk);
        drop(self);
        Self::launch(data, settings, disk)
    }

    /// Starts a stopped server on the same data.
    pub fn start_again(&self) -> Self {
        Self::launch(Arc::clone(&self.data), self.settings.clone(), self.disk)
    }

    /// A server on a folder that something else has filled, with the default settings.
    pub fn start_on(data: TempDir) -> Self {
        Self::launch(Arc::new(data), Vec::new(), Disk::Real)
    }

    /// A server on a copy of a stopped server's data folder: what a backup brings back.
    pub fn restore_copy(&self) -> Self {
        let data = Arc::new(tempfile::Builder::new().prefix("firn-copy-").tempdir().expect("a temporary folder"));
        let copied = Command::new("cp").arg("-r").arg(self.data.path().join(".")).arg(data.path()).status();
        assert!(copied.expect("run cp").success(), "the data folder could not be copied");
        Self::launch(data, self.settings.clone(), Disk::Real)
    }

    /// SIGKILL; returns when the process is gone.
    pub fn kill(&mut self) {
        self.process.kill().expect("kill firn");
        self.process.wait().expect("wait for firn");
    }

    /// SIGTERM; returns how the process ended.
    pub fn terminate(&mut self) -> ExitStatus {
        self.ask_to_stop();
        self.wait()
    }

    /// SIGTERM, and no waiting.
    pub fn ask_to_stop(&self) {
        let ended = Command::new("kill").arg(self.process.id().to_string()).status().expect("run kill");
        assert!(ended.success(), "kill could not reach the server");
    }

    /// Waits for the end of the process.
    pub fn wait(&mut self) -> ExitStatus {
        self.process.wait().expect("wait for firn")
    }

    /// Runs `firn serve` once more on the same folder and returns its exit status and output.
    pub fn start_a_second_one(&self) -> (ExitStatus, String) {
        let output = command(self.data.path(), &self.settings, self.disk).output().expect("start a second firn");
        let text = [output.stdout, output.stderr].concat();
        (output.status, String::from_utf8_lossy(&text).into_owned())
    }

    pub fn process_id(&self) -> u32 {
        self.process.id()
    }

    /// The most that the process ever had resident.
    pub fn peak_memory_bytes(&self) -> u64 {
        let status =
            std::fs::read_to_string(format!("/proc/{}/status", self.process_id())).expect("the process's status");
        let line = status.lines().find(|line| line.starts_with("VmHWM:")).expect("a peak of memory");
        let kilobytes: u64 = line.split_whitespace().nth(1).and_then(|text| text.parse().ok()).expect("a number");
        kilobytes << 10
    }

    pub fn base_url(&self) -> &str {
        &self.base_url
    }

    pub fn data_dir(&self) -> &Path {
        self.data.path()
    }

    /// The data folder as the running server sees it.
    pub fn own_data_dir(&self) -> PathBuf {
        let place = self.data.path().strip_prefix("/").expect("an absolute path");
        PathBuf::from(format!("/proc/{}/root", self.process.id())).join(place)
    }

    /// A client that calls as ADMIN.
    pub fn admin(&self) -> Client {
        self.client(ADMIN_TOKEN)
    }

    pub fn client(&self, token: &str) -> Client {
        Client::new(&self.base_url, Some(token))
    }

    pub fn stranger(&self) -> Client {
        Client::new(&self.base_url, None)
    }

    pub fn log(&self) -> String {
        self.log.lock().expect("the log").clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may be gone already; then there is nothing left to end.
        let _ = self.process.kill();
        let _ = self.process.wait();
        if std::thread::panicking() {
            eprintln!("--- log of the server ---\n{}", last_lines(&self.log(), 40));
        }
    }
}

/// One server for the tests of a file that run at the same time; it ends with the last of them.
pub struct Shared {
    running: Mutex<Weak<Server>>,
    settings: &'static [(&'static str, &'static str)],
}

impl Shared {
    pub const fn with(settings: &'static [(&'static str, &'static str)]) -> Self {
        Self { running: Mutex::new(Weak::new()), settings }
    }

    pub fn get(&self) -> Arc<Server> {
        let mut running = self.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if let Some(server) = running.upgrade() {
            return server;
        }
        let server = Arc::new(Server::start_with(self.settings));
        *running = Arc::downgrade(&server);
        server
    }
}

/// The binary sits two folders above the test executable: `target/release/firn`.
pub fn binary() -> PathBuf {
    if let Some(path) = std::env::var_os("FIRN_BINARY") {
        return path.into();
    }
    let executable = std::env::current_exe().expect("the path of this test");
    let release = executable.parent().and_then(Path::parent).expect("a test lives in target/<profile>/deps");
    let path = release.join("firn");
    assert!(path.exists(), "{} is missing; build it first: cargo build --release -p firn", path.display());
    path
}

/// `unshare` and `sh` become the server, so that its process id is that of the child.
fn program(data: &Path, disk: Disk) -> Command {
    let Disk::Small { bytes } = disk else { return Command::new(binary()) };
    let mut command = Command::new("unshare");
    let script = r#"mount -t tmpfs -o "size=$0" none "$1" && shift && exec "$@""#;
    command.args(["--user", "--map-root-user", "--mount", "sh", "-c", script]);
    command.arg(bytes.to_string()).arg(data).arg(binary());
    command
}

fn command(data: &Path, settings: &[(String, String)], disk: Disk) -> Command {
    let mut command = program(data, disk);
    command.args(["serve", "--listen", "127.0.0.1:0"]).arg("--data-dir").arg(data);
    with_settings(command, settings)
}

/// With these settings and none of the caller's.
fn with_settings(mut command: Command, settings: &[(String, String)]) -> Command {
    for (name, _) in std::env::vars_os() {
        if name.to_string_lossy().starts_with("FIRN_") {
            command.env_remove(name);
        }
    }
    command
        .env("FIRN_ADMIN_TOKEN", ADMIN_TOKEN)
        .env("FIRN_ACCOUNT", ACCOUNT)
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    for (name, value) in settings {
        if value.is_empty() {
            command.env_remove(name);
        } else {
            command.env(name, value);
        }
    }
    command
}

fn follow(output: impl Read + Send + 'static, log: Arc<Mutex<String>>, found: Sender<String>) {
    std::thread::spawn(move || {
        for line in BufReader::new(output).lines().map_while(Result::ok) {
            if let Some(url) = announced_url(&line) {
                // Nobody listens once the server is known to be ready.
                let _ = found.send(url);
            }
            let mut log = log.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
            log.push_str(&line);
            log.push('\n');
        }
    });
}

/// The ready line holds `listening on http://ADDRESS:PORT`.
fn announced_url(line: &str) -> Option<String> {
    let (_, rest) = line.split_once("listening on http")?;
    let url: String = rest.chars().take_while(|c| c.is_ascii_alphanumeric() || ":/.[]".contains(*c)).collect();
    Some(format!("http{url}"))
}

fn wait_until_ready(process: &mut Child, address: &Receiver<String>, log: &Mutex<String>) -> String {
    match address.recv_timeout(READY_WAIT) {
        Ok(url) => url,
        Err(_) => {
            let _ = process.kill();
            let ended = process.wait();
            let log = log.lock().expect("the log");
            panic!("firn did not say where it listens ({ended:?}); its output:\n{log}");
        }
    }
}

fn last_lines(text: &str, count: usize) -> String {
    let lines: Vec<&str> = text.lines().collect();
    lines[lines.len().saturating_sub(count)..].join("\n")
}
