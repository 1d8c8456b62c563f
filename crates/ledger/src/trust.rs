//! The trust store: the keys that this user trusts, and the roles of each. Only this store decides whether a
//! signer is independent of the party it vouches for, never the signer itself (design, "Signature").
//!
//! It is kept in the user's state directory and changed only by commands that a person types, atomically and
//! under a lock. If it cannot be read, no key is trusted.

use std::collections::{BTreeMap, BTreeSet};

use referee_model::limit;
use referee_model::time::Timestamp;
pub use referee_model::trust::Role;
use referee_model::trust::{self as document, TrustedKeyDocument};

use rustix::fs::RawMode;

use crate::directory::Directory;
use crate::error::LedgerError;
use crate::key::{KeyId, PublicKey};
use crate::lock;
use crate::paths;
use crate::state::{Area, State};

#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct TrustStore {
    keys: BTreeMap<KeyId, Trusted>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Trusted {
    pub key: PublicKey,
    /// Name of the key's owner, as given by the user.
    pub name: String,
    /// Roles that the key is trusted in; never empty.
    pub roles: BTreeSet<Role>,
    /// When the key was first trusted.
    pub since: Timestamp,
    /// End of the trust. None: until the key is distrusted.
    pub until: Option<Timestamp>,
}

impl Trusted {
    /// Returns whether the key is trusted in a role at a time.
    pub fn is(&self, role: Role, at: Timestamp) -> bool {
        self.roles.contains(&role) && !self.is_over(at)
    }

    /// Returns whether the trust has expired.
    pub fn is_over(&self, at: Timestamp) -> bool {
        self.until.is_some_and(|until| at > until)
    }
}

impl TrustStore {
    /// Reads the trust store of a user. A missing one is empty.
    ///
    /// # Errors
    /// Fails if the store cannot be read, is malformed, or is writable by others: then no key must be trusted.
    pub fn read(state: &State) -> Result<Self, LedgerError> {
        state.look_into(Area::Trust)?.map_or_else(|| Ok(Self::default()), |directory| Self::look(&directory))
    }

    /// Returns the entry of a key.
    pub fn find(&self, key: KeyId) -> Option<&Trusted> {
        self.keys.get(&key)
    }

    /// Returns all entries, by id.
    pub fn entries(&self) -> impl Iterator<Item = &Trusted> {
        self.keys.values()
    }

    /// Returns the keys that are trusted at a time as approvers: people who decide about the gate.
    pub fn approvers(&self, at: Timestamp) -> Vec<PublicKey> {
        self.believed(Role::Approver, at)
    }

    /// Returns the keys that are trusted in a role at a time.
    pub fn believed(&self, role: Role, at: Timestamp) -> Vec<PublicKey> {
        self.keys.values().filter(|entry| entry.is(role, at)).map(|entry| entry.key.clone()).collect()
    }

    /// Trusts a key in a role, in addition to its other roles. Returns its entry.
    ///
    /// # Errors
    /// Fails if the store cannot be read or written, and if it is full.
    pub fn trust(
        state: &State,
        key: &PublicKey,
        name: &str,
        role: Role,
        (since, until): (Timestamp, Option<Timestamp>),
    ) -> Result<Trusted, LedgerError> {
        let changed = |store: &mut Self| {
            let id = key.id();
            let entry = store.keys.entry(id).or_insert_with(|| Trusted {
                key: key.clone(),
                name: String::new(),
                roles: BTreeSet::new(),
                since,
                until: None,
            });
            name.clone_into(&mut entry.name);
            entry.roles.insert(role);
            entry.until = until;
            entry.clone()
        };
        Self::change(state, changed)
    }

    /// Removes a key and returns its entry. None: it was not trusted.
    pub fn distrust(state: &State, key: KeyId) -> Result<Option<Trusted>, LedgerError> {
        Self::change(state, |store| store.keys.remove(&key))
    }

    fn change<T>(state: &State, change: impl FnOnce(&mut Self) -> T) -> Result<T, LedgerError> {
        let directory = state.open_area(Area::Trust)?;
        let _lock = lock::of_file(&directory, paths::TRUST_LOCK)?;
        let mut store = Self::look(&directory)?;
        let changed = change(&mut store);
        let unusable = |reason| LedgerError::Unusable { path: directory.path().join(paths::TRUST), reason };
        if store.keys.len() > limit::TRUSTED_KEYS {
            return Err(unusable(format!("it holds {} keys already: distrust one", limit::TRUSTED_KEYS)));
        }
        let bytes = document::render(store.documents()).map_err(|error| unusable(error.to_string()))?;
        directory.replace(paths::TRUST, &bytes)?;
        Ok(changed)
    }

    /// Returns the entries in the form of the document.
    pub fn documents(&self) -> Vec<TrustedKeyDocument> {
        let entry = |entry: &Trusted| TrustedKeyDocument {
            key_id: entry.key.id().digest(),
            public_key: entry.key.to_pem(),
            name: entry.name.clone(),
            roles: entry.roles.clone(),
            since: entry.since,
            until: entry.until,
        };
        self.keys.values().map(entry).collect()
    }

