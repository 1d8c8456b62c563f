//! Whether a recorded verdict may answer: checks everything that it rests on, cheap checks first.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use referee_exec::Programs;
use referee_judge::gate::Judged;
use referee_ledger::evidence::Evidence;
use referee_ledger::receipts::receipt_document::{KnownFile, Manner, Receipt};
use referee_ledger::receipts::{self, Latest};
use referee_ledger::tree::{Cache, Changes, Snapshot};
use referee_ledger::{State, verify};
use referee_model::evidence_name;
use referee_model::gate::GateTask;
use referee_model::id::Digest;
use referee_model::plan::{Guard, Plan};
use referee_model::report::JUDGE_VERSION;
use referee_model::seal::Seal;

use super::{LINK, Setting, dependencies, manner, never, of_link, subject, variables};
use crate::{inputs, redaction, verification, waivers};

/// Maximum size in bytes of a program that is read each time.
const PROGRAM_BYTES: u64 = 1024 * 1024;

/// Finds the recorded verdict of a plan, if nothing that it rests on has changed. Returns it with the current inputs.
///
/// # Errors
/// Returns the first reason why it does not answer, as the end of a sentence.
pub(crate) fn find(setting: &Setting<'_>, plan: &Plan, trees: &mut Trees) -> Result<(Judged, Snapshot), String> {
    let Some(state) = setting.state else { return Err("there is no directory for the user's state".to_owned()) };
    if !setting.is_plain {
        return Err("the checks are to run in a tree that is built for them".to_owned());
    }
    if let Some(reason) = never(plan) {
        return Err(format!("no verdict of this specification is reused: {reason}"));
    }
    let receipt = receipts::find(state, subject(plan)).map_err(|error| error.to_string())?;
    let receipt = receipt.ok_or_else(|| {
        let why = receipts::latest(&plan.evidence_root, &plan.task, state).ok().and_then(|latest| left_none(&latest));
        format!("no earlier run left a verdict that may be reused{}", why.unwrap_or_default())
    })?;
    of_maker(setting, &receipt)?;
    of_plan(setting, plan, &receipt)?;
    let (directory, seal) = latest_run(state, plan, &receipt)?;
    if receipts::keyed(state, &variables(plan, setting.world)).map_err(text)? != receipt.environment {
        return Err("the variables that commands are passed have changed".to_owned());
    }
    of_programs(setting, plan, &receipt)?;
    let (links, marked): (BTreeMap<_, _>, BTreeMap<_, _>) =
        receipt.dependencies.clone().into_iter().partition(|(name, _)| name.starts_with(LINK));
    if dependencies(plan).map_err(text)? != marked {
        return Err("installed dependencies have changed".to_owned());
    }
    if !waivers::found(plan, Some(state), setting.world.clock.now(), &str::to_owned).is_empty() {
        return Err("there are waivers".to_owned());
    }
    let snapshot = trees.hold(state, plan, receipt.tree_digest)?;
    let led = receipts::links(&plan.workspace, &snapshot).map_err(text)?;
    let led: Option<BTreeMap<_, _>> =
        led.map(|led| led.into_iter().map(|(path, digest)| (of_link(&path), digest)).collect());
    if led.as_ref() != Some(&links) {
        return Err("what a link among the inputs leads to has changed".to_owned());
    }
    of_protection(setting, plan, &receipt.manner)?;
    Ok((of_evidence(&directory, &seal, receipt)?, snapshot))
}

/// Verifies that the receipt was made by the same program and rules.
fn of_maker(setting: &Setting<'_>, receipt: &Receipt) -> Result<(), String> {
    let maker = &receipt.maker;
    let is_here = Path::new(&maker.program.path) == setting.world.shim && maker.program.stamp.is_some();
    if !is_here || !receipts::is_same(&maker.program, receipt.kept_at) {
        return Err("another Referee ran the checks".to_owned());
    }
    if maker.engine_version != setting.engine_version || maker.judge_version != JUDGE_VERSION {
        return Err("another version of Referee judged".to_owned());
    }
    Ok(())
}

