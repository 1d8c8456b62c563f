//! The names of tests and checks that passed, were warned of, or failed: tests as their runners print them,
//! checks as the specification names them. Never a command, which may contain confidential text.

use std::collections::BTreeSet;

use referee_model::limit;
use referee_model::outcome::{Judgement, Outcome};
use referee_model::plan::{Action, Invocation, Work};
use referee_model::reading::{TestCase, TestResults, TestStatus};
use referee_model::report::Report;
use referee_model::verdict::Decision;
use referee_syntax::cut::head;

/// Sorted names without duplicates, each under its worst outcome.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(super) struct Names {
    pub(super) passed: BTreeSet<String>,
    pub(super) warned: BTreeSet<String>,
    pub(super) failed: BTreeSet<String>,
    /// Number of names that are not listed.
    pub(super) left_out: usize,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum NamedOutcome {
    Passed,
    Warned,
    Failed,
}

impl Names {
    /// Collects the names of a judged run. If the run did not pass, at least one name is listed as failed.
    pub(super) fn of(report: &Report) -> Self {
        let mut names = Self::default();
        for found in &report.actions {
            let Some(ran) = found.ran() else { continue };
            names.add(standing(&ran.judgement), check_name(&found.action));
            if let Some(tests) = &ran.reading.tests {
                names.add_tests(tests, ran.judgement.blocking);
            }
        }
        if report.verdict.decision != Decision::Pass && names.failed.is_empty() {
            names.failed.insert(report.plan.task.to_string());
        }
        names.settle();
        names
    }

    fn add(&mut self, standing: NamedOutcome, name: String) {
        let set = match standing {
            NamedOutcome::Passed => &mut self.passed,
            NamedOutcome::Warned => &mut self.warned,
            NamedOutcome::Failed => &mut self.failed,
        };
        set.insert(name);
    }

    fn add_tests(&mut self, tests: &TestResults, blocking: bool) {
        let failed = if blocking { NamedOutcome::Failed } else { NamedOutcome::Warned };
        for case in &tests.cases {
            match case.status {
                TestStatus::Passed => self.add(NamedOutcome::Passed, test_name(case)),
                TestStatus::Failed => self.add(failed, test_name(case)),
                TestStatus::Skipped => {}
            }
        }
        if tests.cases.is_empty() {
            for failure in &tests.failures {
                self.add(failed, head(&failure.name, limit::ATTESTED_NAME_BYTES).to_owned());
            }
        }
    }

    /// Lists each name under its worst outcome only, and at most as many as the limit.
    fn settle(&mut self) {
        self.warned.retain(|name| !self.failed.contains(name));
        self.passed.retain(|name| !self.failed.contains(name) && !self.warned.contains(name));
        let mut left = limit::ATTESTED_NAMES;
        for set in [&mut self.failed, &mut self.warned, &mut self.passed] {
            self.left_out += set.len().saturating_sub(left);
            if let Some(first) = set.iter().nth(left).cloned() {
                set.split_off(&first);
            }
            left -= set.len();
        }
    }
}

fn standing(judgement: &Judgement) -> NamedOutcome {
    match (judgement.outcome, judgement.blocking) {
        (_, true) => NamedOutcome::Failed,
        (Outcome::Success, false) if !judgement.flaky => NamedOutcome::Passed,
        _ => NamedOutcome::Warned,
    }
}

/// Returns the check's id, and its name if that does not reveal a command.
fn check_name(action: &Action) -> String {
    let told = match &action.work {
        Work::Command(command) => Some(&command.invocation),
        Work::Service(service) => service.command.as_ref().map(|command| &command.invocation),
        Work::File(_) | Work::Http(_) | Work::Interaction(_) => None,
    };
    let tells = told.is_some_and(|invocation| {
        let line = match invocation {
            Invocation::Argv(argv) => argv.join(" "),
            Invocation::Shell { line, .. } => line.clone(),
            Invocation::Container(container) => container.argv().join(" "),
        };
        action.name.contains(line.trim())
    });
    if tells || action.name == action.id.as_str() {
        action.id.to_string()
    } else {
        head(&format!("{} {}", action.id, action.name), limit::ATTESTED_NAME_BYTES).to_owned()
    }
}

fn test_name(case: &TestCase) -> String {
    let parts: Vec<&str> = case.ancestors.iter().chain([&case.title]).map(String::as_str).collect();
    head(&parts.join(" > "), limit::ATTESTED_NAME_BYTES).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_stands_once_where_it_is_worst_and_the_list_is_bounded() {
        let mut names = Names::default();
        for (standing, name) in [
            (NamedOutcome::Passed, "a"),
            (NamedOutcome::Failed, "a"),
            (NamedOutcome::Warned, "b"),
            (NamedOutcome::Passed, "b"),
            (NamedOutcome::Passed, "c"),
        ] {
            names.add(standing, name.to_owned());
        }
        names.settle();
        assert_eq!((names.failed.len(), names.warned.len(), names.passed.len(), names.left_out), (1, 1, 1, 0));

        let mut many = Names::default();
        many.add(NamedOutcome::Failed, "broken".to_owned());
        for number in 0..limit::ATTESTED_NAMES + 10 {
            many.add(NamedOutcome::Passed, format!("test {number}"));
        }
        many.settle();
        assert_eq!(many.passed.len() + many.failed.len(), limit::ATTESTED_NAMES);
        assert_eq!((many.failed.len(), many.left_out), (1, 11), "what failed is listed first");
    }
}
