//! A server for tests that sends scripted answers, byte by byte if required, and can misbehave.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Interval at which the server checks whether to shut down.
const LOOK: Duration = Duration::from_millis(20);

/// Maximum length of a request's head, in bytes.
const HEAD_BYTES: usize = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    pub target: String,
    /// Headers in order, with lower-case names.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// A scripted reply to a request.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The bytes to send, including the head.
    bytes: Vec<u8>,
    /// Delay between single bytes. None: they are sent at once.
    drip: Option<Duration>,
    ending: Ending,
}

/// What to do after the bytes are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Close,
    Hang,
    Reset,
}

impl Reply {
    /// Sends exactly these bytes and closes the connection.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), drip: None, ending: Ending::Close }
    }

    /// Sends an HTTP response with a status, headers (`name: value`) and a body.
    pub fn http(status: u16, headers: &[&str], body: impl AsRef<[u8]>) -> Self {
        let body = body.as_ref();
        let mut bytes = format!("HTTP/1.1 {status} Status\r\nContent-Length: {}\r\n", body.len()).into_bytes();
        for header in headers {
            bytes.extend_from_slice(format!("{header}\r\n").as_bytes());
        }
        bytes.extend_from_slice(b"\r\n");
        bytes.extend_from_slice(body);
        Self::raw(bytes)
    }

    pub fn json(body: &str) -> Self {
        Self::http(200, &["Content-Type: application/json"], body)
    }

    pub fn redirect(status: u16, location: &str) -> Self {
        Self::http(status, &[&format!("Location: {location}")], "")
    }

    /// Sends nothing.
    pub fn silence() -> Self {
        Self::raw("").then_hang()
    }

    /// Keeps the connection open after the bytes are sent.
    pub fn then_hang(self) -> Self {
        Self { ending: Ending::Hang, ..self }
    }

    /// Resets the connection after the bytes are sent.
    pub fn then_reset(self) -> Self {
        Self { ending: Ending::Reset, ..self }
    }

    /// Sends the bytes one by one with this delay.
    pub fn dripping(self, pause: Duration) -> Self {
        Self { drip: Some(pause), ..self }
    }
}

/// Certificate of a server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certificate {
    /// Self-signed, and marked as a certificate authority.
    SelfSigned,
    /// Issued by the certificate authority of the tests.
    Issued,
    /// Like `Issued`, but expired.
    Expired,
    /// Like `Issued`, but for another name.
    OtherName,
}

impl Certificate {
    /// Returns the certificate that a client must trust to accept this one, as PEM.
    pub fn trusted_by(self) -> &'static str {
        match self {
            Self::SelfSigned => include_str!("../certificates/self-signed.pem"),
            Self::Issued | Self::Expired | Self::OtherName => include_str!("../certificates/authority.pem"),
        }
    }

    /// Returns the certificate and its key, as PEM.
    pub fn pair(self) -> (&'static str, &'static str) {
        match self {
            Self::SelfSigned => {
                (include_str!("../certificates/self-signed.pem"), include_str!("../certificates/self-signed.key"))
            }
            Self::Issued => (include_str!("../certificates/issued.pem"), include_str!("../certificates/issued.key")),
            Self::Expired => (include_str!("../certificates/expired.pem"), include_str!("../certificates/expired.key")),
            Self::OtherName => {
                (include_str!("../certificates/other-name.pem"), include_str!("../certificates/other-name.key"))
            }
        }
    }

    fn rules(self) -> Arc<ServerConfig> {
        let (certificate, key) = self.pair();
        let certificate = CertificateDer::from_pem_slice(certificate.as_bytes()).expect("the certificate is PEM");
        let key = PrivateKeyDer::from_pem_slice(key.as_bytes()).expect("the key is PEM");
        let provider = Arc::new(rustls::crypto::ring::default_provider());
        let builder = ServerConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
        let builder = builder.expect("the versions are there").with_no_client_auth();
        Arc::new(builder.with_single_cert(vec![certificate], key).expect("the key fits the certificate"))
    }
}

type Answering = dyn Fn(&Request) -> Reply + Send + Sync;

/// A server on a port of its own; it shuts down when dropped.
pub struct Server {
    address: SocketAddr,
    scheme: &'static str,
    shared: Arc<Shared>,
    accepting: Option<JoinHandle<()>>,
}

struct Shared {
    over: AtomicBool,
    requests: Mutex<Vec<Request>>,
    answering: Box<Answering>,
    rules: Option<Arc<ServerConfig>>,
}

impl Server {
    /// Starts a server that answers each request with the reply of `answering`.
    ///
    /// # Panics
    /// Panics if it cannot listen on a port, since the calling test cannot run.
    pub fn start(answering: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(Box::new(answering), None)
    }

    /// Starts a server with TLS.
    ///
    /// # Panics
    /// Panics if it cannot listen on a port.
    pub fn start_tls(certificate: Certificate, answering: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(Box::new(answering), Some(certificate.rules()))
    }

