//! The command line behind a proxy: what goes through it, in which form, and what is said when it does not work.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::process::Output;
use std::sync::{Arc, Mutex};

use firn_tests::cli::{Cli, code, errors, output};

/// A proxy that notes the heads of the requests it gets.
struct Proxy {
    address: SocketAddr,
    heads: Arc<Mutex<Vec<String>>>,
}

#[derive(Clone, Copy)]
enum Answer {
    /// What the server, whatever its name, says to the request.
    OfServer(SocketAddr),
    Fixed(&'static str),
}

impl Proxy {
    /// Its threads end with the test.
    fn start(answer: Answer) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let address = listener.local_addr().unwrap();
        let heads = Arc::new(Mutex::new(Vec::new()));
        let noted = heads.clone();
        std::thread::spawn(move || {
            for client in listener.incoming().map_while(Result::ok) {
                let noted = noted.clone();
                std::thread::spawn(move || drop(serve(client, answer, &noted)));
            }
        });
        Self { address, heads }
    }

    fn url(&self) -> String {
        format!("http://{}", self.address)
    }

    fn heads(&self) -> Vec<String> {
        std::mem::take(&mut *self.heads.lock().unwrap())
    }
}

fn serve(mut client: TcpStream, answer: Answer, noted: &Mutex<Vec<String>>) -> std::io::Result<()> {
    let mut input = BufReader::new(client.try_clone()?);
    let mut head = String::new();
    while !head.ends_with("\r\n\r\n") && input.read_line(&mut head)? > 0 {}
    noted.lock().unwrap().push(head.clone());
    match answer {
        Answer::Fixed(answer) => client.write_all(answer.as_bytes()),
        Answer::OfServer(address) => {
            let (line, rest) = head.split_once("\r\n").unwrap_or_default();
            let path = line.replacen("http://firn.example.com:8090", "", 1);
            let mut server = TcpStream::connect(address)?;
            write!(server, "{path}\r\nconnection: close\r\n{rest}")?;
            let mut back = server.try_clone()?;
            std::thread::spawn(move || std::io::copy(&mut input, &mut server));
            let mut answer = Vec::new();
            back.read_to_end(&mut answer)?;
            client.write_all(&answer)
        }
    }
}

const SERVER: &str = "http://firn.example.com:8090";

fn forwarding(cli: &Cli) -> Proxy {
    Proxy::start(Answer::OfServer(cli.server().base_url().trim_start_matches("http://").parse().unwrap()))
}

/// Runs `firn` with these variables and none of the caller's for proxies.
fn run(cli: &Cli, variables: &[(&str, &str)], arguments: &[&str]) -> Output {
    let mut command = cli.command(arguments);
    for name in ["HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY", "NO_PROXY"] {
        command.env_remove(name).env_remove(name.to_lowercase());
    }
    command.envs(variables.iter().copied()).output().unwrap()
}

#[test]
fn a_server_without_tls_is_asked_through_the_proxy_by_its_whole_address() {
    let cli = Cli::start();
    let proxy = forwarding(&cli);
    let file = cli.file("rows.csv", "1,2\n");
    for name in ["HTTP_PROXY", "http_proxy", "ALL_PROXY", "FIRN_PROXY"] {
        let ran = run(&cli, &[(name, &proxy.url())], &["sql", "--url", SERVER, "-o", "csv", "SELECT 41 + 1 AS A"]);
        assert_eq!((code(&ran), output(&ran).as_str()), (0, "A\n42\n"), "{name}: {}", errors(&ran));
        let heads = proxy.heads();
        assert!(!heads.is_empty());
        for head in heads {
            assert!(head.split(' ').nth(1).unwrap().starts_with(&format!("{SERVER}/api/v2/")), "{name}: {head}");
            assert!(head.to_lowercase().contains("\r\nhost: firn.example.com:8090\r\n"), "{name}: {head}");
        }
    }
    // Uploads, whose bodies are longer than a buffer, and downloads.
    let url = proxy.url();
    let variables = [("HTTP_PROXY", url.as_str())];
    let put = run(&cli, &variables, &["stage", "put", &file, "@~/by-proxy/", "--url", SERVER]);
    assert_eq!(code(&put), 0, "{}", errors(&put));
    let long = "SELECT LENGTH('".to_owned() + &"x".repeat(100_000) + "')";
    let ran = run(&cli, &variables, &["sql", "--url", SERVER, "-o", "csv", "--no-header", &long]);
    assert_eq!((code(&ran), output(&ran).as_str()), (0, "100000\n"), "{}", errors(&ran));
}

