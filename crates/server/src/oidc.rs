//! Signing in by OpenID Connect: the authorization code flow with PKCE, state and nonce. The provider is asked by a
//! closure: nothing here opens a connection.

use std::time::Duration;

use axum::http::Uri;
use referee_model::access::{Actor, Role};
use referee_model::time::Timestamp;
use referee_syntax::{base64, percent};
use serde::Deserialize;
use sha2::{Digest as _, Sha256};
use tokio::sync::Semaphore;

use crate::caller::Caller;
use crate::session_key::SessionKey;

use self::id_token::{Claims, TokenError, TokenExpectation};
use self::provider::{ClientProof, Metadata, Provider};
use self::sign_in_attempt::{KeptAttempts, SignInAttempts};

mod id_token;
mod keys;
mod provider;
mod sign_in_attempt;

/// Path that the provider sends browsers back to.
pub(crate) const CALLBACK: &str = "/login/callback";
/// Maximum number of sign-ins that ask the provider at the same time.
const AT_ONCE: usize = 4;
/// Maximum length of a parameter of an answer, in bytes.
const PARAMETER_BYTES: usize = 4_096;
/// Number of characters of an error of the provider's that are told.
const TOLD_CHARACTERS: usize = 200;

/// A question to the provider.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProviderRequest {
    pub address: String,
    /// Value of the header `Authorization`.
    pub authorization: Option<String>,
    /// Fields of a form to send. `None`: the question is a `GET`.
    pub form: Option<String>,
}

/// Asks the provider. Returns status and body, which is bounded, or why there is no answer.
pub type Fetch = Box<dyn Fn(&ProviderRequest) -> Result<(u16, Vec<u8>), String> + Send + Sync>;

/// Who may sign in where.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OidcOptions {
    /// Issuer of ID tokens, exactly as the provider says it.
    pub issuer: String,
    /// Id of this client at the provider.
    pub client: String,
    pub client_secret: String,
    /// Group whose members are operators.
    pub operator_group: String,
    /// Group whose members are viewers. `None`: there are none.
    pub viewer_group: Option<String>,
    /// Address at which browsers reach this server.
    pub public_url: String,
}

/// Signs people in at a provider.
pub struct Oidc {
    options: OidcOptions,
    fetch: Fetch,
    provider: Provider,
    attempts: SignInAttempts,
    places: Semaphore,
}

/// Why nobody was signed in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum SignInError {
    /// The provider does not answer as a provider does.
    Provider(String),
    /// The sign-in is not one of this browser's, or is not believed.
    Refused(String),
    /// The person is in no group that may use the server.
    NoGroup(Actor),
    /// Too many sign in at the same time.
    Busy,
}

/// A sign-in that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct AuthorizationRequest {
    /// Address of the provider to send the browser to.
    pub(crate) address: String,
    /// Secret of the browser, for a cookie.
    pub(crate) browser: String,
}

/// What the provider sends back by the browser.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct AuthorizationResponse {
    pub(crate) code: Option<String>,
    pub(crate) state: Option<String>,
    pub(crate) error: Option<String>,
    /// Issuer of the answer (RFC 9207).
    pub(crate) issuer: Option<String>,
    /// Secret of the browser.
    pub(crate) browser: Option<String>,
}

#[derive(Deserialize)]
struct TokenDocument {
    id_token: Option<String>,
}

impl Oidc {
    /// Prepares sign-ins, which end at any server with the key if there is one. The provider is asked once somebody signs in.
    ///
    /// # Errors
    /// Fails for an address that secrets must not be sent to.
    pub fn new(options: OidcOptions, key: Option<&SessionKey>, fetch: Fetch) -> Result<Self, String> {
        provider::check_address(&options.issuer)?;
        provider::check_address(&options.public_url)?;
        let attempts = match key {
            Some(key) => SignInAttempts::Shared(key.clone()),
            None => SignInAttempts::Kept(KeptAttempts::default()),
        };
        let provider = Provider::default();
        Ok(Self { options, fetch, provider, attempts, places: Semaphore::new(AT_ONCE) })
    }

    /// Returns the host at which browsers reach this server.
    pub fn public_host(&self) -> String {
        let uri = self.options.public_url.parse::<Uri>().ok();
        uri.as_ref().and_then(Uri::host).unwrap_or_default().to_ascii_lowercase()
    }

    /// Returns the issuer.
    pub(crate) fn issuer(&self) -> &str {
        &self.options.issuer
    }

    /// Returns how long a browser may take to sign in.
    pub(crate) fn patience() -> Duration {
        sign_in_attempt::LIFETIME
    }

    /// Begins a sign-in. Blocks until the provider has answered.
    pub(crate) fn begin(&self, now: Timestamp) -> Result<AuthorizationRequest, SignInError> {
        let _place = self.places.try_acquire().map_err(|_| SignInError::Busy)?;
        let metadata = self.metadata(now)?;
        let begun = self.attempts.begin(now);
        let begun = begun.ok_or_else(|| SignInError::Provider("the system gives no random numbers".to_owned()))?;
        let challenge = base64::encode_for_url(&Sha256::digest(begun.secrets.verifier.as_bytes()));
        let query = form(&[
            ("response_type", "code"),
            ("client_id", &self.options.client),
            ("redirect_uri", &self.callback()),
            ("scope", &metadata.scopes()),
            ("state", &begun.state),
            ("nonce", &begun.secrets.nonce),
            ("code_challenge", &challenge),
            ("code_challenge_method", "S256"),
        ]);
        let endpoint = &metadata.authorization_endpoint;
        let separator = if endpoint.contains('?') { '&' } else { '?' };
        Ok(AuthorizationRequest { address: format!("{endpoint}{separator}{query}"), browser: begun.browser })
    }

