//! Compares the settings of the gate itself.

use std::num::NonZeroU32;

use referee_model::plan::Guard;
use referee_model::plan::guard::{Answer, ProtectRule};
use referee_model::run_context::protection::Mode;
use referee_model::run_context::weakening::WeakeningKind as Kind;

use super::weaker::Weaker;

/// Compares the settings of the gate itself.
pub(super) fn compare(before: &Guard, after: &Guard, weaker: &mut Weaker) {
    weaker.added(Kind::OutputsWidened, "outputs", (&before.outputs, &after.outputs), Clone::clone);
    protection(before, after, weaker);
    if rank(after.suppressions) < rank(before.suppressions) {
        weaker.add(Kind::SuppressionsAllowed, "suppressions", answer(before.suppressions), answer(after.suppressions));
    }
    if after.probe < before.probe {
        weaker.add(Kind::ProbeLowered, "probe", before.probe.as_str(), after.probe.as_str());
    }
    if after.probe_schedule < before.probe_schedule {
        let (before, after) = (before.probe_schedule.as_str(), after.probe_schedule.as_str());
        weaker.add(Kind::ProbeLowered, "probeSchedule", before, after);
    }
    let count = |guard: &Guard| guard.probe_count.map_or(1, NonZeroU32::get);
    if count(after) < count(before) {
        weaker.add(Kind::ProbeLowered, "probeCount", count(before).to_string(), count(after).to_string());
    }
    if let Some(old) = &before.setup {
        let command = after.setup.as_ref().map_or("not there", |setup| setup.command.as_str());
        if command != old.command {
            weaker.add(Kind::SetupChanged, "setup", &old.command, command);
        }
        if let Some(new) = after.setup.as_ref().filter(|new| new.timeout_ms > old.timeout_ms) {
            let shown = |milliseconds: u64| format!("{milliseconds} ms");
            weaker.add(Kind::TimeoutRaised, "setup", shown(old.timeout_ms), shown(new.timeout_ms));
        }
    }
    for (program, digest) in before.pins.iter().filter(|(program, digest)| after.pins.get(*program) != Some(digest)) {
        let now = after.pins.get(program).map_or("not pinned".to_owned(), ToString::to_string);
        weaker.add(Kind::PinRemoved, program, digest.to_string(), now);
    }
    for (name, old, new) in [
        ("processes", before.limits.processes, after.limits.processes),
        ("memory", before.limits.memory_bytes, after.limits.memory_bytes),
        ("output", before.limits.output_bytes, after.limits.output_bytes),
    ] {
        if old.is_some_and(|old| new.is_none_or(|new| new > old)) {
            let shown = |limit: Option<u64>| limit.map_or("no limit".to_owned(), |limit| limit.to_string());
            weaker.add(Kind::LimitRaised, format!("limits.{name}"), shown(old), shown(new));
        }
    }
}

/// Compares rules of protection. A rule remains if one for the same files is as strict. A rule that only
/// reports may replace a stricter default, so it is listed if it is new.
fn protection(before: &Guard, after: &Guard, weaker: &mut Weaker) {
    for old in &before.protect {
        let covers =
            |new: &&ProtectRule| new.pattern == old.pattern && (new.pointer.is_none() || new.pointer == old.pointer);
        let strictest = after.protect.iter().filter(covers).map(|rule| rule.mode).max_by_key(|mode| mode.strictness());
        if strictest.is_none_or(|new| new.strictness() < old.mode.strictness()) {
            let now = strictest.map_or("not protected", Mode::as_str);
            weaker.add(Kind::ProtectionLowered, place(old), old.mode.as_str(), now);
        }
    }
    let is_known = |rule: &ProtectRule| {
        before.protect.iter().any(|old| old.pattern == rule.pattern && old.pointer == rule.pointer)
    };
    for new in after.protect.iter().filter(|rule| rule.mode == Mode::Review && !is_known(rule)) {
        weaker.add(Kind::ProtectionLowered, place(new), "as by default", new.mode.as_str());
    }
}

fn place(rule: &ProtectRule) -> String {
    match &rule.pointer {
        Some(pointer) => format!("{}#{pointer}", rule.pattern),
        None => rule.pattern.clone(),
    }
}

fn rank(answer: Answer) -> u8 {
    match answer {
        Answer::Ignore => 0,
        Answer::Report => 1,
        Answer::Default => 2,
        Answer::Block => 3,
    }
}

fn answer(answer: Answer) -> &'static str {
    match answer {
        Answer::Ignore => "ignore",
        Answer::Report => "report",
        Answer::Default => "not there",
        Answer::Block => "block",
    }
}
