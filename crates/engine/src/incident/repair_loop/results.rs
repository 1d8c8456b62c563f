//! Results of the checks of a turn, for `attempt_NN.json` and for the next turn; read from sealed evidence.

use std::path::Path;

use referee_ledger::evidence::Evidence;
use referee_ledger::incidents::Part;
use referee_model::diagnostic_log::Finding;
use referee_model::gate::{GateAnswer, GateTask};
use referee_model::id::{ActionId, Digest, TaskId};
use referee_model::incident::attempt::{CitedRunDocument, CommandResultDocument};
use referee_model::incident::id::IncidentId;
use referee_model::incident::remediation::Verification;
use referee_model::record::{CommandFacts, Ending, Facts, Log, Stream};
use referee_model::report::{ActionReport, Report};
use referee_model::verdict::Decision;
use referee_model::{evidence_name, incident};

use crate::incident::IncidentContext;
use crate::recorded;
use crate::tail::Tail;

/// Id of the task that runs commands that are not checks of the specification: the command that failed, and
/// approved commands of a planner.
pub const COMMANDS_TASK: &str = "T00000";

/// Number of characters kept of the end of a stream (seed 3).
const TAIL_CHARACTERS: usize = 4_000;

/// Number of bytes of a stream that are read for these characters.
const TAIL_BYTES: usize = 4 * TAIL_CHARACTERS;

/// Maximum length of an error signature, in characters (seed 3).
const SIGNATURE_CHARACTERS: usize = 300;

/// Maximum number of diagnostics that an agent gets.
const DIAGNOSTICS: usize = 200;

/// Maximum number of reasons that are reported, and of characters of each.
const REASONS: usize = 8;
const REASON_CHARACTERS: usize = 300;

/// Exit code of a command that timed out (seed 3), and of one that could not be started.
const TIMED_OUT: i32 = 124;
const NOT_STARTED: i32 = 127;

/// Results of the checks of a turn.
#[derive(Debug, Default)]
pub(super) struct Checked {
    pub(super) results: Vec<CommandResultDocument>,
    /// Signature of the first failed command, as `command::rc=1`. Empty if none failed.
    pub(super) signature: String,
    /// Commands that prevent a pass.
    pub(super) failed: Vec<String>,
    /// Sealed reports, with their paths as written to documents; those that did not pass come first.
    pub(super) reports: Vec<CitedRunDocument>,
    /// Reasons why the result is no pass.
    pub(super) reasons: Vec<String>,
}

impl Checked {
    pub(super) fn paths(&self) -> Vec<String> {
        self.reports.iter().map(|run| run.report.clone()).collect()
    }
}

/// Whether a check that a plan names is this action: by its id, or by task and id, as in `T001/STEP.1`.
pub fn is_check(name: &str, task: &TaskId, action: &ActionId) -> bool {
    match name.split_once('/') {
        Some((of, name)) => of == task.as_str() && name == action.as_str(),
        None => name == action.as_str(),
    }
}

/// A judged action with reliable evidence.
struct SealedAction<'a> {
    evidence: &'a Evidence,
    report: &'a Report,
    action: &'a ActionReport,
}

/// Reads the results of the checks.
pub(super) fn checked(context: IncidentContext<'_>, answer: &GateAnswer, verifications: &[Verification]) -> Checked {
    let mut opened = Vec::new();
    for task in &answer.tasks {
        let Some(directory) = Path::new(&task.report).parent() else { continue };
        if let (Ok(found), Ok(evidence)) = (recorded::open(directory, Some(context.state)), Evidence::open(directory)) {
            opened.push((found.report, evidence));
        }
    }
    let mut checked = Checked { reasons: reasons(context, answer), ..Checked::default() };
    for verification in verifications {
        let meant = opened.iter().flat_map(|(report, evidence)| {
            let actions = report.actions.iter().filter(|action| is_meant(verification, &report.plan.task, action));
            actions.map(move |action| SealedAction { evidence, report, action })
        });
        let mut meant: Vec<SealedAction<'_>> = meant.collect();
        // If several tasks have the action, a blocking one is more informative.
        meant.sort_by_key(|found| !blocks(found.action));
        let (result, failed) = of_command(context, verification, meant.first());
        if failed {
            checked.failed.push(verification.command().clone());
            if checked.signature.is_empty() {
                checked.signature = signature(context, &result);
            }
        }
        checked.results.push(result);
    }
    if checked.signature.is_empty() && answer.decision != Decision::Pass {
        let first = checked.reasons.first().map_or("not passed", String::as_str);
        checked.signature = format!("checks::{first}").chars().take(SIGNATURE_CHARACTERS).collect();
    }
    let failed = |task: &&GateTask| task.decision != Decision::Pass;
    let (first, rest): (Vec<_>, Vec<_>) = answer.tasks.iter().partition(failed);
    checked.reports = first.into_iter().chain(rest).map(|task| cited(context, task)).collect();
    checked
}

/// Returns a run as an attempt cites it.
fn cited(context: IncidentContext<'_>, task: &GateTask) -> CitedRunDocument {
    let directory = Path::new(&task.report).parent();
    let seal = directory.and_then(|directory| Evidence::open(directory).ok()?.read(evidence_name::SEAL).ok());
    CitedRunDocument {
        task_id: task.task.to_string(),
        execution_id: task.execution.to_string(),
        report: written(context, &task.report),
        seal_sha256: seal.map(|bytes| Digest::of(&bytes).to_string()),
    }
}

