//! What the environment says about access to object storage, in the variables of AWS.

use std::fmt;
use std::net::IpAddr;

use referee_model::depot::DepotFailureKind;

use crate::error::DepotError;

/// Region where none is given. Servers other than AWS need any.
const REGION: &str = "us-east-1";

/// Access to object storage.
#[derive(Clone, Default)]
pub struct Access {
    key: Option<String>,
    secret: Option<String>,
    token: Option<String>,
    region: Option<String>,
    endpoint: Option<String>,
    allow_http: bool,
}

/// Credentials that are complete.
pub(crate) struct Credentials<'access> {
    pub(crate) key: &'access str,
    pub(crate) secret: &'access str,
    pub(crate) token: Option<&'access str>,
    pub(crate) region: &'access str,
    pub(crate) endpoint: Option<&'access str>,
}

impl Access {
    /// Reads the variables of the environment by their names.
    pub fn read(variable: impl Fn(&str) -> Option<String>) -> Self {
        let variable = |name: &str| variable(name).filter(|value| !value.is_empty());
        Self {
            key: variable("AWS_ACCESS_KEY_ID"),
            secret: variable("AWS_SECRET_ACCESS_KEY"),
            token: variable("AWS_SESSION_TOKEN"),
            region: variable("AWS_REGION").or_else(|| variable("AWS_DEFAULT_REGION")),
            endpoint: variable("AWS_ENDPOINT_URL_S3").or_else(|| variable("AWS_ENDPOINT_URL")),
            allow_http: variable("AWS_ALLOW_HTTP").is_some_and(|value| matches!(value.as_str(), "1" | "true")),
        }
    }

    /// Returns what is needed to speak with a server, if all of it is given.
    pub(crate) fn credentials(&self) -> Result<Credentials<'_>, DepotError> {
        let missing = |name: &str| {
            let message =
                format!("{name} is not set: object storage needs AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY");
            DepotError::new(DepotFailureKind::Address, message)
        };
        let endpoint = self.endpoint.as_deref();
        endpoint.map_or(Ok(()), |endpoint| check_endpoint(endpoint, self.allow_http))?;
        Ok(Credentials {
            key: self.key.as_deref().ok_or_else(|| missing("AWS_ACCESS_KEY_ID"))?,
            secret: self.secret.as_deref().ok_or_else(|| missing("AWS_SECRET_ACCESS_KEY"))?,
            token: self.token.as_deref(),
            region: self.region.as_deref().unwrap_or(REGION),
            endpoint,
        })
    }

    /// Replaces the credentials in a text.
    pub(crate) fn redact(&self, text: &str) -> String {
        let secrets = [&self.secret, &self.token, &self.key].into_iter().flatten();
        secrets.fold(text.to_owned(), |text, secret| text.replace(secret.as_str(), "***"))
    }
}

/// Checks that credentials and evidence do not cross a network in plain text.
fn check_endpoint(endpoint: &str, allow_http: bool) -> Result<(), DepotError> {
    let refused = |message: &str| Err(DepotError::new(DepotFailureKind::Address, message));
    let (scheme, rest) = endpoint.split_once("://").unwrap_or(("", endpoint));
    let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
    if authority.contains('@') {
        return refused("the endpoint URL holds credentials: use AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY instead");
    }
    match scheme {
        "https" => Ok(()),
        "http" if allow_http || is_loopback(authority) => Ok(()),
        "http" => refused(
            "the endpoint URL uses plain http to another machine: use https, or set AWS_ALLOW_HTTP=true where the network \
             is trusted",
        ),
        _ => refused("AWS_ENDPOINT_URL is not a URL: expected https://HOST"),
    }
}

fn is_loopback(authority: &str) -> bool {
    let host = match authority.strip_prefix('[') {
        Some(rest) => rest.split(']').next().unwrap_or_default(),
        None => authority.rsplit_once(':').map_or(authority, |(host, _)| host),
    };
    host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
}

impl fmt::Debug for Access {
    /// Says nothing of the credentials.
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Access").field("endpoint", &self.endpoint).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn access(variables: &[(&str, &str)]) -> Access {
        let variables: Vec<(String, String)> =
            variables.iter().map(|(name, value)| ((*name).to_owned(), (*value).to_owned())).collect();
        Access::read(|wanted| variables.iter().find(|(name, _)| name == wanted).map(|(_, value)| value.clone()))
    }

    #[test]
    fn plain_http_stays_on_this_machine_unless_it_is_allowed() {
        for good in ["https://s3.example.com", "http://127.0.0.1:7070", "http://localhost:1/x", "http://[::1]:9000"] {
            assert!(check_endpoint(good, false).is_ok(), "{good}");
        }
        for bad in ["http://s3.example.com", "http://127.0.0.1.example.com", "http://localhost.example.com:80"] {
            assert!(check_endpoint(bad, false).unwrap_err().message.contains("plain http"), "{bad}");
            assert!(check_endpoint(bad, true).is_ok(), "{bad}");
        }
        for wrong in ["s3.example.com", "ftp://127.0.0.1", "http://a:b@127.0.0.1", "https://key:secret@host"] {
            assert!(check_endpoint(wrong, true).is_err(), "{wrong}");
        }
    }

    #[test]
    fn credentials_are_named_where_they_are_missing_and_shown_nowhere() {
        let none = access(&[("AWS_SECRET_ACCESS_KEY", "s3cr3t")]);
        assert!(none.credentials().err().unwrap().message.starts_with("AWS_ACCESS_KEY_ID is not set"));
        let whole =
            access(&[("AWS_ACCESS_KEY_ID", "AKIA"), ("AWS_SECRET_ACCESS_KEY", "s3cr3t"), ("AWS_SESSION_TOKEN", "")]);
        assert!(whole.credentials().unwrap().token.is_none());
        assert_eq!(whole.redact("<Id>AKIA</Id> s3cr3t"), "<Id>***</Id> ***");
        assert!(!format!("{whole:?}").contains("s3cr3t"));
    }
}