    /// Ends a sign-in. Returns who signed in, and for how long. Blocks until the provider has answered.
    pub(crate) fn finish(
        &self,
        back: &AuthorizationResponse,
        now: Timestamp,
    ) -> Result<(Caller, Duration), SignInError> {
        let refused = |reason: &str| SignInError::Refused(reason.to_owned());
        let given = |text: &Option<String>| text.clone().filter(|text| text.len() <= PARAMETER_BYTES);
        let (Some(state), Some(browser)) = (given(&back.state), given(&back.browser)) else {
            return Err(refused("this sign-in was not begun here: begin it again"));
        };
        let secrets = self.attempts.take(&state, &browser, now);
        let secrets =
            secrets.ok_or_else(|| refused("this sign-in was not begun here, or too long ago: begin it again"))?;
        if back.issuer.as_ref().is_some_and(|issuer| *issuer != self.options.issuer) {
            return Err(refused("the answer comes from another provider"));
        }
        if let Some(error) = &back.error {
            let told: String = error.chars().take(TOLD_CHARACTERS).collect();
            return Err(SignInError::Refused(format!("the provider refuses: {told}")));
        }
        let code = given(&back.code).ok_or_else(|| refused("the provider sends no code"))?;
        let _place = self.places.try_acquire().map_err(|_| SignInError::Busy)?;
        let token = self.exchange(&code, &secrets.verifier, now)?;
        let claims = self.verified(&token, &secrets.nonce, now)?;
        let role = self.role(&claims);
        let who = Actor::Person { issuer: self.options.issuer.clone(), subject: claims.subject };
        match role {
            Some(role) => Ok((Caller { who, role }, Duration::from_secs(claims.seconds_left))),
            None => Err(SignInError::NoGroup(who)),
        }
    }

    fn metadata(&self, now: Timestamp) -> Result<Metadata, SignInError> {
        self.provider.metadata(&self.options.issuer, &self.fetch, now).map_err(SignInError::Provider)
    }

    fn callback(&self) -> String {
        format!("{}{CALLBACK}", self.options.public_url.trim_end_matches('/'))
    }

    /// Exchanges a code for an ID token.
    fn exchange(&self, code: &str, verifier: &str, now: Timestamp) -> Result<String, SignInError> {
        let metadata = self.metadata(now)?;
        let callback = self.callback();
        let mut fields = vec![
            ("grant_type", "authorization_code"),
            ("code", code),
            ("redirect_uri", &callback),
            ("code_verifier", verifier),
        ];
        let (client, secret) = (&self.options.client, &self.options.client_secret);
        let authorization = match metadata.client_proof() {
            ClientProof::Basic => {
                let pair = format!("{}:{}", percent::component(client), percent::component(secret));
                Some(format!("Basic {}", base64::encode(pair.as_bytes())))
            }
            ClientProof::Post => {
                fields.extend([("client_id", client.as_str()), ("client_secret", secret.as_str())]);
                None
            }
        };
        let ask = ProviderRequest { address: metadata.token_endpoint, authorization, form: Some(form(&fields)) };
        let (status, bytes) = (self.fetch)(&ask).map_err(SignInError::Provider)?;
        match status {
            200 => {}
            400 => return Err(SignInError::Refused("the provider does not take its code back".to_owned())),
            _ => return Err(SignInError::Provider(format!("{} answers with status {status}", ask.address))),
        }
        let document: TokenDocument = serde_json::from_slice(&bytes)
            .map_err(|error| SignInError::Provider(format!("the provider's answer is no token: {error}")))?;
        document.id_token.ok_or_else(|| SignInError::Provider("the provider gives no ID token".to_owned()))
    }

    fn verified(&self, token: &str, nonce: &str, now: Timestamp) -> Result<Claims, SignInError> {
        let (issuer, client) = (&self.options.issuer, &self.options.client);
        let expected = TokenExpectation { issuer, client, nonce, now: now.as_millisecond().div_euclid(1_000) };
        let verify = |are_stale| {
            let keys = self.provider.keys(issuer, &self.fetch, are_stale, now).map_err(SignInError::Provider)?;
            Ok::<_, SignInError>(id_token::verify(token, &keys, &expected))
        };
        let verified = match verify(false)? {
            Err(TokenError::UnknownKey) => verify(true)?,
            verified => verified,
        };
        verified.map_err(|error| match error {
            TokenError::UnknownKey => {
                SignInError::Refused("the ID token is signed with a key that is none of the provider's".to_owned())
            }
            TokenError::Refused(reason) => SignInError::Refused(format!("the ID token is not taken: {reason}")),
        })
    }

    /// Returns what the groups of a person allow. `None`: nothing.
    fn role(&self, claims: &Claims) -> Option<Role> {
        let is_in = |group: &String| claims.groups.contains(group);
        if is_in(&self.options.operator_group) {
            return Some(Role::Operator);
        }
        self.options.viewer_group.as_ref().is_some_and(is_in).then_some(Role::Viewer)
    }
}

fn form(fields: &[(&str, &str)]) -> String {
    let fields = fields.iter().map(|(name, value)| format!("{name}={}", percent::component(value)));
    fields.collect::<Vec<_>>().join("&")
}

#[cfg(test)]
mod tests;
