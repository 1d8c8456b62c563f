//! Compares the tests known by name from the trusted baseline with those that ran (design, "Lock").

use std::collections::BTreeMap;

use referee_model::plan::Role;
use referee_model::reading::{TestCase, TestResults, TestStatus};
use referee_model::record::{RunRecord, SkipReason};
use referee_model::report::{ActionHistory, ActionReport};
use referee_model::run_context::RunContext;
use referee_model::run_context::protection::{KnownTest, Protection, TestFate, TestHome};
use referee_syntax::count::count;
use referee_syntax::cut::first_line;

use crate::classify::named::is_whole;
use crate::waiver::Waivers;

/// Maximum number of known tests listed individually in reasons.
const NAMED: usize = 20;

/// Maximum length of a quoted test name, in characters.
const NAME_CHARACTERS: usize = 120;

/// State of the tests that are known by name, one sentence each.
#[derive(Debug, Default)]
pub(super) struct KnownTestStates {
    pub(super) failed: Vec<String>,
    /// Tests that were skipped, or are absent without explanation.
    pub(super) missing: Vec<String>,
    /// Absent tests with an explanation.
    pub(super) told: Vec<String>,
}

/// Determines their state. As many tests of a name must pass as before.
///
/// | the test                                                    | result                                               |
/// |-------------------------------------------------------------|------------------------------------------------------|
/// | passed                                                      | it passes                                            |
/// | failed, was skipped                                         | it does not                                          |
/// | is not named, and not every test of its check was           | unknown: the reason that prevented naming blocks     |
/// | is absent; another one of its title passed, or of its new one | reported: it moved, or was reworded                |
/// | is absent, and was removed with what it tested              | reported with its file                               |
/// | is absent, its name is computed, and as many tests passed as before | reported                                     |
/// | is absent                                                   | it does not                                          |
///
/// A waiver of its file, or of its check's weakening, excuses it.
pub(super) fn find(protection: &Protection, run: &RunRecord, actions: &[ActionReport]) -> KnownTestStates {
    let mut homes: BTreeMap<Option<&str>, Vec<&KnownTest>> = BTreeMap::new();
    for test in protection.tests.iter().filter(|test| !is_waived(test, run)) {
        let check = match &test.home {
            TestHome::File(_) => None,
            TestHome::Check(check) => Some(check.as_str()),
        };
        homes.entry(check).or_default().push(test);
    }
    let mut found = KnownTestStates::default();
    for (check, tests) in homes {
        ReportedTests::of(check, run, actions).hold(&tests, &mut found);
    }
    for sentences in [&mut found.failed, &mut found.missing, &mut found.told] {
        let more = sentences.len().saturating_sub(NAMED);
        sentences.truncate(NAMED);
        if more > 0 {
            sentences.push(format!("and so with {} more that passed at the trusted baseline", count(more, "test")));
        }
    }
    found
}

/// Returns how many tests of a check were removed together with the code they tested, as far as the check is known.
pub(super) fn dropped(run_context: &RunContext, check: &str) -> u64 {
    let is_of = |test: &&KnownTest| match &test.home {
        TestHome::File(_) => true,
        TestHome::Check(other) => other == check,
    };
    let tests = run_context.protection.iter().flat_map(|protection| &protection.tests);
    tests.filter(is_of).filter(|test| test.fate == TestFate::Dropped).count() as u64
}

fn is_waived(test: &KnownTest, run: &RunRecord) -> bool {
    match &test.home {
        TestHome::File(file) => Waivers::of(run).of_file(file).is_some(),
        TestHome::Check(check) => Waivers::of(run).of_weakening(check).is_some(),
    }
}

/// Tests that runners reported.
struct ReportedTests<'a> {
    /// Each test, with whether it was matched with a known one.
    cases: Vec<(&'a TestCase, bool)>,
    /// Indexes of the tests by full name.
    by_name: BTreeMap<String, Vec<usize>>,
    by_title: BTreeMap<&'a str, Vec<usize>>,
    are_all: bool,
}

impl<'a> ReportedTests<'a> {
    /// Returns the tests of a check; without one, of all checks.
    fn of(check: Option<&str>, run: &RunRecord, actions: &'a [ActionReport]) -> Self {
        let of_check = |action: &&ActionReport| check.is_none_or(|check| action.action.name == check);
        let actions: Vec<&ActionReport> = actions.iter().filter(of_check).collect();
        let ran: Vec<&TestResults> = actions.iter().filter_map(|action| results(action)).collect();
        let is_skipped = |action: &&ActionReport| matches!(&action.history, ActionHistory::Skipped(reason) if !matches!(reason, SkipReason::Superseded(_)));
        let are_all = !ran.is_empty()
            && !run.scope.reduced
            && ran.iter().all(|results| is_whole(results))
            && !actions.iter().any(is_skipped);
        let cases: Vec<_> = ran.iter().flat_map(|results| &results.cases).map(|case| (case, false)).collect();
        let (mut by_name, mut by_title) = (BTreeMap::new(), BTreeMap::new());
        for (at, (case, _)) in cases.iter().enumerate() {
            by_name.entry(case.full_name()).or_insert_with(Vec::new).push(at);
            by_title.entry(own(&case.title)).or_insert_with(Vec::new).push(at);
        }
        Self { cases, by_name, by_title, are_all }
    }

