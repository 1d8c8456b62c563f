//! `referee lock`: writes a lock, after listing what it accepts.

use std::io::{BufRead, IsTerminal};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::keys;
use referee_engine::probe::discovery;
use referee_engine::protection::acceptance::{self, Acceptance};
use referee_engine::protection::kept::{self, Writing};
use referee_engine::protection::lock_snapshot::{self, LockSnapshot};
use referee_engine::protection::{Baseline, ProtectionError};
use referee_engine::protection_source;
use referee_engine::protection_source::known_locks;
use referee_engine::{known_tests, suite};
use referee_exec::git::Worktree;
use referee_ledger::attest::Signer;
use referee_ledger::locks::history::LockAuthor;
use referee_ledger::locks::lock_document;
use referee_ledger::trust::TrustStore;
use referee_ledger::{State, tree};
use referee_model::exit_code;
use referee_model::plan::Plan;
use referee_model::plan::guard::ProbeAnswer;
use referee_model::run_context::protection::{Drift, DriftChange, Mode, TrustedBaseline};
use referee_report::human;
use referee_spec::protect;

use super::Locked;
use crate::args::lock::LockWrite;
use crate::command::person;
use crate::output;
use crate::resolve;

/// Writes a lock.
///
/// | difference from the existing lock | in an agent's shell | at a terminal | elsewhere |
/// |---|---|---|---|
/// | none, or there is no lock | written | written | written |
/// | an item in the lock | refused | asked, unless `--yes` | refused without `--yes` |
/// | a test that passed is no longer known | refused | reported | reported |
///
/// `--dry-run` lists the differences, and writes nothing.
pub(super) fn execute(context: &Context, arguments: &LockWrite) -> Result<u8, EngineError> {
    let locked = Locked::load(context, &arguments.specification)?;
    let (_, first) = locked.first()?;
    let mut notes = Vec::new();
    let taken = taken(context, &locked, &mut notes)?;
    let before = Before::look(context, &locked)?;
    let acceptance = before.acceptance(&locked, &taken)?;
    for note in &notes {
        output::aside(format!("note: {note}\n").as_bytes())?;
    }
    if arguments.options.dry_run {
        output::answer(&told(context, &acceptance, &before, true)?)?;
        return Ok(exit_code::PASSED);
    }
    let key = arguments.options.key.as_deref();
    let approver = key.map(|key| keys::named(context, key, &[&first.workspace])).transpose()?;
    let agent = person::agent(context);
    if before.holds(&taken) && approver.is_none() && before.signer.is_some() {
        output::answer(b"referee.lock stays: nothing differs from it\n")?;
        return Ok(exit_code::PASSED);
    }
    yields(&before, approver.as_ref(), locked.state.as_ref())?;
    let by = match &agent {
        Some(whose) if !acceptance.is_nothing() => {
            output::aside(&told(context, &acceptance, &before, false)?)?;
            return Err(EngineError::usage(format!(
                "this is {whose}, and only a person may accept what differs from a lock: put it back, or let a person type \
                 `referee lock` in a terminal of their own"
            )));
        }
        Some(_) if before.holds(&taken) => {
            output::answer(b"referee.lock stays: nothing differs from it\n")?;
            return Ok(exit_code::PASSED);
        }
        Some(_) => LockAuthor::Agent,
        None => consent(context, arguments, &acceptance, &before)?,
    };
    let writing = Writing {
        by,
        agent: agent.and_then(|_| context.host().agent),
        previous: before.baselines.first().and_then(protection_source::lock_digest),
        accepted: acceptance.drift.iter().map(|drift| drift.path.clone()).collect(),
        specifications: locked.suites.iter().map(|suite| suite.specification.file.clone()).collect(),
        linked_worktree: Worktree::counterpart(&first.workspace).is_some(),
    };
    kept::write(&first.workspace, locked.state.as_ref(), &taken, writing, approver.as_ref())?;
    if let Some(state) = &locked.state {
        context.mention(state);
    }
    if locked.state.is_none() {
        output::aside(b"note: there is no state directory to keep the lock in, so the only copy is in the workspace, where agents can write\n")?;
    }
    let mut text = Vec::new();
    let shown = context.shown(&first.workspace.join(lock_document::FILE_NAME)).display().to_string();
    human::lock::written(&taken.lock, &shown, &context.terminal.stdout, &mut text)?;
    output::answer(&text)?;
    if is_ignored(first)? {
        let note = format!(
            "note: git ignores {0}, so nobody else is held to it: commit it with `git add -f {0}`\n",
            lock_document::FILE_NAME
        );
        output::aside(note.as_bytes())?;
    }
    if locked.state.as_ref().is_some_and(|state| has_nothing_learned(state, &locked)) {
        output::notes([
            "the lock holds files; `referee probe learn` makes the gate ask as well whether checks still report defects",
        ])?;
    }
    Ok(exit_code::PASSED)
}

