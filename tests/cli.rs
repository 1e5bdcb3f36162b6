//! The `firn` command as people run it: a home folder of its own, and none of the caller's settings.

use std::io::Write;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use tempfile::TempDir;

use crate::Server;
use crate::server::{ADMIN_TOKEN, Shared, binary};

static SERVER: Shared = Shared::with(&[("FIRN_DEMO", "true")]);

pub struct Cli {
    server: Arc<Server>,
    home: TempDir,
    variables: Vec<(String, String)>,
}

impl Cli {
    /// Against a server with the demo database that tests of a file share.
    pub fn start() -> Self {
        let server = SERVER.get();
        let variables = vec![
            ("FIRN_URL".to_owned(), server.base_url().to_owned()),
            ("FIRN_TOKEN".to_owned(), ADMIN_TOKEN.to_owned()),
        ];
        let home = tempfile::Builder::new().prefix("firn-home-").tempdir().expect("a temporary folder");
        Self { server, home, variables }
    }

    pub fn server(&self) -> &Server {
        &self.server
    }

    pub fn home(&self) -> &Path {
        self.home.path()
    }

    pub fn without_token(mut self) -> Self {
        self.variables.retain(|(name, _)| name != "FIRN_TOKEN");
        self
    }

    /// Nothing but files says where the server is.
    pub fn without_variables(mut self) -> Self {
        self.variables.clear();
        self
    }

    pub fn with_variable(mut self, name: &str, value: &str) -> Self {
        self.variables.push((name.to_owned(), value.to_owned()));
        self
    }

    /// A file in the home folder that nobody else may read; its path.
    pub fn file(&self, name: &str, content: &str) -> String {
        let path: PathBuf = self.home.path().join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        std::fs::write(&path, content).expect("a file");
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o600)).expect("a mode");
        path.display().to_string()
    }

    pub fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(binary());
        self.prepare(&mut command);
        command.args(arguments);
        command
    }

    /// A line of a shell, in which `firn` is the command.
    pub fn shell(&self, line: &str) -> Output {
        let mut command = Command::new("sh");
        self.prepare(&mut command);
        let folder = binary().parent().expect("a folder").display().to_string();
        command.env("PATH", format!("{folder}:{}", std::env::var("PATH").unwrap_or_default()));
        command.args(["-c", line]).output().expect("run sh")
    }

    fn prepare(&self, command: &mut Command) {
        for (name, _) in std::env::vars_os() {
            let name = name.to_string_lossy().into_owned();
            if ["FIRN_", "SNOWFLAKE_", "XDG_"].iter().any(|prefix| name.starts_with(prefix)) || name == "DISPLAY" {
                command.env_remove(name);
            }
        }
        command.env("HOME", self.home.path()).current_dir(self.home.path()).stdin(Stdio::null());
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
    }

    pub fn run(&self, arguments: &[&str]) -> Output {
        self.command(arguments).output().expect("run firn")
    }

    pub fn run_with(&self, input: &str, arguments: &[&str]) -> Output {
        let mut command = self.command(arguments);
        let mut process =
            command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("run firn");
        process.stdin.take().expect("an input").write_all(input.as_bytes()).expect("write the input");
        process.wait_with_output().expect("wait for firn")
    }
}

pub fn code(ran: &Output) -> i32 {
    ran.status.code().unwrap_or(-1)
}

pub fn output(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

pub fn errors(ran: &Output) -> String {
    String::from_utf8_lossy(&ran.stderr).into_owned()
}
