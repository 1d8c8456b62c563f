//! A real server for tests: it answers as it is told, byte by byte if need be, and misbehaves as servers do.

use std::io::{self, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::{ServerConfig, ServerConnection, StreamOwned};

/// Time between two looks whether the server is to end.
const LOOK: Duration = Duration::from_millis(20);

/// Longest head of a request that is read, in bytes.
const HEAD_BYTES: usize = 1024 * 1024;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Request {
    pub method: String,
    pub target: String,
    /// The headers in order, names in lower case.
    pub headers: Vec<(String, String)>,
    pub body: Vec<u8>,
}

impl Request {
    /// Returns the value of a header.
    pub fn header(&self, name: &str) -> Option<&str> {
        self.headers.iter().find(|(given, _)| given == name).map(|(_, value)| value.as_str())
    }
}

/// What is done with a request.
#[derive(Debug, Clone)]
pub struct Reply {
    /// The bytes that are sent, head and all.
    bytes: Vec<u8>,
    /// The time between two bytes, where they are sent one by one.
    drip: Option<Duration>,
    ending: Ending,
}

/// What is done after the bytes are sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Ending {
    Close,
    Hang,
    Reset,
}

impl Reply {
    /// Sends these bytes and nothing else, and closes the connection.
    pub fn raw(bytes: impl Into<Vec<u8>>) -> Self {
        Self { bytes: bytes.into(), drip: None, ending: Ending::Close }
    }

    /// Answers with a status, headers (`name: value`) and a body, as HTTP has it.
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

    /// Never says a word.
    pub fn silence() -> Self {
        Self::raw("").then_hang()
    }

    /// Holds the connection open when the bytes are sent.
    pub fn then_hang(self) -> Self {
        Self { ending: Ending::Hang, ..self }
    }

    /// Resets the connection when the bytes are sent.
    pub fn then_reset(self) -> Self {
        Self { ending: Ending::Reset, ..self }
    }

    /// Sends the bytes one by one.
    pub fn dripping(self, pause: Duration) -> Self {
        Self { drip: Some(pause), ..self }
    }
}

/// The certificate that a server shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certificate {
    /// Made by the server itself, and marked as an authority.
    SelfSigned,
    /// Issued by the authority of the tests.
    Issued,
    /// The same, but its time is over.
    Expired,
    /// The same, but for another name.
    OtherName,
}

impl Certificate {
    /// What a client must trust to trust it, as PEM.
    pub fn trusted_by(self) -> &'static str {
        match self {
            Self::SelfSigned => include_str!("../certificates/self-signed.pem"),
            Self::Issued | Self::Expired | Self::OtherName => include_str!("../certificates/authority.pem"),
        }
    }

    /// The certificate and its key, as PEM.
    fn pair(self) -> (&'static str, &'static str) {
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

/// A server on a port of its own; it ends when it is dropped.
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
    /// Starts a server that answers each request as `answering` says.
    ///
    /// # Panics
    /// Panics where no port can be listened at: the test that needs it cannot run.
    pub fn start(answering: impl Fn(&Request) -> Reply + Send + Sync + 'static) -> Self {
        Self::listen(Box::new(answering), None)
    }

    /// The same with TLS.
    ///
    /// # Panics
    /// Panics where no port can be listened at.
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

    /// Returns the URL of a path on it.
    pub fn url(&self, path: &str) -> String {
        format!("{}://{}{path}", self.scheme, self.address)
    }

    /// Returns the requests that came, in order.
    pub fn requests(&self) -> Vec<Request> {
        self.shared.requests.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.shared.over.store(true, Ordering::Release);
        // Wakes whoever waits for a connection.
        let _ = TcpStream::connect(self.address);
        if let Some(accepting) = self.accepting.take() {
            let _ = accepting.join();
        }
    }
}

impl Shared {
    /// Serves one connection with one answer. What goes wrong is the client's doing: it has gone.
    fn serve(&self, connection: TcpStream) {
        let _ = connection.set_read_timeout(Some(LOOK));
        let _ = connection.set_nodelay(true);
        let _ = match &self.rules {
            None => self.answer(connection, |connection| connection),
            Some(rules) => {
                let Ok(tls) = ServerConnection::new(Arc::clone(rules)) else { return };
                self.answer(StreamOwned::new(tls, connection), |stream| {
                    // The word that the connection ends, without which what came may have been cut.
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

    /// Waits until the client has gone, or the server ends.
    fn wait(&self, line: &mut impl Read) -> io::Result<()> {
        let mut buffer = [0; 1024];
        while self.read(line, &mut buffer)?.is_some_and(|read| read > 0) {}
        Ok(())
    }

    /// Reads what comes. None: the server ends.
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

    /// Reads a whole request. None: there is none.
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
