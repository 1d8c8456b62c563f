//! An OpenID provider: what it says about itself (OpenID Connect Discovery), and its keys. Both are asked for when they
//! are needed, and kept for a while.

use std::net::IpAddr;
use std::sync::{Mutex, MutexGuard, PoisonError};

use axum::http::Uri;
use referee_model::time::Timestamp;
use serde::Deserialize;

use super::keys::Keys;
use super::{Fetch, ProviderRequest};

/// Path of what a provider says about itself, below its issuer.
const DISCOVERY: &str = "/.well-known/openid-configuration";
/// Time after which a provider is asked again what it is and which keys it has.
const KEPT_MS: u64 = 10 * 60_000;
/// Time that passes at least until keys are asked for again because a token names none of them.
const AGAIN_MS: u64 = 60_000;
/// Time that passes at least until a provider that did not answer is asked again.
const FAILED_MS: u64 = 5_000;

/// What a provider says about itself.
#[derive(Debug, Clone, Deserialize)]
pub(super) struct Metadata {
    issuer: String,
    pub(super) authorization_endpoint: String,
    pub(super) token_endpoint: String,
    jwks_uri: String,
    #[serde(default)]
    scopes_supported: Vec<String>,
    token_endpoint_auth_methods_supported: Option<Vec<String>>,
}

/// How a client proves to a provider who it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ClientProof {
    /// In the header `Authorization`.
    Basic,
    /// In the body.
    Post,
}

impl Metadata {
    fn parse(bytes: &[u8], issuer: &str) -> Result<Self, String> {
        let found: Self = serde_json::from_slice(bytes)
            .map_err(|error| format!("what it says about itself is no discovery document: {error}"))?;
        if found.issuer != issuer {
            return Err(format!(
                "it says that its issuer is `{}`, which --oidc-issuer has to say exactly",
                found.issuer
            ));
        }
        for address in [&found.authorization_endpoint, &found.token_endpoint, &found.jwks_uri] {
            check_address(address)?;
        }
        Ok(found)
    }

    /// Returns the scopes to ask for.
    pub(super) fn scopes(&self) -> String {
        let offered = |scope: &&str| self.scopes_supported.iter().any(|offered| offered == scope);
        let more = ["profile", "groups"].into_iter().filter(offered);
        ["openid"].into_iter().chain(more).collect::<Vec<_>>().join(" ")
    }

    pub(super) fn client_proof(&self) -> ClientProof {
        let takes = |method: &str| {
            let methods = self.token_endpoint_auth_methods_supported.as_ref();
            methods.map(|methods| methods.iter().any(|offered| offered == method))
        };
        match (takes("client_secret_basic"), takes("client_secret_post")) {
            (Some(false), Some(true)) => ClientProof::Post,
            _ => ClientProof::Basic,
        }
    }
}

/// Checks an address that secrets are sent to: HTTPS, or this machine.
///
/// # Errors
/// Fails for another address.
pub(super) fn check_address(address: &str) -> Result<(), String> {
    let uri: Uri = address.parse().map_err(|_| format!("`{address}` is no address"))?;
    let host = uri.host().unwrap_or_default().trim_start_matches('[').trim_end_matches(']');
    let is_here = host == "localhost" || host.parse::<IpAddr>().is_ok_and(|host| host.is_loopback());
    let has_user = uri.authority().is_some_and(|authority| authority.as_str().contains('@'));
    match uri.scheme_str() {
        _ if host.is_empty() || has_user => Err(format!("`{address}` is no address that can be asked")),
        Some("https") => Ok(()),
        Some("http") if is_here => Ok(()),
        _ => Err(format!("`{address}` is not https, and not on this machine")),
    }
}

/// What is known of a provider.
#[derive(Debug, Default)]
pub(super) struct Provider(Mutex<ProviderCache>);

#[derive(Debug, Default)]
struct ProviderCache {
    metadata: Option<(Timestamp, Metadata)>,
    keys: Option<(Timestamp, Keys)>,
    failed: Option<(Timestamp, String)>,
}

impl Provider {
    /// Returns what the provider says about itself.
    pub(super) fn metadata(&self, issuer: &str, fetch: &Fetch, now: Timestamp) -> Result<Metadata, String> {
        self.known().metadata(issuer, fetch, now)
    }

    /// Returns the provider's keys. `are_stale`: a token named a key that is not among them, so they are asked for
    /// again, though not more often than once a minute.
    pub(super) fn keys(&self, issuer: &str, fetch: &Fetch, are_stale: bool, now: Timestamp) -> Result<Keys, String> {
        let mut known = self.known();
        let least = if are_stale { AGAIN_MS } else { KEPT_MS };
        if let Some((at, keys)) = &known.keys
            && is_young(*at, least, now)
        {
            return Ok(keys.clone());
        }
        let address = known.metadata(issuer, fetch, now)?.jwks_uri;
        let keys = known.asked(&address, fetch, now).and_then(|bytes| Keys::parse(&bytes))?;
        known.keys = Some((now, keys.clone()));
        Ok(keys)
    }