    fn listen(answering: Box<Answering>, rules: Option<Arc<ServerConfig>>) -> Self {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).expect("a port can be listened at");
        let address = listener.local_addr().expect("a listener has an address");
        let scheme = if rules.is_some() { "https" } else { "http" };
        let shared = Arc::new(Shared { over: AtomicBool::new(false), requests: Mutex::default(), answering, rules });
        let accepting = std::thread::spawn({
            let shared = Arc::clone(&shared);
            move || {
                for connection in listener.incoming().flatten() {
                    if shared.over.load(Ordering::Acquire) {
                        return;
                    }
                    let shared = Arc::clone(&shared);
                    std::thread::spawn(move || shared.serve(connection));
                }
            }
        });
        Self { address, scheme, shared, accepting: Some(accepting) }
    }

    pub fn port(&self) -> u16 {
        self.address.port()
    }

    /// Returns the URL of a path on this server.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// Returns the received requests, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Release);
        // Wakes the accepting thread.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl Shared {
    /// Serves one request on a connection. Errors are ignored: they mean that the client has disconnected.
    fn serve(&self, connection: TcpStream) {
        let _ = connection.set_read_timeout(Some(LOOK));
        let _ = connection.set_nodelay(true);
        let _ = match &self.rules {
            None => self.answer(connection, |connection| connection),
            Some(rules) => {
                let Ok(tls) = ServerConnection::new(Arc::clone(rules)) else { return };
                self.answer(StreamOwned::new(tls, connection), |stream| {
                    // TLS close notification, without which the client could assume truncation.
                    stream.conn.send_close_notify();
                    let _ = stream.conn.complete_io(&mut stream.sock);
                    &mut stream.sock
                })
            }
        };
    }

    fn answer<Line: Read + Write>(
        &self,
        mut line: Line,
        socket: impl Fn(&mut Line) -> &mut TcpStream,
    ) -> io::Result<()> {
        let Some(request) = self.read_request(&mut line)? else { return Ok(()) };
        let reply = (self.answering)(&request);
        self.requests.lock().unwrap_or_else(PoisonError::into_inner).push(request);
        match reply.drip {
            None => line.write_all(&reply.bytes)?,
            Some(pause) => {
                for byte in &reply.bytes {
                    if self.over.load(Ordering::Acquire) {
                        return Ok(());
                    }
                    line.write_all(&[*byte])?;
                    line.flush()?;
                    std::thread::sleep(pause);
                }
            }
        }
        line.flush()?;
        match reply.ending {
            Ending::Close => {
                socket(&mut line).shutdown(std::net::Shutdown::Write)?;
                self.wait(&mut line)
            }
            Ending::Hang => self.wait(&mut line),
            Ending::Reset => {
                rustix::net::sockopt::set_socket_linger(socket(&mut line), Some(Duration::ZERO))?;
                Ok(())
            }
        }
    }

    /// Waits until the client disconnects or the server shuts down.
    fn wait(&self, line: &mut impl Read) -> io::Result<()> {
        let mut buffer = [0; 1024];
        while self.read(line, &mut buffer)?.is_some_and(|read| read > 0) {}
        Ok(())
    }

    /// Reads available bytes. None: the server is shutting down.
    fn read(&self, line: &mut impl Read, buffer: &mut [u8]) -> io::Result<Option<usize>> {
        loop {
            if self.over.load(Ordering::Acquire) {
                return Ok(None);
            }
            match line.read(buffer) {
                Err(error) if matches!(error.kind(), io::ErrorKind::WouldBlock | io::ErrorKind::TimedOut) => {}
                other => return other.map(Some),
            }
        }
    }

    /// Reads a complete request. None: the client sent none.
    fn read_request(&self, line: &mut impl Read) -> io::Result<Option<Request>> {
        let mut bytes = Vec::new();
        let mut buffer = [0; 16 * 1024];
        let end = loop {
            if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
                break at;
            }
            match self.read(line, &mut buffer)? {
                Some(read) if read > 0 && bytes.len() < HEAD_BYTES => bytes.extend_from_slice(&buffer[..read]),
                _ => return Ok(None),
            }
        };
        let head = String::from_utf8_lossy(&bytes[..end]).into_owned();
        let mut lines = head.split("\r\n");
        let mut words = lines.next().unwrap_or_default().split(' ').map(str::to_owned);
        let (method, target) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let headers: Vec<(String, String)> = lines
            .filter_map(|line| line.split_once(':'))
            .map(|(name, value)| (name.to_ascii_lowercase(), value.trim().to_owned()))
            .collect();
        let mut body = bytes.split_off(end + 4);
        let mut request = Request { method, target, headers, body: Vec::new() };
        let length = request.header("content-length").and_then(|length| length.parse().ok()).unwrap_or(0);
        while body.len() < length {
            match self.read(line, &mut buffer)? {
                Some(read) if read > 0 => body.extend_from_slice(&buffer[..read]),
                _ => return Ok(None),
            }
        }
        request.body = body;
        Ok(Some(request))
    }
}