    fn hold(mut self, tests: &[&KnownTest], found: &mut KnownTestStates) {
        let left: Vec<&KnownTest> = tests.iter().copied().filter(|test| !self.passed(test)).collect();
        let (mut absent, mut explained) = (Vec::new(), 0);
        for test in left {
            match self.status(test) {
                Some(TestStatus::Skipped) => found.missing.push(format!("{}, and was skipped", passed_then(test))),
                Some(_) => found.failed.push(format!("{}, and failed", passed_then(test))),
                None if !self.are_all => {}
                None => match self.elsewhere(test) {
                    Some(how) => found.told.push(format!("{}, and {how}", passed_then(test))),
                    // Reported with its file.
                    None if test.fate == TestFate::Dropped => explained += 1,
                    None => absent.push(test),
                },
            }
        }
        let passed = self.cases.iter().filter(|(case, _)| case.status == TestStatus::Passed).count();
        let are_as_many = passed + explained >= tests.len();
        for test in absent {
            if are_as_many && test.fate == TestFate::Computed {
                found.told.push(format!("{}, and others run in its place", passed_then(test)));
            } else {
                found.missing.push(format!(
                    "{}, and is not among the tests that ran: {}",
                    passed_then(test),
                    remedy(test)
                ));
            }
        }
    }

    /// Returns whether a test passed under its name, and was not matched with another known one.
    fn passed(&mut self, test: &KnownTest) -> bool {
        let at = self.by_name.get(&test.name).cloned().unwrap_or_default();
        self.claim(&at, |case| is_there(case, test))
    }

    fn claim(&mut self, places: &[usize], is_it: impl Fn(&TestCase) -> bool) -> bool {
        let is_free = |at: &&usize| {
            let (case, claimed) = self.cases[**at];
            !claimed && case.status == TestStatus::Passed && is_it(case)
        };
        let found = places.iter().find(is_free).copied();
        found.is_some_and(|at| !std::mem::replace(&mut self.cases[at].1, true))
    }

    /// Returns the result of a test that did not pass under its name. None: it is absent.
    fn status(&self, test: &KnownTest) -> Option<TestStatus> {
        let places = self.by_name.get(&test.name)?.iter();
        let found = places.map(|at| self.cases[*at].0).filter(|case| is_there(case, test)).map(|case| case.status);
        found.filter(|status| *status != TestStatus::Passed).max_by_key(|status| *status == TestStatus::Failed)
    }

    /// Returns where the test passed under another name.
    fn elsewhere(&mut self, test: &KnownTest) -> Option<String> {
        let mut has_passed = |title: &str| {
            let at = self.by_title.get(own(title)).cloned().unwrap_or_default();
            self.claim(&at, |_| true)
        };
        if has_passed(test.name.rsplit(" > ").next().unwrap_or(&test.name)) {
            return Some("stands in another place now".to_owned());
        }
        match &test.fate {
            TestFate::Reworded { title: now } if has_passed(now) => {
                Some(format!("is called `{}` now", first_line(now, NAME_CHARACTERS)))
            }
            _ => None,
        }
    }
}

/// Returns the title without leading modules and classes, which runners add, and without trailing parameters.
fn own(title: &str) -> &str {
    if title.contains(char::is_whitespace) {
        return title;
    }
    let bare = title.split_once(['[', '(']).map_or(title, |(bare, _)| bare);
    bare.rsplit(['.', ':']).next().filter(|own| !own.is_empty()).unwrap_or(title)
}

fn results(action: &ActionReport) -> Option<&TestResults> {
    let ran = action.ran()?;
    ran.reading.tests.as_ref().filter(|_| ran.judgement.role == Some(Role::Test))
}

/// Returns whether a test is in the file of a known one, as far as its runner says.
fn is_there(case: &TestCase, test: &KnownTest) -> bool {
    match &test.home {
        TestHome::File(known) => case.file.as_ref().is_none_or(|file| file == known),
        TestHome::Check(_) => true,
    }
}

fn passed_then(test: &KnownTest) -> String {
    let name = first_line(&test.name, NAME_CHARACTERS);
    match &test.home {
        TestHome::File(file) => format!("the test `{name}` of {file} passed at the trusted baseline"),
        TestHome::Check(check) => format!("the test `{name}` of the check {check} passed at the trusted baseline"),
    }
}

fn remedy(test: &KnownTest) -> String {
    let name = first_line(&test.name, NAME_CHARACTERS).replace('\'', "'\\''");
    format!("put it back, or let a person accept it: `referee lock accept '{name}'`")
}
