//! The axis "signature": whether the run is signed in its current state, by a key that the verifier knows.

use referee_ledger::key::{KeyId, PublicKey};
use referee_model::evidence_name;

use super::attested::Attested;
use super::{Axis, AxisState, Verifier};

/// Returns the axis for the signatures.
pub(super) fn axis(attested: &Attested, verifier: &Verifier) -> Axis {
    let (state, reasons) = found(attested, verifier);
    Axis { name: "signature", state, reasons }
}

fn found(attested: &Attested, verifier: &Verifier) -> (AxisState, Vec<String>) {
    let file = evidence_name::ATTESTATION;
    let asked = || ids(verifier.keys.iter().map(PublicKey::id));
    if !attested.present {
        if let Some(reason) = &attested.undeclared {
            return (
                AxisState::Unverifiable,
                vec![format!("unsigned, and whether it was to be signed is not known: {reason}")],
            );
        }
        return match attested.declared {
            Some(key) => (AxisState::Broken, vec![format!("the run was to be signed by {key}, and {file} is gone")]),
            None if verifier.keys.is_empty() => {
                (AxisState::Unknown, vec!["unsigned: anyone who can write the directory could have made it".to_owned()])
            }
            None => (AxisState::Unverifiable, vec![format!("unsigned, and a signature by {} is asked for", asked())]),
        };
    }
    if let Some(reason) = &attested.unreadable {
        return (AxisState::Unverifiable, vec![format!("{file}: {reason}")]);
    }
    if !attested.broken.is_empty() {
        return (AxisState::Broken, attested.broken.clone());
    }
    let signers = ids(attested.signers.iter().copied());
    let of_others = match attested.passed_over {
        0 => String::new(),
        lines => format!("; {lines} lines of {file} are no statements of Referee, and are passed over"),
    };
    let is_asked = |key: &KeyId| verifier.keys.iter().any(|asked| asked.id() == *key);
    if !verifier.keys.is_empty() && !attested.signers.iter().any(is_asked) {
        let reason = format!("signed by {signers}, and by none of the keys that are asked for ({})", asked());
        return (AxisState::Broken, vec![reason]);
    }
    let is_known = |key: &KeyId| is_asked(key) || verifier.trust.as_ref().is_ok_and(|store| store.find(*key).is_some());
    if attested.signers.iter().any(is_known) {
        let reason = format!("the test result and the verdict on this run are signed by {signers}{of_others}");
        return (AxisState::Holds, vec![reason]);
    }
    let reason = format!(
        "valid, but signed by an unknown key, {signers}: whoever made the directory could have made the \
         key{of_others}"
    );
    (AxisState::Unknown, vec![reason])
}

fn ids(keys: impl Iterator<Item = KeyId>) -> String {
    keys.map(|key| key.to_string()).collect::<Vec<_>>().join(" and ")
}
