//! Reuse of recorded verdicts (design, "Tree digest"). In doubt the checks run: a verdict that is not reused
//! costs time, a wrongly reused one is false.
//!
//! | a run leaves a receipt if it                                                                           |
//! |--------------------------------------------------------------------------------------------------------|
//! | ran all actions, ended by itself, and resulted in PASS, or in FAIL by failed checks                     |
//! | changed no input, rewrote none, and ran in the workspace itself                                        |
//! | has no link among its inputs that leads to a directory, or to a large file that is no input            |
//! | made no request, started no service, asked no evaluator, looked for no files by pattern or outside     |
//! | asked no database, used no browser, ran no container                                                   |
//! | had no timeout, no broken tool, no second attempt                                                      |
//! | found no waiver, and was compared with no baseline of findings                                         |
//! | named no directory and no link outside the workspace in a command, nor a file there that was just changed |
//!
//! | the verdict is reused if                                                                               |
//! |--------------------------------------------------------------------------------------------------------|
//! | the same program asks, with the same rules, for the same plan, compared with the same lock or commit   |
//! | the run is the latest that began, matches its seal, and is signed if a signature is requested          |
//! | commands get the same variables, find the same programs, and markers of dependencies are the same      |
//! | the inputs have the same digest, and the drift of protected files is the same                          |
//! | links lead to the same targets, with the same content                                                  |
//! | files outside the workspace that commands name are the same                                            |

use std::path::PathBuf;

use referee_ledger::receipts::Subject;
use referee_ledger::receipts::receipt_document::{Manner, ReceiptBaseline};
use referee_ledger::{LedgerError, State};
use referee_model::id::{ActionId, Digest, ExecutionId};
use referee_model::outcome::Outcome;
use referee_model::plan::{Command, FileRoot, Interaction, Invocation, Plan, Work};
use referee_model::record::{Ending, Facts, RunEnding};
use referee_model::report::{Ran, Report};
use referee_model::run_context::Probe;
use referee_model::run_context::protection::{Protection, TrustedBaseline};
use referee_model::sandbox::SandboxMode;
use referee_model::verdict::{Decision, Exit};

use crate::protection::Baseline;
use crate::sandbox::{Kernel, SandboxOptions};

mod find;
mod keep;
mod last;
mod named;
mod shared;

pub(crate) use self::find::{Trees, find};
pub(crate) use self::keep::keep;
pub(crate) use self::last::took_ms;
pub(crate) use self::shared::never_shared;

/// The settings of a run that its verdict depends on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'run> {
    /// The user's state directory. `None`: there is none.
    pub(crate) state: Option<&'run State>,
    /// Whether the run is in the workspace itself and compared with no baseline of findings.
    pub(crate) is_plain: bool,
    /// Host for `exec`.
    pub(crate) world: &'run referee_exec::Host,
    pub(crate) engine_version: &'run str,
    /// Whether commands are confined.
    pub(crate) sandbox: &'run SandboxOptions,
    pub(crate) signer: Option<Digest>,
    /// The baseline of protected files. `None`: nothing is protected.
    pub(crate) protection: Option<&'run Baseline>,
}

/// Returns the subject that identifies a plan's receipt.
fn subject(plan: &Plan) -> Subject<'_> {
    Subject {
        workspace: &plan.workspace,
        evidence_root: &plan.evidence_root,
        specification: &plan.specification.file,
        task: &plan.task,
    }
}

/// Returns why a verdict about a plan is never reused. `None`: it may be.
pub(crate) fn never(plan: &Plan) -> Option<&'static str> {
    let of_action = |work: &Work| match work {
        Work::Http(_) => Some("a check asks a server"),
        Work::Service(_) => Some("checks need a service"),
        Work::Interaction(interaction) => Some(match interaction.as_ref() {
            Interaction::Query(_) => "a check asks a database",
            Interaction::Browser(_) => "a check uses a browser",
        }),
        Work::Command(Command { invocation: Invocation::Container(_), .. }) => Some("a check runs a container"),
        Work::File(file) if file.glob => Some("a check looks for files by a pattern"),
        Work::File(file) if matches!(file.root, FileRoot::Listed(_)) => {
            Some("a check looks at a file outside the workspace")
        }
        Work::Command(_) | Work::File(_) => None,
    };
    if !plan.problems.is_empty() {
        return Some("the specification cannot be run as it is");
    }
    let evaluator = plan.evaluator.is_some().then_some("an evaluator has a word in it");
    plan.actions.iter().find_map(|action| of_action(&action.work)).or(evaluator)
}