#[test]
fn who_goes_by_the_proxy_says_so() {
    let cli = Cli::start();
    let proxy = forwarding(&cli);
    let with_entry = proxy.url().replace("http://", "http://ada:s%40cret@");
    let ran = run(&cli, &[("HTTP_PROXY", &with_entry)], &["sql", "--url", SERVER, "SELECT 1"]);
    assert_eq!(code(&ran), 0, "{}", errors(&ran));
    let head = proxy.heads()[0].replacen("Proxy-Authorization", "proxy-authorization", 1);
    // ada:s@cret
    assert!(head.contains("proxy-authorization: Basic YWRhOnNAY3JldA==\r\n"), "{head}");
}

#[test]
fn this_machine_and_exceptions_are_reached_without_the_proxy() {
    let cli = Cli::start();
    let proxy = forwarding(&cli);
    let all = proxy.url();
    let own = cli.server().base_url().to_owned();
    let ran = run(&cli, &[("HTTP_PROXY", &all), ("ALL_PROXY", &all)], &["sql", "SELECT 1"]);
    assert_eq!((code(&ran), proxy.heads().len()), (0, 0), "{}", errors(&ran));
    // Unless it is asked for: the proxy, which knows another name of the server, refuses this one.
    let ran = run(&cli, &[], &["sql", "--proxy", &all, "--url", &own, "SELECT 1"]);
    assert!(proxy.heads()[0].contains(&own), "{}", errors(&ran));
    let unreachable = "http://firn.invalid:8090";
    for (variables, arguments) in [
        (vec![("HTTP_PROXY", all.as_str()), ("NO_PROXY", "other.org,.invalid")], vec!["sql", "SELECT 1"]),
        (vec![("HTTP_PROXY", all.as_str())], vec!["sql", "--proxy", "none", "SELECT 1"]),
    ] {
        let arguments = [arguments, vec!["--url", unreachable]].concat();
        let ran = run(&cli, &variables, &arguments);
        assert_eq!((code(&ran), proxy.heads().len()), (3, 0), "{}", errors(&ran));
        assert!(!errors(&ran).contains("proxy"), "{}", errors(&ran));
    }
}

#[test]
fn a_profile_has_its_proxy() {
    let cli = Cli::start();
    let proxy = forwarding(&cli);
    let token = firn_tests::server::ADMIN_TOKEN;
    let profile = format!("[connections.far]\nurl = '{SERVER}'\ntoken = '{token}'\nproxy = '{}'\n", proxy.url());
    cli.file(".config/firn/config.toml", &profile);
    let ran = run(&cli, &[("HTTP_PROXY", "http://127.0.0.1:9")], &["sql", "-c", "far", "SELECT 1"]);
    assert_eq!((code(&ran), proxy.heads().is_empty()), (0, false), "{}", errors(&ran));
}

#[test]
fn what_a_proxy_refuses_is_said_with_its_name() {
    let cli = Cli::start();
    let refusing = |answer: &'static str| Proxy::start(Answer::Fixed(answer));
    let check = |proxy: &str, url: &str, expected: &[&str]| {
        let variables = [("HTTP_PROXY", proxy), ("HTTPS_PROXY", proxy)];
        let ran = run(&cli, &variables, &["sql", "--url", url, "SELECT 1"]);
        let said = errors(&ran);
        assert_eq!(code(&ran), 3, "{said}");
        assert!(expected.iter().all(|part| said.contains(part)) && said.lines().count() == 1, "{expected:?}: {said}");
        assert!(!said.contains("s3cret"), "{said}");
    };
    let asking = refusing("HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n");
    check(&asking.url(), SERVER, &[&asking.url(), "HTTP_PROXY", "407", "USER:PASSWORD"]);
    let https = SERVER.replace("http:", "https:");
    check(&asking.url(), &https, &[&asking.url(), "HTTPS_PROXY", "407"]);
    assert!(asking.heads().iter().any(|head| head.starts_with("CONNECT firn.example.com:8090 ")));
    let broken = refusing("HTTP/1.1 502 Bad Gateway\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p/>");
    check(&broken.url(), SERVER, &[&broken.url(), "502", "NO_PROXY"]);
    let portal = refusing("HTTP/1.1 302 Found\r\nlocation: http://login.example.com/\r\ncontent-length: 0\r\n\r\n");
    check(&portal.url(), SERVER, &[&portal.url(), "302", "NO_PROXY"]);
    let page = refusing("HTTP/1.1 200 OK\r\ncontent-type: text/html\r\ncontent-length: 4\r\n\r\n<p/>");
    check(&page.url(), SERVER, &[&page.url(), "with a page"]);
    check("http://ada:s3cret@127.0.0.1:9", SERVER, &["http://127.0.0.1:9", "HTTP_PROXY", "refused"]);
    let wrong = run(&cli, &[("ALL_PROXY", "socks5h://ada:s3cret@p:1")], &["sql", "--url", SERVER, "SELECT 1"]);
    assert_eq!(code(&wrong), 2);
    assert!(errors(&wrong).contains("ALL_PROXY") && !errors(&wrong).contains("s3cret"), "{}", errors(&wrong));
}
