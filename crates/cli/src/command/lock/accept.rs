//! `referee lock accept`: accepts individual differences from the lock, and nothing else.

use std::collections::BTreeSet;
use std::fmt::Write as _;

use referee_engine::context::Context;
use referee_engine::earlier_tests;
use referee_engine::error::EngineError;
use referee_engine::keys;
use referee_engine::protection::Baseline;
use referee_engine::protection::choice::Choice;
use referee_engine::protection::kept::{self, Writing};
use referee_engine::protection_source;
use referee_exec::git::Worktree;
use referee_ledger::attest::Signer;
use referee_ledger::locks::history::LockAuthor;
use referee_model::exit_code;
use referee_model::run_context::protection::TrustedBaseline;

use super::Locked;
use super::write::{self, Before};
use crate::args::Specification;
use crate::args::lock::LockAccept;
use crate::command::person;
use crate::output;

/// Maximum number of names listed in a complaint.
const LISTED: usize = 50;

/// Writes a lock that differs from the former one only in the named items.
pub(super) fn execute(context: &Context, arguments: &LockAccept) -> Result<u8, EngineError> {
    person::refuse_to_move_the_gate(context, "accept what differs from a lock")?;
    let locked = Locked::load(context, &Specification { files: arguments.files.clone(), workspace: None })?;
    let (_, first) = locked.first()?;
    let state = locked.state.as_ref();
    let key = arguments.key.as_deref();
    let approver = key.map(|key| keys::named(context, key, &[&first.workspace])).transpose()?;
    let before = Before::look(context, &locked)?;
    write::yields(&before, approver.as_ref(), state)?;
    let by = author(approver.as_ref(), &locked)?;
    let baseline = only(&before)?;

    let mut notes = Vec::new();
    let now = write::taken(context, &locked, &mut notes)?;
    let plans = locked.plans();
    let specifications: Vec<String> = locked.suites.iter().map(|suite| suite.specification.file.clone()).collect();
    let choice = Choice {
        before: baseline,
        now: &now,
        acceptance: &before.acceptance(&locked, &now)?,
        earlier: &earlier_tests::since_lock(&plans, baseline, state)?,
        specifications: &specifications,
    };
    let names: BTreeSet<String> = arguments.names.iter().cloned().collect();
    are_known(&names, &choice, &notes)?;

    let writing = Writing {
        by,
        agent: None,
        previous: protection_source::lock_digest(baseline),
        accepted: names.iter().cloned().collect(),
        specifications: specifications.clone(),
        linked_worktree: Worktree::counterpart(&first.workspace).is_some(),
    };
    kept::write(&first.workspace, state, &choice.accept(&names), writing, approver.as_ref())?;
    let text = names.iter().fold(String::new(), |mut text, name| {
        let _ = writeln!(text, "accepted {name}");
        text
    });
    output::answer(text.as_bytes())?;
    Ok(exit_code::PASSED)
}

/// Returns who accepts: a person at a terminal, or the holder of a trusted approver's key.
fn author(approver: Option<&Signer>, locked: &Locked) -> Result<LockAuthor, EngineError> {
    if person::is_at_a_terminal() {
        return Ok(LockAuthor::Terminal);
    }
    if write::is_a_trusted_approver(approver, locked.state.as_ref())? {
        return Ok(LockAuthor::Script);
    }
    Err(EngineError::usage(
        "what differs from a lock is accepted by a person at a terminal, or by a trusted approver's key: name it by --key"
            .to_owned(),
    ))
}

/// Returns the lock whose individual differences can be accepted: the only lock, confirmed by a person or
/// signed by an approver. Any other lock must be reviewed as a whole.
fn only(before: &Before) -> Result<&Baseline, EngineError> {
    let refused = |why: &str| {
        Err(EngineError::usage(format!("{why}: type `referee lock` at a terminal, which lists all that it accepts")))
    };
    if let Some(why) = &before.unreadable {
        return refused(why);
    }
    match &before.baselines[..] {
        [] => refused("nothing is locked; a commit that is trusted is accepted by being the one that is named"),
        [only] => match (&only.doubt, &only.trusted) {
            (Some(doubt), _) => refused(doubt),
            (None, TrustedBaseline::Lock { approved_by: Some(_), .. }) => Ok(only),
            (None, _) if only.is_kept() => Ok(only),
            (None, _) => refused("the lock in the workspace is kept by no state directory"),
        },
        _ => refused("several state directories keep locks of this project"),
    }
}

/// Ensures that everything named is a difference.
fn are_known(names: &BTreeSet<String>, choice: &Choice<'_>, notes: &[String]) -> Result<(), EngineError> {
    let known = choice.names();
    let Some(unknown) = names.iter().find(|name| !known.contains(*name)) else { return Ok(()) };
    let mut message = format!("{unknown} is nothing that differs from the lock");
    message.push_str(if known.is_empty() { "; nothing can be accepted" } else { "; what can be accepted:" });
    for name in known.iter().take(LISTED) {
        let _ = write!(message, "\n  {name}");
    }
    if known.len() > LISTED {
        let _ = write!(message, "\n  and {} more", known.len() - LISTED);
    }
    for note in notes {
        let _ = write!(message, "\nnote: {note}");
    }
    Err(EngineError::usage(message))
}
