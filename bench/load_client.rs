//! Sends one statement over and over on a number of connections and says how fast the answers came.
//!
//! `load_client ADDRESS TOKEN CONNECTIONS SECONDS NUMBERS` reads the JSON body from standard input; every
//! `{n}` in it becomes a number from 1 to NUMBERS, another one each time. Prints requests per second,
//! and the 50th and 99th percentile of the time per request in microseconds. Needs nothing but the
//! standard library, so `rustc -O` makes it in a moment.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const WARM_UP: Duration = Duration::from_secs(1);
const ANSWER_WAIT: Duration = Duration::from_secs(60);

fn main() -> io::Result<()> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [address, token, connections, seconds, numbers] = arguments.as_slice() else {
        return Err(wrong("usage: load_client ADDRESS TOKEN CONNECTIONS SECONDS NUMBERS"));
    };
    let connections: usize = connections.parse().map_err(|_| wrong("CONNECTIONS is a number"))?;
    let measured = Duration::from_secs(seconds.parse().map_err(|_| wrong("SECONDS is a number"))?);
    let numbers: u64 = numbers.parse().map_err(|_| wrong("NUMBERS is a number"))?;
    let mut body = String::new();
    io::stdin().read_to_string(&mut body)?;

    let begin = Instant::now() + WARM_UP;
    let end = begin + measured;
    let micros: io::Result<Vec<Vec<u32>>> = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..connections)
            .map(|number| {
                let body = body.as_str();
                let times = Times { begin, end };
                scope.spawn(move || Connection::open(address, token)?.send_until(body, number as u64, numbers, times))
            })
            .collect();
        workers.into_iter().map(|worker| worker.join().map_err(|_| wrong("a connection panicked"))?).collect()
    });
    let mut micros = micros?.concat();
    micros.sort_unstable();
    if micros.is_empty() {
        return Err(wrong("no request ended within the time"));
    }
    let at = |share: f64| micros[((micros.len() - 1) as f64 * share) as usize];
    println!("{:.1} {} {}", micros.len() as f64 / measured.as_secs_f64(), at(0.5), at(0.99));
    Ok(())
}

#[derive(Clone, Copy)]
struct Times {
    begin: Instant,
    end: Instant,
}

struct Connection {
    stream: TcpStream,
    address: String,
    token: String,
    received: Vec<u8>,
}

impl Connection {
    fn open(address: &str, token: &str) -> io::Result<Self> {
        let stream = TcpStream::connect(address)?;
        stream.set_nodelay(true)?;
        stream.set_read_timeout(Some(ANSWER_WAIT))?;
        Ok(Self { stream, address: address.to_owned(), token: token.to_owned(), received: vec![0; 1 << 16] })
    }

    /// How long each of the requests took that began after the beginning and ended before the end.
    fn send_until(&mut self, body: &str, seed: u64, numbers: u64, times: Times) -> io::Result<Vec<u32>> {
        let mut micros = Vec::new();
        let mut number = seed.wrapping_mul(1_237);
        loop {
            number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            let value = (number >> 33) % numbers + 1;
            let body = body.replace("{n}", &value.to_string());
            let started = Instant::now();
            self.request(&body)?;
            let finished = Instant::now();
            if finished >= times.end {
                return Ok(micros);
            }
            if started >= times.begin {
                micros.push((finished - started).as_micros() as u32);
            }
        }
    }

    fn request(&mut self, body: &str) -> io::Result<()> {
        let request = format!(
            "POST /api/v2/statements HTTP/1.1\r\nHost: {}\r\nAuthorization: Bearer {}\r\nUser-Agent: bench/1\r\n\
             Accept: application/json\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            self.address,
            self.token,
            body.len()
        );
        self.stream.write_all(request.as_bytes())?;
        let mut filled = 0;
        let (head_end, length) = loop {
            filled += self.receive(filled)?;
            if let Some(found) = head_of(&self.received[..filled]) {
                break found;
            }
        };
        if !self.received.starts_with(b"HTTP/1.1 200") {
            return Err(wrong(&format!("answered: {}", String::from_utf8_lossy(&self.received[..filled]))));
        }
        while filled < head_end + length {
            filled += self.receive(filled)?;
        }
        Ok(())
    }

    fn receive(&mut self, filled: usize) -> io::Result<usize> {
        if filled == self.received.len() {
            self.received.resize(filled * 2, 0);
        }
        match self.stream.read(&mut self.received[filled..])? {
            0 => Err(wrong("the server closed the connection")),
            count => Ok(count),
        }
    }
}

/// Where the head ends and how long the body is, once the head is whole.
fn head_of(received: &[u8]) -> Option<(usize, usize)> {
    let end = received.windows(4).position(|bytes| bytes == b"\r\n\r\n")? + 4;
    let head = std::str::from_utf8(&received[..end]).ok()?;
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })?;
    Some((end, length))
}

fn wrong(message: &str) -> io::Error {
    io::Error::other(message)
}
