//! A client for tests that speaks TLS.

use std::io::{self, Read, Write};
use std::net::TcpStream;
use std::sync::Arc;
use std::time::Duration;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName};
use rustls::{ClientConfig, ClientConnection, RootCertStore, StreamOwned, SupportedProtocolVersion};

/// How long a test waits for an answer: it only ends tests that would hang.
const PATIENCE: Duration = Duration::from_mins(1);

/// Version of TLS that a client speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TlsVersion {
    V12,
    V13,
}

impl TlsVersion {
    fn rules(self) -> &'static SupportedProtocolVersion {
        match self {
            Self::V12 => &rustls::version::TLS12,
            Self::V13 => &rustls::version::TLS13,
        }
    }
}

/// Sends bytes to a server whose certificate is for `name` and leads to `trusted`, and reads to the end.
///
/// # Errors
/// Fails if the server cannot be reached, or is not believed.
///
/// # Panics
/// Panics if `trusted` is no certificate, or `name` is none.
pub fn exchange(address: &str, name: &str, trusted: &str, version: TlsVersion, bytes: &[u8]) -> io::Result<Vec<u8>> {
    let mut roots = RootCertStore::empty();
    let trusted = CertificateDer::from_pem_slice(trusted.as_bytes()).expect("the certificate is PEM");
    roots.add(trusted).expect("the certificate can be trusted");
    let provider = Arc::new(rustls::crypto::ring::default_provider());
    let builder = ClientConfig::builder_with_provider(provider).with_protocol_versions(&[version.rules()]);
    let rules = builder.expect("the version is there").with_root_certificates(roots).with_no_client_auth();
    let name = ServerName::try_from(name.to_owned()).expect("the name is one");
    let client = ClientConnection::new(Arc::new(rules), name).map_err(io::Error::other)?;
    let socket = TcpStream::connect(address)?;
    socket.set_read_timeout(Some(PATIENCE))?;
    let mut stream = StreamOwned::new(client, socket);
    stream.write_all(bytes)?;
    let mut answer = Vec::new();
    match stream.read_to_end(&mut answer) {
        // A server may hang up without saying so first.
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof && !answer.is_empty() => {}
        read => drop(read?),
    }
    Ok(answer)
}
