//! Listening, and graceful shutdown.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response};
use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper_util::rt::{TokioIo, TokioTimer};
use referee_engine::incident::Cancellation;
use tokio::io::{AsyncRead, AsyncWrite};
use tokio::net::{TcpListener, TcpStream, UnixListener};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_rustls::TlsAcceptor;
use tower_service::Service as _;

use crate::channel::{Channel, Door};
use crate::idle_timeout::IdleTimeout;
use crate::service::{AT_ONCE, Service};
use crate::tls::{self, Tls};
use crate::{http, stream};

/// Maximum number of simultaneous connections.
const CONNECTIONS: u32 = 512;
/// Time limit for receiving the head of a request, and for the next request to start.
const HEAD: Duration = Duration::from_secs(10);
/// Time limit for the client to read something.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time for requests to finish after the server was asked to stop.
const GRACE: Duration = Duration::from_secs(10);
/// Additional time for repair loops to finish: their processes are asked to stop, and then killed.
const LOOP_GRACE: Duration = Duration::from_mins(1);
/// Interval of checks whether the server was asked to stop.
const TICK: Duration = Duration::from_millis(100);
/// Delay before the next connection is accepted, if the system refused one.
const PAUSE: Duration = Duration::from_millis(100);
const HEADERS: usize = 100;
/// Maximum size of a request's head, in bytes.
const HEAD_BYTES: usize = 64 * 1024;

pub struct Listeners {
    pub tcp: Option<std::net::TcpListener>,
    /// TLS of the TCP listener. `None`: its connections are plain.
    pub tls: Option<Tls>,
    pub unix: Option<std::os::unix::net::UnixListener>,
}

