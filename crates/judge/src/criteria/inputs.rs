//! Checks that are void because inputs changed: a result is only valid for the files that the check saw
//! (design, "Tree digest").

use std::collections::BTreeSet;

use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::plan::{Action, Command, Phase, Role, Work};
use referee_model::record::{Record, RunRecord};
use referee_model::report::ActionReport;
use referee_model::run_context::tree::{TreeChange, TreeChangeKind, TreeFacts};
use referee_model::time::Timestamp;
use referee_syntax::count::{count, list};

use crate::role;

mod swap;

/// Maximum lag of a file's time, in milliseconds: the slowest clock that systems use for time stamps has a
/// hundred ticks per second.
pub const TICK_MS: u64 = 10;

/// Tolerance in milliseconds by which the recorded end of a step may precede its real end: times are whole
/// milliseconds, and so is the start of the run's clock.
pub const ROUNDING_MS: u64 = 2;

/// Maximum number of sentences about changes, and of files named in one of them.
const CHANGES_NAMED: usize = 5;
const FILES_NAMED: usize = 3;

/// Tools that fix files, with the way to run them without writing.
const MENDERS: &[Mender] = &[
    Mender::with("eslint", &["--fix"], Instead::LeaveOut),
    Mender::with("stylelint", &["--fix"], Instead::LeaveOut),
    Mender::with("oxlint", &["--fix"], Instead::LeaveOut),
    Mender::with("standard", &["--fix"], Instead::LeaveOut),
    Mender::with("xo", &["--fix"], Instead::LeaveOut),
    Mender { unasked: Some("`--fix=false`"), ..Mender::with("golangci-lint", &["--fix"], Instead::LeaveOut) },
    Mender::with("clippy", &["--fix"], Instead::LeaveOut),
    Mender::with("markdownlint", &["--fix"], Instead::LeaveOut),
    Mender::with("typos", &["--write-changes", "-w"], Instead::LeaveOut),
    Mender::with("codespell", &["--write-changes", "-w"], Instead::LeaveOut),
    Mender::with("rubocop", &["--autocorrect", "--autocorrect-all", "-a", "-A"], Instead::LeaveOut),
    Mender::with("ktlint", &["--format", "-F"], Instead::LeaveOut),
    Mender::with("biome", &["--write", "--fix"], Instead::LeaveOut),
    Mender::with("prettier", &["--write", "-w"], Instead::Give("`--check`")),
    // Its configuration may contain `fix = true`.
    Mender { unasked: Some("`--no-fix`"), ..Mender::with("ruff", &["--fix"], Instead::LeaveOut) },
    Mender::always("ruff format", "`--check`"),
    Mender::always("black", "`--check`"),
    Mender::always("isort", "`--check-only`"),
    Mender::always("rustfmt", "`--check`"),
    Mender::with("gofmt", &["-w"], Instead::Give("`-l`")),
    Mender::with("shfmt", &["-w"], Instead::Give("`-d`")),
    Mender::with("clang-format", &["-i"], Instead::Give("`--dry-run --Werror`")),
];

struct Mender {
    tool: &'static str,
    /// Options that make the tool write.
    writes: &'static [&'static str],
    instead: Instead,
    /// Option that prevents writing where none of those is given.
    unasked: Option<&'static str>,
}

