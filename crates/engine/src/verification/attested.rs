//! Verifies the attestation beside a seal: which signatures are valid, and whether the statements are about this run.

use std::collections::BTreeSet;

use referee_ledger::attest;
use referee_ledger::attestation::envelope::Envelope;
use referee_ledger::attestation::statement::{self, AnyStatement, SHA256, TREE_DIGEST};
use referee_ledger::attestation::{test_result, verdict};
use referee_ledger::evidence::Evidence;
use referee_ledger::key::{KeyId, PublicKey};
use referee_model::id::Digest;
use referee_model::seal::Seal;
use referee_model::{evidence_name, limit};
use referee_syntax::base64;
use serde_json::Value;

use super::Verifier;

/// The result of verifying a run's attestation.
#[derive(Debug, Default)]
pub(super) struct Attested {
    pub(super) present: bool,
    /// The key that the run's header names as the signer.
    pub(super) declared: Option<KeyId>,
    /// Why it is unknown whether the header names one. `None` if it is known.
    pub(super) undeclared: Option<String>,
    /// The keys that have signed both statements about this run, sorted.
    pub(super) signers: Vec<KeyId>,
    /// Proof that something was changed, one sentence each.
    pub(super) broken: Vec<String>,
    /// Why nothing can be verified. `None` if something can.
    pub(super) unreadable: Option<String>,
    /// Number of lines that Referee did not write.
    pub(super) passed_over: usize,
}

/// The run in a directory, from its other files.
struct Run {
    seal: Seal,
    seal_digest: Digest,
    report: Value,
    tree: Option<Digest>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    TestResult,
    Verdict,
}

/// A line that Referee wrote, its signatures not verified yet.
struct Ours<'attestation> {
    line: &'attestation [u8],
    kind: Kind,
    envelope: Envelope,
    statement: AnyStatement,
}

/// Verifies the attestation of a run.
pub(super) fn look(evidence: &Evidence, seal: Option<&Seal>, verifier: &Verifier) -> Attested {
    let header =
        evidence.read(evidence_name::RUN).ok().map(|bytes| referee_model::record::header::read(&bytes)).transpose();
    let undeclared = header.as_ref().err().map(ToString::to_string);
    let run_context = header.ok().flatten().map(|run| run.run_context).unwrap_or_default();
    let declared = run_context.signer.map(KeyId::from_digest);
    let mut attested = Attested { declared, undeclared, ..Attested::default() };
    attested.present = evidence.names().is_ok_and(|names| names.iter().any(|name| name == evidence_name::ATTESTATION));
    if !attested.present {
        return attested;
    }
    let bytes = match evidence.read(evidence_name::ATTESTATION) {
        Ok(bytes) if bytes.len() as u64 <= limit::ATTESTATION_BYTES => bytes,
        Ok(_) => {
            attested.unreadable = Some(format!("it is larger than {} bytes", limit::ATTESTATION_BYTES));
            return attested;
        }
        Err(error) => {
            attested.unreadable = Some(error.to_string());
            return attested;
        }
    };
    let Some((seal, sealed)) = seal.zip(evidence.read(evidence_name::SEAL).ok()) else {
        attested.unreadable = Some("there is no seal that it could be compared with".to_owned());
        return attested;
    };
    let report = evidence.read(evidence_name::EXECUTION_REPORT).ok();
    let run = Run {
        seal: seal.clone(),
        seal_digest: Digest::of(&sealed),
        report: report.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default(),
        tree: run_context.tree.map(|tree| tree.after.digest),
    };
    read(&mut attested, &bytes, &run, verifier);
    attested
}

/// Reads all lines; their order does not matter.
fn read(attested: &mut Attested, bytes: &[u8], run: &Run, verifier: &Verifier) {
    let mut ours = Vec::new();
    for line in bytes.split(|byte| *byte == b'\n').filter(|line| !line.trim_ascii().is_empty()) {
        match ours_of(line) {
            Some(found) => ours.push(found),
            None => attested.passed_over += 1,
        }
    }
    let keys = candidates(verifier, &ours);
    let mut by_kind = [(Kind::TestResult, BTreeSet::new()), (Kind::Verdict, BTreeSet::new())];
    for Ours { line, kind, envelope, statement } in &ours {
        let name = kind.name();
        let signers = attest::verify(envelope, &keys);
        if signers.is_empty() {
            attested.broken.push(format!(
                "the {name} has no signature by a known key, or the one that it names: it was changed, \
                 or signed by another key"
            ));
            continue;
        }
        attested.broken.extend(laid_out(line, envelope, &signers).map(|problem| format!("the {name} {problem}")));
        let problems = match kind {
            Kind::TestResult => of_test_result(statement, run),
            Kind::Verdict => of_verdict(statement, run),
        };
        attested.broken.extend(problems.into_iter().map(|problem| format!("the {name} {problem}")));
        let of_kind = by_kind.iter_mut().filter(|(other, _)| other == kind);
        of_kind.for_each(|(_, keys)| keys.extend(signers.iter().copied()));
    }
    let [(_, results), (_, verdicts)] = by_kind;
    attested.signers = results.intersection(&verdicts).copied().collect();
    for (kind, signed, other) in [(Kind::TestResult, &results, &verdicts), (Kind::Verdict, &verdicts, &results)] {
        if signed.is_empty() {
            attested.broken.push(format!("there is no {} that is signed, and every signed run has one", kind.name()));
        } else if let Some(key) = other.difference(signed).next() {
            attested.broken.push(format!("{key} has signed no {}, and every signed run has both", kind.name()));
        }
    }
    if let Some(declared) = attested.declared.filter(|declared| !attested.signers.contains(declared)) {
        let signers: Vec<String> = attested.signers.iter().map(KeyId::to_string).collect();
        let signers = if signers.is_empty() { "nobody".to_owned() } else { signers.join(" and ") };
        attested.broken.push(format!("the run was to be signed by {declared}, and is signed by {signers}"));
    }
}

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::TestResult => "test result",
            Self::Verdict => "verdict",
        }
    }
}

