//! Execution order of checks: as listed, but after those they need.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap};

use referee_model::plan::Phase;
use referee_syntax::distance::nearest;

use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;
use crate::task::{Check, Need};

/// Maximum number of checks of a cycle that are named.
const NAMED: usize = 20;

/// Execution order of all checks, by index, and the needs of each, by index.
pub(crate) struct CheckOrder {
    /// Phases in order; within a phase the listed order where needs allow it.
    pub(crate) sequence: Vec<usize>,
    /// For each check, in listed order, the checks that it needs.
    pub(crate) needs: Vec<Vec<usize>>,
}

/// Keys under which a form lists the checks of the three phases, in order.
pub(crate) type Lists = [&'static str; 3];

/// Orders the checks, which are listed phase by phase. If there is a cycle among them, the sequence is
/// incomplete, with a finding.
pub(crate) fn arrange(checks: &[Check], lists: Lists, findings: &mut Findings) -> CheckOrder {
    let needs = resolve(checks, lists, findings);
    let mut waiting: Vec<usize> = needs.iter().map(Vec::len).collect();
    let mut needed_by = vec![Vec::new(); checks.len()];
    for (index, needs) in needs.iter().enumerate() {
        for &need in needs {
            needed_by[need].push(index);
        }
    }
    // Checks are listed phase by phase and need no later phase, so taking the lowest free index keeps phases
    // together.
    let free = waiting.iter().enumerate().filter(|(_, count)| **count == 0).map(|(index, _)| Reverse(index));
    let mut free: BinaryHeap<Reverse<usize>> = free.collect();
    let mut sequence = Vec::with_capacity(checks.len());
    while let Some(Reverse(index)) = free.pop() {
        sequence.push(index);
        for &follower in &needed_by[index] {
            waiting[follower] -= 1;
            if waiting[follower] == 0 {
                free.push(Reverse(follower));
            }
        }
    }
    find_cycles(checks, &needs, &waiting, findings);
    CheckOrder { sequence, needs }
}

/// Resolves the needs of each check, without duplicates.
fn resolve(checks: &[Check], lists: Lists, findings: &mut Findings) -> Vec<Vec<usize>> {
    let by_name: HashMap<(Phase, &str), usize> =
        checks.iter().enumerate().map(|(index, check)| ((check.phase, check.name.as_str()), index)).collect();
    let mut resolved = Vec::with_capacity(checks.len());
    for check in checks {
        let mut needs = Vec::new();
        for need in &check.needs {
            let found = own_and_earlier(check.phase).find_map(|phase| by_name.get(&(phase, need.name.as_str())));
            match found {
                Some(&index) if checks[index].id == check.id => {
                    let message = format!("{} needs itself", quote(&need.name));
                    findings.push(Finding::error(Code::NeedOfItself, need.place, message));
                }
                Some(index) if needs.contains(index) => {}
                Some(&index) => needs.push(index),
                None => {
                    let later = later(check.phase).any(|phase| by_name.contains_key(&(phase, need.name.as_str())));
                    let finding = unknown(need, check, checks, lists, later, findings);
                    findings.push(finding);
                }
            }
        }
        resolved.push(needs);
    }
    resolved
}

const PHASES: [Phase; 3] = [Phase::Prerequisite, Phase::Step, Phase::Cleanup];

/// Returns a phase, then the ones before it, nearest first.
fn own_and_earlier(phase: Phase) -> impl Iterator<Item = Phase> {
    PHASES.into_iter().rev().filter(move |other| *other <= phase)
}

fn later(phase: Phase) -> impl Iterator<Item = Phase> {
    PHASES.into_iter().filter(move |other| *other > phase)
}

fn unknown(need: &Need, check: &Check, checks: &[Check], lists: Lists, is_later: bool, findings: &Findings) -> Finding {
    let named = quote(&need.name);
    let own = list(check.phase, lists);
    if is_later {
        let message = format!("{named} is of a later phase than `{own}`, and comes after all of these");
        return Finding::error(Code::NeedOfOtherPhase, need.place, message);
    }
    let earlier = if check.phase == Phase::Prerequisite { "" } else { " or in an earlier phase" };
    let message = format!("{named} not found under `{own}`{earlier}");
    let finding = Finding::error(Code::UnknownNeed, need.place, message);
    if findings.is_full() {
        return finding;
    }
    let names = checks.iter().filter(|other| other.phase <= check.phase && other.id != check.id);
    finding.meant(nearest(&need.name, names.map(|other| other.name.as_str())))
}

/// Returns the key under which a phase's checks are listed.
fn list(phase: Phase, lists: Lists) -> &'static str {
    match phase {
        Phase::Prerequisite => lists[0],
        Phase::Step => lists[1],
        Phase::Cleanup => lists[2],
    }
}

/// Reports the cycles that block checks. Each blocked check has a need that is blocked too, so following such
/// needs leads into a cycle.
fn find_cycles(checks: &[Check], needs: &[Vec<usize>], waiting: &[usize], findings: &mut Findings) {
    let mut seen_on_walk: Vec<Option<usize>> = vec![None; checks.len()];
    for start in (0..checks.len()).filter(|&index| waiting[index] > 0) {
        let mut walk = Vec::new();
        let mut at = start;
        while seen_on_walk[at].is_none() {
            seen_on_walk[at] = Some(start);
            walk.push(at);
            let Some(&next) = needs[at].iter().find(|&&need| waiting[need] > 0) else { break };
            at = next;
        }
        if seen_on_walk[at] == Some(start)
            && let Some(first) = walk.iter().position(|&index| index == at)
        {
            findings.push(cycle(&walk[first..], checks));
        }
    }
}

fn cycle(members: &[usize], checks: &[Check]) -> Finding {
    let names: Vec<String> = members.iter().take(NAMED).map(|&index| quote(&checks[index].name)).collect();
    let hidden = members.len() - names.len();
    let more = if hidden > 0 { format!(" needs … ({hidden} more)") } else { String::new() };
    let message = format!("checks wait for each other: {}{more} needs {}", names.join(" needs "), names[0]);
    Finding::error(Code::NeedCycle, checks[members[0]].place, message)
}
