//! Referee's own in-toto predicate: the verdict on one task and its basis.

use referee_model::id::{Digest, ExecutionId, TaskId};
use referee_model::outcome::Outcome;
use referee_model::record::SkipReason;
use referee_model::report::{ActionHistory, JUDGE_VERSION, Report};
use referee_model::run_context::confinement::FileConfinement;
use referee_model::run_context::protection::TrustedBaseline;
use referee_model::run_context::waiver::WaiverStanding;
use referee_model::selection::Profile;
use referee_model::time::Timestamp;
use referee_model::verdict::Decision;
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::names::Names;
use referee_model::document::{DocumentError, Kind};
use referee_model::exit_code;
use referee_model::number::Count;

const KIND: Kind = Kind { name: "the verdict", key: "verdictVersion", version: "1.0.0" };

/// Predicate type URI. The number is the major version of the predicate's format.
pub const PREDICATE_TYPE: &str = "https://referee.dev/attestation/verdict/v1";

/// The verdict on one task.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(title = "Referee verdict (in-toto predicate)", deny_unknown_fields))]
pub struct VerdictPredicate {
    /// Version of this format.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    verdict_version: &'static str,
    /// Id of the task that the verdict is about.
    task: TaskId,
    /// Id of the run that produced the verdict.
    execution: ExecutionId,
    /// Decision that gates: the only field that says whether the task may be called done.
    decision: Decision,
    /// Exit code of `referee run`.
    exit_code: u8,
    /// When the run started, in UTC.
    started_at: Timestamp,
    /// When the run ended, in UTC.
    ended_at: Timestamp,
    /// SHA-256 of `seal.json`, which lists every other file of the run. Also the subject of the statement.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::id::Digest"))]
    seal: Option<Digest>,
    /// Digest of the plan's canonical document.
    plan_digest: Digest,
    /// SHA-256 of the specification's file.
    specification_digest: Digest,
    /// SHA-256 of the canonical report (RFC 8785), as recorded in the seal.
    report_hash: Digest,
    /// Version of the rules that the run was judged by.
    #[cfg_attr(feature = "schema", schemars(with = "referee_model::schema::Version"))]
    judge_version: &'static str,
    /// Name and version of the program that produced the run, such as `Referee 1.0.0`.
    generator: String,
    /// Digests of the source before and after the run. Null: the source was not observed.
    tree: Option<TreeDigests>,
    /// How much of the task the run covered.
    scope: ScopeDocument,
    /// Number of actions by result.
    counts: Counts,
    /// Conditions under which the run took place.
    #[serde(rename = "circumstances")]
    run_context: Summary,
    /// Key that signs the attestation.
    signer: SignerDocument,
}

/// Digests of the source.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct TreeDigests {
    /// Digest of the source before the first action ran.
    before: Digest,
    /// Digest of the source after the last action ran.
    after: Digest,
}

/// How much of the task the run covered.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct ScopeDocument {
    /// Profile that the run used: `strict`, `fast`, `smoke` or `yolo`.
    profile: Profile,
    /// Whether anything was left out. A reduced run never counts as done.
    reduced: bool,
}

/// Number of actions by result: `total = passed + blocking + notBlocking + skipped`.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Counts {
    /// Number of actions in the plan.
    total: Count,
    /// Number of actions that succeeded and do not block.
    passed: Count,
    /// Number of actions whose result prevents a pass.
    blocking: Count,
    /// Number of actions that did not succeed and do not block.
    not_blocking: Count,
    /// Number of actions that were never executed.
    skipped: Count,
    /// Number of names of tests and checks that the test result does not list.
    names_left_out: Count,
}

/// Summary of the conditions under which the run took place.
#[derive(Debug, Clone, PartialEq, Serialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
struct Summary {
    /// Mechanism that restricted where commands could write, such as `landlock-7`. Null: unrestricted.
    confined: Option<String>,
    /// Whether the run took place in a clean room: a source tree built for it.
    clean_room: bool,
    /// Reference that protected files were compared with: `lock:` and a digest, or `git:` and a commit. Null: no files
    /// are protected.
    locked: Option<String>,
    /// Number of protected files that differ from the reference in `locked`.
    drift: Count,
    /// Ids of the trusted waivers.
    waivers: Vec<String>,
    /// Whether findings were compared with a baseline.
    baseline: bool,
}

/// Signing key, as self-declared. Proves nothing by itself: the verifier's trust store says whose key it is.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[serde(rename_all = "camelCase")]
#[cfg_attr(feature = "schema", schemars(deny_unknown_fields))]
pub struct SignerDocument {
    /// SHA-256 of the public key in SPKI form.
    pub key_id: Digest,
    /// Public key in SPKI form, base64-encoded.
    pub public_key: String,
}