/// Parses a line that only Referee writes. Returns `None` for any other line.
fn ours_of(line: &[u8]) -> Option<Ours<'_>> {
    let envelope = Envelope::read(line).ok().filter(|found| found.payload_type == statement::PAYLOAD_TYPE)?;
    let statement = statement::read(&envelope.payload).ok()?;
    let kind = match statement.predicate_type.as_str() {
        verdict::PREDICATE_TYPE => Kind::Verdict,
        test_result::PREDICATE_TYPE if statement.predicate.get(test_result::SEAL_KEY).is_some() => Kind::TestResult,
        _ => return None,
    };
    Some(Ours { line, kind, envelope, statement })
}

/// Returns all keys that signatures are verified with: those that the verifier knows, and those that verdicts name
/// as their own. The latter only prove that the owner of the key made all of the statements.
fn candidates(verifier: &Verifier, ours: &[Ours<'_>]) -> Vec<PublicKey> {
    let mut keys = verifier.keys.clone();
    keys.extend(verifier.trust.iter().flat_map(|store| store.entries().map(|entry| entry.key.clone())));
    let verdicts = ours.iter().filter(|ours| ours.kind == Kind::Verdict);
    keys.extend(verdicts.filter_map(|ours| {
        let signer = verdict::read(&ours.statement.predicate).ok()?.signer;
        let key = PublicKey::from_spki(&base64::decode(&signer.public_key)?)?;
        (key.id().digest() == signer.key_id).then_some(key)
    }));
    keys
}

/// Returns how a line differs from what Referee writes. Only the payload is signed, so any other difference was
/// made afterwards.
fn laid_out(line: &[u8], envelope: &Envelope, signers: &[KeyId]) -> Option<String> {
    let named: Vec<String> = envelope.signatures.iter().filter_map(|signature| signature.key_hint.clone()).collect();
    let signers: Vec<String> = signers.iter().map(KeyId::to_string).collect();
    if named.len() != envelope.signatures.len() || named.iter().collect::<BTreeSet<_>>() != signers.iter().collect() {
        return Some(format!("names {} as its signer, and {} signed it", named.join(" and "), signers.join(" and ")));
    }
    (envelope.line() != line).then(|| "is not laid out as it was written".to_owned())
}

/// Returns what a test result states that is false for this run.
fn of_test_result(statement: &AnyStatement, run: &Run) -> Vec<String> {
    let predicate = &statement.predicate;
    let passed = matches!(predicate.get("result").and_then(Value::as_str), Some("PASSED" | "WARNED"));
    let is_subject = statement.subject.iter().any(|subject| match run.tree {
        Some(tree) => subject.is(TREE_DIGEST, &tree),
        None => subject.is(SHA256, &run.seal_digest),
    });
    let plan = run.seal.plan_digest.to_string();
    let configured = predicate.get("configuration").and_then(Value::as_array).is_some_and(|configuration| {
        configuration.iter().any(|part| part.pointer("/digest/sha256").and_then(Value::as_str) == Some(&plan))
    });
    let sealed = predicate.get(test_result::SEAL_KEY).and_then(Value::as_str);
    differing([
        (sealed == Some(&run.seal_digest.to_string()), "is about the run with another seal"),
        (is_subject, "is about another source"),
        (configured, "is about another plan"),
        (passed == (run.decision() == Some("PASS")), "has another result than the report"),
    ])
}

/// Returns what a verdict states that is false for this run.
fn of_verdict(statement: &AnyStatement, run: &Run) -> Vec<String> {
    let said = match verdict::read(&statement.predicate) {
        Ok(said) => said,
        Err(error) => return vec![format!("cannot be read: {error}")],
    };
    let hash = run.report.pointer("/authenticity/reportHash").and_then(Value::as_str);
    let decision = serde_json::to_value(said.decision).ok();
    let is_subject = statement.subject.iter().any(|subject| subject.is(SHA256, &run.seal_digest));
    differing([
        (is_subject && said.seal == run.seal_digest, "is about the run with another seal"),
        (said.task == run.seal.task_id, "is about another task"),
        (said.execution == run.seal.execution_id, "is about another run"),
        (said.plan_digest == run.seal.plan_digest, "is about another plan"),
        (Some(said.report_hash.to_string().as_str()) == hash, "is about another report"),
        (decision.as_ref().and_then(Value::as_str) == run.decision(), "has another decision than the report"),
    ])
}

fn differing<const ROWS: usize>(rows: [(bool, &str); ROWS]) -> Vec<String> {
    rows.into_iter().filter(|(holds, _)| !holds).map(|(_, sentence)| sentence.to_owned()).collect()
}

impl Run {
    fn decision(&self) -> Option<&str> {
        self.report.pointer("/executionSummary/decision").and_then(Value::as_str)
    }
}