/// Listens on a TCP address.
///
/// # Errors
/// Fails if the address cannot be bound.
pub fn tcp(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Listens on a Unix socket. The path must not exist yet.
///
/// # Errors
/// Fails if the socket cannot be bound.
pub fn unix(path: &Path) -> io::Result<std::os::unix::net::UnixListener> {
    let listener = std::os::unix::net::UnixListener::bind(path)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Returns whether a process listens on a Unix socket.
pub fn is_answered(path: &Path) -> bool {
    std::os::unix::net::UnixStream::connect(path).is_ok()
}

/// Serves until asked to stop, then waits for requests and loops to finish.
///
/// # Errors
/// Fails if threads or sockets cannot be created, or if a loop does not end in time.
pub fn serve(service: Service, listeners: Listeners, cancellation: &Cancellation) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(AT_ONCE * 2)
        .thread_name("serve")
        .build()?;
    let ended = runtime.block_on(listen(Arc::new(service), listeners, cancellation));
    // Blocking tasks that still wait for the disk are abandoned.
    runtime.shutdown_background();
    ended
}

async fn listen(service: Arc<Service>, listeners: Listeners, cancellation: &Cancellation) -> io::Result<()> {
    let hall = Arc::new(Hall {
        router: http::router(&service),
        places: Arc::new(Semaphore::new(CONNECTIONS as usize)),
        service: Arc::clone(&service),
        tls: listeners.tls.map(|tls| tls.0),
    });
    let user = rustix::process::geteuid().as_raw();
    if let Some(listener) = listeners.tcp {
        tokio::spawn(Arc::clone(&hall).tcp(TcpListener::from_std(listener)?));
    }
    if let Some(listener) = listeners.unix {
        tokio::spawn(Arc::clone(&hall).unix(UnixListener::from_std(listener)?, user));
    }
    tokio::spawn(stream::watch(Arc::clone(&service)));
    let told = |level: usize| async move {
        while cancellation.requests().len() < level {
            tokio::time::sleep(TICK).await;
        }
    };
    told(1).await;
    service.closing.send_replace(true);
    let at_work = service.loops.stop();
    let all_gone = Arc::clone(&hall.places).acquire_many_owned(CONNECTIONS);
    // A second request to stop does not wait for requests.
    tokio::select! {
        _ = tokio::time::timeout(GRACE, all_gone) => {}
        () = told(2) => drop(service.loops.stop()),
    }
    let over = async {
        for work in &at_work {
            // The result of the loop is stored with the incident.
            let _ = work.ended().await;
        }
    };
    let late = |_| io::Error::new(io::ErrorKind::TimedOut, "a loop of repairs would not end");
    tokio::time::timeout(LOOP_GRACE, over).await.map_err(late)
}

struct Hall {
    router: Router,
    places: Arc<Semaphore>,
    service: Arc<Service>,
    tls: Option<TlsAcceptor>,
}

impl Hall {
    async fn tcp(self: Arc<Self>, listener: TcpListener) {
        while let Some((place, accepted)) = self.next(listener.accept()).await {
            match accepted.and_then(|(stream, _)| Ok((stream.local_addr()?, stream))) {
                Ok((address, stream)) => {
                    // Responses are written in one piece, so Nagle's algorithm gains nothing.
                    let _ = stream.set_nodelay(true);
                    tokio::spawn(Arc::clone(&self).greet(stream, address, place));
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Answers a TCP connection, after its handshake where there is one. Other connections do not wait for it.
    async fn greet(self: Arc<Self>, stream: TcpStream, address: SocketAddr, place: OwnedSemaphorePermit) {
        let Some(tls) = self.tls.clone() else {
            return self.answer(stream, Door::Tcp(address, Channel::Plain), place).await;
        };
        let shaken = tokio::select! {
            shaken = tokio::time::timeout(tls::HANDSHAKE, tls.accept(stream)) => shaken,
            () = self.service.closes() => return,
        };
        // A failed handshake only matters to the client.
        if let Ok(Ok(stream)) = shaken {
            self.answer(stream, Door::Tcp(address, Channel::Tls), place).await;
        }
    }

    async fn unix(self: Arc<Self>, listener: UnixListener, user: u32) {
        while let Some((place, accepted)) = self.next(listener.accept()).await {
            match accepted.and_then(|(stream, _)| Ok((stream.peer_cred()?.uid(), stream))) {
                Ok((peer, stream)) if peer == user => {
                    tokio::spawn(Arc::clone(&self).answer(stream, Door::Unix, place));
                }
                // A process of another user: the connection is closed.
                Ok(_) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Waits for a free connection slot, and then for a connection. `None`: the server is shutting down.
    async fn next<T>(&self, connection: impl Future<Output = T>) -> Option<(OwnedSemaphorePermit, T)> {
        let taken = async {
            let place = Arc::clone(&self.places).acquire_owned().await.ok()?;
            Some((place, connection.await))
        };
        tokio::select! {
            biased;
            () = self.service.closes() => None,
            taken = taken => taken,
        }
    }

    async fn answer(
        self: Arc<Self>,
        stream: impl AsyncRead + AsyncWrite + Unpin + Send + 'static,
        door: Door,
        place: OwnedSemaphorePermit,
    ) {
        let service = hyper::service::service_fn(|request| self.route(request, door));
        let io = TokioIo::new(IdleTimeout::new(stream, PATIENCE));
        let mut connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .max_headers(HEADERS)
                .max_buf_size(HEAD_BYTES)
                .serve_connection(io, service)
        );
        // Errors of a connection only matter to the client.
        tokio::select! {
            _ = connection.as_mut() => {}
            () = self.service.closes() => {
                connection.as_mut().graceful_shutdown();
                let _ = tokio::time::timeout(GRACE, connection).await;
            }
        }
        drop(place);
    }

    async fn route(&self, request: Request<Incoming>, door: Door) -> Result<Response<Body>, Infallible> {
        let mut request = request.map(Body::new);
        request.extensions_mut().insert(door);
        // A router is always ready.
        self.router.clone().call(request).await
    }
}