/// Verifies that the specification is the same.
fn of_plan(setting: &Setting<'_>, plan: &Plan, receipt: &Receipt) -> Result<(), String> {
    if digest(plan, setting.world)? != receipt.plan_digest {
        return Err("the specification has changed".to_owned());
    }
    Ok(())
}

/// Returns the digest of a plan as a run of it would store it.
pub(super) fn digest(plan: &Plan, world: &referee_exec::Host) -> Result<Digest, String> {
    referee_model::plan::plan_document::digest(&redaction::stored(plan, &world.environment)).map_err(text)
}

/// Verifies that the latest run is the one of the receipt.
fn latest_run(state: &State, plan: &Plan, receipt: &Receipt) -> Result<(PathBuf, Box<Seal>), String> {
    let latest = receipts::latest(&plan.evidence_root, &plan.task, state).map_err(text)?;
    match latest {
        Latest::Doubtful(reason) => Err(reason.to_owned()),
        Latest::Sealed { digest, .. } if digest != receipt.seal_digest => {
            let why = left_none(&latest).unwrap_or_default();
            Err(format!("a later run left no verdict that may be reused{why}"))
        }
        Latest::Sealed { directory, seal, .. } => Ok((directory, seal)),
    }
}

/// Returns why the latest run left no receipt, if its inputs changed meanwhile, as the end of a sentence. It is
/// read from the workspace and only used in a message.
fn left_none(latest: &Latest) -> Option<String> {
    let Latest::Sealed { directory, .. } = latest else { return None };
    let run = Evidence::open(directory).ok()?.read(evidence_name::RUN).ok()?;
    let tree = referee_model::record::header::read(&run).ok()?.run_context.tree?;
    inputs::moved(&tree).map(|moved| format!(": {moved}"))
}

/// Verifies that every action would start the same programs, and that these and the files that checks looked at
/// are unchanged.
fn of_programs(setting: &Setting<'_>, plan: &Plan, receipt: &Receipt) -> Result<(), String> {
    // Pins were verified when the checks ran, and the plan with them is the same.
    let unpinned =
        Plan { guard: Guard { pins: std::collections::BTreeMap::new(), ..plan.guard.clone() }, ..plan.clone() };
    let located = referee_exec::located(&unpinned, setting.world);
    for known in &receipt.programs {
        let found = located.iter().find(|programs| programs.action == known.action_id);
        if !found.is_some_and(|found| is_found_so(found, &known.programs)) {
            return Err(format!("{} would start other programs", known.action_id));
        }
    }
    // Scripts and files that checks looked at are read; a large program is recognized by its stamp.
    let is_program = |file: &KnownFile| {
        let mut programs = receipt.programs.iter().flat_map(|known| &known.programs);
        programs.any(|program| program.path == file.path)
    };
    let is_same = |file: &KnownFile| {
        let is_large = file.stamp.is_some_and(|stamp| stamp.bytes > PROGRAM_BYTES);
        let by_stamp = (is_large || file.sha256.is_none()) && is_program(file);
        if by_stamp { receipts::is_same(file, receipt.kept_at) } else { receipts::holds_the_same(file) }
    };
    match receipt.files.iter().find(|file| !is_same(file)) {
        Some(file) => Err(format!("{} has changed", file.path)),
        None => Ok(()),
    }
}

fn is_found_so(found: &Programs, known: &[referee_ledger::receipts::receipt_document::NamedProgram]) -> bool {
    let Ok(found) = &found.found else { return false };
    found.len() == known.len()
        && found.iter().zip(known).all(|(found, known)| found.name == known.name && found.path == known.path)
}

/// Verifies that protected files are compared with the same baseline and have the same drift, including files that
/// are no inputs.
fn of_protection(setting: &Setting<'_>, plan: &Plan, known: &Manner) -> Result<(), String> {
    let observed = setting.protection.map(|baseline| baseline.observe(plan)).transpose().map_err(text)?;
    let now = manner(setting, observed.as_ref());
    if now.baseline != known.baseline {
        return Err("what protected files are compared with has changed".to_owned());
    }
    if now.drift != known.drift {
        return Err("protected files have changed".to_owned());
    }
    if (now.sandbox, now.landlock) != (known.sandbox, known.landlock) {
        return Err("commands are to be confined in another way".to_owned());
    }
    if now.signer.is_some() && now.signer != known.signer {
        return Err("the recorded run is not signed by the key that is to sign".to_owned());
    }
    Ok(())
}

