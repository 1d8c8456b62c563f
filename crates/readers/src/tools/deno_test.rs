//! Deno's test runner: its `pretty` and `dot` reporters, and the preceding type check. Its TAP output is read
//! as TAP.
//!
//! ```text
//! running 2 tests from ./calc_test.ts
//! bad ... FAILED (0ms)
//!
//!  ERRORS
//!
//! bad => ./calc_test.ts:3:6
//! error: Error: not the same: 2, 3
//!     at file:///project/calc_test.ts:4:3
//!
//! FAILED | 1 passed | 1 failed (9ms)
//! ```

use crate::prelude::*;
use crate::shapes::failing;
use crate::shapes::locate;
use crate::tools::tap;

pub(crate) static TOOL: Tool = Tool::new("deno-test", &[], Role::Test)
    .lines(&[
        LineFormat::new(&[" tests from ", " test from ", "ok | ", "FAILED | ", " => ./", " [ERROR]: "], |is_hinted| {
            Box::new(Report { is_hinted, ..Report::default() })
        }),
        LineFormat::new(tap::PREFILTER, |is_hinted| tap::of_runner(FRAMEWORK, is_hinted)),
    ])
    .merge(runs::one_run);

const FRAMEWORK: &str = "deno-test";
const RULE: &str = "deno-test/text";

/// `running 5 tests from ./calc_test.ts`.
static FILE: Pattern = Pattern::new(r"^running \d+ tests? from (?<file>\S.*)$");

/// `bad ... FAILED (0ms)`.
static TEST: Pattern = Pattern::new(
    r"^(?<step> +)?(?<name>\S.*?) \.\.\. (?<status>ok|FAILED|ignored|cancelled)(?: \([^()]*step[^()]*\))?(?: \((?:\d+ms|\d+m?\d*s|\d+[µu]s)\))?$",
);

/// `bad => ./calc_test.ts:3:6`, `./broken_test.ts (uncaught error)`.
static HEADING: Pattern =
    Pattern::new(r"^(?:(?<name>\S.*?) => (?<file>\S+):(?<line>\d+):(?<column>\d+)|(?<suite>.*) \(uncaught error\))$");

/// `FAILED | 2 passed (1 step) | 2 failed (1 step) | 1 ignored (9ms)`.
static SUMMARY: Pattern = Pattern::new(
    r"^(?:ok|FAILED) \| (?<passed>\d+) passed(?: \(\d+ steps?\))? \| (?<failed>\d+) failed(?: \(\d+ steps?\))?(?: \| (?<skipped>\d+) ignored(?: \(\d+ steps?\))?)?(?: \| \d+ measured)?(?: \| \d+ filtered out)? \([^()]+\)$",
);

/// `TS2322 [ERROR]: Type 'string' is not assignable to type 'number'.`
static TYPES: Pattern = Pattern::new(r"^(?:error: )?(?<code>TS\d+) \[(?:ERROR|WARN)\]: (?<message>.*)$");

/// The part of the output that the next lines belong to.
#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum Part {
    #[default]
    Tests,
    Output,
    /// The failures, each with its error.
    Errors,
    /// The names of the failed tests again.
    Names,
}

#[derive(Default)]
struct Report {
    is_hinted: bool,
    has_file: bool,
    file: Option<String>,
    part: Part,
    /// An error of the type check whose location is to follow, and its code.
    types: Option<(String, Failing)>,
    findings: Findings,
    runs: Runs,
}

impl Report {
    fn close(&mut self) {
        self.runs.close();
        self.close_types();
    }

    fn close_types(&mut self) {
        let Some((code, mut failing)) = self.types.take() else { return };
        let message = std::mem::take(&mut failing.failure.message);
        let found = TestFailure { message, ..failing.finish() };
        // Without a location it is not an error of a type check.
        if found.line.is_some()
            && let Some(mut error) = failing::error(found, FRAMEWORK, "deno-test/types")
        {
            error.code = Some(code);
            self.findings.add(error);
        }
    }

    fn tests(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if let Some(found) = FILE.find(text) {
            self.close();
            if self.runs.is_summed_up() {
                self.runs.begin();
            }
            self.has_file = true;
            self.file = found.file("file");
            self.part = Part::Tests;
            return true;
        }
        if self.part != Part::Tests || self.file.is_none() || !text.contains(" ... ") {
            return self.part == Part::Tests && self.has_file && text.ends_with(" ...");
        }
        let Some(found) = TEST.find(text) else { return false };
        // Steps do not count as tests.
        if !found.has("step") {
            self.runs.case(found.case(self.file.as_deref()));
        }
        true
    }

