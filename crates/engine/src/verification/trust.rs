//! The axis "trust": who signed, by the verifier's own trust store. No signer vouches for itself.

use referee_ledger::key::KeyId;
use referee_ledger::trust::{Role, TrustStore, Trusted};

use super::attested::Attested;
use super::{Axis, AxisState, Signer, Verifier};

/// Returns the axis for the signers.
pub(super) fn axis(attested: &Attested, verifier: &Verifier) -> Axis {
    let (state, reason) = found(attested, verifier);
    Axis { name: "trust", state, reasons: vec![reason] }
}

/// Returns the signers that are trusted now, which a policy may require.
pub(super) fn believed(attested: &Attested, verifier: &Verifier) -> Vec<Signer> {
    let (true, Ok(store)) = (attested.broken.is_empty(), &verifier.trust) else { return Vec::new() };
    let entries = attested.signers.iter().filter_map(|key| store.find(*key));
    let current = entries.filter(|entry| entry.roles.iter().any(|role| entry.is(*role, verifier.now)));
    current
        .map(|entry| Signer {
            name: entry.name.clone(),
            roles: entry.roles.iter().map(|role| role.as_str().to_owned()).collect(),
        })
        .collect()
}

fn found(attested: &Attested, verifier: &Verifier) -> (AxisState, String) {
    if attested.signers.is_empty() || !attested.broken.is_empty() {
        return (AxisState::Unknown, "not signed by a key that you trust".to_owned());
    }
    let asked = attested.signers.iter().find(|key| verifier.keys.iter().any(|asked| asked.id() == **key));
    let store = match (&verifier.trust, asked) {
        (Ok(store), _) => store,
        // A key that the verifier names is trusted without a store.
        (Err(_), Some(key)) => return (AxisState::Holds, given(*key)),
        (Err(problem), None) => return (AxisState::Unverifiable, format!("no key is trusted: {problem}")),
    };
    let weighed = attested.signers.iter().map(|key| weigh(*key, store, verifier));
    // One trusted signer is enough.
    let best = weighed.min_by_key(|(state, _)| match state {
        AxisState::Holds => 0,
        AxisState::Unverifiable => 1,
        AxisState::Unknown | AxisState::Broken => 2,
    });
    best.unwrap_or_else(|| (AxisState::Unknown, "unsigned".to_owned()))
}

fn given(key: KeyId) -> String {
    format!("{key} is the key that was asked for")
}

fn weigh(key: KeyId, store: &TrustStore, verifier: &Verifier) -> (AxisState, String) {
    let is_asked = verifier.keys.iter().any(|asked| asked.id() == key);
    match store.find(key) {
        Some(entry) => of_entry(entry, verifier),
        None if is_asked => (AxisState::Holds, format!("{}; your trust store does not know it", given(key))),
        None => {
            let add = format!("`referee key trust PUBLIC.pem --name NAME --as {}`", Role::Runner.as_str());
            (
                AxisState::Unknown,
                format!("{key} is not in your trust store: trust it with {add} if you know whose it is"),
            )
        }
    }
}

fn of_entry(entry: &Trusted, verifier: &Verifier) -> (AxisState, String) {
    let (key, name) = (entry.key.id(), &entry.name);
    let roles: Vec<&str> = entry.roles.iter().map(|role| role.as_str()).collect();
    let roles = roles.join(" and ");
    if let Some(until) = entry.until.filter(|_| entry.is_over(verifier.now)) {
        return (AxisState::Unverifiable, format!("{key} is {name:?} ({roles}), trusted until {until}"));
    }
    if entry.is(Role::Runner, verifier.now) {
        (AxisState::Holds, format!("{key} is {name:?} ({roles}) by your trust store"))
    } else {
        (
            AxisState::Unknown,
            format!("{key} is {name:?} by your trust store, who is trusted as {roles} and not as runner"),
        )
    }
}
