//! Sessions of browsers that logged in. Only hashes of the session secrets are stored, and only in memory.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee_syntax::hex;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// Lifetime of a session.
pub(crate) const LIFETIME: Duration = Duration::from_hours(12);
/// Maximum number of sessions. The oldest is removed first.
const AT_MOST: usize = 256;
/// Number of random bytes in a session secret.
const CHANCE: usize = 32;

/// Sessions of browsers that logged in.
#[derive(Debug, Default)]
pub(crate) struct Sessions {
    let_in: Mutex<VecDeque<Session>>,
}

#[derive(Debug)]
struct Session {
    digest: [u8; 32],
    since: Instant,
}

impl Sessions {
    /// Creates a session. Returns its secret. `None`: the system has no random numbers.
    pub(crate) fn let_in(&self, now: Instant) -> Option<String> {
        let value = chance()?;
        let mut sessions = self.sessions(now);
        if sessions.len() == AT_MOST {
            sessions.pop_front();
        }
        sessions.push_back(Session { digest: digest(&value), since: now });
        Some(value)
    }

    /// Returns whether this is the secret of a valid session.
    pub(crate) fn knows(&self, value: &str, now: Instant) -> bool {
        let digest = digest(value);
        // All sessions are compared, so that the time reveals nothing.
        self.sessions(now).iter().fold(false, |found, one| found | bool::from(one.digest.ct_eq(&digest)))
    }

    pub(crate) fn send_out(&self, value: &str, now: Instant) {
        let digest = digest(value);
        self.sessions(now).retain(|one| !bool::from(one.digest.ct_eq(&digest)));
    }

    fn sessions(&self, now: Instant) -> std::sync::MutexGuard<'_, VecDeque<Session>> {
        let mut sessions = self.let_in.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|one| now.saturating_duration_since(one.since) < LIFETIME);
        sessions
    }
}

/// Compares two secrets in constant time.
pub(crate) fn is_same(one: &str, other: &str) -> bool {
    digest(one).ct_eq(&digest(other)).into()
}

fn digest(value: &str) -> [u8; 32] {
    Sha256::digest(value.as_bytes()).into()
}

fn chance() -> Option<String> {
    let mut bytes = [0_u8; CHANCE];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex::encode(&bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_browser_is_let_in_for_a_while_and_by_nothing_else() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let value = sessions.let_in(now).unwrap();
        assert_eq!(value.len(), CHANCE * 2);
        assert!(sessions.knows(&value, now));
        assert!(!sessions.knows(&value[1..], now) && !sessions.knows("", now));
        assert!(!sessions.knows(&value, now + LIFETIME));
        let other = sessions.let_in(now).unwrap();
        sessions.send_out(&value, now);
        assert!(!sessions.knows(&value, now) && sessions.knows(&other, now));
    }

    #[test]
    fn no_more_than_so_many_browsers_are_let_in() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let first = sessions.let_in(now).unwrap();
        (0..AT_MOST).for_each(|_| drop(sessions.let_in(now)));
        assert!(!sessions.knows(&first, now));
    }

    #[test]
    fn secrets_are_the_same_or_not() {
        assert!(is_same("a", "a"));
        assert!(!is_same("a", "b") && !is_same("a", "aa") && !is_same("", "a"));
    }
}