    fn heading(&mut self, line: &Line<'_>) -> bool {
        if !matches!(self.part, Part::Errors | Part::Names) {
            return false;
        }
        let Some(found) = HEADING.find(line.text.trim_end()) else { return false };
        self.close();
        if self.part == Part::Errors && found.has("suite") {
            self.runs.open(Failing::suite(found.text("suite"), RULE, line));
        } else if self.part == Part::Errors {
            let mut failing = Failing::new(found.text("name"), RULE, line).in_file(found.text("file"));
            failing.begins_at(locate::Frame {
                file: found.file("file").unwrap_or_default(),
                line: found.position("line"),
                column: found.position("column"),
            });
            self.runs.open(failing);
        }
        true
    }

    fn summary(&mut self, line: &Line<'_>) -> bool {
        let Some(counts) = SUMMARY.find(&line.text).and_then(|found| found.tests()) else { return false };
        self.close();
        self.runs.sum_up_at(line, counts);
        self.part = Part::Tests;
        self.file = None;
        true
    }

    fn types(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        if let Some(found) = TYPES.find(text) {
            self.close();
            self.types = Some((found.text("code").to_owned(), found.failing(RULE, line)));
            return true;
        }
        let Some((_, failing)) = &mut self.types else { return false };
        if line.is_blank() {
            self.close_types();
            return false;
        }
        failing.extend(line);
        if locate::frame(text).is_some() {
            failing.takes_frame(text);
            self.close_types();
        }
        true
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let Some(open) = &mut self.runs.open else { return false };
        let text = line.text.trim_end();
        let said = text.strip_prefix("error: ").unwrap_or(text);
        // The source follows the message.
        open.is_past_message |= !open.failure.message.is_empty() && text != said;
        open.line(line, said);
        true
    }

    fn output(&mut self, text: &str) -> bool {
        let trimmed = text.trim();
        if trimmed.starts_with("-------") && trimmed.ends_with("output -------") {
            self.part = Part::Output;
        } else if trimmed.starts_with("-----") && trimmed.ends_with("output end -----") {
            self.part = Part::Tests;
        } else {
            return self.part == Part::Output;
        }
        true
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        let text = &*line.text;
        if matches!(self.part, Part::Tests | Part::Output) && self.has_file && self.output(text) {
            return Use::Line;
        }
        let part = match text.trim_end() {
            " ERRORS" => Part::Errors,
            " FAILURES" => Part::Names,
            _ => Part::Tests,
        };
        if part != Part::Tests {
            self.close();
            self.part = part;
            return Use::Line;
        }
        let is_read = self.types(line)
            || self.summary(line)
            || self.tests(line)
            || self.heading(line)
            || self.body(line)
            || (self.runs.end.is_some() && text == "error: Test failed");
        is_read.into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let has_run = self.runs.end.is_some() || (self.has_file && (self.is_hinted || 0 < self.runs.seen.total));
        let findings = self.findings;
        if !has_run {
            // Without a hint, findings of the type check belong to `deno check`.
            return (self.is_hinted && 0 < findings.counts.total()).then(|| Candidate {
                format: "types",
                findings,
                ..Candidate::default()
            });
        }
        Some(Candidate { findings, ..self.runs.candidate(FRAMEWORK, "text") })
    }
}

#[cfg(test)]
mod tests {
    use referee_model::reading::Reading;

    use crate::source::MemorySource;
    use crate::{Hint, read};

    fn reading(text: &str) -> Reading {
        let hint = Hint { tool: Some("deno-test".to_owned()), role: None };
        read(&MemorySource::stdout(text.as_bytes().to_vec()), &hint).unwrap()
    }

    #[test]
    fn summaries_are_added_up_and_what_tests_print_is_none() {
        let run = "running 1 test from ./a_test.ts\na ...\n------- output -------\nok | 9 passed | 9 failed (1ms)\n----- output end -----\na ... ok (1ms)\n\nok | 1 passed (2 steps) | 0 failed | 2 ignored | 3 filtered out (1s)\n";
        let counts = reading(&run.repeat(2)).tests.unwrap().counts;
        assert_eq!((counts.passed, counts.failed, counts.skipped), (2, 0, 4));
    }

    #[test]
    fn the_type_check_says_where() {
        let reading = reading(
            "Check a_test.ts\nTS2322 [ERROR]: Type 'string' is not assignable to type 'number'.\nconst x: number = \"text\";\n      ^\n    at file:///p/a_test.ts:1:7\n\nTS1 [ERROR]: without a place\n\nerror: Type checking failed.\n",
        );
        let [error] = &reading.diagnostics[..] else { panic!("one error") };
        assert_eq!((error.file.as_deref(), error.line, error.column), (Some("/p/a_test.ts"), Some(1), Some(7)));
        assert_eq!(error.code.as_deref(), Some("TS2322"));
    }
}
