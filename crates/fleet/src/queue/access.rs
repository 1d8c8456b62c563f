//! What the environment says about the queue, in the variables of Temporal.

use std::fmt;
use std::fs::File;
use std::io::Read;
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::Duration;

use temporalio_client::{ClientTlsOptions, ConnectionOptions, TlsOptions, Url};

use super::error::QueueError;

/// Variables of Temporal, also those that its own programs read and this one does not. Programs that perform orders get none of
/// them.
pub(super) const VARIABLES: [&str; 16] = [
    "TEMPORAL_ADDRESS",
    "TEMPORAL_NAMESPACE",
    "TEMPORAL_API_KEY",
    "TEMPORAL_TLS",
    "TEMPORAL_TLS_CLIENT_CERT_PATH",
    "TEMPORAL_TLS_CLIENT_CERT_DATA",
    "TEMPORAL_TLS_CLIENT_KEY_PATH",
    "TEMPORAL_TLS_CLIENT_KEY_DATA",
    "TEMPORAL_TLS_SERVER_CA_CERT_PATH",
    "TEMPORAL_TLS_SERVER_CA_CERT_DATA",
    "TEMPORAL_TLS_SERVER_NAME",
    "TEMPORAL_TLS_DISABLE_HOST_VERIFICATION",
    "TEMPORAL_CODEC_ENDPOINT",
    "TEMPORAL_CODEC_AUTH",
    "TEMPORAL_CONFIG_FILE",
    "TEMPORAL_PROFILE",
];

const ADDRESS: &str = "localhost:7233";
const NAMESPACE: &str = "default";

/// Maximum size of a certificate or key, in bytes.
const PEM_BYTES: u64 = 1024 * 1024;

/// Time to connect once.
const CONNECT_TIME: Duration = Duration::from_secs(5);

/// Access to the queue.
#[derive(Clone)]
pub struct QueueAccess {
    address: String,
    namespace: String,
    api_key: Option<String>,
    tls: Option<String>,
    server_name: Option<String>,
    server_authority: Option<Pem>,
    client_certificate: Option<Pem>,
    client_key: Option<Pem>,
    disable_host_verification: Option<String>,
}

/// A certificate or a key.
#[derive(Clone)]
enum Pem {
    File(PathBuf),
    Text(String),
}

impl QueueAccess {
    /// Reads the variables of the environment by their names.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        let pem = |name: &str| {
            let file = variable(&format!("TEMPORAL_TLS_{name}_PATH")).map(|path| Pem::File(path.into()));
            file.or_else(|| variable(&format!("TEMPORAL_TLS_{name}_DATA")).map(Pem::Text))
        };
        Self {
            address: variable("TEMPORAL_ADDRESS").unwrap_or_else(|| ADDRESS.to_owned()),
            namespace: variable("TEMPORAL_NAMESPACE").unwrap_or_else(|| NAMESPACE.to_owned()),
            api_key: variable("TEMPORAL_API_KEY"),
            tls: variable("TEMPORAL_TLS"),
            server_name: variable("TEMPORAL_TLS_SERVER_NAME"),
            server_authority: pem("SERVER_CA_CERT"),
            client_certificate: pem("CLIENT_CERT"),
            client_key: pem("CLIENT_KEY"),
            disable_host_verification: variable("TEMPORAL_TLS_DISABLE_HOST_VERIFICATION"),
        }
    }

    /// Returns the address, as it is given.
    pub(super) fn address(&self) -> &str {
        &self.address
    }

    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Returns how to connect.
    ///
    /// # Errors
    /// Fails if variables contradict each other, or name files that cannot be read.
    pub(super) fn connection(&self) -> Result<ConnectionOptions, QueueError> {
        if boolean("TEMPORAL_TLS_DISABLE_HOST_VERIFICATION", self.disable_host_verification.as_deref())? == Some(true) {
            return Err(QueueError::address(
                "TEMPORAL_TLS_DISABLE_HOST_VERIFICATION is not supported: name the authority of the server in \
                 TEMPORAL_TLS_SERVER_CA_CERT_PATH",
            ));
        }
        let wants_tls = self.wants_tls()?;
        let target = target(&self.address, wants_tls)?;
        if self.api_key.is_some() && !wants_tls && !is_loopback(&target) {
            return Err(QueueError::address(
                "TEMPORAL_API_KEY would cross the network in plain text: TEMPORAL_TLS must not be false",
            ));
        }
        let tls = if wants_tls { Some(self.tls_options()?) } else { None };
        Ok(ConnectionOptions::new(target)
            .maybe_tls_options(tls)
            .maybe_api_key(self.api_key.clone())
            .connect_timeout(CONNECT_TIME)
            .build())
    }

    /// As Temporal has it: an API key or anything about TLS means TLS, unless it is switched off.
    fn wants_tls(&self) -> Result<bool, QueueError> {
        let implied = self.api_key.is_some()
            || self.server_name.is_some()
            || [&self.server_authority, &self.client_certificate, &self.client_key].into_iter().any(Option::is_some)
            || self.address.starts_with("https://");
        Ok(boolean("TEMPORAL_TLS", self.tls.as_deref())?.unwrap_or(implied))
    }

    fn tls_options(&self) -> Result<TlsOptions, QueueError> {
        let client = match (&self.client_certificate, &self.client_key) {
            (Some(certificate), Some(key)) => {
                let (certificate, key) = (certificate.bytes()?, key.bytes()?);
                Some(ClientTlsOptions::builder().client_cert(certificate).client_private_key(key).build())
            }
            (None, None) => None,
            _ => {
                return Err(QueueError::address(
                    "TEMPORAL_TLS_CLIENT_CERT_PATH and TEMPORAL_TLS_CLIENT_KEY_PATH must be given together",
                ));
            }
        };
        let authority = self.server_authority.as_ref().map(Pem::bytes).transpose()?;
        Ok(TlsOptions::builder()
            .maybe_server_root_ca_cert(authority)
            .maybe_domain(self.server_name.clone())
            .maybe_client_tls_options(client)
            .build())
    }

    /// Replaces the API key in a text.
    pub(super) fn redact(&self, text: &str) -> String {
        match &self.api_key {
            Some(key) => text.replace(key.as_str(), "***"),
            None => text.to_owned(),
        }
    }

    /// Replaces the API key in an error.
    pub(super) fn redact_error(&self, error: &QueueError) -> QueueError {
        QueueError::new(error.kind, self.redact(&error.message))
    }
}