    fn known(&self) -> MutexGuard<'_, ProviderCache> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl ProviderCache {
    fn metadata(&mut self, issuer: &str, fetch: &Fetch, now: Timestamp) -> Result<Metadata, String> {
        if let Some((at, metadata)) = &self.metadata
            && is_young(*at, KEPT_MS, now)
        {
            return Ok(metadata.clone());
        }
        let address = format!("{}{DISCOVERY}", issuer.trim_end_matches('/'));
        let metadata = self.asked(&address, fetch, now).and_then(|bytes| Metadata::parse(&bytes, issuer))?;
        self.metadata = Some((now, metadata.clone()));
        Ok(metadata)
    }

    /// Asks for a document. After a failure the provider is left alone for a moment.
    fn asked(&mut self, address: &str, fetch: &Fetch, now: Timestamp) -> Result<Vec<u8>, String> {
        if let Some((at, why)) = &self.failed
            && is_young(*at, FAILED_MS, now)
        {
            return Err(why.clone());
        }
        let answered = match fetch(&ProviderRequest { address: address.to_owned(), authorization: None, form: None }) {
            Ok((200, bytes)) => Ok(bytes),
            Ok((status, _)) => Err(format!("{address} answers with status {status}")),
            Err(why) => Err(why),
        };
        self.failed = answered.as_ref().err().map(|why| (now, why.clone()));
        answered
    }
}

/// Returns whether something is younger than this. A clock that was put back makes it old.
fn is_young(at: Timestamp, milliseconds: u64, now: Timestamp) -> bool {
    at <= now && now.milliseconds_since(at) < milliseconds
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    const ISSUER: &str = "https://login.example";

    fn document(more: &str) -> String {
        format!(
            r#"{{"issuer":"{ISSUER}","authorization_endpoint":"{ISSUER}/auth","token_endpoint":"{ISSUER}/token",
            "jwks_uri":"{ISSUER}/keys"{more}}}"#
        )
    }

    fn at(second: i64) -> Timestamp {
        Timestamp::from_millisecond(second * 1_000)
    }

    #[test]
    fn secrets_go_to_https_or_stay_on_this_machine() {
        for good in [
            "https://login.example",
            "https://login.example:8443/realms/x",
            "http://localhost:5556/dex",
            "http://127.0.0.1",
            "http://[::1]:1/",
        ] {
            assert_eq!(check_address(good), Ok(()), "{good}");
        }
        for bad in [
            "http://login.example",
            "http://localhost.evil.example/",
            "ftp://localhost",
            "login.example",
            "",
            "/x",
            "https://",
            "https://user@host/",
            "http://127.0.0.1@evil/",
        ] {
            assert!(check_address(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn a_provider_says_who_it_is_and_nobody_else() {
        let parse = |text: &str| Metadata::parse(text.as_bytes(), ISSUER);
        let plain = parse(&document("")).unwrap();
        assert_eq!((plain.scopes().as_str(), plain.client_proof()), ("openid", ClientProof::Basic));
        let more = r#","scopes_supported":["openid","groups","profile"],"token_endpoint_auth_methods_supported":["client_secret_post"]"#;
        let other = parse(&document(more)).unwrap();
        assert_eq!((other.scopes().as_str(), other.client_proof()), ("openid profile groups", ClientProof::Post));
        for bad in ["", "{}", "[]", &document("").replace("\"https://login.example\"", "\"https://login.example/\"")] {
            assert!(parse(bad).is_err(), "{bad}");
        }
        assert!(parse(&document("").replace("https://login.example/token", "http://evil.example/token")).is_err());
    }

    /// A provider that counts how often it is asked.
    fn counted(answer: Result<String, String>) -> (Fetch, Arc<AtomicUsize>) {
        let asked = Arc::new(AtomicUsize::new(0));
        let count = Arc::clone(&asked);
        let fetch: Fetch = Box::new(move |ask| {
            count.fetch_add(1, Ordering::Relaxed);
            let body = if ask.address.ends_with("/keys") { Ok("{\"keys\":[]}".to_owned()) } else { answer.clone() };
            body.map(|body| (200, body.into_bytes()))
        });
        (fetch, asked)
    }

    #[test]
    fn keys_are_asked_for_again_at_most_once_a_minute() {
        let (fetch, asked) = counted(Ok(document("")));
        let provider = Provider::default();
        let keys = |are_stale, second| provider.keys(ISSUER, &fetch, are_stale, at(second)).unwrap();
        keys(false, 0);
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        for second in 1..60 {
            keys(true, second);
        }
        assert_eq!(asked.load(Ordering::Relaxed), 2);
        keys(true, 60);
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        keys(false, 61);
        assert_eq!(asked.load(Ordering::Relaxed), 3);
        keys(false, 60 + 600);
        assert_eq!(asked.load(Ordering::Relaxed), 5);
    }

    #[test]
    fn a_provider_that_fails_is_left_alone_for_a_moment() {
        let (fetch, asked) = counted(Err("it is gone".to_owned()));
        let provider = Provider::default();
        for second in [0, 1, 4] {
            assert_eq!(provider.metadata(ISSUER, &fetch, at(second)).unwrap_err(), "it is gone");
        }
        assert_eq!(asked.load(Ordering::Relaxed), 1);
        assert!(provider.metadata(ISSUER, &fetch, at(5)).is_err());
        assert_eq!(asked.load(Ordering::Relaxed), 2);
    }
}
