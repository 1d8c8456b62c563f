//! Sessions of browsers that logged in. Only hashes of the session secrets are stored, and only in memory.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee_model::id::Digest;
use referee_syntax::hex;
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

use crate::caller::Caller;

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

/// Who holds a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) caller: Caller,
    /// Digest of the token that was created by name, which may be revoked. `None`: the credential is another one.
    pub(crate) token: Option<Digest>,
}

#[derive(Debug)]
struct Session {
    digest: [u8; 32],
    since: Instant,
    lifetime: Duration,
    holder: Holder,
}

impl Sessions {
    /// Creates a session that lasts no longer than [`LIFETIME`]. Returns its secret. `None`: the system has no
    /// random numbers.
    pub(crate) fn let_in(&self, holder: Holder, lifetime: Duration, now: Instant) -> Option<String> {
        let value = chance()?;
        let mut sessions = self.sessions(now);
        if sessions.len() == AT_MOST {
            sessions.pop_front();
        }
        let lifetime = lifetime.min(LIFETIME);
        sessions.push_back(Session { digest: digest(&value), since: now, lifetime, holder });
        Some(value)
    }

    /// Returns who holds the session with this secret. `None`: there is no valid session.
    pub(crate) fn holder(&self, value: &str, now: Instant) -> Option<Holder> {
        let digest = digest(value);
        // All sessions are compared, so that the time reveals nothing.
        self.sessions(now).iter().fold(None, |found, one| {
            let is_it = bool::from(one.digest.ct_eq(&digest));
            if is_it { Some(one.holder.clone()) } else { found }
        })
    }

    /// Ends a session. Returns who held it. `None`: there was no valid session.
    pub(crate) fn send_out(&self, value: &str, now: Instant) -> Option<Holder> {
        let holder = self.holder(value, now);
        let digest = digest(value);
        self.sessions(now).retain(|one| !bool::from(one.digest.ct_eq(&digest)));
        holder
    }

    fn sessions(&self, now: Instant) -> std::sync::MutexGuard<'_, VecDeque<Session>> {
        let mut sessions = self.let_in.lock().unwrap_or_else(PoisonError::into_inner);
        sessions.retain(|one| now.saturating_duration_since(one.since) < one.lifetime);
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

/// Returns a new secret. `None`: the system has no random numbers.
pub(crate) fn chance() -> Option<String> {
    let mut bytes = [0_u8; CHANCE];
    getrandom::fill(&mut bytes).ok()?;
    Some(hex::encode(&bytes))
}

#[cfg(test)]
mod tests {
    use referee_model::access::{Actor, Role};

    use super::*;

    fn holder() -> Holder {
        Holder { caller: Caller { who: Actor::ServerToken, role: Role::Operator }, token: None }
    }

    #[test]
    fn a_browser_is_let_in_for_a_while_and_by_nothing_else() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let value = sessions.let_in(holder(), LIFETIME, now).unwrap();
        assert_eq!(value.len(), CHANCE * 2);
        let knows = |value: &str, now| sessions.holder(value, now).is_some();
        assert!(knows(&value, now));
        assert!(!knows(&value[1..], now) && !knows("", now));
        assert!(!knows(&value, now + LIFETIME));
        let (value, other) =
            (sessions.let_in(holder(), LIFETIME, now).unwrap(), sessions.let_in(holder(), LIFETIME, now).unwrap());
        assert_eq!(sessions.send_out(&value, now), Some(holder()));
        assert_eq!(sessions.send_out(&value, now), None);
        assert!(!knows(&value, now) && knows(&other, now));
    }

    #[test]
    fn a_session_may_be_shorter_and_never_longer() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let short = sessions.let_in(holder(), Duration::from_secs(5), now).unwrap();
        let long = sessions.let_in(holder(), LIFETIME * 2, now).unwrap();
        assert!(sessions.holder(&short, now + Duration::from_secs(4)).is_some());
        assert!(sessions.holder(&short, now + Duration::from_secs(5)).is_none());
        assert!(sessions.holder(&long, now + LIFETIME).is_none());
    }

    #[test]
    fn no_more_than_so_many_browsers_are_let_in() {
        let (sessions, now) = (Sessions::default(), Instant::now());
        let first = sessions.let_in(holder(), LIFETIME, now).unwrap();
        (0..AT_MOST).for_each(|_| drop(sessions.let_in(holder(), LIFETIME, now)));
        assert!(sessions.holder(&first, now).is_none());
    }

    #[test]
    fn secrets_are_the_same_or_not() {
        assert!(is_same("a", "a"));
        assert!(!is_same("a", "b") && !is_same("a", "aa") && !is_same("", "a"));
    }
}
