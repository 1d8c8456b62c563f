//! TLS of the TCP listener, version 1.2 or later. Certificates and key come as PEM: nothing here opens a file.

use std::sync::Arc;
use std::time::Duration;

use rustls::ServerConfig;
use rustls::crypto::ring;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, pem};
use tokio_rustls::TlsAcceptor;

/// Time limit for a handshake.
pub(crate) const HANDSHAKE: Duration = Duration::from_secs(10);

/// What a listener needs for TLS.
pub struct Tls(pub(crate) TlsAcceptor);

/// Error of certificates or a key that TLS cannot be made of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TlsError {
    /// The certificates, with the reason.
    Certificates(String),
    /// The key, with the reason.
    Key(String),
    /// The key is not that of the first certificate, or they cannot be used together.
    Pair(String),
}

impl Tls {
    /// Prepares TLS with a chain of certificates, the server's own first, and its private key.
    ///
    /// # Errors
    /// Fails if there is no certificate or no key, and if they do not belong together.
    pub fn new(certificates: &[u8], key: &[u8]) -> Result<Self, TlsError> {
        let chain: Result<Vec<_>, pem::Error> = CertificateDer::pem_slice_iter(certificates).collect();
        let chain = chain.map_err(|error| TlsError::Certificates(error.to_string()))?;
        if chain.is_empty() {
            return Err(TlsError::Certificates("no certificate as PEM".to_owned()));
        }
        let key = PrivateKeyDer::from_pem_slice(key).map_err(|error| match error {
            pem::Error::NoItemsFound => TlsError::Key("no private key as PEM".to_owned()),
            error => TlsError::Key(error.to_string()),
        })?;
        let builder = ServerConfig::builder_with_provider(Arc::new(ring::default_provider()))
            .with_protocol_versions(&[&rustls::version::TLS13, &rustls::version::TLS12]);
        let builder = builder.map_err(|error| TlsError::Pair(error.to_string()))?.with_no_client_auth();
        let mut rules = builder.with_single_cert(chain, key).map_err(|error| TlsError::Pair(error.to_string()))?;
        rules.alpn_protocols = vec![b"http/1.1".to_vec()];
        Ok(Self(TlsAcceptor::from(Arc::new(rules))))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const CERTIFICATE: &[u8] = include_bytes!("../../testkit/certificates/issued.pem");
    const KEY: &[u8] = include_bytes!("../../testkit/certificates/issued.key");
    const OTHER_KEY: &[u8] = include_bytes!("../../testkit/certificates/self-signed.key");

    #[test]
    fn a_certificate_and_its_key_are_taken() {
        assert!(Tls::new(CERTIFICATE, KEY).is_ok());
    }

    #[test]
    fn what_is_no_certificate_no_key_or_no_pair_is_refused() {
        let refused = |certificates: &[u8], key: &[u8]| Tls::new(certificates, key).err();
        let half = &CERTIFICATE[..CERTIFICATE.len() / 2];
        for bad in [&b""[..], b"junk", KEY, half] {
            assert!(matches!(refused(bad, KEY), Some(TlsError::Certificates(_))), "{bad:?}");
        }
        for bad in [&b""[..], b"junk", CERTIFICATE, &KEY[..KEY.len() / 2]] {
            assert!(matches!(refused(CERTIFICATE, bad), Some(TlsError::Key(_))), "{bad:?}");
        }
        assert!(matches!(refused(CERTIFICATE, OTHER_KEY), Some(TlsError::Pair(_))));
        let junk = b"-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n";
        assert!(matches!(refused(junk, KEY), Some(TlsError::Pair(_))));
    }
}
