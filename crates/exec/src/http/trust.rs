//! The certificates that are trusted.

use std::path::Path;
use std::sync::Arc;

use referee_model::id::WorkspacePath;
use rustls::client::danger::{HandshakeSignatureValid, ServerCertVerified, ServerCertVerifier};
use rustls::client::{WebPkiServerVerifier, verify_server_name};
use rustls::crypto::{CryptoProvider, ring, verify_tls12_signature, verify_tls13_signature};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, ServerName, UnixTime};
use rustls::server::ParsedCertificate;
use rustls::{CertificateError, ClientConfig, DigitallySignedStruct, Error, RootCertStore, SignatureScheme};

use crate::file::root;

/// Largest certificate file that is read, in bytes.
const CERTIFICATES_BYTES: u64 = 4 * 1024 * 1024;

/// Creates the TLS configuration: the well-known certificate authorities are trusted, and the certificates of a
/// file in addition. An `Err` says what is wrong with the file.
pub(super) fn rules(workspace: &Path, verify: bool, file: Option<&WorkspacePath>) -> Result<Arc<ClientConfig>, String> {
    let provider = Arc::new(ring::default_provider());
    let mut roots = RootCertStore { roots: webpki_roots::TLS_SERVER_ROOTS.to_vec() };
    let pinned = file.map(|file| certificates(workspace, file)).transpose()?.unwrap_or_default();
    for certificate in &pinned {
        roots.add(certificate.clone()).map_err(|error| format!("a certificate cannot be used: {error}"))?;
    }
    let verifier: Arc<dyn ServerCertVerifier> = if verify {
        let checked = WebPkiServerVerifier::builder_with_provider(Arc::new(roots), Arc::clone(&provider)).build();
        let checked = checked.map_err(|error| format!("certificates cannot be checked: {error}"))?;
        Arc::new(Pinning { checked, pinned })
    } else {
        Arc::new(Unchecked { provider: Arc::clone(&provider) })
    };
    let builder = ClientConfig::builder_with_provider(provider).with_safe_default_protocol_versions();
    let builder = builder.map_err(|error| format!("TLS cannot be spoken: {error}"))?;
    Ok(Arc::new(builder.dangerous().with_custom_certificate_verifier(verifier).with_no_client_auth()))
}

fn certificates(workspace: &Path, file: &WorkspacePath) -> Result<Vec<CertificateDer<'static>>, String> {
    let name = file.as_str();
    let bytes = root::read_whole(workspace, name, CERTIFICATES_BYTES)?;
    let certificates = CertificateDer::pem_slice_iter(&bytes).collect::<Result<Vec<_>, _>>();
    match certificates {
        Ok(certificates) if certificates.is_empty() => Err(format!("{name} holds no certificate (PEM)")),
        Ok(certificates) => Ok(certificates),
        Err(error) => Err(format!("{name} is not a file of certificates (PEM): {error}")),
    }
}

/// Accepts certificates of trusted authorities, and a server that presents one of the named certificates
/// itself. Such a certificate is often marked as an authority, which the usual rules reject for a server.
#[derive(Debug)]
struct Pinning {
    checked: Arc<WebPkiServerVerifier>,
    pinned: Vec<CertificateDer<'static>>,
}

impl ServerCertVerifier for Pinning {
    fn verify_server_cert(
        &self,
        shown: &CertificateDer<'_>,
        intermediates: &[CertificateDer<'_>],
        name: &ServerName<'_>,
        ocsp_response: &[u8],
        now: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        let checked = self.checked.verify_server_cert(shown, intermediates, name, ocsp_response, now);
        match checked {
            // The validity period was verified before this error occurs, the name was not.
            Err(error) if is_authority(&error) && self.pinned.contains(shown) => {
                verify_server_name(&ParsedCertificate::try_from(shown)?, name)?;
                Ok(ServerCertVerified::assertion())
            }
            other => other,
        }
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.checked.verify_tls12_signature(message, certificate, signed)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        self.checked.verify_tls13_signature(message, certificate, signed)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.checked.supported_verify_schemes()
    }
}

/// Returns whether a certificate was rejected because it is an authority's and a server presented it.
pub(super) fn is_authority(error: &Error) -> bool {
    // The inner error belongs to a crate that is not a dependency here, so it is recognized by its name.
    matches!(error, Error::InvalidCertificate(CertificateError::Other(other)) if other.to_string() == "CaUsedAsEndEntity")
}

/// Accepts every certificate; only if the specification requests it, and the report says so.
#[derive(Debug)]
struct Unchecked {
    provider: Arc<CryptoProvider>,
}

impl ServerCertVerifier for Unchecked {
    fn verify_server_cert(
        &self,
        _: &CertificateDer<'_>,
        _: &[CertificateDer<'_>],
        _: &ServerName<'_>,
        _: &[u8],
        _: UnixTime,
    ) -> Result<ServerCertVerified, Error> {
        Ok(ServerCertVerified::assertion())
    }

    fn verify_tls12_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls12_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn verify_tls13_signature(
        &self,
        message: &[u8],
        certificate: &CertificateDer<'_>,
        signed: &DigitallySignedStruct,
    ) -> Result<HandshakeSignatureValid, Error> {
        verify_tls13_signature(message, certificate, signed, &self.provider.signature_verification_algorithms)
    }

    fn supported_verify_schemes(&self) -> Vec<SignatureScheme> {
        self.provider.signature_verification_algorithms.supported_schemes()
    }
}
