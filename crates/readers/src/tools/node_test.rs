//! Node's test runner: its `spec` and `dot` reporters. Its TAP output is read as TAP.
//!
//! ```text
//! ✖ sum (1.557425ms)
//! ℹ tests 1
//! …
//! ✖ failing tests:
//!
//! test at calc.test.mjs:4:1
//! ✖ sum (1.557425ms)
//!   AssertionError [ERR_ASSERTION]: Expected values to be strictly equal:
//! ```

use referee_model::test_file::is_of_tests;

use crate::prelude::*;
use crate::shapes::locate::Frame;
use crate::tools::tap::{self, footer::Footer};

pub(crate) static TOOL: Tool = Tool::new("node-test", &["node"], Role::Test)
    .lines(&[
        LineFormat::new(&["✔ ", "✖ ", "ℹ tests ", "▶ "], |is_hinted| {
            Box::new(Report { is_hinted, ..Report::default() })
        }),
        LineFormat::hinted(tap::PREFILTER, |_| tap::of_runner(FRAMEWORK)),
    ])
    .merge(runs::one_run);

const FRAMEWORK: &str = "node-test";
const RULE: &str = "node-test/spec";

/// `  ✖ inner fails (0.157013ms) # TODO`.
static TEST: Pattern =
    Pattern::new(r"^(?<indent> *)(?<sign>[✔✖﹣⚠▶]) (?<name>\S.*?) \((?<time>\d[\d.]*)ms\)(?: #(?<why>.*))?$");

/// `test at calc.test.mjs:4:1`.
static PLACE: Pattern = Pattern::new(r"^test at (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$");

/// Progress of the `dot` reporter.
static DOTS: Pattern = Pattern::new(r"^[.X]{1,200}$");

/// Message of a test whose subtests failed.
static SUBTESTS: Pattern = Pattern::new(r"^\s*'?\d+ subtests? failed'?$");

/// Maximum number of failures whose groups are remembered.
const REMEMBERED: usize = 1000;

#[derive(Default)]
struct Report {
    is_hinted: bool,
    runs: Runs,
    /// The open groups, with their indentation.
    groups: Vec<(usize, String)>,
    /// Failed tests in the list: heading and groups of each.
    failed: Vec<(String, String)>,
    footer: Footer,
    /// Whether the list of failures is being read.
    is_recap: bool,
    /// Whether it is the failure list of the `dot` reporter, which prints no summary.
    is_dot: bool,
    dots: TestCounts,
    place: Option<Frame>,
    /// Whether the open failure only sums up others, or is not counted as a failure.
    is_open_void: bool,
    told: u64,
    /// Indentation of the last failed test in the list: its message follows indented, and is repeated in the
    /// list of failures.
    failed_at: Option<usize>,
}

impl Report {
    fn close(&mut self) {
        if std::mem::take(&mut self.is_open_void) {
            self.runs.open = None;
        }
        let Some(Failing { failure, .. }) = &mut self.runs.open else { return };
        if failure.message.trim() == "'test failed'" && is_of_tests(&failure.name) {
            failure.suite = true;
            failure.file = Some(failure.name.clone());
        }
        self.told += 1;
        self.runs.close();
    }

    fn footer(&mut self, line: &Line<'_>) -> bool {
        let is_one = line.text.strip_prefix("ℹ ").is_some_and(|text| self.footer.takes(text));
        if let Some(counts) = self.footer.counts.take() {
            self.close();
            self.is_recap = false;
            if self.runs.is_summed_up() {
                self.go_on();
            }
            self.runs.sum_up(counts);
            self.runs.end = Some(line.end);
        }
        is_one
    }

    /// Tests after a summary belong to another run, unless fewer were listed than it counts: then it was
    /// forged.
    fn go_on(&mut self) {
        let seen = self.runs.seen.total;
        if self.runs.summary_mut().is_some_and(|summary| seen == 0 || summary.tests.total <= seen) {
            self.runs.begin();
            self.failed.clear();
        }
    }

    fn recap(&mut self, line: &Line<'_>) -> bool {
        match line.text.trim_end() {
            "✖ failing tests:" => self.is_dot = false,
            "Failed tests:" if self.dots.total != 0 => self.is_dot = true,
            _ => return false,
        }
        self.close();
        self.is_recap = true;
        true
    }

