//! Sign-ins that wait for their provider. Each belongs to one browser. One that a server keeps is used once; one that the servers
//! of a fleet know by their key is used until it is too old, and the provider takes its code back once.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee_model::id::Digest;
use referee_model::time::Timestamp;
use serde::{Deserialize, Serialize};

use crate::session::{chance, is_same};
use crate::session_key::{Purpose, SessionKey};

/// Time for a person to sign in at the provider.
pub(super) const LIFETIME: Duration = Duration::from_mins(10);
/// Maximum number of sign-ins that wait. The oldest is given up first.
const AT_MOST: usize = 256;

/// Sign-ins that wait for their provider.
#[derive(Debug)]
pub(super) enum SignInAttempts {
    /// Those of one server.
    Kept(KeptAttempts),
    /// Those of all servers with the key.
    Shared(SessionKey),
}

/// Sign-ins that one server keeps.
#[derive(Debug, Default)]
pub(super) struct KeptAttempts(Mutex<VecDeque<SignInAttempt>>);

/// A sign-in of a fleet, as a browser holds it. All else follows from its secret and the key.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SharedAttempt {
    secret: String,
    until: Timestamp,
}

#[derive(Debug)]
struct SignInAttempt {
    since: Instant,
    state: Digest,
    browser: Digest,
    secrets: Secrets,
}

/// What the server alone knows of a sign-in.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Secrets {
    pub(super) nonce: String,
    /// The code verifier of PKCE (RFC 7636).
    pub(super) verifier: String,
}

/// What a browser and the provider are told of a sign-in that begins.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SignInStart {
    /// Parameter that the provider returns.
    pub(super) state: String,
    /// Secret of the browser, in a cookie.
    pub(super) browser: String,
    pub(super) secrets: Secrets,
}

impl SignInAttempts {
    /// Begins a sign-in. `None`: the system has no random numbers.
    pub(super) fn begin(&self, now: Timestamp) -> Option<SignInStart> {
        let key = match self {
            Self::Kept(attempts) => return attempts.begin(Instant::now()),
            Self::Shared(key) => key,
        };
        let lifetime = i64::try_from(LIFETIME.as_millis()).ok()?;
        let until = Timestamp::from_millisecond(now.as_millisecond().saturating_add(lifetime));
        let attempt = SharedAttempt { secret: chance()?, until };
        let browser = key.seal(Purpose::SignIn, &serde_json::to_vec(&attempt).ok()?);
        Some(SignInStart { state: attempt.state(key), browser, secrets: attempt.secrets(key) })
    }

    /// Ends a sign-in that a browser comes back from. `None`: this browser began none with this state, or long ago.
    pub(super) fn take(&self, state: &str, browser: &str, now: Timestamp) -> Option<Secrets> {
        let key = match self {
            Self::Kept(attempts) => return attempts.take(state, browser, Instant::now()),
            Self::Shared(key) => key,
        };
        let attempt: SharedAttempt = serde_json::from_slice(&key.open(Purpose::SignIn, browser)?).ok()?;
        (now < attempt.until && is_same(state, &attempt.state(key))).then(|| attempt.secrets(key))
    }
}

impl SharedAttempt {
    fn state(&self, key: &SessionKey) -> String {
        key.tag(Purpose::State, self.secret.as_bytes())
    }

    fn secrets(&self, key: &SessionKey) -> Secrets {
        let tag = |purpose| key.tag(purpose, self.secret.as_bytes());
        Secrets { nonce: tag(Purpose::Nonce), verifier: tag(Purpose::Verifier) }
    }
}

impl KeptAttempts {
    /// Begins a sign-in. `None`: the system has no random numbers.
    fn begin(&self, now: Instant) -> Option<SignInStart> {
        let secrets = Secrets { nonce: chance()?, verifier: chance()? };
        let begun = SignInStart { state: chance()?, browser: chance()?, secrets };
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        retain_young(&mut attempts, now);
        if attempts.len() == AT_MOST {
            attempts.pop_front();
        }
        let (state, browser) = (Digest::of(&begun.state), Digest::of(&begun.browser));
        attempts.push_back(SignInAttempt { since: now, state, browser, secrets: begun.secrets.clone() });
        Some(begun)
    }

    /// Ends a sign-in that a browser comes back from. `None`: this browser began none with this state, or long ago.
    fn take(&self, state: &str, browser: &str, now: Instant) -> Option<Secrets> {
        let mut attempts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        retain_young(&mut attempts, now);
        let state = Digest::of(state);
        let at = attempts.iter().position(|one| is_same(&one.state.to_string(), &state.to_string()))?;
        let found = attempts.remove(at)?;
        is_same(&found.browser.to_string(), &Digest::of(browser).to_string()).then_some(found.secrets)
    }
}

fn retain_young(attempts: &mut VecDeque<SignInAttempt>, now: Instant) {
    attempts.retain(|one| now.saturating_duration_since(one.since) < LIFETIME);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sign_in_is_its_browsers_and_ends_once() {
        let (attempts, now) = (KeptAttempts::default(), Instant::now());
        let begun = attempts.begin(now).unwrap();
        assert_eq!(attempts.take("x", &begun.browser, now), None);
        assert_eq!(attempts.take(&begun.state, &begun.browser, now), Some(begun.secrets.clone()));
        assert_eq!(attempts.take(&begun.state, &begun.browser, now), None);
        // Whoever lures another browser to the answer ends the sign-in.
        let begun = attempts.begin(now).unwrap();
        assert_eq!(attempts.take(&begun.state, "another browser", now), None);
        assert_eq!(attempts.take(&begun.state, &begun.browser, now), None);
    }

    #[test]
    fn a_sign_in_of_a_fleet_ends_at_any_server_with_the_key_in_its_browser_and_in_time() {
        let attempts = |byte| SignInAttempts::Shared(SessionKey::new(&[byte; 32]).unwrap());
        let at = |minute: i64| Timestamp::from_millisecond(minute * 60_000);
        let begun = attempts(1).begin(at(0)).unwrap();
        assert_eq!(attempts(1).take(&begun.state, &begun.browser, at(9)), Some(begun.secrets.clone()));
        assert_eq!(attempts(1).take(&begun.state, &begun.browser, at(10)), None);
        let other = attempts(1).begin(at(0)).unwrap();
        assert_eq!(attempts(1).take(&begun.state, &other.browser, at(0)), None);
        assert_eq!(attempts(2).take(&begun.state, &begun.browser, at(0)), None);
        assert_eq!(attempts(1).take("", &begun.browser, at(0)), None);
        // The browser holds neither what proves the sign-in to the provider nor what its token has to hold.
        let held = format!("{:?}", referee_syntax::base64::decode(begun.browser.split('.').nth(1).unwrap()));
        assert!(!begun.browser.contains(&begun.secrets.verifier) && !held.contains(&begun.secrets.nonce));
        assert_ne!(begun.secrets.verifier, begun.secrets.nonce);
    }

    #[test]
    fn a_sign_in_waits_for_a_while_and_so_do_not_too_many() {
        let (attempts, now) = (KeptAttempts::default(), Instant::now());
        let begun = attempts.begin(now).unwrap();
        assert_eq!(attempts.take(&begun.state, &begun.browser, now + LIFETIME), None);
        let first = attempts.begin(now).unwrap();
        (0..AT_MOST).for_each(|_| drop(attempts.begin(now)));
        assert_eq!(attempts.take(&first.state, &first.browser, now), None);
    }
}