/// Returns whether a run left something out, whatever its header says.
pub(super) fn is_reduced(report: &Report) -> bool {
    let left_out = |history: &ActionHistory| matches!(history, ActionHistory::Skipped(SkipReason::LeftOut(_)));
    report.run.scope.reduced || report.actions.iter().any(|action| left_out(&action.history))
}

impl VerdictPredicate {
    /// Creates the predicate of a judged run. The seal's digest is set later, by [`Self::sealed`].
    pub(super) fn new(
        report: &Report,
        plan: Digest,
        report_hash: Digest,
        names: &Names,
        signer: SignerDocument,
    ) -> Self {
        let run = &report.run;
        Self {
            verdict_version: KIND.version,
            task: report.plan.task.clone(),
            execution: run.execution.clone(),
            decision: report.verdict.decision,
            exit_code: exit_code::of(report.verdict.exit),
            started_at: run.started,
            ended_at: run.ended,
            seal: None,
            plan_digest: plan,
            specification_digest: report.plan.specification.digest,
            report_hash,
            judge_version: JUDGE_VERSION,
            generator: format!("Referee {}", run.host.version),
            tree: run
                .run_context
                .tree
                .as_ref()
                .map(|tree| TreeDigests { before: tree.before.digest, after: tree.after.digest }),
            scope: ScopeDocument { profile: run.scope.profile, reduced: is_reduced(report) },
            counts: Counts::new(report, names),
            run_context: Summary::new(report),
            signer,
        }
    }

    /// Returns a copy with the digest of the seal.
    pub(super) fn sealed(&self, seal: Digest) -> Self {
        Self { seal: Some(seal), ..self.clone() }
    }
}

impl Counts {
    fn new(report: &Report, names: &Names) -> Self {
        let count = |holds: &dyn Fn(Outcome, bool) -> bool| {
            let ran = report.actions.iter().filter_map(|action| action.ran());
            Count::of(ran.filter(|ran| holds(ran.judgement.outcome, ran.judgement.blocking)).count())
        };
        Self {
            total: Count::of(report.actions.len()),
            passed: count(&|outcome, blocking| outcome == Outcome::Success && !blocking),
            blocking: count(&|_, blocking| blocking),
            not_blocking: count(&|outcome, blocking| outcome != Outcome::Success && !blocking),
            skipped: Count::of(report.actions.iter().filter(|action| action.ran().is_none()).count()),
            names_left_out: Count::of(names.left_out),
        }
    }
}

impl Summary {
    fn new(report: &Report) -> Self {
        let found = &report.run.run_context;
        let confined = found.confinement.as_ref().and_then(|confinement| match &confinement.files {
            FileConfinement::Landlock { abi } => Some(format!("landlock-{abi}")),
            FileConfinement::Missing { .. } | FileConfinement::NotAskedFor => None,
        });
        let locked = found.protection.as_ref().map(|protection| match &protection.baseline {
            TrustedBaseline::Lock { digest, .. } => format!("lock:{digest}"),
            TrustedBaseline::Git { commit, .. } => format!("git:{commit}"),
        });
        let believed = found.waivers.iter().filter(|waiver| matches!(waiver.standing, WaiverStanding::Signed { .. }));
        Self {
            confined,
            clean_room: found.clean_room.is_some(),
            locked,
            drift: Count::of(found.protection.as_ref().map_or(0, |protection| protection.drift.len())),
            waivers: believed.map(|waiver| waiver.id.clone()).collect(),
            baseline: report.verdict.baseline.is_some(),
        }
    }
}

/// The part of a verdict that can be checked against a directory of evidence.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Verdict {
    /// Task that the verdict is about.
    pub task: TaskId,
    /// Run that produced the verdict.
    pub execution: ExecutionId,
    /// Decision of the verdict.
    pub decision: Decision,
    /// SHA-256 of `seal.json`.
    pub seal: Digest,
    /// Digest of the plan's canonical document.
    pub plan_digest: Digest,
    /// SHA-256 of the canonical report.
    pub report_hash: Digest,
    /// Signing key, as self-declared.
    pub signer: SignerDocument,
}

/// Parses a verdict. Unknown keys are ignored: a later minor version may add some.
pub fn read(predicate: &Value) -> Result<Verdict, DocumentError> {
    let bytes = serde_json::to_vec(predicate).map_err(|source| DocumentError::Shape { document: KIND.name, source })?;
    KIND.read(&bytes)
}