/// Returns whether probes are enabled without a readable set: an unreadable one does not fail a written lock.
fn has_nothing_learned(state: &State, locked: &Locked) -> bool {
    let plans = locked.suites.iter().flat_map(|suite| &suite.tasks);
    let asked: Vec<&Plan> = plans.filter(|plan| plan.guard.probe != ProbeAnswer::Off).collect();
    !asked.is_empty() && discovery::sets(state, &asked).map_or(true, |sets| sets.is_empty())
}

/// Ensures that a lock signed by an approver is only replaced by one that an approver signs.
pub(super) fn yields(before: &Before, approver: Option<&Signer>, state: Option<&State>) -> Result<(), EngineError> {
    before.signer.as_ref().map_or(Ok(()), |who| is_signed_by_an_approver(who, approver, state))
}

/// Ensures that an approver confirms changes of a lock that an approver signed.
pub(super) fn is_signed_by_an_approver(
    who: &str,
    approver: Option<&Signer>,
    state: Option<&State>,
) -> Result<(), EngineError> {
    if is_a_trusted_approver(approver, state)? {
        return Ok(());
    }
    Err(EngineError::usage(format!(
        "the lock is signed by {who}, and yields only to one that a trusted approver signs: name the key of one by --key"
    )))
}

/// Returns whether a key is trusted to approve.
pub(super) fn is_a_trusted_approver(approver: Option<&Signer>, state: Option<&State>) -> Result<bool, EngineError> {
    let approvers = state.map(TrustStore::read).transpose()?.unwrap_or_default();
    Ok(approver.is_some_and(|signer| approvers.approvers(resolve::now()).contains(signer.public())))
}

/// Returns whether git ignores the lock.
fn is_ignored(plan: &Plan) -> Result<bool, EngineError> {
    let files = tree::list_files(&plan.workspace, std::slice::from_ref(&plan.evidence_root))?;
    Ok(files.iter().any(|file| file.path == lock_document::FILE_NAME && file.ignored))
}

/// Takes a snapshot of the workspace.
pub(super) fn taken(context: &Context, locked: &Locked, notes: &mut Vec<String>) -> Result<LockSnapshot, EngineError> {
    let plans = locked.plans();
    let (_, first) = locked.first()?;
    let files = lock_snapshot::files(first)?;
    // Files ignored by git say nothing about the kind of project.
    let names = files.iter().filter(|file| !file.ignored).map(|file| file.path.as_str());
    let rules = protect::rules(&plans, names, &|path| lock_snapshot::text(first, path));
    let shown: Vec<Plan> = plans.iter().map(|plan| suite::shown(plan, &context.environment)).collect();
    let known = known_tests::of_last_runs(&plans, locked.state.as_ref(), notes);
    lock_snapshot::of_workspace(&plans, &shown, rules, resolve::now(), known).map_err(|error| match error {
        ProtectionError::Content(message) => EngineError::usage(message),
        ProtectionError::Ledger(_) => error.into(),
    })
}

/// Locks that exist before a lock is written.
pub(super) struct Before {
    /// The effective lock, those of other state directories, and in an agent's shell the one in HEAD.
    pub(super) baselines: Vec<Baseline>,
    /// Signer of one of them, or of an earlier lock. None: none was signed.
    signer: Option<String>,
    /// Reason why the existing lock cannot be read.
    pub(super) unreadable: Option<String>,
}