/// Verifies that the evidence matches its seal, that its report agrees with the receipt, and that it is signed if
/// the run was.
fn of_evidence(directory: &Path, seal: &Seal, receipt: Receipt) -> Result<Judged, String> {
    let changed = || "the evidence of the recorded run does not match its seal".to_owned();
    let integrity = verify::integrity(directory).map_err(text)?;
    if integrity.seal.as_ref() != Some(seal) || !integrity.findings.is_empty() {
        return Err(changed());
    }
    let evidence = Evidence::open(directory).map_err(text)?;
    let report = evidence.read(evidence_name::EXECUTION_REPORT).map_err(text)?;
    if !referee_model::report::report_document::verify_hash(&report).is_ok_and(|fits| fits) {
        return Err(changed());
    }
    let sealed = referee_model::report::report_document::read(&report).map_err(text)?;
    if let Some(key) = receipt.manner.signer
        && !verification::is_signed_by(&evidence, seal, key)
    {
        return Err("the signature of the recorded run is invalid".to_owned());
    }
    let (task, causes, causes_in_all) =
        receipt.verdict.recorded().ok_or_else(|| "what was recorded is not a verdict".to_owned())?;
    let is_of_run = |task: &GateTask| task.task == seal.task_id && task.execution == seal.execution_id;
    let says_the_same = sealed.decision == task.decision && sealed.judge_version == JUDGE_VERSION;
    if !is_of_run(&task) || sealed.task != task.task || !says_the_same {
        return Err("what was recorded is not what the sealed report says".to_owned());
    }
    // A verdict with drift is not reused.
    Ok(Judged { task, causes, causes_in_all, undoing: Vec::new() })
}

/// Inputs of workspaces, each listed once for all tasks about them.
#[derive(Debug, Default)]
pub(crate) struct Trees {
    seen: Vec<(InputScope, Snapshot)>,
}

/// The settings that determine the inputs of a plan.
#[derive(Debug, PartialEq, Eq)]
struct InputScope {
    workspace: PathBuf,
    evidence_root: PathBuf,
    outputs: Vec<String>,
}

impl Trees {
    /// Verifies that the inputs of a plan have this digest.
    fn hold(&mut self, state: &State, plan: &Plan, digest: Digest) -> Result<Snapshot, String> {
        let place = InputScope {
            workspace: plan.workspace.clone(),
            evidence_root: plan.evidence_root.clone(),
            outputs: plan.guard.outputs.clone(),
        };
        if let Some((_, known)) = self.seen.iter().find(|(seen, _)| *seen == place) {
            return if known.state().digest == digest {
                Ok(known.clone())
            } else {
                Err("the inputs have changed".to_owned())
            };
        }
        let exclusions = inputs::exclusions(plan, &plan.workspace, Some(state))?;
        let mut cache = Cache::open(Some(state), &plan.workspace);
        let (listing, now) = inputs::observe(&plan.workspace, &exclusions, &mut cache)?;
        if let Some(unread) = inputs::unread(&now) {
            return Err(unread);
        }
        let found = now.state();
        if found.digest != digest {
            // The cache on disk still has the state that the last run left.
            let last = Cache::open(Some(state), &plan.workspace).last().filter(|last| last.state().digest == digest);
            let which = last.map(|last| inputs::named(&Changes::between(&last, &now, &listing).files));
            return Err(match which {
                Some(which) => format!("the inputs have changed: {which}"),
                None => "the inputs have changed".to_owned(),
            });
        }
        self.seen.push((place, now.clone()));
        Ok(now)
    }
}

fn text(error: impl std::fmt::Display) -> String {
    error.to_string()
}
