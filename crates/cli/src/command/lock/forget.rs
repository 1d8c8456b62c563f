//! `referee lock forget`: drops the lock of a directory that was removed for good.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::keys;
use referee_ledger::State;
use referee_ledger::locks;
use referee_ledger::locks::lock_document;
use referee_ledger::real_path;
use referee_model::exit_code;

use super::write::is_signed_by_an_approver;
use crate::args::lock::LockForget;
use crate::command::person;
use crate::output;

/// Drops the lock of a directory in every state directory, if nothing is left for it to protect.
pub(super) fn execute(context: &Context, arguments: &LockForget) -> Result<u8, EngineError> {
    person::refuse_to_move_the_gate(context, "have a lock forgotten")?;
    if !arguments.yes && !person::is_at_a_terminal() {
        return Err(EngineError::usage(
            "a lock is forgotten by a person at a terminal; in a script of yours say `--yes`".to_owned(),
        ));
    }
    let directory = context.directory.join(&arguments.locked);
    let directory = if directory.is_symlink() { directory } else { real_path(&directory) };
    if directory.join(lock_document::FILE_NAME).symlink_metadata().is_ok() {
        let shown = context.shown(&directory).display();
        return Err(EngineError::usage(format!(
            "{shown} has a lock: remove {0}, and then forget it",
            lock_document::FILE_NAME
        )));
    }
    let approver = arguments.key.as_deref().map(|key| keys::named(context, key, &[&directory])).transpose()?;
    let meant = context.state_if_any()?;
    let others = context.other_states(meant.as_ref(), &directory);
    let all: Vec<&State> = meant.iter().chain(&others).collect();
    let mut is_known = false;
    for state in &all {
        let history = locks::remembered(state, &directory)?;
        if let Some(signed) = history.and_then(|history| history.signed) {
            is_signed_by_an_approver(&signed.approver, approver.as_ref(), meant.as_ref())?;
        }
    }
    for state in all {
        is_known |= locks::forget(state, &directory)?;
    }
    if !is_known {
        return Err(EngineError::usage(format!("no lock of {} is remembered", shown(context, &directory))));
    }
    output::answer(format!("the lock of {} is forgotten\n", shown(context, &directory)).as_bytes())?;
    Ok(exit_code::PASSED)
}

fn shown(context: &Context, directory: &Path) -> String {
    context.shown(directory).display().to_string()
}