impl Before {
    pub(super) fn look(context: &Context, locked: &Locked) -> Result<Self, EngineError> {
        let (suite, plan) = locked.first()?;
        let state = locked.state.as_ref();
        let (found, unreadable) = match protection_source::one(context, suite, state, None) {
            Ok(found) => (found, None),
            Err(problem) => (None, Some(problem.message)),
        };
        let elsewhere = protection_source::locks_elsewhere(context, plan, state, found.as_ref());
        let mut baselines: Vec<Baseline> = found.into_iter().chain(elsewhere).collect();
        if person::agent(context).is_some() && !baselines.iter().any(Baseline::is_kept) {
            let at_head = protection_source::lock_at_head(context, plan);
            baselines.extend(at_head.and_then(|bytes| kept::of_bytes(&bytes).ok()));
        }
        let of_baseline = |baseline: &Baseline| match &baseline.trusted {
            TrustedBaseline::Lock { approved_by, .. } => approved_by.clone(),
            TrustedBaseline::Git { .. } => None,
        };
        let signer = baselines.iter().find_map(of_baseline).or_else(|| known_locks::signer(context, state, plan));
        Ok(Self { baselines, signer, unreadable })
    }

    /// Returns whether a snapshot equals the locked state.
    fn holds(&self, taken: &LockSnapshot) -> bool {
        self.baselines.first().is_some_and(|baseline| acceptance::is_same(&baseline.lock, &taken.lock))
    }

    /// Returns the changes that the lock would accept.
    pub(super) fn acceptance(&self, locked: &Locked, taken: &LockSnapshot) -> Result<Acceptance, EngineError> {
        let mut all = Acceptance::default();
        all.drift.extend(self.unreadable.as_ref().map(|why| Drift {
            path: lock_document::FILE_NAME.to_owned(),
            pointer: None,
            mode: Mode::Frozen,
            change: DriftChange::Unreadable,
            detail: why.clone(),
            removed: None,
            blocks: true,
        }));
        for baseline in &self.baselines {
            let found = acceptance::accepted(&baseline.lock, &taken.lock, locked.observe(baseline)?.drift);
            all.drift.extend(found.drift.into_iter().filter(|drift| !all.drift.contains(drift)).collect::<Vec<_>>());
            all.forgotten.extend(found.forgotten);
        }
        all.forgotten.sort();
        all.forgotten.dedup();
        Ok(all)
    }
}

/// Lists the changes to accept.
fn told(context: &Context, acceptance: &Acceptance, before: &Before, is_answer: bool) -> Result<Vec<u8>, EngineError> {
    let mut text = Vec::new();
    let style = if is_answer { &context.terminal.stdout } else { &context.terminal.stderr };
    let is_first = before.baselines.is_empty() && before.unreadable.is_none();
    human::lock::accepted(is_first, &acceptance.drift, &acceptance.forgotten, style, &mut text)?;
    Ok(text)
}

/// Asks for acceptance of the differences, and returns who accepted.
fn consent(
    context: &Context,
    arguments: &LockWrite,
    acceptance: &Acceptance,
    before: &Before,
) -> Result<LockAuthor, EngineError> {
    let is_terminal = std::io::stdin().is_terminal();
    let author = if is_terminal { LockAuthor::Terminal } else { LockAuthor::Script };
    if acceptance.is_nothing() {
        return Ok(author);
    }
    output::aside(&told(context, acceptance, before, false)?)?;
    if arguments.options.yes || acceptance.drift.is_empty() {
        return Ok(author);
    }
    if !is_terminal {
        return Err(EngineError::usage(
            "a lock over differences is accepted by a person at a terminal; in a script of yours say `--yes`"
                .to_owned(),
        ));
    }
    output::aside(b"accept all of this? [y/N] ")?;
    let mut answer = String::new();
    std::io::stdin().lock().read_line(&mut answer)?;
    if ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()) {
        return Ok(author);
    }
    let message = "the lock stays as it is: nothing was accepted".to_owned();
    Err(EngineError::refused(message))
}
