//! Test events under Gradle, and the count of each task.

use crate::candidate::add_counts;
use crate::prelude::*;
use crate::shapes::jvm::{self, JVM};

pub(super) const PREFILTER: &[&str] = &["> Task :", " tests completed, ", " test completed, "];

/// Texts of which the result of a test holds one of each list.
pub(super) const RESULT: [&[&str]; 2] = [&[" FAILED", " PASSED", " SKIPPED"], &[" > ", "Gradle Test Executor "]];

/// Result of a test, or of the process that runs tests.
static EVENT: Pattern =
    Pattern::new(r"^(?<path>\S.* > .+|Gradle Test Executor \d+) (?<status>PASSED|FAILED|SKIPPED)(?: \([\d.]+m?s\))?$");

/// The count of a task, printed if some of its tests failed.
static COUNT: Pattern =
    Pattern::new(r"^(?<total>\d+) tests? completed(?:, (?<failed>\d+) failed)?(?:, (?<skipped>\d+) skipped)?$");

/// A task's line, with and without the `>` that Gradle prints since version 4.
static TASK: Pattern = Pattern::new(r"^(?:> Task )?(?<task>:[\w.:-]+)(?: [A-Z-]+)?$");

/// All that Gradle prints of a failure by default: `java.lang.AssertionError at CalcTest.java:12`.
static BRIEF: Pattern = Pattern::new(r"^.* at (?<file>[^ ]+):(?<line>\d+)$");

/// Prefixes before a test where events are shown at the level of runs and processes.
const RUNNERS: &[&str] = &["Gradle Test Run ", "Gradle Test Executor "];

/// Maximum number of tasks counted separately.
const TASKS_KEPT: usize = 2_000;

/// Reads the tests of all tasks.
#[derive(Default)]
pub(super) struct Tests {
    tasks: Vec<Task>,
    /// Index of the task whose tests are being read.
    current: usize,
    runs: Runs,
}

#[derive(Default)]
struct Task {
    name: String,
    seen: TestCounts,
    summary: Option<TestCounts>,
}

const GRADLE: Language = Language { complete, ..JVM };

fn complete(failing: &mut Failing) {
    jvm::complete(failing);
    let failure = &mut failing.failure;
    let brief = failure.message.lines().next().and_then(|first| BRIEF.find(first)).filter(|_| failure.file.is_none());
    if let Some((file, line)) = brief.map(|found| (found.file("file"), found.position("line"))) {
        (failure.file, failure.line) = (file, line);
    }
}

impl Tests {
    fn task(&mut self) -> &mut Task {
        if self.tasks.is_empty() {
            self.enter("");
        }
        &mut self.tasks[self.current]
    }

    fn enter(&mut self, task: &str) {
        self.runs.close();
        let known = self.tasks.iter().position(|known| known.name == task);
        self.current = known.unwrap_or_else(|| {
            if self.tasks.len() < TASKS_KEPT {
                self.tasks.push(Task { name: name(task), ..Task::default() });
            }
            self.tasks.len() - 1
        });
    }

    fn event(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(found) = EVENT.find(text) else { return false };
        let status = found.status();
        let names: Vec<&str> = found
            .text("path")
            .split(" > ")
            .filter(|part| !RUNNERS.iter().any(|runner| part.starts_with(runner)))
            .map(str::trim)
            .collect();
        let Some((method, groups)) = names.split_last() else { return true };
        // A class without a method only sums up its tests.
        if groups.is_empty() {
            return true;
        }
        self.runs.close();
        self.runs.name(results::case(groups, method, None, status));
        results::add(&mut self.task().seen, status, 1);
        if status == TestStatus::Failed {
            let mut failing = jvm::failing(&groups.join("."), method, "gradle/tests", line).told_in(&GRADLE);
            groups.first().copied().unwrap_or_default().clone_into(&mut failing.class);
            self.runs.open(failing);
        }
        true
    }

    fn sum_up(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(counted) = COUNT.find(text).and_then(|found| found.tests()) else { return false };
        self.runs.close();
        // Gradle prints one count per task; a second one belongs to a task whose name was not printed.
        add_counts(self.task().summary.get_or_insert_default(), counted);
        self.runs.end = Some(line.end);
        true
    }
}

impl LineReader for Tests {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if let Some(found) = TASK.find(text) {
            self.enter(found.text("task"));
            return text.starts_with('>').into();
        }
        if self.event(text, line) || self.sum_up(text, line) {
            return Use::Line;
        }
        let is_over = if text.is_empty() { self.runs.has_stack() } else { text::indent(text) < 4 };
        if is_over {
            self.runs.close();
        }
        self.runs.add(line, text.strip_prefix("    ").unwrap_or(text)).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.runs.close();
        let mut counts = TestCounts::default();
        let mut is_summed_up = true;
        for task in &self.tasks {
            // A task whose tests all passed has no count.
            is_summed_up &= task.summary.is_some() || task.seen.failed == 0;
            add_counts(&mut counts, task.summary.unwrap_or(task.seen));
        }
        if counts.total == 0 {
            return None;
        }
        if is_summed_up && self.tasks.iter().any(|task| task.summary.is_some()) {
            self.runs.sum_up(counts);
        } else {
            self.runs.seen = counts;
        }
        Some(Candidate { notes: Vec::new(), ..self.runs.candidate("gradle", "tests") })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::trial::claimed;

    fn read(text: &str) -> TestResults {
        claimed(Box::new(Tests::default()), text).and_then(|candidate| candidate.tests).unwrap_or_default()
    }

    #[test]
    fn tasks_are_added_up() {
        let text = "> Task :a:test FAILED\n\nCalcTest > adds() FAILED\n    java.lang.AssertionError at CalcTest.java:12\n\n9 tests completed, 1 failed, 2 skipped\n\n> Task :b:test\nOtherTest > x() PASSED\nOtherTest > y() SKIPPED\n";
        let tests = read(text);
        assert_eq!((tests.counts, tests.authority), (results::counts(7, 1, 3), CountAuthority::Summary));
        let failure = &tests.failures[0];
        assert_eq!(
            (failure.name.as_str(), failure.file.as_deref(), failure.line),
            ("CalcTest.adds()", Some("CalcTest.java"), Some(12))
        );
    }

    #[test]
    fn the_stack_tells_the_place() {
        let text = "> Task :test FAILED\nGradle Test Run :test > Gradle Test Executor 1 > demo.CalcTest > adds() FAILED\n    org.opentest4j.AssertionFailedError: expected: <4> but was: <3>\n        at org.junit.Assert.fail(Assert.java:1)\n        at app//demo.CalcTest.adds(CalcTest.java:7)\n\n1 test completed, 1 failed\n";
        let failure = &read(text).failures[0];
        assert_eq!((failure.name.as_str(), failure.line), ("demo.CalcTest.adds()", Some(7)));
        assert_eq!((failure.message.as_str(), failure.received.as_deref()), ("expected: <4> but was: <3>", Some("3")));
    }

    #[test]
    fn events_without_a_count_only_explain() {
        let tests = read("CalcTest > adds PASSED\nCalcTest > subs FAILED\n    x at A.java:3\n");
        assert_eq!((tests.counts, tests.authority), (results::counts(1, 1, 0), CountAuthority::Lines));
    }
}
