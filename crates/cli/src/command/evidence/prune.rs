//! `referee evidence prune`: removes old runs from the history; their seals remain.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::keys;
use referee_ledger::Store;
use referee_ledger::attest;
use referee_ledger::retention::{Prune, PrunedRun, Sign};
use referee_model::depot::DepotPrune;
use referee_model::exit_code;
use referee_model::id::TaskId;
use referee_model::time::Timestamp;
use referee_report::style;
use referee_syntax::size;

use super::{depot, evidence_list};
use crate::args::evidence as args;
use crate::output;
use crate::resolve;

/// Payload type of a signed tombstone.
const TOMBSTONE_TYPE: &str = "application/vnd.referee.tombstone+json";

/// Prunes the history of the selected tasks.
pub(in crate::command) fn execute(context: &Context, arguments: &args::Prune) -> Result<u8, EngineError> {
    let before =
        |age: &args::Age| Timestamp::from_millisecond(resolve::now().as_millisecond().saturating_sub(age.milliseconds));
    let before = arguments.older_than.as_ref().map(before);
    if let Some(from) = &arguments.from {
        let prune = DepotPrune {
            task: arguments.task.clone(),
            keep: arguments.keep.unwrap_or(0),
            before,
            now: resolve::now(),
            reason: reason(arguments),
            dry_run: arguments.dry_run,
        };
        return depot::prune(context, from, (&arguments.project, &arguments.root), prune);
    }
    let root = evidence_list::root(context, &arguments.root)?;
    let state = context.state_if_any()?;
    let Some(store) = Store::look(&root, state.as_ref())? else {
        output::answer(b"nothing is kept, so nothing was pruned\n")?;
        return Ok(exit_code::PASSED);
    };
    let now = resolve::now();
    let signer = arguments.key.as_deref().map(|key| keys::named(context, key, &[&root])).transpose()?;
    let sign = signer.map(|signer| {
        move |tombstone: &[u8]| {
            let mut line = attest::sign(TOMBSTONE_TYPE, tombstone, &signer)?;
            line.push(b'\n');
            Ok(line)
        }
    });
    let reason = reason(arguments);
    let prune = Prune {
        keep: arguments.keep.unwrap_or(0),
        before,
        dry_run: arguments.dry_run,
        now,
        reason: &reason,
        sign: sign.as_ref().map(|sign| sign as Sign<'_>),
    };
    let tasks = store.known_tasks()?;
    if let Some(unknown) = arguments.task.as_ref().filter(|task| !tasks.contains(task)) {
        return Err(EngineError::usage(format!("nothing is kept of {unknown} in {}", context.shown(&root).display())));
    }
    let mut text = String::new();
    let mut pruned = Vec::new();
    for task in tasks.iter().filter(|task| arguments.task.as_ref().is_none_or(|meant| meant == *task)) {
        let runs = store.prune(task, &prune)?;
        text.extend(runs.iter().map(|run| line(task, run, arguments.dry_run)));
        pruned.extend(runs.into_iter().filter(|run| run.left_alone.is_none()));
    }
    let (files, bytes) = pruned.iter().fold((0, 0_u64), |(files, bytes), run| (files + run.files, bytes + run.bytes));
    let did = if arguments.dry_run { "would be removed" } else { "were removed" };
    text.extend([format!("{} runs: {files} files, {} {did}\n", pruned.len(), size::short(bytes))]);
    output::answer(text.as_bytes())?;
    Ok(exit_code::PASSED)
}

fn line(task: &TaskId, run: &PrunedRun, dry_run: bool) -> String {
    let name = style::plain(&run.name);
    if let Some(why) = &run.left_alone {
        return format!("{task} {name}: left alone: {}\n", style::plain(why));
    }
    let did = if dry_run { "would be pruned" } else { "pruned" };
    format!("{task} {name}: {did}, {} files, {}\n", run.files, size::short(run.bytes))
}

/// Returns the reason recorded in tombstones.
fn reason(arguments: &args::Prune) -> String {
    let keep = arguments.keep.map(|keep| format!("not among the latest {keep} of the history"));
    let age = arguments.older_than.as_ref().map(|age| format!("older than {}", age.text));
    let reasons: Vec<String> = keep.into_iter().chain(age).collect();
    format!("referee evidence prune: {}", reasons.join(", "))
}
