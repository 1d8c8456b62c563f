//! Hollow work: changes by which a check goes on passing while the work behind it is broken, and beside them honest changes that
//! must not be blocked. Each is staged for real, in five ways of running the gate, and the table in the threat model
//! (`docs/design/threat-model.md`) is what came out.

use std::fmt::Write as _;
use std::fs;
use std::sync::atomic::{AtomicUsize, Ordering};

use self::Verdict::{Passes, Stopped, Told};
use crate::support::{Workspace, git, repository};

mod company;
mod contents;
mod fewer_tests;
mod files_as_tests;
mod honest;
mod honest_company;
mod honest_contents;
mod honest_counts;
mod honest_loaded;
mod honest_tests;
mod loaded;
mod made_of;
mod suppressions;
mod tests_of_change;
mod tests_of_old;

/// All classes with their cases, in the order of the table.
const CLASSES: &[(&str, &[Case])] = &[
    ("tests that were there", tests_of_old::CASES),
    ("tests of a change", tests_of_change::CASES),
    ("fewer tests", fewer_tests::CASES),
    ("files that pass as files", files_as_tests::CASES),
    ("what tests load", company::CASES),
    ("files that tools load", loaded::CASES),
    ("suppressions in sources", suppressions::CASES),
    ("contents, not stamps", contents::CASES),
    ("what a check is made of", made_of::CASES),
    ("honest work", honest::CASES),
    ("honest runs", honest_contents::CASES),
    ("honest work on tests", honest_tests::CASES),
    ("honest work on helpers and sources", honest_company::CASES),
    ("honest work on what a check is made of", made_of::HONEST),
    ("honest work beside files that tools load", honest_loaded::CASES),
    ("honest numbers of tests", honest_counts::CASES),
];

/// A change, staged in every mode.
pub(super) struct Case {
    /// What is changed, as the table says it.
    pub(super) name: &'static str,
    /// A project whose gate passes.
    pub(super) project: fn() -> Workspace,
    /// What is done to it then.
    pub(super) change: fn(&Workspace),
    /// Texts of which the answer of the gate must contain one where it stops the change, and where it lets it pass and tells of it.
    pub(super) names: &'static [&'static str],
    /// What comes out, for each of [`MODES`].
    pub(super) verdicts: [Verdict; 4],
    /// What comes out where defects were planted before the change, and are asked after it.
    pub(super) probes: Verdict,
}

/// What becomes of a change.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Verdict {
    /// The gate does not pass, and names it.
    Stopped,
    /// The gate passes, and its answer names it.
    Told,
    /// The gate passes, and its answer does not name it.
    Passes,
}

impl Verdict {
    fn word(self) -> &'static str {
        match self {
            Stopped => "stopped",
            Told => "told",
            Passes => "passes",
        }
    }
}

/// A way of running the gate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Mode {
    /// Nothing beside the specification.
    Plain,
    /// `referee lock` before the change.
    Lock,
    /// `--trusted` with the commit before the change.
    Trusted,
    /// A lock, `suppressions: block`, `--clean-room` and `--sandbox`.
    Full,
    /// `referee probe learn` before the change, and every defect asked after it.
    Probes,
}

const MODES: [(Mode, &str); 5] = [
    (Mode::Plain, "plain"),
    (Mode::Lock, "lock"),
    (Mode::Trusted, "trusted commit"),
    (Mode::Full, "lock, `suppressions: block`, clean room, sandbox"),
    (Mode::Probes, "probes, no lock"),
];

/// The modes that are staged: all but probes, since learning takes its time, or, with `REFEREE_PROBES=1`, probes alone.
fn modes() -> std::ops::Range<usize> {
    let probes = MODES.len() - 1;
    if std::env::var_os("REFEREE_PROBES").is_some() { probes..MODES.len() } else { 0..probes }
}

impl Case {
    /// What comes out in one of [`MODES`].
    fn verdict(&self, mode: usize) -> Verdict {
        self.verdicts.get(mode).copied().unwrap_or(self.probes)
    }
}

/// Stages every case of a class in every mode, two at a time.
#[track_caller]
fn hold(class: &str) {
    let (_, cases) = CLASSES.iter().find(|(name, _)| *name == class).unwrap();
    let staged: Vec<(&Case, usize)> = cases.iter().flat_map(|case| modes().map(move |mode| (case, mode))).collect();
    let next = AtomicUsize::new(0);
    let work = || {
        let mut wrong = String::new();
        while let Some((case, mode)) = staged.get(next.fetch_add(1, Ordering::Relaxed)) {
            let (found, answer) = stage(case, MODES[*mode].0);
            let expected = case.verdict(*mode);
            if found != expected {
                let _ = writeln!(wrong, "{} · {}: {found:?}, not {expected:?}\n{answer}", case.name, MODES[*mode].1);
            }
        }
        wrong
    };
    let wrong: String = std::thread::scope(|scope| {
        let other = scope.spawn(work);
        let mine = work();
        mine + &other.join().unwrap()
    });
    assert!(wrong.is_empty(), "{wrong}");
}