    fn look(directory: &Directory) -> Result<Self, LedgerError> {
        let path = directory.path().join(paths::TRUST);
        let writable_by_others = |mode: RawMode| mode & 0o022 != 0;
        let stat = rustix::fs::fstat(directory).map_err(LedgerError::io("look at", directory.path()))?;
        if writable_by_others(stat.st_mode) {
            return Err(LedgerError::NotPrivate { path: directory.path().to_path_buf() });
        }
        let Some((bytes, file)) = directory.read_open(paths::TRUST, limit::TRUST_BYTES)? else {
            return Ok(Self::default());
        };
        let facts = rustix::fs::fstat(&file).map_err(LedgerError::io("look at", &path))?;
        if writable_by_others(facts.st_mode) {
            return Err(LedgerError::NotPrivate { path });
        }
        let unusable = |reason: String| LedgerError::Unusable {
            path: path.clone(),
            reason: format!("{reason}; no key is trusted until it is fixed, or moved away"),
        };
        let documents = document::read(&bytes).map_err(|error| unusable(error.to_string()))?;
        let keys = documents.into_iter().map(|found| trusted(found).map_err(&unusable));
        let keys: Vec<Trusted> = keys.collect::<Result<_, _>>()?;
        Ok(Self { keys: keys.into_iter().map(|entry| (entry.key.id(), entry)).collect() })
    }
}

/// Checks that the entry's key has the id that the entry names.
fn trusted(found: TrustedKeyDocument) -> Result<Trusted, String> {
    let key = PublicKey::from_pem(&found.public_key).map_err(|error| format!("{}: {error}", found.key_id))?;
    if key.id() != KeyId::from_digest(found.key_id) {
        return Err(format!("the key under the id {} is {}", found.key_id, key.id()));
    }
    Ok(Trusted { key, name: found.name, roles: found.roles, since: found.since, until: found.until })
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;
    use crate::key::PrivateKey;

    fn key() -> PublicKey {
        PrivateKey::generate().unwrap().public().clone()
    }

    fn at(millisecond: i64) -> Timestamp {
        Timestamp::from_millisecond(millisecond)
    }

    #[test]
    fn a_key_is_believed_in_its_roles_and_for_its_time_until_it_is_distrusted() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().join("state")).unwrap();
        assert_eq!(TrustStore::read(&state).unwrap(), TrustStore::default());
        let (ci, ada) = (key(), key());
        TrustStore::trust(&state, &ci, "CI", Role::Runner, (at(1), None)).unwrap();
        TrustStore::trust(&state, &ada, "Ada", Role::Approver, (at(1), Some(at(10)))).unwrap();
        let store = TrustStore::read(&state).unwrap();
        assert_eq!(store.approvers(at(10)), std::slice::from_ref(&ada));
        assert_eq!(store.approvers(at(11)), [], "her time is over");
        let entry = store.find(ci.id()).unwrap();
        assert!(entry.is(Role::Runner, at(99)) && !entry.is(Role::Approver, at(1)));
        // A second role comes beside the first.
        TrustStore::trust(&state, &ci, "CI", Role::Approver, (at(2), None)).unwrap();
        let store = TrustStore::read(&state).unwrap();
        assert_eq!((store.find(ci.id()).unwrap().roles.len(), store.find(ci.id()).unwrap().since), (2, at(1)));
        assert_eq!(TrustStore::distrust(&state, ci.id()).unwrap().unwrap().name, "CI");
        assert_eq!(TrustStore::distrust(&state, ci.id()).unwrap(), None);
        assert_eq!(TrustStore::read(&state).unwrap().entries().count(), 1);
    }

    #[test]
    fn a_store_that_is_junk_or_that_others_write_to_is_believed_in_nothing() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().join("state")).unwrap();
        TrustStore::trust(&state, &key(), "Ada", Role::Approver, (at(1), None)).unwrap();
        let file = state.path().join("trust/trust.json");
        let good = fs::read_to_string(&file).unwrap();
        let id = TrustStore::read(&state).unwrap().entries().next().unwrap().key.id().to_string();
        let other = good.replace(&id, &"0".repeat(64));
        for junk in ["", "{}", &good[..good.len() / 2], &other, &good.replace("PUBLIC KEY", "PRIVATE KEY")] {
            fs::write(&file, junk).unwrap();
            let error = TrustStore::read(&state).unwrap_err().to_string();
            assert!(error.contains("no key is trusted"), "{junk}: {error}");
            assert!(
                TrustStore::trust(&state, &key(), "Eve", Role::Approver, (at(1), None)).is_err(),
                "nothing is lost"
            );
        }
        fs::write(&file, &good).unwrap();
        fs::set_permissions(&file, fs::Permissions::from_mode(0o666)).unwrap();
        assert!(matches!(TrustStore::read(&state), Err(LedgerError::NotPrivate { .. })));
        fs::remove_file(&file).unwrap();
        std::os::unix::fs::symlink(directory.path().join("elsewhere"), &file).unwrap();
        assert!(TrustStore::read(&state).is_err());
    }

    #[test]
    fn keys_that_are_believed_at_once_are_all_kept() {
        let directory = tempfile::tempdir().unwrap();
        let state = State::open(&directory.path().join("state")).unwrap();
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| TrustStore::trust(&state, &key(), "x", Role::Runner, (at(1), None)).unwrap());
            }
        });
        assert_eq!(TrustStore::read(&state).unwrap().entries().count(), 8);
    }
}
