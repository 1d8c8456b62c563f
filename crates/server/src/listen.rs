//! Listening, and ending well.

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
use tokio::net::{TcpListener, UnixListener};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tower_service::Service as _;

use crate::auth::Door;
use crate::idle_timeout::IdleTimeout;
use crate::service::{AT_ONCE, Service};
use crate::{http, stream};

/// Connections at once.
const CONNECTIONS: u32 = 512;
/// Time in which a request's head must have come, and in which the next one must begin.
const HEAD: Duration = Duration::from_secs(10);
/// Time in which the other end must read something.
const PATIENCE: Duration = Duration::from_secs(30);
/// Time that requests have to end in once the server is told to stop.
const GRACE: Duration = Duration::from_secs(10);
/// Time that loops of repairs have to end in after that: what they started is told to stop, and then made to.
const LOOP_GRACE: Duration = Duration::from_mins(1);
/// How often it is looked whether the server is told to stop.
const TICK: Duration = Duration::from_millis(100);
/// Time before another connection is taken where the system gave none.
const PAUSE: Duration = Duration::from_millis(100);
const HEADERS: usize = 100;
/// Bytes of a request's head.
const HEAD_BYTES: usize = 64 * 1024;

pub struct Listeners {
    pub tcp: Option<std::net::TcpListener>,
    pub unix: Option<std::os::unix::net::UnixListener>,
}

/// Listens at an address.
///
/// # Errors
/// Fails where the system refuses.
pub fn tcp(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Listens at a Unix socket, where nothing stands yet.
///
/// # Errors
/// Fails where the system refuses.
pub fn unix(path: &Path) -> io::Result<std::os::unix::net::UnixListener> {
    let listener = std::os::unix::net::UnixListener::bind(path)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Whether somebody listens at a Unix socket.
pub fn is_answered(path: &Path) -> bool {
    std::os::unix::net::UnixStream::connect(path).is_ok()
}

/// Serves until it is told to stop, then lets requests and loops come to an end.
///
/// # Errors
/// Fails where the system gives no threads or no sockets, and where a loop would not end.
pub fn serve(service: Service, listeners: Listeners, cancellation: &Cancellation) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .max_blocking_threads(AT_ONCE * 2)
        .thread_name("serve")
        .build()?;
    let ended = runtime.block_on(listen(Arc::new(service), listeners, cancellation));
    // What still waits for the disk is not waited for.
    runtime.shutdown_background();
    ended
}

async fn listen(service: Arc<Service>, listeners: Listeners, cancellation: &Cancellation) -> io::Result<()> {
    let hall = Arc::new(Hall {
        router: http::router(&service),
        places: Arc::new(Semaphore::new(CONNECTIONS as usize)),
        service: Arc::clone(&service),
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
    // A second request waits for nobody.
    tokio::select! {
        _ = tokio::time::timeout(GRACE, all_gone) => {}
        () = told(2) => drop(service.loops.stop()),
    }
    let over = async {
        for work in &at_work {
            // How it ended is kept with the incident.
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
}

impl Hall {
    async fn tcp(self: Arc<Self>, listener: TcpListener) {
        while let Some((place, accepted)) = self.next(listener.accept()).await {
            match accepted.and_then(|(stream, _)| Ok((stream.local_addr()?, stream))) {
                Ok((address, stream)) => {
                    // Answers are written whole: nothing is gained by waiting for more.
                    let _ = stream.set_nodelay(true);
                    tokio::spawn(Arc::clone(&self).answer(stream, Door::Tcp(address), place));
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    async fn unix(self: Arc<Self>, listener: UnixListener, user: u32) {
        while let Some((place, accepted)) = self.next(listener.accept()).await {
            match accepted.and_then(|(stream, _)| Ok((stream.peer_cred()?.uid(), stream))) {
                Ok((peer, stream)) if peer == user => {
                    tokio::spawn(Arc::clone(&self).answer(stream, Door::Unix, place));
                }
                // Somebody else's process: it is hung up on.
                Ok(_) => {}
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// Waits for a place, and then for a connection. None: the server is about to end.
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
        // What goes wrong with a connection is the other end's to see.
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
