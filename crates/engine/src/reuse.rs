//! Recorded verdicts, and when one may answer for another run (design, "Tree digest"). Whatever is in doubt has the checks
//! run: a verdict that is not reused costs time, one that is reused wrongly costs the truth.
//!
//! | a run leaves a receipt where it                                                                        |
//! |--------------------------------------------------------------------------------------------------------|
//! | was whole, ended by itself, and came to PASS, or to FAIL by failed checks                              |
//! | changed no input, wrote none anew, and took place in the workspace itself                              |
//! | has no link among its inputs that leads to a directory, or a large file, that is none                     |
//! | made no request, started no service, asked no evaluator, looked for no files by pattern or outside     |
//! | had no timeout, no tool that did not work, no second attempt                                           |
//! | found no waiver, and was held against no baseline of findings                                          |
//! | named no directory and no link outside the workspace in a command, nor a file there that was just changed |
//!
//! | the verdict answers again where                                                                        |
//! |--------------------------------------------------------------------------------------------------------|
//! | this very program asks, with the same rules, for the same plan, held against the same lock or commit   |
//! | the run is the latest that began, is as it was sealed, and signed where that is asked for              |
//! | commands are passed the same variables, find the same programs, and dependencies are marked the same   |
//! | the inputs have the same digest, and protected files differ as they did                                |
//! | links lead where they led, to files that hold the same                                                 |
//! | files outside the workspace that commands name are the same                                            |

use std::path::PathBuf;

use referee_ledger::receipts::Subject;
use referee_ledger::receipts::receipt_document::{Manner, ReceiptBaseline, SandboxWord};
use referee_ledger::{LedgerError, State};
use referee_model::id::{ActionId, Digest, ExecutionId};
use referee_model::outcome::Outcome;
use referee_model::plan::{FileRoot, Plan, Work};
use referee_model::record::{Ending, Facts, RunEnding};
use referee_model::report::{Ran, Report};
use referee_model::run_context::Probe;
use referee_model::run_context::protection::{Protection, TrustedBaseline};
use referee_model::verdict::{Decision, Exit};

use crate::protection::Baseline;
use crate::sandbox::{Kernel, SandboxMode, SandboxOptions};

mod find;
mod keep;
mod last;
mod named;

pub(crate) use self::find::{Trees, find};
pub(crate) use self::keep::keep;
pub(crate) use self::last::took_ms;

/// What is asked of a run, as far as its verdict may stand for another.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Setting<'run> {
    /// The user's state directory.
    pub(crate) state: Option<&'run State>,
    /// Whether it takes place in the workspace itself, held against no baseline of findings.
    pub(crate) is_plain: bool,
    /// The world as `exec` needs it.
    pub(crate) world: &'run referee_exec::Host,
    pub(crate) engine_version: &'run str,
    /// Whether commands are confined.
    pub(crate) sandbox: &'run SandboxOptions,
    pub(crate) signer: Option<Digest>,
    /// What protected files are held against.
    pub(crate) protection: Option<&'run Baseline>,
}

/// Which receipt is a plan's.
fn subject(plan: &Plan) -> Subject<'_> {
    Subject {
        workspace: &plan.workspace,
        evidence_root: &plan.evidence_root,
        specification: &plan.specification.file,
        task: &plan.task,
    }
}

/// Why no verdict over a plan is ever reused. None: one may be.
pub(crate) fn never(plan: &Plan) -> Option<&'static str> {
    let of_action = |work: &Work| match work {
        Work::Http(_) => Some("a check asks a server"),
        Work::Service(_) => Some("checks need a service"),
        Work::Unsupported(_) => Some("it asks for what cannot be done"),
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

/// Whether a run is one whose verdict may be reused, by its report alone.
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
        // What kept a probe from being asked may be gone the next time.
        && run_context.probe.as_ref().is_none_or(Probe::is_repeatable)
        && run_context.probe_audit.as_ref().is_none_or(|audit| audit.obstacle.is_none())
        && verdict_is_plain
        && verdict.baseline.is_none()
        && verdict.evaluator.is_none()
        && verdict.waivers.is_empty()
        && report.actions.iter().filter_map(|action| action.ran()).all(is_repeatable)
}

/// Whether an action came out as it would again.
fn is_repeatable(ran: &Ran) -> bool {
    let ended_by_itself = match &ran.record.facts {
        Facts::Command(facts) => matches!(facts.ending, Ending::Exited { .. }),
        Facts::File(_) => true,
        Facts::Glob(_) | Facts::Http(_) | Facts::Service(_) | Facts::NotExecuted => false,
    };
    let is_judged =
        matches!(ran.judgement.outcome, Outcome::Success | Outcome::TestFailure | Outcome::ValidationFailure);
    ended_by_itself && is_judged && ran.earlier.is_empty() && !ran.judgement.flaky
}

/// How a run is made. `observed` is what protected files come to.
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
        sandbox: match setting.sandbox.mode {
            SandboxMode::Off => SandboxWord::Off,
            SandboxMode::On => SandboxWord::On,
            SandboxMode::Require => SandboxWord::Require,
        },
        landlock,
        signer: setting.signer,
    }
}

/// What of protected files differs: which, how, and whether it blocks. The words for people are no part of it.
fn drift(protection: &Protection, baseline: Option<&Baseline>) -> Digest {
    let mut lines: Vec<String> = protection
        .drift
        .iter()
        .map(|drift| {
            let pointer = drift.pointer.as_deref().unwrap_or_default();
            format!("{}\0{pointer}\0{:?}\0{:?}\0{}\n", drift.path, drift.mode, drift.change, drift.blocks)
        })
        .collect();
    // Whatever else must hold is part of it: it may ask for tests that were not asked for then.
    lines.extend(baseline.iter().flat_map(|baseline| &baseline.beside).map(|beside| format!("{:?}\n", beside.trusted)));
    lines.sort();
    Digest::of(lines.concat())
}

/// The variables that all commands of a plan are passed, as one text. What each is given beside them stands in the plan.
fn variables(plan: &Plan, world: &referee_exec::Host) -> Vec<u8> {
    use referee_exec::environment;
    // They do not depend on run and action, but for what marks these.
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

/// What marks the state of dependencies where the commands of a plan run.
fn dependencies(plan: &Plan) -> Result<std::collections::BTreeMap<String, Digest>, LedgerError> {
    let directories = plan.actions.iter().filter_map(|action| match &action.work {
        Work::Command(command) => Some(&command.directory),
        Work::File(_) | Work::Http(_) | Work::Service(_) | Work::Unsupported(_) => None,
    });
    referee_ledger::receipts::dependencies(&plan.workspace, directories)
}

/// What begins the names of links among the dependencies of a receipt.
const LINK: &str = "-> ";

/// Under which name a receipt says what a link leads to.
fn of_link(path: &str) -> String {
    format!("{LINK}{path}")
}

/// Where a file lies that a check looked at.
fn looked_at(plan: &Plan, path: &str) -> PathBuf {
    plan.workspace.join(path)
}