    fn test(&mut self, line: &Line<'_>) -> bool {
        let text = &*line.text;
        let trimmed = text.trim_start_matches(' ');
        if !trimmed.starts_with(['✔', '✖', '﹣', '⚠', '▶']) {
            return false;
        }
        let indent = text.len() - trimmed.len();
        let Some(captures) = TEST.find(text) else {
            if let Some(group) = trimmed.strip_prefix("▶ ").filter(|_| !self.is_recap) {
                self.groups.retain(|(outer, _)| *outer < indent);
                self.groups.push((indent, name(group)));
                self.groups.truncate(64);
                return true;
            }
            return false;
        };
        let why = captures.get("why");
        if self.is_recap {
            if indent == 0 {
                self.heading(line, captures.text("name"), why);
                return true;
            }
            return false;
        }
        self.listed(captures.text("sign"), indent, captures.text("name"), trimmed, why);
        true
    }

    /// Reads a test, or the end of a group, in the list.
    fn listed(&mut self, sign: &str, indent: usize, title: &str, heading: &str, why: Option<&str>) {
        if self.runs.is_summed_up() {
            self.go_on();
        }
        let is_group = self.groups.iter().any(|(at, group)| *at == indent && group == title);
        self.groups.retain(|(outer, _)| *outer < indent);
        let status = match sign {
            "✔" => TestStatus::Passed,
            _ if why.is_some() && sign != "▶" => TestStatus::Skipped,
            "✖" => TestStatus::Failed,
            "▶" => return,
            _ => TestStatus::Skipped,
        };
        self.failed_at = (sign == "✖").then_some(indent);
        if is_group {
            self.runs.count(status, 1);
            return;
        }
        let groups = || self.groups.iter().map(|(_, group)| group.as_str()).collect::<Vec<_>>();
        if status == TestStatus::Failed && self.failed.len() < REMEMBERED && !self.groups.is_empty() {
            self.failed.push((name(heading), groups().join(" > ")));
        }
        self.runs.case_of(status, || results::case(&groups(), title, None, status));
    }

    /// Reads the heading of a failure below the summary.
    fn heading(&mut self, line: &Line<'_>, title: &str, why: Option<&str>) {
        self.close();
        let known = self.failed.iter().find(|(heading, _)| *heading == line.text.trim());
        let full = known.map_or(title.to_owned(), |(_, groups)| format!("{groups} > {title}"));
        let mut failing = Failing::new(&full, RULE, line).told_in(Language::JAVASCRIPT);
        if let Some(place) = self.place.take() {
            failing = failing.in_file(&place.file);
            failing.begins_at(place);
        }
        self.is_open_void = why.is_some();
        self.runs.open = Some(failing);
    }

    fn body(&mut self, line: &Line<'_>) -> bool {
        let text = line.text.trim_end();
        if !self.is_recap {
            let is_below = line.is_blank || self.failed_at.is_some_and(|indent| indent < text::indent(text));
            self.failed_at = self.failed_at.filter(|_| is_below);
            return self.failed_at.is_some();
        }
        if let Some(captures) = PLACE.find(text) {
            self.close();
            self.place = Some(Frame::of(&captures));
            return true;
        }
        let Some(open) = &mut self.runs.open else { return false };
        if !line.is_blank && text::indent(text) < 2 {
            self.close();
            self.is_recap = false;
            return false;
        }
        self.is_open_void |= SUBTESTS.is_match(text);
        // After the stack come the properties of the error, in braces.
        open.add(line, text.strip_prefix("  ").unwrap_or(text).trim_end_matches(" {"));
        true
    }

    fn dots(&mut self, line: &Line<'_>) -> bool {
        let is_drawn = !self.is_recap && DOTS.is_match(&line.text);
        if is_drawn {
            let failed = line.text.bytes().filter(|dot| *dot == b'X').count() as u64;
            results::add(&mut self.dots, TestStatus::Failed, failed);
            results::add(&mut self.dots, TestStatus::Passed, line.text.len() as u64 - failed);
        }
        is_drawn
    }
}

impl LineReader for Report {
    fn line(&mut self, line: &Line<'_>) -> Use {
        (self.footer(line) || self.recap(line) || self.test(line) || self.body(line) || self.dots(line)).into()
    }