/// Replacement for an option that makes a tool write.
enum Instead {
    LeaveOut,
    Give(&'static str),
}

impl Mender {
    const fn with(tool: &'static str, writes: &'static [&'static str], instead: Instead) -> Self {
        Self { tool, writes, instead, unasked: None }
    }

    const fn always(tool: &'static str, unasked: &'static str) -> Self {
        Self { tool, writes: &[], instead: Instead::LeaveOut, unasked: Some(unasked) }
    }

    /// Returns how to run the tool without writing, such as `eslint: leave out --fix`. None: the command does
    /// not make it write.
    fn advice(&self, command: &Command) -> Option<String> {
        let given = self.writes.iter().find(|option| !role::option_values(command, option).is_empty());
        let how = match (given, &self.instead) {
            (Some(option), Instead::LeaveOut) => format!("leave out `{option}`"),
            (Some(option), Instead::Give(other)) => format!("{other} instead of `{option}`"),
            (None, _) => self.unasked?.to_owned(),
        };
        Some(format!("{}: {how}", self.tool))
    }
}

/// Returns which steps are void: because inputs changed, because sources were swapped while tests ran, or
/// because the inputs are unknown and several steps may have seen different ones.
pub(super) fn voided(run: &RunRecord, actions: &[ActionReport]) -> Vec<String> {
    let mut found = changed(run, actions);
    found.extend(swap::voided(run, actions));
    found.extend(unread(run, actions));
    found
}

/// Returns what is void because the inputs could not be observed. A single step cannot contradict another: its
/// run has a notice instead, and is never fresh.
fn unread(run: &RunRecord, actions: &[ActionReport]) -> Option<String> {
    let why = run.run_context.unread_inputs.as_ref()?;
    let steps = steps(actions).len() as u64;
    (steps > 1).then(|| {
        format!(
            "the state of the inputs is not known: {why}; whether {} saw the same files cannot be determined: make it readable and \
             smaller, have git ignore it, or declare it under `outputs`",
            count(steps, "step")
        )
    })
}

/// Returns what changed inputs voided, one sentence for all changes that the same actions can have made.
///
/// | a file was         | last changed                                        | voids                                    |
/// |--------------------|-----------------------------------------------------|------------------------------------------|
/// | modified, removed  | at a moment                                         | the steps that had ended before          |
/// | modified, removed  | as a step ended                                     | not that step: it did it itself          |
/// | modified, removed  | at no known moment, or before the run began         | every step                               |
/// | added              | at any                                              | nothing                                  |
///
/// The time of a file lags by up to a tick, so a change within a tick of the beginning of a step is attributed
/// to the step before: a formatter writes as it ends, and must not void the check after it.
///
/// Steps that ran meanwhile or later saw the current file, or changed it themselves: they remain valid. If not
/// all changes are listed, the rest counts as changes at an unknown time, unless they can only be additions.
fn changed(run: &RunRecord, actions: &[ActionReport]) -> Vec<String> {
    let Some(facts) = &run.run_context.tree else { return Vec::new() };
    let steps = steps(actions);
    let voiding: Vec<&TreeChange> = facts.changes.iter().filter(|change| voids(change.kind)).collect();
    let mut damages: Vec<Damage<'_>> = Vec::new();
    for damage in voiding.iter().filter_map(|change| Damage::of(change, run, actions, &steps)) {
        match damages.iter_mut().find(|other| other.is_alike(&damage)) {
            Some(other) => other.join(damage),
            None => damages.push(damage),
        }
    }
    let mut found: Vec<String> = damages.iter().map(|damage| damage.sentence(&steps)).collect();
    let unlisted = unlisted(facts);
    if found.len() > CHANGES_NAMED {
        let others = found.len() - CHANGES_NAMED;
        found.truncate(CHANGES_NAMED);
        found.push(format!("{} of the inputs void steps, too", count(others, "other kind of change")));
    }
    if unlisted > 0 && voiding.len() == facts.changes.len() && !steps.is_empty() {
        found.push(format!(
            "{} more were modified or removed during the run, at moments that are not known: every step is void",
            count(unlisted, "input")
        ));
    }
    found
}

/// Returns whether the next run would be void, too: an action of the run itself changed inputs of earlier
/// steps, or the inputs cannot be observed.
pub(super) fn are_void_each_time(run: &RunRecord, actions: &[ActionReport]) -> bool {
    let Some(facts) = &run.run_context.tree else { return run.run_context.unread_inputs.is_some() };
    if swap::is_by_the_run(run, actions) {
        return true;
    }
    let steps = steps(actions);
    let changes = facts.changes.iter().filter(|change| voids(change.kind));
    changes.filter_map(|change| Damage::of(change, run, actions, &steps)).any(|damage| !damage.writers.is_empty())
}

/// Returns inconsistencies in the record of the inputs.
pub(super) fn faults(run: &RunRecord) -> Vec<String> {
    let Some(facts) = &run.run_context.tree else { return Vec::new() };
    let wrong = |what: &str| format!("what was recorded of the inputs contradicts itself: {what}");
    let listed = facts.changes.len() as u64;
    let mut faults = Vec::new();
    if facts.change_count < listed {
        faults.push(wrong("it lists more changes than it counts"));
    }
    if facts.change_count > listed && facts.changes.len() < limit::TREE_CHANGES_LISTED {
        faults.push(wrong("it counts changes that it has room for, and does not list"));
    }
    if (facts.before.digest == facts.after.digest) != (facts.change_count == 0) {
        faults.push(wrong("the digests before and after do not fit the number of changes"));
    }
    if !facts.changes.is_sorted_by_key(|change| !voids(change.kind)) {
        faults.push(wrong("added files stand before those that were modified or removed"));
    }
    if facts.change_count == listed && !adds_up(facts) {
        faults.push(wrong("the numbers of files before and after do not fit the changes"));
    }
    faults
}

fn adds_up(facts: &TreeFacts) -> bool {
    let of = |kind| facts.changes.iter().filter(|change| change.kind == kind).count() as u64;
    let (added, removed) = (of(TreeChangeKind::Added), of(TreeChangeKind::Removed));
    facts.before.files.checked_add(added) == facts.after.files.checked_add(removed)
}

fn unlisted(facts: &TreeFacts) -> u64 {
    facts.change_count.saturating_sub(facts.changes.len() as u64)
}

fn voids(kind: TreeChangeKind) -> bool {
    match kind {
        TreeChangeKind::Modified | TreeChangeKind::Removed => true,
        TreeChangeKind::Added => false,
    }
}

/// Changes that void steps, and the actions that can have made them.
struct Damage<'a> {
    kind: TreeChangeKind,
    files: Vec<&'a str>,
    /// Time of the change, if it is a single file with a known time.
    at: Option<Timestamp>,
    /// Actions that ran at that time. Empty: none ran, or the time is unknown.
    writers: Vec<&'a Action>,
    void: BTreeSet<&'a ActionId>,
}

impl<'a> Damage<'a> {
    /// Returns what one change voids. None: nothing.
    fn of(change: &'a TreeChange, run: &RunRecord, actions: &'a [ActionReport], steps: &[Step<'a>]) -> Option<Self> {
        // A time before the run began cannot be that of a change during the run.
        let at = change.at.filter(|at| at.plus_milliseconds(TICK_MS) >= run.performed().0);
        let over = steps.iter().filter(|(_, step)| at.is_none_or(|at| is_over(step, at)));
        let void: BTreeSet<_> = over.map(|(_, step)| &step.action).collect();
        let writers = at.map(|at| writers(actions, at)).unwrap_or_default();
        (!void.is_empty()).then(|| Self { kind: change.kind, files: vec![&change.path], at, writers, void })
    }

    fn is_alike(&self, other: &Self) -> bool {
        let ids = |damage: &Self| damage.writers.iter().map(|action| action.id.clone()).collect::<Vec<_>>();
        self.kind == other.kind && self.at.is_some() == other.at.is_some() && ids(self) == ids(other)
    }

    fn join(&mut self, other: Self) {
        self.files.extend(other.files);
        self.void.extend(other.void);
    }

    fn sentence(&self, steps: &[Step<'_>]) -> String {
        let first = steps.iter().find(|(_, step)| self.void.contains(&step.action));
        let first = first.map(|(action, _)| called(action)).unwrap_or_default();
        let is_removed = self.kind == TreeChangeKind::Removed;
        let files = list(&self.files, FILES_NAMED);
        let did = match self.writers.as_slice() {
            [] => {
                let (verb, how) = (
                    if self.files.len() == 1 { "was" } else { "were" },
                    if is_removed { "removed" } else { "modified" },
                );
                let when = match (self.at, self.files.len()) {
                    (Some(at), 1) => format!("at {at}"),
                    (Some(_), _) => "while no action ran".to_owned(),
                    (None, _) => "at an unknown moment".to_owned(),
                };
                format!("{files} {verb} {how} during the run {when}")
            }
            writers => {
                let names: Vec<String> = writers.iter().map(|action| called(action)).collect();
                let one_of = if names.len() > 1 { "one of " } else { "" };
                let how = if is_removed { "removed" } else { "rewrote" };
                format!("{one_of}{} {how} {files}", names.join(", "))
            }
        };
        let void = count(self.void.len(), "step");
        format!("{did} after {first} had looked at it ({void} void): {}", self.advice())
    }

    fn advice(&self) -> String {
        let looks = match self.writers.as_slice() {
            [] => return "run again, and declare under `outputs` what checks make".to_owned(),
            [Action { work: Work::Command(command), .. }] => looks(command),
            _ => String::new(),
        };
        format!(
            "a check must only look{looks}; what it makes belongs under `outputs`; if another process wrote there, run again"
        )
    }
}

/// Returns in brackets how to run the tools of a command without writing, as far as known.
fn looks(command: &Command) -> String {
    let mut hows: Vec<String> = Vec::new();
    for member in role::members(command) {
        let name = match (member.tool, member.role) {
            (Some("ruff"), Role::Format) => "ruff format",
            (Some(tool), _) => tool,
            (None, _) => continue,
        };
        let mender = MENDERS.iter().find(|mender| mender.tool == name);
        let how = mender.and_then(|mender| mender.advice(command));
        hows.extend(how.filter(|how| !hows.contains(how)));
    }
    if hows.is_empty() { String::new() } else { format!(" ({})", hows.join("; ")) }
}

/// Returns the actions that ran when a file changed, in plan order: those whose times include the change, else
/// those that began within a tick of it. A service continues to run once it is ready.
fn writers(actions: &[ActionReport], at: Timestamp) -> Vec<&Action> {
    let within = |lag: u64| {
        let ran = move |report: &&ActionReport| {
            report.ran().is_some_and(|ran| {
                let began = ran.earlier.first().map_or(ran.record.span.started, |first| first.record.span.started);
                let lives_on = matches!(report.action.work, Work::Service(_));
                began <= at.plus_milliseconds(lag) && (lives_on || !is_over(&ran.record, at))
            })
        };
        actions.iter().filter(ran).map(|report| &report.action).collect::<Vec<_>>()
    };
    let exactly = within(0);
    if exactly.is_empty() { within(TICK_MS) } else { exactly }
}

/// Returns the display name of an action: the name of the check, or the id if the name is a sentence.
fn called(action: &Action) -> String {
    if action.name.is_empty() || action.name.contains(char::is_whitespace) {
        return action.id.to_string();
    }
    action.name.clone()
}

/// Returns whether a step had ended when a file changed.
fn is_over(step: &Record, at: Timestamp) -> bool {
    step.span.ended.plus_milliseconds(ROUNDING_MS) < at
}

/// A step that ran, with the record of the attempt that counts.
type Step<'a> = (&'a Action, &'a Record);

/// Returns the steps that ran, in the order in which they ended.
fn steps(actions: &[ActionReport]) -> Vec<Step<'_>> {
    let of_steps = actions.iter().filter(|report| report.action.phase == Phase::Step);
    let mut steps: Vec<Step<'_>> =
        of_steps.filter_map(|report| Some((&report.action, &report.ran()?.record))).collect();
    steps.sort_by_key(|(_, step)| (step.span.ended, step.span.started));
    steps
}

#[cfg(test)]
mod tests;
