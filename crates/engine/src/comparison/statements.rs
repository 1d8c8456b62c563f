//! Signed statements without the evidence that they are about: only their signatures vouch for them.

use referee_ledger::attest;
use referee_ledger::attestation::envelope::Envelope;
use referee_ledger::attestation::statement::{self, AnyStatement};
use referee_ledger::attestation::{test_result, verdict};
use referee_ledger::key::{KeyId, PublicKey};
use referee_ledger::trust::Role;
use referee_model::comparison::{Brought, CheckFact, Provenance, RunFacts};
use referee_model::gate::CheckStanding;
use referee_model::id::{Digest, TaskId};
use referee_model::limit;
use referee_model::time::Timestamp;
use referee_syntax::base64;
use serde_json::Value;

use super::called;
use crate::verification::Verifier;

/// A statement about a run whose signatures are not verified yet.
struct Line {
    envelope: Envelope,
    statement: AnyStatement,
}

/// A verdict and its signers.
struct Signed {
    verdict: verdict::Verdict,
    predicate: Value,
    signers: Vec<KeyId>,
}

/// Reads what statements say about a task; of several runs of it, the one that ended last counts.
pub(super) fn look(bytes: &[u8], place: &str, task: &TaskId, verifier: &Verifier) -> Brought {
    let unverifiable = |reason: String| Brought::Unverifiable { place: place.to_owned(), reasons: vec![reason] };
    let tampered = |reason: String| Brought::Tampered { place: place.to_owned(), reasons: vec![reason] };
    if bytes.len() as u64 > limit::ATTESTATION_BYTES {
        return unverifiable(format!("it is larger than {} bytes", limit::ATTESTATION_BYTES));
    }
    let lines: Vec<Line> = bytes.split(|byte| *byte == b'\n').filter_map(line).collect();
    if lines.is_empty() {
        return unverifiable("it holds no signed statement".to_owned());
    }
    let mut found: Option<Signed> = None;
    for line in lines.iter().filter(|line| line.statement.predicate_type == verdict::PREDICATE_TYPE) {
        let verdict = match verdict::read(&line.statement.predicate) {
            Ok(verdict) => verdict,
            Err(error) => return unverifiable(format!("a verdict cannot be read: {error}")),
        };
        if verdict.task != *task {
            continue;
        }
        let signers = attest::verify(&line.envelope, &keys(verifier, Some(&verdict)));
        if signers.is_empty() {
            return tampered("a verdict has no signature by a known key, or the one that it names".to_owned());
        }
        let predicate = line.statement.predicate.clone();
        if found.as_ref().is_none_or(|other| time(&other.predicate) <= time(&predicate)) {
            found = Some(Signed { verdict, predicate, signers });
        }
    }
    let Some(signed) = found else { return Brought::Nothing };
    match provenance(&signed.signers, verifier) {
        Err(reason) => tampered(reason),
        Ok((provenance, reason)) => match facts(&signed, &lines, place, verifier) {
            Ok(facts) => Brought::Run { facts, provenance, reason },
            Err(reason) => unverifiable(reason),
        },
    }
}

fn line(bytes: &[u8]) -> Option<Line> {
    let envelope = Envelope::read(bytes).ok().filter(|found| found.payload_type == statement::PAYLOAD_TYPE)?;
    let statement = statement::read(&envelope.payload).ok()?;
    Some(Line { envelope, statement })
}

/// Returns all keys that a signature is verified against: those that the verifier knows and the one that a verdict
/// names as its own.
fn keys(verifier: &Verifier, verdict: Option<&verdict::Verdict>) -> Vec<PublicKey> {
    let mut keys = verifier.keys.clone();
    keys.extend(verifier.trust.iter().flat_map(|store| store.entries().map(|entry| entry.key.clone())));
    keys.extend(verdict.and_then(|verdict| {
        let key = PublicKey::from_spki(&base64::decode(&verdict.signer.public_key)?)?;
        (key.id().digest() == verdict.signer.key_id).then_some(key)
    }));
    keys
}

fn time(predicate: &Value) -> Option<Timestamp> {
    serde_json::from_value(predicate.get("endedAt")?.clone()).ok()
}

/// Returns the provenance of the signatures and a description of the signers. Fails if a required signer did not sign.
fn provenance(signers: &[KeyId], verifier: &Verifier) -> Result<(Provenance, String), String> {
    let ids = |keys: &mut dyn Iterator<Item = KeyId>| keys.map(|key| key.to_string()).collect::<Vec<_>>().join(" and ");
    let named = ids(&mut signers.iter().copied());
    let is_asked = |key: &&KeyId| verifier.keys.iter().any(|asked| asked.id() == **key);
    if let Some(key) = signers.iter().find(is_asked) {
        return Ok((Provenance::Trusted, format!("{key} is the key that was asked for")));
    }
    if !verifier.keys.is_empty() {
        let asked = ids(&mut verifier.keys.iter().map(PublicKey::id));
        return Err(format!("it is signed by {named}, and by none of the keys that are asked for ({asked})"));
    }
    let entries = verifier.trust.iter().flat_map(|store| signers.iter().filter_map(|key| store.find(*key)));
    let believed = entries.into_iter().find(|entry| entry.is(Role::Runner, verifier.now));
    Ok(match believed {
        Some(entry) => (Provenance::Trusted, format!("{} is {:?} by your trust store", entry.key.id(), entry.name)),
        None => (Provenance::UnknownKey, format!("it is signed by {named}, which is not a trusted runner key")),
    })
}

fn facts(signed: &Signed, lines: &[Line], place: &str, verifier: &Verifier) -> Result<RunFacts, String> {
    let Signed { verdict, predicate, .. } = signed;
    let digest = |pointer: &str| {
        let value = predicate.pointer(pointer).cloned()?;
        serde_json::from_value::<Digest>(value).ok()
    };
    let (before, after) = (digest("/tree/before"), digest("/tree/after"));
    Ok(RunFacts {
        task: verdict.task.clone(),
        execution: verdict.execution.clone(),
        decision: verdict.decision,
        reduced: predicate.pointer("/scope/reduced").and_then(Value::as_bool).unwrap_or(true),
        tree: after.filter(|_| before == after),
        specification: digest("/specificationDigest").ok_or("the verdict names no specification")?,
        plan: None,
        checks: checks(verdict, lines, verifier),
        ended: time(predicate).ok_or("the verdict does not say when its run was over")?,
        place: place.to_owned(),
    })
}

/// Returns the checks that the test result of the same run names, if that statement is signed too.
fn checks(verdict: &verdict::Verdict, lines: &[Line], verifier: &Verifier) -> Vec<CheckFact> {
    let keys = keys(verifier, Some(verdict));
    let is_of_run = |line: &&Line| {
        let predicate = &line.statement.predicate;
        line.statement.predicate_type == test_result::PREDICATE_TYPE
            && predicate.get(test_result::SEAL_KEY).and_then(Value::as_str) == Some(&verdict.seal.to_string())
            && !attest::verify(&line.envelope, &keys).is_empty()
    };
    let Some(line) = lines.iter().find(is_of_run) else { return Vec::new() };
    let lists = [
        ("passedTests", CheckStanding::Passed),
        ("warnedTests", CheckStanding::NotBlocking),
        ("failedTests", CheckStanding::Blocking),
    ];
    let named = |(key, standing): (&str, CheckStanding)| -> Vec<CheckFact> {
        let names = line.statement.predicate.get(key).and_then(Value::as_array).into_iter().flatten();
        names.filter_map(Value::as_str).filter_map(|name| called(name, standing)).collect()
    };
    lists.into_iter().flat_map(named).collect()
}