    fn finish(mut self: Box<Self>) -> Option<Candidate> {
        self.close();
        let mut is_unnumbered = false;
        let is_summed_up = self.runs.end.is_some();
        if !is_summed_up && self.dots.total != 0 && (self.is_dot || (self.is_hinted && self.runs.seen.total == 0)) {
            let Self { told, dots, is_dot, .. } = *self;
            // Failed groups and `todo` tests are drawn too; the list of failures leaves both out.
            self.runs.count(TestStatus::Failed, if is_dot { told } else { dots.failed });
            self.runs.count(TestStatus::Passed, dots.passed);
            // Either no test failed, or the list of failures is complete: the reporter prints no numbers.
            is_unnumbered = is_dot || dots.failed == 0;
        } else if !(is_summed_up || self.is_hinted && 0 < self.runs.seen.total) {
            return None;
        }
        let mut candidate = self.runs.candidate(FRAMEWORK, "spec");
        if let Some(tests) = candidate.tests.as_mut().filter(|_| is_unnumbered) {
            tests.authority = CountAuthority::Unnumbered;
            candidate.notes.clear();
        }
        Some(candidate)
    }
}

#[cfg(test)]
mod tests {
    use referee_model::reading::{CountAuthority, TestCase};

    use crate::source::MemorySource;
    use crate::trial::results;
    use crate::{Hint, read};

    fn footer(pass: u64, fail: u64, todo: u64) -> String {
        let tests = pass + fail + todo;
        format!(
            "ℹ tests {tests}\nℹ suites 0\nℹ pass {pass}\nℹ fail {fail}\nℹ cancelled 0\nℹ skipped 0\nℹ todo {todo}\nℹ duration_ms 9.5\n"
        )
    }

    #[test]
    fn the_last_whole_summary_of_a_run_holds() {
        for (text, counts) in [
            (format!("✔ a (0.1ms)\n{}", footer(1, 0, 0)), Some((1, 0, 0))),
            (format!("✔ a (0.1ms)\n{}✔ b (0.1ms)\n{}", footer(9, 0, 0), footer(2, 0, 0)), Some((2, 0, 0))),
            (format!("✔ a (0.1ms)\n{}", footer(1, 0, 0)).repeat(2), Some((2, 0, 0))),
            ("✔ a (0.1ms)\nℹ tests 9\nℹ pass 9\nℹ fail 0\n".to_owned(), None),
            ("✔ Built in (3ms)\n".to_owned(), None),
        ] {
            let found = results(&text).map(|tests| (tests.counts.passed, tests.counts.failed, tests.counts.skipped));
            assert_eq!(found, counts, "{text}");
        }
    }

    #[test]
    fn dots_say_that_all_is_well_and_not_how_many() {
        let hint = Hint { tool: Some("node-test".to_owned()), ..Hint::default() };
        for (text, authority) in [("..\n", CountAuthority::Unnumbered), (".X\n", CountAuthority::Lines)] {
            let tests = read(&MemorySource::stdout(text.as_bytes().to_vec()), &hint).unwrap().tests.unwrap();
            assert_eq!(tests.authority, authority, "{text}");
        }
    }

    #[test]
    fn a_file_that_reports_no_test_is_one_that_passed_as_a_file() {
        let tap = |name: &str| {
            format!(
                "TAP version 13\n# Subtest: {name}\nok 1 - {name}\n  ---\n  duration_ms: 1\n  ...\n1..1\n# tests 1\n# suites 0\n# pass 1\n# fail 0\n# cancelled 0\n# skipped 0\n# todo 0\n# duration_ms 9\n"
            )
        };
        let spec = |name: &str| format!("✔ {name} (0.1ms)\n{}", footer(1, 0, 0));
        for (name, is_file) in [
            ("/p/a.js", true),
            ("a.test.js", true),
            ("test/a.mjs", true),
            ("/p/test/support.js", true),
            ("adds", false),
            ("reads a.js", false),
        ] {
            for text in [tap(name), spec(name)] {
                let tests = results(&text).unwrap();
                assert_eq!(tests.authority, CountAuthority::Summary, "{name}");
                assert_eq!(tests.cases[0].passed_as_file().is_some(), is_file, "{name}");
                let within = TestCase { ancestors: vec!["reads".to_owned()], ..tests.cases[0].clone() };
                assert_eq!(within.passed_as_file(), None, "a test in a group is no file: {name}");
            }
        }
    }

    #[test]
    fn what_is_to_do_fails_nobody() {
        let text = format!(
            "▶ group\n  ✖ x (0.2ms)\n    Error: 1\n▶ group (1ms)\n✖ later (0.1ms) # TODO\n{}\n✖ failing tests:\n\n✖ x (0.2ms)\n  Error: 1\n\n✖ later (0.1ms) # TODO\n  Error: not yet\n",
            footer(0, 1, 1)
        );
        let tests = results(&text).unwrap();
        let names: Vec<_> = tests.failures.iter().map(|failure| failure.name.as_str()).collect();
        assert_eq!(names, ["group > x"]);
    }
}
