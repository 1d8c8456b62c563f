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

use referee_model::plan::Role;
use referee_model::reading::{CountAuthority, TestFailure};

use crate::candidate::{self, Candidate, LineReader, Use, name, origin};
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::jvm::failure::Body;
use crate::shapes::results::{self, Results};
use crate::text;
use crate::tool::{LineFormat, Tool};

pub(crate) const TOOL: Tool = Tool {
    name: "junit-console",
    aliases: &["junit-platform-console", "junit-console-launcher", "junitcore"],
    role: Role::Test,
    lines: &[
        LineFormat {
            prefilter: &["Test run finished after ", "Failures (", "MethodSource [", "ClassSource ["],
            reader: |_| Box::new(Console::default()),
        },
        LineFormat { prefilter: &[core::OPENING], reader: |_| Box::new(core::Core::default()) },
    ],
    documents: &[],
    merge: candidate::together,
};

static COUNT: Pattern = Pattern::new(
    r"^\[ *(?<number>\d+) (?<of>tests|containers) +(?<what>found|skipped|started|aborted|successful|failed) *\]$",
);

/// Where a failed test stands.
static SOURCE: Pattern = Pattern::new(
    r"^    (?:Method|Class)Source \[className = '(?<class>[^']*)'(?:, methodName = '(?<method>[^']*)')?.*\]$",
);

/// Reads what the launcher sums up.
#[derive(Default)]
struct Console {
    results: Results,
    counts: Option<Counts>,
    is_in_failures: bool,
    /// The line that names the next failure, and the failure.
    open: Option<Open>,
    summary_end: Option<u64>,
}

#[derive(Default, Clone, Copy)]
struct Counts {
    passed: u64,
    failed: u64,
    skipped: u64,
    containers_failed: u64,
}

/// A failure whose lines are being read.
struct Open {
    failure: TestFailure,
    class: String,
    method: String,
    body: Body,
    /// Which run of a test with parameters it is, `[2]`.
    index: String,
    /// Whether what it says has begun.
    is_said: bool,
}

impl Console {
    fn close(&mut self) {
        if let Some(Open { mut failure, class, method, body, .. }) =
            self.open.take().filter(|open| !open.class.is_empty())
        {
            body.fill(&mut failure, &class, &method);
            self.results.failure(failure);
        }
    }

    fn commit(&mut self) {
        if let Some(counts) = self.counts.take() {
            self.results.sum_up(results::counts(counts.passed, counts.failed, counts.skipped));
            if 0 < counts.containers_failed {
                let failed = results::counts(0, counts.containers_failed, 0);
                candidate::add_counts(self.results.suites.get_or_insert_default(), failed);
            }
        }
    }

    fn count(&mut self, text: &str, line: &Line<'_>) -> bool {
        let Some(captures) = COUNT.captures(text) else {
            return false;
        };
        let Some(counts) = &mut self.counts else {
            return false;
        };
        let number = text::count(&captures["number"]).unwrap_or(0);
        match (&captures["of"], &captures["what"]) {
            ("tests", "successful") => counts.passed = number,
            ("tests", "failed") => counts.failed = number,
            ("tests", "skipped" | "aborted") => counts.skipped += number,
            ("containers", "failed") => counts.containers_failed = number,
            _ => {}
        }
        self.summary_end = Some(line.end);
        true
    }

    /// Takes a line of the failures.
    fn failure(&mut self, text: &str, line: &Line<'_>) -> bool {
        // What a test says may go on at the margin, up to its stack.
        let is_message = self.open.as_ref().is_some_and(|open| open.is_said && !open.body.has_stack());
        match text::indent(text) {
            _ if is_message => {}
            2 => {
                self.close();
                let failure =
                    TestFailure { origin: Some(origin("junit-console/text", line)), ..TestFailure::default() };
                let index = text
                    .rsplit_once(":[")
                    .and_then(|(_, rest)| rest.split_once(']'))
                    .map(|(index, _)| format!("[{index}]"));
                let (class, method, index) = (String::new(), String::new(), index.unwrap_or_default());
                self.open = Some(Open { failure, class, method, body: Body::default(), index, is_said: false });
                return true;
            }
            0 | 1 if !text.is_empty() => {
                self.close();
                self.is_in_failures = false;
                return false;
            }
            _ => {}
        }
        let Some(open) = &mut self.open else {
            return text.is_empty();
        };
        if let Some(origin) = open.failure.origin.as_mut().filter(|_| !text.is_empty()) {
            origin.end = line.end;
        }
        if let Some(captures) = SOURCE.captures(text) {
            captures["class"].clone_into(&mut open.class);
            open.method = captures.name("method").map_or(String::new(), |method| method.as_str().to_owned());
            open.failure.suite = open.method.is_empty();
            let method = if open.method.is_empty() { String::new() } else { format!(".{}{}", open.method, open.index) };
            open.failure.name = name(&format!("{}{method}", open.class));
        } else {
            open.is_said |= text.starts_with("    => ");
            let said = text.strip_prefix("    => ").unwrap_or(text);
            open.body.line(said.strip_prefix("       ").unwrap_or(said));
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
            self.commit();
            self.counts = Some(Counts::default());
            return Use::Line;
        }
        if text.starts_with('[') && self.count(text, line) {
            return Use::Line;
        }
        if self.is_in_failures && self.failure(text, line) { Use::Line } else { Use::None }
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        self.commit();
        self.results.summary?;
        let tests = self.results.finish("junit", CountAuthority::Summary);
        Some(Candidate { format: "text", tests: Some(tests), summary_end: self.summary_end, ..Candidate::default() })
    }
}