/// Returns the diagnostics for the agent: those of the last checks, or those that the incident was captured with.
pub(super) fn diagnostics(context: IncidentContext<'_>, id: &IncidentId, reports: &[String]) -> Vec<Finding> {
    if reports.is_empty() {
        let captured = context.incidents.file(id, Part::Incident, incident::DIAGNOSTICS).ok().flatten();
        return captured.and_then(|bytes| serde_json::from_slice(&bytes).ok()).unwrap_or_default();
    }
    let paths = reports.iter().map(|report| context.incidents.root().join(report));
    let opened = paths.filter_map(|path| recorded::open(path.parent()?, Some(context.state)).ok());
    let reports: Vec<Report> = opened.map(|recorded| recorded.report).collect();
    let entries = reports.iter().flat_map(|report| &report.diagnostics.entries);
    entries.take(DIAGNOSTICS).map(|entry| entry.with_texts(&|text| context.clean(text))).collect()
}

fn is_meant(verification: &Verification, task: &TaskId, action: &ActionReport) -> bool {
    match verification {
        Verification::Check { action: name, .. } => is_check(name, task, &action.action.id),
        Verification::Captured { command, .. } | Verification::Planner { command } => {
            task.as_str() == COMMANDS_TASK && action.action.name == *command
        }
    }
}

fn blocks(action: &ActionReport) -> bool {
    action.ran().is_none_or(|ran| ran.judgement.blocking)
}

/// Returns the result of a command, and whether it prevents a pass.
fn of_command(
    context: IncidentContext<'_>,
    verification: &Verification,
    found: Option<&SealedAction<'_>>,
) -> (CommandResultDocument, bool) {
    let command = verification.command().clone();
    let unknown = CommandResultDocument { command, returncode: None, stdout: String::new(), stderr: String::new() };
    let Some(found) = found else { return (unknown, true) };
    let Some(ran) = found.action.ran() else { return (unknown, true) };
    let result = match &ran.record.facts {
        Facts::Command(CommandFacts { ending, log, .. }) => CommandResultDocument {
            returncode: Some(returncode(ending)),
            stdout: tail(context, found.evidence, log.as_ref(), Stream::Stdout),
            stderr: tail(context, found.evidence, log.as_ref(), Stream::Stderr),
            ..unknown
        },
        // An action that is no command gives its reason as text.
        _ => CommandResultDocument {
            returncode: Some(i32::from(ran.judgement.blocking)),
            stderr: if ran.judgement.blocking { context.clean(&why(found.report)) } else { String::new() },
            ..unknown
        },
    };
    (result, ran.judgement.blocking)
}

fn why(report: &Report) -> String {
    report.verdict.reasons.join("\n").chars().take(TAIL_CHARACTERS).collect()
}

fn returncode(ending: &Ending) -> i32 {
    match ending {
        Ending::Exited { code } => *code,
        Ending::Signaled { signal } => 128_i32.saturating_add(*signal),
        Ending::DeadlineExceeded { .. } => TIMED_OUT,
        Ending::CouldNotStart { .. } => NOT_STARTED,
        Ending::Interrupted { .. } => 130,
        Ending::OutputLimitExceeded { .. }
        | Ending::ProcessLimitExceeded { .. }
        | Ending::MemoryLimitExceeded { .. } => 137,
    }
}

fn tail(context: IncidentContext<'_>, evidence: &Evidence, log: Option<&Log>, stream: Stream) -> String {
    let Some(log) = log else { return String::new() };
    let tail = evidence.log(log).stream(stream).ok().and_then(|bytes| Tail::of(bytes, TAIL_BYTES).ok());
    last(&context.clean(&String::from_utf8_lossy(&tail.unwrap_or_default())))
}

/// Returns the end of a text, at most as many characters as are kept.
pub(super) fn last(text: &str) -> String {
    let surplus = text.chars().count().saturating_sub(TAIL_CHARACTERS);
    text.chars().skip(surplus).collect()
}

fn signature(context: IncidentContext<'_>, result: &CommandResultDocument) -> String {
    let code = result.returncode.map_or_else(|| "none".to_owned(), |code| code.to_string());
    let code = format!("::rc={code}");
    let most = SIGNATURE_CHARACTERS.saturating_sub(code.chars().count());
    let command: String = context.clean(&result.command).chars().take(most).collect();
    format!("{command}{code}")
}

fn reasons(context: IncidentContext<'_>, answer: &GateAnswer) -> Vec<String> {
    let failed = answer.tasks.iter().filter(|task| task.decision != Decision::Pass);
    let of_tasks = failed.flat_map(|task| task.reasons.iter().map(String::as_str));
    let of_causes = answer.causes.iter().filter(|cause| cause.check.is_none()).map(|cause| cause.message.as_str());
    let instead = answer.tasks.is_empty().then_some(answer.next.as_str());
    let mut reasons: Vec<String> =
        of_tasks.chain(of_causes).chain(instead).take(REASONS).map(|reason| short(&context.clean(reason))).collect();
    reasons.dedup();
    reasons
}

/// Returns the beginning of a reason, since the documents that contain it limit its length.
fn short(reason: &str) -> String {
    reason.chars().take(REASON_CHARACTERS).collect()
}

/// Returns a path as documents of the incident write it: relative to the root if it is below.
fn written(context: IncidentContext<'_>, path: &str) -> String {
    Path::new(path)
        .strip_prefix(context.incidents.root())
        .map_or_else(|_| path.to_owned(), |path| path.display().to_string())
}
