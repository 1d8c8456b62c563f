//! Sessions of browsers that logged in. A server keeps only hashes of the session secrets, and only in memory; the servers of
//! a fleet keep nothing: the browser holds the session, authenticated by the key that they share.

use std::collections::VecDeque;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use referee_model::access::{Actor, Role};
use referee_model::id::Digest;
use referee_model::time::Timestamp;
use referee_syntax::hex;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use subtle::ConstantTimeEq;

use crate::caller::Caller;
use crate::session_key::{Purpose, SessionKey};

/// Lifetime of a session.
pub(crate) const LIFETIME: Duration = Duration::from_hours(12);
/// Maximum number of sessions. The oldest is removed first.
const AT_MOST: usize = 256;
/// Number of random bytes in a session secret.
const CHANCE: usize = 32;

/// Sessions of browsers that logged in.
#[derive(Debug)]
pub(crate) enum Sessions {
    /// Those of one server.
    Kept(KeptSessions),
    /// Those of all servers with the key.
    Shared(SessionKey),
}

impl Default for Sessions {
    fn default() -> Self {
        Self::Kept(KeptSessions::default())
    }
}

/// Sessions that one server keeps.
#[derive(Debug, Default)]
pub(crate) struct KeptSessions {
    let_in: Mutex<VecDeque<Session>>,
}

/// Who holds a credential.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Holder {
    pub(crate) caller: Caller,
    /// What stands for the token, which may be revoked ([`Sessions::mark`]). `None`: the credential is another one.
    pub(crate) token: Option<Digest>,
}

/// A session, as a browser holds it.
#[derive(Debug, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SharedSession {
    who: Actor,
    role: Role,
    until: Timestamp,
    token: Option<Digest>,
}

#[derive(Debug)]
struct Session {
    digest: [u8; 32],
    since: Instant,
    lifetime: Duration,
    holder: Holder,
}

impl Sessions {
    /// Whether other servers know the sessions, too.
    pub(crate) fn is_shared(&self) -> bool {
        matches!(self, Self::Shared(_))
    }

    /// Returns what stands for a token in a session, and tells nobody who holds the session what the token is.
    pub(crate) fn mark(&self, token: Digest) -> Digest {
        match self {
            Self::Kept(_) => token,
            Self::Shared(key) => key.mark(token),
        }
    }

    /// Creates a session that lasts no longer than [`LIFETIME`]. Returns what the browser is to hold. `None`: the system has
    /// no random numbers.
    pub(crate) fn let_in(&self, holder: Holder, lifetime: Duration, now: Timestamp) -> Option<String> {
        match self {
            Self::Kept(sessions) => sessions.let_in(holder, lifetime, Instant::now()),
            Self::Shared(key) => {
                let lifetime = i64::try_from(lifetime.min(LIFETIME).as_millis()).ok()?;
                let until = Timestamp::from_millisecond(now.as_millisecond().saturating_add(lifetime));
                let Holder { caller: Caller { who, role }, token } = holder;
                let session = serde_json::to_vec(&SharedSession { who, role, until, token }).ok()?;
                Some(key.seal(Purpose::Session, &session))
            }
        }
    }

    /// Returns who holds a session. `None`: there is no valid session.
    pub(crate) fn holder(&self, value: &str, now: Timestamp) -> Option<Holder> {
        match self {
            Self::Kept(sessions) => sessions.holder(value, Instant::now()),
            Self::Shared(key) => {
                let session = key.open(Purpose::Session, value)?;
                let SharedSession { who, role, until, token } = serde_json::from_slice(&session).ok()?;
                (now < until).then_some(Holder { caller: Caller { who, role }, token })
            }
        }
    }

    /// Ends a session. One that a browser holds ends with what it holds.
    pub(crate) fn send_out(&self, value: &str) {
        if let Self::Kept(sessions) = self {
            sessions.send_out(value, Instant::now());
        }
    }
}

impl KeptSessions {
    /// Creates a session that lasts no longer than [`LIFETIME`]. Returns its secret. `None`: the system has no
    /// random numbers.
    fn let_in(&self, holder: Holder, lifetime: Duration, now: Instant) -> Option<String> {
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
    fn holder(&self, value: &str, now: Instant) -> Option<Holder> {
        let digest = digest(value);
        // All sessions are compared, so that the time reveals nothing.
        self.sessions(now).iter().fold(None, |found, one| {
            let is_it = bool::from(one.digest.ct_eq(&digest));
            if is_it { Some(one.holder.clone()) } else { found }
        })
    }

    /// Ends a session. Returns who held it. `None`: there was no valid session.
    fn send_out(&self, value: &str, now: Instant) -> Option<Holder> {
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
    use super::*;

    fn holder() -> Holder {
        Holder { caller: Caller { who: Actor::ServerToken, role: Role::Operator }, token: None }
    }

    #[test]
    fn a_browser_is_let_in_for_a_while_and_by_nothing_else() {
        let (sessions, now) = (KeptSessions::default(), Instant::now());
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
        let (sessions, now) = (KeptSessions::default(), Instant::now());
        let short = sessions.let_in(holder(), Duration::from_secs(5), now).unwrap();
        let long = sessions.let_in(holder(), LIFETIME * 2, now).unwrap();
        assert!(sessions.holder(&short, now + Duration::from_secs(4)).is_some());
        assert!(sessions.holder(&short, now + Duration::from_secs(5)).is_none());
        assert!(sessions.holder(&long, now + LIFETIME).is_none());
    }

    #[test]
    fn no_more_than_so_many_browsers_are_let_in() {
        let (sessions, now) = (KeptSessions::default(), Instant::now());
        let first = sessions.let_in(holder(), LIFETIME, now).unwrap();
        (0..AT_MOST).for_each(|_| drop(sessions.let_in(holder(), LIFETIME, now)));
        assert!(sessions.holder(&first, now).is_none());
    }

    #[test]
    fn a_session_of_a_fleet_is_known_to_every_server_with_the_key_until_it_ends() {
        let sessions = |byte| Sessions::Shared(SessionKey::new(&[byte; 32]).unwrap());
        let at = |second: i64| Timestamp::from_millisecond(second * 1_000);
        let token = sessions(1).mark(Digest::of("token"));
        let holder = Holder { token: Some(token), ..holder() };
        let value = sessions(1).let_in(holder.clone(), LIFETIME * 2, at(0)).unwrap();
        let hours = i64::try_from(LIFETIME.as_secs()).unwrap();
        assert_eq!(sessions(1).holder(&value, at(hours - 1)), Some(holder));
        assert_eq!(sessions(1).holder(&value, at(hours)), None);
        assert_eq!(sessions(2).holder(&value, at(0)), None);
        assert_ne!(token, sessions(2).mark(Digest::of("token")));
        assert!(!value.contains(&Digest::of("token").to_string()));
    }

    #[test]
    fn secrets_are_the_same_or_not() {
        assert!(is_same("a", "a"));
        assert!(!is_same("a", "b") && !is_same("a", "aa") && !is_same("", "a"));
    }
}
