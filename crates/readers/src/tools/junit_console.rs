//! The console launcher of the JUnit platform: failures with their stacks, then counts of containers and tests.
//!
//! ```text
//! Failures (1):
//!   JUnit Jupiter:CalcTest:addsWrong()
//!     MethodSource [className = 'demo.CalcTest', methodName = 'addsWrong', methodParameterTypes = '']
//!     => org.opentest4j.AssertionFailedError: expected: <4> but was: <3>
//!        demo.CalcTest.addsWrong(CalcTest.java:7)
//!
//! Test run finished after 64 ms
//! [         9 tests found           ]
//! [         1 tests skipped         ]
//! [         5 tests successful      ]
//! [         3 tests failed          ]
//! ```

mod core;

use crate::prelude::*;
use crate::shapes::jvm::failing;

pub(crate) static TOOL: Tool =
    Tool::new("junit-console", &["junit-platform-console", "junit-console-launcher", "junitcore"], Role::Test)
        .lines(&[
            LineFormat::new(&["Test run finished after ", "Failures (", "MethodSource [", "ClassSource ["], |_| {
                Box::new(Console::default())
            }),
            LineFormat::new(&[core::OPENING], |_| Box::new(core::Core::default())),
        ])
        .merge(candidate::together);

static COUNT: Pattern = Pattern::new(
    r"^\[ *(?<number>\d+) (?<of>tests|containers) +(?<what>found|skipped|started|aborted|successful|failed) *\]$",
);

/// The class and method of a failed test.
static SOURCE: Pattern = Pattern::new(
    r"^    (?:Method|Class)Source \[className = '(?<class>[^']*)'(?:, methodName = '(?<method>[^']*)')?.*\]$",
);

/// Reads the summary of the launcher.
#[derive(Default)]
struct Console {
    runs: Runs,
    is_in_failures: bool,
    /// The invocation of a parameterized test that failed, such as `[2]`.
    index: String,
    /// Whether the message of the open failure has begun.
    is_said: bool,
}

impl Console {
    /// Ends the open failure; it counts only if a line named its class.
    fn close(&mut self) {
        self.runs.open.take_if(|open| open.class.is_empty());
        self.runs.close();
    }

    fn count(&mut self, text: &str, line: &Line<'_>) -> bool {
        let (Some(found), Some(sum)) = (COUNT.find(text), self.runs.summary_mut()) else { return false };
        let number = found.number("number");
        match (found.text("of"), found.text("what")) {
            ("tests", "successful") => results::add(&mut sum.tests, TestStatus::Passed, number),
            ("tests", "failed") => results::add(&mut sum.tests, TestStatus::Failed, number),
            ("tests", "skipped" | "aborted") => results::add(&mut sum.tests, TestStatus::Skipped, number),
            ("containers", "failed") if 0 < number => sum.suites = Some(results::counts(0, number, 0)),
            _ => {}
        }
        self.runs.end = Some(line.end);
        true
    }

    /// Reads a line of the list of failures; returns false once the list is over.
    fn failure(&mut self, text: &str, line: &Line<'_>) -> bool {
        // The message begins after the arrow, and its further lines have only the indentation of the test.
        let is_message = self.is_said && self.runs.open.is_some() && !self.runs.has_stack();
        match text::indent(text) {
            _ if is_message => {}
            2 => {
                self.close();
                self.runs.open(failing("", "", "junit-console/text", line));
                let index = text.rsplit_once(":[").and_then(|(_, rest)| rest.split_once(']'));
                self.index = index.map(|(index, _)| format!("[{index}]")).unwrap_or_default();
                self.is_said = false;
                return true;
            }
            0 | 1 if !text.is_empty() => {
                self.close();
                self.is_in_failures = false;
                return false;
            }
            _ => {}
        }
        let Some(open) = &mut self.runs.open else { return text.is_empty() };
        open.extend(line);
        if let Some(found) = SOURCE.find(text) {
            (open.class, open.method) = (found.text("class").to_owned(), found.text("method").to_owned());
            open.failure.suite = open.method.is_empty();
            let method = if open.failure.suite { String::new() } else { format!(".{}{}", open.method, self.index) };
            open.failure.name = name(&format!("{}{method}", open.class));
        } else {
            self.is_said |= text.starts_with("    => ");
            let said = text.strip_prefix("    => ").unwrap_or(text);
            open.add(line, said.strip_prefix("       ").unwrap_or(said));
        }
        true
    }
}

impl LineReader for Console {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = line.text.trim_end();
        if text.starts_with("Failures (") && text.ends_with("):") {
            self.is_in_failures = true;
            return Use::Line;
        }
        if text.starts_with("Test run finished after ") {
            self.close();
            self.is_in_failures = false;
            self.runs.sum_up_at(line, TestCounts::default());
            return Use::Line;
        }
        (self.count(text, line) || self.is_in_failures && self.failure(text, line)).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.runs.end?;
        Some(self.runs.candidate("junit", "text"))
    }
}
