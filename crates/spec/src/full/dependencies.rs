//! Execution order of tasks: as written, but after those on which they depend.

use std::collections::{BTreeSet, HashMap};

use crate::form::full as keys;
use referee_model::id::TaskId;
use referee_syntax::distance::nearest;
use referee_syntax::tree::Entry;

use super::Task;
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;

/// Orders the tasks. `entries` are their ids and source entries.
pub(super) fn arrange(mut tasks: Vec<Task>, entries: &[(TaskId, Entry)], findings: &mut Findings) -> Vec<Task> {
    let by_name: HashMap<&str, usize> = entries
        .iter()
        .enumerate()
        .flat_map(|(index, (id, entry))| [(id.as_str(), index), (entry.key.as_str(), index)])
        .collect();
    let mut waits = Vec::with_capacity(tasks.len());
    for (_, entry) in entries {
        waits.push(resolve(entry, &by_name, entries.len() == 1, findings));
    }
    for (task, waits) in tasks.iter_mut().zip(&waits) {
        task.depends_on = waits.iter().map(|&index| entries[index].0.clone()).collect();
    }
    let sequence = sequence(&waits);
    if sequence.len() < tasks.len() {
        let stuck = (0..tasks.len()).filter(|index| !sequence.contains(index));
        let stuck: Vec<String> = stuck.map(|index| quote(tasks[index].id.as_str())).take(NAMED).collect();
        let first = entries.iter().find(|(id, _)| Some(quote(id.as_str())) == stuck.first().cloned());
        if let Some((_, entry)) = first {
            let message = format!("these tasks wait for each other, or for others that do: {}", stuck.join(", "));
            findings.push(Finding::error(Code::DependencyCycle, entry.key_span, message));
        }
        return tasks;
    }
    let mut tasks: Vec<Option<Task>> = tasks.into_iter().map(Some).collect();
    sequence.into_iter().filter_map(|index| tasks.get_mut(index)?.take()).collect()
}

/// Maximum number of tasks of a cycle that are named.
const NAMED: usize = 20;

/// Resolves the dependencies of a task.
fn resolve(entry: &Entry, by_name: &HashMap<&str, usize>, alone: bool, findings: &mut Findings) -> BTreeSet<usize> {
    let mut found = BTreeSet::new();
    for node in keys::Task::of(&entry.value).dependencies.elements() {
        let Some(name) = node.text() else { continue };
        let message = format!("task not found in this document: {}", quote(name));
        match by_name.get(name) {
            Some(&index) => drop(found.insert(index)),
            // A document for one task of many refers to tasks that are in documents of their own.
            None if alone && TaskId::parse(name).is_ok() => {
                let help = "whether it has passed is not looked at here";
                findings.push(Finding::warning(Code::UnknownDependency, node.span, message).help(help));
            }
            None => {
                let meant = nearest(name, by_name.keys().copied());
                findings.push(Finding::error(Code::UnknownDependency, node.span, message).meant(meant));
            }
        }
    }
    found
}

/// Returns the tasks that can run, in order. Those of a cycle, and those that depend on them, are missing.
fn sequence(waits: &[BTreeSet<usize>]) -> Vec<usize> {
    let mut done = vec![false; waits.len()];
    let mut sequence = Vec::with_capacity(waits.len());
    // There are at most a thousand tasks, so this is fast enough.
    while let Some(next) = (0..waits.len()).find(|&index| !done[index] && waits[index].iter().all(|&other| done[other]))
    {
        done[next] = true;
        sequence.push(next);
    }
    sequence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tasks_keep_their_order_wherever_dependencies_allow() {
        let table: &[(&[&[usize]], &[usize])] = &[
            (&[&[], &[], &[]], &[0, 1, 2]),
            (&[&[2], &[], &[]], &[1, 2, 0]),
            (&[&[1], &[2], &[]], &[2, 1, 0]),
            (&[&[1], &[0], &[]], &[2]),
            (&[&[0]], &[]),
        ];
        for (waits, expected) in table {
            let waits: Vec<BTreeSet<usize>> = waits.iter().map(|waits| waits.iter().copied().collect()).collect();
            assert_eq!(sequence(&waits), *expected, "{waits:?}");
        }
    }
}
