//! The server over HTTP, for clients that have its token.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use http_body_util::combinators::BoxBody;
use http_body_util::{BodyExt as _, Full};
use hyper::body::{Bytes, Incoming};
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderValue, WWW_AUTHENTICATE};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use referee_engine::incident::Cancellation;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::streamable_http_server::{StreamableHttpServerConfig, StreamableHttpService};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq as _;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};

use crate::handler::Handler;
use crate::project::Project;
use crate::stop;

/// The one path that is served.
pub const PATH: &str = "/mcp";

/// Maximum number of simultaneous connections.
const CONNECTIONS: usize = 64;
/// Time limit for receiving the head of a request.
const HEAD: Duration = Duration::from_secs(10);
/// Delay before the next connection is accepted, if the system refused one.
const PAUSE: Duration = Duration::from_millis(100);
/// Maximum size of a request's body, in bytes.
const BODY_BYTES: usize = 1024 * 1024;

type Answer = Response<BoxBody<Bytes, Infallible>>;
type Protocol = StreamableHttpService<Handler, LocalSessionManager>;

/// Who may ask.
pub struct Access {
    /// The token that every request needs.
    pub token: String,
    /// Host names that are accepted, in addition to `localhost` and loopback addresses.
    pub names: Vec<String>,
}

/// Listens on a TCP address.
///
/// # Errors
/// Fails if the address cannot be bound.
pub fn listen(address: SocketAddr) -> io::Result<std::net::TcpListener> {
    let listener = std::net::TcpListener::bind(address)?;
    listener.set_nonblocking(true)?;
    Ok(listener)
}

/// Serves until asked to stop, then waits for the run to end.
///
/// # Errors
/// Fails if threads or sockets cannot be created, or if a run does not end in time.
pub fn serve(
    project: Project,
    listener: std::net::TcpListener,
    access: Access,
    signals: &Cancellation,
) -> io::Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().thread_name("mcp").build()?;
    let ended = runtime.block_on(async {
        let handler = Handler::new(project);
        let work = handler.work();
        let names = access.names.into_iter().chain(named(&listener)?);
        let usual = StreamableHttpServerConfig::default();
        let closing = usual.cancellation_token.clone();
        let all: Vec<String> = usual.allowed_hosts.iter().cloned().chain(names).collect();
        // A page of a browser has no business here, so every `Origin` is refused.
        let configuration =
            usual.with_allowed_hosts(all).enforce_origin_validation().with_max_request_body_bytes(BODY_BYTES);
        let protocol = StreamableHttpService::new(
            move || Ok(handler.clone()),
            Arc::new(LocalSessionManager::default()),
            configuration,
        );
        let door = Arc::new(Door { protocol, token: digest(&access.token) });
        let listener = TcpListener::from_std(listener)?;
        tokio::select! {
            () = door.accept(&listener) => {}
            () = stop::requested(signals, 1) => {}
        }
        closing.cancel();
        work.close(signals).await
    });
    // Connections that are still open are abandoned.
    runtime.shutdown_background();
    ended
}

/// Returns the name by which the bound address is asked, if it is a single one.
fn named(listener: &std::net::TcpListener) -> io::Result<Option<String>> {
    let address = listener.local_addr()?.ip();
    Ok((!address.is_unspecified()).then(|| address.to_string()))
}

struct Door {
    protocol: Protocol,
    /// Digest of the token.
    token: [u8; 32],
}

impl Door {
    async fn accept(self: &Arc<Self>, listener: &TcpListener) {
        let places = Arc::new(Semaphore::new(CONNECTIONS));
        while let Ok(place) = Arc::clone(&places).acquire_owned().await {
            match listener.accept().await {
                Ok((stream, _)) => {
                    // Responses are written in one piece, so Nagle's algorithm gains nothing.
                    let _ = stream.set_nodelay(true);
                    tokio::spawn(Arc::clone(self).converse(stream, place));
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    async fn converse(self: Arc<Self>, stream: TcpStream, place: OwnedSemaphorePermit) {
        let service = service_fn(|request| self.answer(request));
        let connection = pin!(
            http1::Builder::new()
                .timer(TokioTimer::new())
                .header_read_timeout(HEAD)
                .serve_connection(TokioIo::new(stream), service)
        );
        // Errors of a connection only matter to the client.
        let _ = connection.await;
        drop(place);
    }

    async fn answer(&self, request: Request<Incoming>) -> Result<Answer, Infallible> {
        if !self.admits(&request) {
            let mut refusal = text(StatusCode::UNAUTHORIZED, "a token is needed: `Authorization: Bearer …`\n");
            refusal.headers_mut().insert(WWW_AUTHENTICATE, HeaderValue::from_static("Bearer realm=\"referee\""));
            return Ok(refusal);
        }
        if request.uri().path() != PATH {
            return Ok(text(StatusCode::NOT_FOUND, "the server answers at /mcp\n"));
        }
        Ok(self.protocol.handle(request).await)
    }

    /// Returns whether a request has the token. Digests are compared, in constant time.
    fn admits(&self, request: &Request<Incoming>) -> bool {
        let given = request.headers().get(AUTHORIZATION).and_then(|value| value.to_str().ok());
        let token = given.and_then(|given| given.split_once(' '));
        token.is_some_and(|(scheme, token)| {
            scheme.eq_ignore_ascii_case("bearer") && bool::from(digest(token.trim()).ct_eq(&self.token))
        })
    }
}

fn digest(token: &str) -> [u8; 32] {
    Sha256::digest(token.as_bytes()).into()
}

fn text(status: StatusCode, message: &'static str) -> Answer {
    let mut answer = Response::new(Full::new(Bytes::from_static(message.as_bytes())).boxed());
    *answer.status_mut() = status;
    answer.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("text/plain; charset=utf-8"));
    answer
}