/// Returns whether the verdict of a run may be reused, judging by its report alone.
fn is_reusable(report: &Report) -> bool {
    let (run, verdict) = (&report.run, &report.verdict);
    let run_context = &run.run_context;
    let tree_is_one = run_context.tree.as_ref().is_some_and(|tree| tree.before == tree.after);
    let verdict_is_plain =
        matches!((verdict.decision, verdict.exit), (Decision::Pass, Exit::Passed) | (Decision::Fail, Exit::Failed));
    never(&report.plan).is_none()
        && run.ending == RunEnding::Finished
        && !run.scope.reduced
        && run.services.is_empty()
        && tree_is_one
        && run_context.waivers.is_empty()
        && run_context.clean_room.is_none()
        // An obstacle to a probe may be gone the next time.
        && run_context.probe.as_ref().is_none_or(Probe::is_repeatable)
        && run_context.probe_audit.as_ref().is_none_or(|audit| audit.obstacle.is_none())
        && verdict_is_plain
        && verdict.baseline.is_none()
        && verdict.evaluator.is_none()
        && verdict.waivers.is_empty()
        && report.actions.iter().filter_map(|action| action.ran()).all(is_repeatable)
}

/// Returns whether a repetition of the action would have the same result.
fn is_repeatable(ran: &Ran) -> bool {
    let ended_by_itself = match &ran.record.facts {
        Facts::Command(facts) => matches!(facts.ending, Ending::Exited { .. }),
        Facts::File(_) => true,
        Facts::Glob(_) | Facts::Http(_) | Facts::Service(_) | Facts::Interaction(_) | Facts::NotExecuted => false,
    };
    let is_judged =
        matches!(ran.judgement.outcome, Outcome::Success | Outcome::TestFailure | Outcome::ValidationFailure);
    ended_by_itself && is_judged && ran.earlier.is_empty() && !ran.judgement.flaky
}

/// Returns the settings of a run for its receipt. `observed` is the comparison of protected files.
fn manner(setting: &Setting<'_>, observed: Option<&Protection>) -> Manner {
    let baseline = setting.protection.map(|baseline| match &baseline.trusted {
        TrustedBaseline::Lock { digest, approved_by } => {
            ReceiptBaseline::Lock { digest: *digest, approved_by: approved_by.clone() }
        }
        TrustedBaseline::Git { commit, .. } => ReceiptBaseline::Commit { id: commit.clone() },
    });
    let landlock = match (setting.sandbox.mode, &setting.sandbox.kernel) {
        (SandboxMode::On | SandboxMode::Require, Kernel::Landlock { abi }) => Some(*abi),
        (SandboxMode::Off, _) | (_, Kernel::Missing { .. }) => None,
    };
    Manner {
        baseline,
        drift: observed.map(|observed| drift(observed, setting.protection)),
        sandbox: setting.sandbox.mode,
        landlock,
        signer: setting.signer,
    }
}

/// Returns a digest of the drift: which files differ, how, and whether that blocks. Messages for people are not
/// included.
fn drift(protection: &Protection, baseline: Option<&Baseline>) -> Digest {
    let mut lines: Vec<String> = protection
        .drift
        .iter()
        .map(|drift| {
            let pointer = drift.pointer.as_deref().unwrap_or_default();
            format!("{}\0{pointer}\0{:?}\0{:?}\0{}\n", drift.path, drift.mode, drift.change, drift.blocks)
        })
        .collect();
    // Further baselines are included: they may require tests that were not required before.
    lines.extend(baseline.iter().flat_map(|baseline| &baseline.beside).map(|beside| format!("{:?}\n", beside.trusted)));
    lines.sort();
    Digest::of(lines.concat())
}

/// Serializes the variables that all commands of a plan receive. Variables of single commands are in the plan.
fn variables(plan: &Plan, world: &referee_exec::Host) -> Vec<u8> {
    use referee_exec::environment;
    // These variables depend on neither run nor action, except for the two that name them.
    let (Ok(execution), Ok(action)) = (ExecutionId::parse("exec-0"), ActionId::parse("STEP.0")) else {
        return Vec::new();
    };
    let own = std::collections::BTreeMap::new();
    let selected =
        environment::select(&world.environment, &plan.environment, &own, &execution, &action, &plan.workspace);
    let mut text = Vec::new();
    for (name, value) in &selected.variables {
        if name == environment::EXECUTION || name == environment::ACTION {
            continue;
        }
        for part in [name, value] {
            let bytes = part.as_encoded_bytes();
            text.extend((bytes.len() as u64).to_le_bytes());
            text.extend(bytes);
        }
    }
    text
}

/// Returns digests that mark the state of the dependencies where the commands of a plan run.
fn dependencies(plan: &Plan) -> Result<std::collections::BTreeMap<String, Digest>, LedgerError> {
    let directories = plan.actions.iter().filter_map(|action| match &action.work {
        Work::Command(command) => Some(&command.directory),
        Work::File(_) | Work::Http(_) | Work::Service(_) | Work::Interaction(_) => None,
    });
    referee_ledger::receipts::dependencies(&plan.workspace, directories)
}

/// Prefix of links among the dependencies of a receipt.
const LINK: &str = "-> ";

/// Returns the name of a link among the dependencies of a receipt.
fn of_link(path: &str) -> String {
    format!("{LINK}{path}")
}

/// Returns the path of a file that a check looked at.
fn looked_at(plan: &Plan, path: &str) -> PathBuf {
    plan.workspace.join(path)
}
