//! Accepting connections: HTTP/1.1 and HTTP/2, plain or TLS, with limits for slow and talkative clients.

use std::io::ErrorKind;
use std::net::{SocketAddr, TcpListener};
use std::time::Duration;

use axum::Router;
use axum_server::accept::NoDelayAcceptor;
use axum_server::tls_rustls::{RustlsAcceptor, RustlsConfig};
use axum_server::{Handle, Server};
use hyper_util::rt::TokioTimer;

use crate::config::{ConnectionWaits, TlsFiles};
use crate::first_read::FirstRead;
use crate::wrapped_streams::WrappingAcceptor;
use crate::write_deadline::WriteDeadline;

const HEADER_BYTES_MAX: u32 = 64 << 10;
const HTTP2_STREAMS_MAX: u32 = 256;
const HTTP2_KEEP_ALIVE: Duration = Duration::from_secs(60);
const HTTP2_PING_WAIT: Duration = Duration::from_secs(20);

pub struct Listener {
    socket: TcpListener,
    tls: Option<RustlsConfig>,
    waits: ConnectionWaits,
}

#[derive(Debug, thiserror::Error)]
pub enum ListenError {
    #[error(
        "cannot listen on {0}: another program does already; stop it, or choose another address with --listen, whose port 0 \
         means any that is free"
    )]
    Taken(SocketAddr),
    #[error("cannot listen on {address}: {source}; choose another address with --listen")]
    Address { address: SocketAddr, source: std::io::Error },
    #[error("TLS cannot start with certificate `{certificate}` and key `{key}`: {source}")]
    Tls { certificate: String, key: String, source: std::io::Error },
}

impl Listener {
    /// Takes the address at once; connections wait until `serve` accepts them.
    pub async fn bind(
        address: SocketAddr,
        tls: Option<&TlsFiles>,
        waits: ConnectionWaits,
    ) -> Result<Self, ListenError> {
        let tls = match tls {
            Some(files) => Some(tls_config(files).await?),
            None => None,
        };
        let refused = |source: std::io::Error| match source.kind() {
            ErrorKind::AddrInUse => ListenError::Taken(address),
            _ => ListenError::Address { address, source },
        };
        let socket = TcpListener::bind(address).map_err(refused)?;
        socket.set_nonblocking(true).map_err(refused)?;
        Ok(Self { socket, tls, waits })
    }

    pub fn address(&self) -> std::io::Result<SocketAddr> {
        self.socket.local_addr()
    }

    pub fn scheme(&self) -> &'static str {
        if self.tls.is_some() { "https" } else { "http" }
    }

    /// Runs until `handle` is shut down.
    pub async fn serve(self, router: Router, handle: Handle<SocketAddr>) -> std::io::Result<()> {
        let service = router.into_make_service_with_connect_info::<SocketAddr>();
        let mut server = axum_server::from_tcp(self.socket)?.handle(handle);
        limit(&mut server, self.waits.header_read);
        let ConnectionWaits { header_read, answer_read } = self.waits;
        let plain =
            WrappingAcceptor::new(NoDelayAcceptor::new(), move |stream| WriteDeadline::new(stream, answer_read));
        match self.tls {
            None => {
                let first = WrappingAcceptor::new(plain, move |stream| FirstRead::new(stream, header_read));
                server.acceptor(first).serve(service).await
            }
            Some(config) => {
                let encrypted = RustlsAcceptor::new(config).acceptor(plain);
                let first = WrappingAcceptor::new(encrypted, move |stream| FirstRead::new(stream, header_read));
                server.acceptor(first).serve(service).await
            }
        }
    }
}

fn limit(server: &mut Server<SocketAddr>, header_read_wait: Duration) {
    let builder = server.http_builder();
    builder
        .http1()
        .timer(TokioTimer::new())
        .header_read_timeout(header_read_wait)
        .max_buf_size(HEADER_BYTES_MAX as usize);
    builder
        .http2()
        .timer(TokioTimer::new())
        .max_header_list_size(HEADER_BYTES_MAX)
        .max_concurrent_streams(HTTP2_STREAMS_MAX)
        .keep_alive_interval(HTTP2_KEEP_ALIVE.min(header_read_wait))
        .keep_alive_timeout(HTTP2_PING_WAIT.min(header_read_wait));
}

async fn tls_config(files: &TlsFiles) -> Result<RustlsConfig, ListenError> {
    // Fails only where a provider is installed already, which is as good.
    let _ = rustls::crypto::ring::default_provider().install_default();
    RustlsConfig::from_pem_file(&files.certificate, &files.key).await.map_err(|source| ListenError::Tls {
        certificate: files.certificate.display().to_string(),
        key: files.key.display().to_string(),
        source,
    })
}