impl Pem {
    fn bytes(&self) -> Result<Vec<u8>, QueueError> {
        match self {
            Self::Text(text) => Ok(text.clone().into_bytes()),
            Self::File(path) => {
                let mut bytes = Vec::new();
                File::open(path)
                    .and_then(|file| file.take(PEM_BYTES).read_to_end(&mut bytes))
                    .map_err(|error| QueueError::address(format!("cannot read {}: {error}", path.display())))?;
                Ok(bytes)
            }
        }
    }
}

/// Parses an address, which may be `HOST:PORT` or a URL.
fn target(address: &str, tls: bool) -> Result<Url, QueueError> {
    let wrong = |problem: &str| QueueError::address(format!("TEMPORAL_ADDRESS is not `HOST:PORT`: {problem}"));
    let scheme = if tls { "https" } else { "http" };
    let rest = match address.split_once("://") {
        Some(("http" | "https", rest)) => rest,
        Some(_) => return Err(wrong("it has another scheme than http or https")),
        None => address,
    };
    let url = Url::parse(&format!("{scheme}://{rest}")).map_err(|error| wrong(&error.to_string()))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err(wrong("it holds credentials"));
    }
    Ok(url)
}

fn is_loopback(target: &Url) -> bool {
    let host = target.host_str().unwrap_or_default().trim_matches(['[', ']']);
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

fn boolean(name: &str, value: Option<&str>) -> Result<Option<bool>, QueueError> {
    match value {
        None => Ok(None),
        Some("true" | "1") => Ok(Some(true)),
        Some("false" | "0") => Ok(Some(false)),
        Some(_) => Err(QueueError::address(format!("{name} must be `true` or `false`"))),
    }
}

impl fmt::Debug for QueueAccess {
    /// Says nothing of the credentials.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("QueueAccess").field("address", &self.address).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(variables: &[(&str, &str)]) -> QueueAccess {
        for (name, _) in variables {
            assert!(VARIABLES.contains(name), "{name}");
        }
        QueueAccess::read(|wanted| {
            variables.iter().find(|(name, _)| *name == wanted).map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn an_api_key_or_anything_about_tls_means_tls_unless_it_is_switched_off() {
        for (variables, expected) in [
            (&[][..], "http://localhost:7233/"),
            (&[("TEMPORAL_ADDRESS", "queue.example.com:7233")], "http://queue.example.com:7233/"),
            (&[("TEMPORAL_ADDRESS", "https://queue.example.com")], "https://queue.example.com/"),
            (&[("TEMPORAL_API_KEY", "k")], "https://localhost:7233/"),
            (&[("TEMPORAL_TLS", "true")], "https://localhost:7233/"),
            (&[("TEMPORAL_TLS_SERVER_NAME", "a")], "https://localhost:7233/"),
            (&[("TEMPORAL_TLS_SERVER_CA_CERT_DATA", "a")], "https://localhost:7233/"),
            (&[("TEMPORAL_TLS", "false"), ("TEMPORAL_API_KEY", "k")], "http://localhost:7233/"),
        ] {
            let options = access(variables).connection().unwrap();
            assert_eq!(options.target.as_str(), expected, "{variables:?}");
            assert_eq!(options.tls_options.is_some(), expected.starts_with("https"), "{variables:?}");
        }
    }

    #[test]
    fn variables_that_cannot_be_used_are_named() {
        for (variables, named) in [
            (&[("TEMPORAL_TLS", "maybe")][..], "TEMPORAL_TLS must be"),
            (&[("TEMPORAL_ADDRESS", "ftp://x")], "TEMPORAL_ADDRESS"),
            (&[("TEMPORAL_ADDRESS", "a:b@c:1")], "credentials"),
            (&[("TEMPORAL_ADDRESS", "a b")], "TEMPORAL_ADDRESS"),
            (&[("TEMPORAL_TLS_CLIENT_CERT_DATA", "x")], "TEMPORAL_TLS_CLIENT_KEY_PATH"),
            (&[("TEMPORAL_TLS_SERVER_CA_CERT_PATH", "/nowhere/ca.pem")], "/nowhere/ca.pem"),
            (&[("TEMPORAL_TLS_DISABLE_HOST_VERIFICATION", "true")], "not supported"),
            (
                &[("TEMPORAL_API_KEY", "k3y"), ("TEMPORAL_TLS", "false"), ("TEMPORAL_ADDRESS", "queue.example.com:1")],
                "plain text",
            ),
        ] {
            let message = access(variables).connection().unwrap_err().message;
            assert!(message.contains(named), "{variables:?}: {message}");
            assert!(!message.contains("k3y"), "{message}");
        }
    }

    #[test]
    fn the_api_key_is_shown_nowhere() {
        let access = access(&[("TEMPORAL_API_KEY", "k3y")]);
        assert!(!format!("{access:?}").contains("k3y"));
        assert_eq!(access.redact("token k3y is invalid"), "token *** is invalid");
    }
}
