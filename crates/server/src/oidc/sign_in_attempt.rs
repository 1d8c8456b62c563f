//! Sign-ins that wait for their provider. Each belongs to one browser, and is used once.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee_model::id::Digest;

use crate::session::{chance, is_same};

/// Time for a person to sign in at the provider.
pub(super) const LIFETIME: Duration = Duration::from_mins(10);
/// Maximum number of sign-ins that wait. The oldest is given up first.
const AT_MOST: usize = 256;

/// Sign-ins that wait for their provider.
#[derive(Debug, Default)]
pub(super) struct SignInAttempts(Mutex<VecDeque<SignInAttempt>>);

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
    pub(super) fn begin(&self, now: Instant) -> Option<SignInStart> {
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
    pub(super) fn take(&self, state: &str, browser: &str, now: Instant) -> Option<Secrets> {
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
        let (attempts, now) = (SignInAttempts::default(), Instant::now());
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
    fn a_sign_in_waits_for_a_while_and_so_do_not_too_many() {
        let (attempts, now) = (SignInAttempts::default(), Instant::now());
        let begun = attempts.begin(now).unwrap();
        assert_eq!(attempts.take(&begun.state, &begun.browser, now + LIFETIME), None);
        let first = attempts.begin(now).unwrap();
        (0..AT_MOST).for_each(|_| drop(attempts.begin(now)));
        assert_eq!(attempts.take(&first.state, &first.browser, now), None);
    }
}