/// Stages a change, and returns what becomes of it with the gate's answer.
fn stage(case: &Case, mode: Mode) -> (Verdict, String) {
    let workspace = (case.project)();
    if mode == Mode::Full {
        let specification = fs::read_to_string(workspace.path("referee.yaml")).unwrap();
        workspace.write("referee.yaml", format!("{specification}suppressions: block\n"));
    }
    if mode == Mode::Probes {
        let specification = fs::read_to_string(workspace.path("referee.yaml")).unwrap();
        workspace.write("referee.yaml", format!("{specification}probeSchedule: always\nprobeCount: 50\n"));
    }
    let commit = commit(&workspace);
    workspace.referee(&["run", "-q"]).exits(0);
    if matches!(mode, Mode::Lock | Mode::Full) {
        workspace.referee(&["lock"]).exits(0);
    }
    if mode == Mode::Probes {
        // Where no check passes in a clean room, or none can be asked, nothing is learned.
        workspace.referee(&["probe", "learn", "--budget", "6s"]);
    }
    (case.change)(&workspace);
    let answered = match mode {
        Mode::Plain | Mode::Lock | Mode::Probes => workspace.referee(&["gate"]),
        Mode::Trusted => workspace.referee(&["gate", "--trusted", &commit]),
        Mode::Full => workspace.referee(&["gate", "--clean-room", "--sandbox"]),
    };
    let answer = format!("exit {:?}\n{}{}", answered.code, answered.stdout, answered.stderr);
    // Which inputs changed is said of every change: that tells of none.
    let told = answer.lines().filter(|line| !line.starts_with("note: no recorded verdict was reused"));
    let told = told.flat_map(str::split_whitespace).collect::<Vec<_>>().join(" ");
    let is_named = case.names.iter().any(|name| told.contains(name)) || told.contains("planted defect");
    let verdict = match (answered.code, is_named) {
        (Some(0), true) => Told,
        (Some(0), false) => Passes,
        (_, true) => Stopped,
        (_, false) => panic!("{}: the gate stops it for another reason than {:?}:\n{answer}", case.name, case.names),
    };
    (verdict, answer)
}

/// Commits everything, and returns the commit's id.
fn commit(workspace: &Workspace) -> String {
    let directory = workspace.path("");
    git(&directory, &["init", "-q"]);
    git(&directory, &["add", "-A"]);
    git(&directory, &["commit", "-q", "-m", "before"]);
    git(&directory, &["rev-parse", "HEAD"])
}

#[test]
fn tests_that_were_there_are_held() {
    hold("tests that were there");
}

#[test]
fn tests_of_a_change_are_held() {
    hold("tests of a change");
}

#[test]
fn contents_and_not_stamps_are_held() {
    hold("contents, not stamps");
}

#[test]
fn honest_work_is_not_blocked() {
    hold("honest work");
    hold("honest runs");
    let honest = honest::CASES.iter().chain(honest_contents::CASES);
    let is_blocked = |case: &&Case| case.verdicts.contains(&Stopped);
    assert_eq!(honest.filter(is_blocked).map(|case| case.name).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn honest_work_on_tests_is_not_blocked() {
    hold("honest work on tests");
    let is_blocked = |case: &&Case| case.verdicts.contains(&Stopped);
    assert_eq!(honest_tests::CASES.iter().filter(is_blocked).map(|case| case.name).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn fewer_tests_are_held() {
    hold("fewer tests");
}

#[test]
fn files_that_pass_as_files_are_held() {
    hold("files that pass as files");
}

#[test]
fn honest_numbers_of_tests_are_not_blocked() {
    hold("honest numbers of tests");
    let is_blocked = |case: &&Case| case.verdicts.contains(&Stopped);
    assert_eq!(honest_counts::CASES.iter().filter(is_blocked).map(|case| case.name).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn what_tests_load_is_held() {
    hold("what tests load");
}

#[test]
fn suppressions_in_sources_are_seen() {
    hold("suppressions in sources");
}

#[test]
fn honest_work_on_helpers_and_sources_is_not_blocked() {
    hold("honest work on helpers and sources");
    let is_blocked = |case: &&Case| case.verdicts.contains(&Stopped);
    assert_eq!(honest_company::CASES.iter().filter(is_blocked).map(|case| case.name).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn what_a_check_is_made_of_is_held() {
    hold("what a check is made of");
}

#[test]
fn honest_work_on_what_a_check_is_made_of_is_not_blocked() {
    hold("honest work on what a check is made of");
    let is_blocked = |case: &&Case| case.verdicts.contains(&Stopped);
    assert_eq!(made_of::HONEST.iter().filter(is_blocked).map(|case| case.name).collect::<Vec<_>>(), [""; 0]);
}

#[test]
fn files_that_tools_load_are_held() {
    hold("files that tools load");
}

#[test]
fn honest_work_beside_files_that_tools_load_is_not_blocked() {
    hold("honest work beside files that tools load");
}

const BEGIN: &str = "<!-- hollow-table:begin -->\n";
const END: &str = "<!-- hollow-table:end -->\n";

#[test]
fn the_table_in_the_threat_model_is_what_comes_out() {
    let file = repository().join("docs/design/threat-model.md");
    let text = fs::read_to_string(&file).unwrap();
    let (before, rest) = text.split_once(BEGIN).unwrap();
    let (_, after) = rest.split_once(END).unwrap();
    let made = format!("{before}{BEGIN}{}{END}{after}", table());
    if std::env::var_os("REFEREE_UPDATE_DOCS").is_some_and(|value| value == "1") {
        fs::write(&file, &made).unwrap();
    }
    assert!(made == fs::read_to_string(&file).unwrap(), "REFEREE_UPDATE_DOCS=1 writes the table again");
}

fn table() -> String {
    let heads: Vec<&str> = MODES.iter().map(|(_, name)| *name).collect();
    let mut table = format!("| class | change | {} |\n|---|---|{}\n", heads.join(" | "), "---|".repeat(MODES.len()));
    for (class, cases) in CLASSES {
        for case in *cases {
            let words: Vec<&str> = (0..MODES.len()).map(|mode| case.verdict(mode).word()).collect();
            let _ = writeln!(table, "| {class} | {} | {} |", case.name, words.join(" | "));
        }
    }
    table
}
