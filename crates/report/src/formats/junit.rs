//! JUnit XML as CI systems read it (testmoapp/junitxml): one suite for each task with its checks as test cases, and one
//! for each test runner with the tests that its output names.

use std::io::{self, Write};

use referee_model::reading::{TestResults, TestStatus};
use referee_model::report::Report;

use super::check::{self, Check, NamedTest, Status};
use crate::wording;

/// Writes the runs as one document.
pub(crate) fn write(reports: &[&Report], out: &mut dyn Write) -> io::Result<()> {
    let suites: Vec<Suite> = reports.iter().flat_map(|report| suites(report)).collect();
    let counts = Counts::of(suites.iter().flat_map(|suite| &suite.cases));
    let time = seconds(reports.iter().map(|report| check::duration_ms(report)).sum());
    writeln!(out, r#"<?xml version="1.0" encoding="UTF-8"?>"#)?;
    writeln!(out, r#"<testsuites name="Referee" {counts} time="{time}">"#)?;
    for suite in &suites {
        suite.write(out)?;
    }
    writeln!(out, "</testsuites>")
}

struct Suite {
    name: String,
    /// Time of the start, as in RFC 3339.
    timestamp: String,
    duration_ms: u64,
    properties: Vec<(&'static str, String)>,
    cases: Vec<Case>,
}

struct Case {
    name: String,
    class: String,
    file: Option<String>,
    line: Option<u32>,
    duration_ms: u64,
    result: CaseResult,
    /// Text of `system-out`; empty for none.
    output: String,
}

enum CaseResult {
    Passed,
    Failure(Problem),
    Error(Problem),
    /// The reason may be empty.
    Skipped(String),
}

struct Problem {
    message: String,
    /// Name of the outcome, such as `TEST_FAILURE`.
    kind: &'static str,
    detail: String,
}

/// Numbers of test cases, written as attributes.
#[derive(Default)]
struct Counts {
    tests: usize,
    failures: usize,
    errors: usize,
    skipped: usize,
}

impl Counts {
    fn of<'c>(cases: impl IntoIterator<Item = &'c Case>) -> Self {
        let mut counts = Self::default();
        for case in cases {
            counts.tests += 1;
            match case.result {
                CaseResult::Passed => {}
                CaseResult::Failure(_) => counts.failures += 1,
                CaseResult::Error(_) => counts.errors += 1,
                CaseResult::Skipped(_) => counts.skipped += 1,
            }
        }
        counts
    }
}

impl std::fmt::Display for Counts {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let Self { tests, failures, errors, skipped } = self;
        write!(formatter, r#"tests="{tests}" failures="{failures}" errors="{errors}" skipped="{skipped}""#)
    }
}

fn suites(report: &Report) -> Vec<Suite> {
    let checks = check::all(report);
    let task = report.plan.task.as_str();
    let own = Suite {
        name: check::task_name(report),
        timestamp: report.run.started.to_string(),
        duration_ms: check::duration_ms(report),
        properties: vec![
            ("referee.decision", wording::decision(report.verdict.decision).0.to_owned()),
            ("referee.executionId", report.run.execution.as_str().to_owned()),
        ],
        cases: checks.iter().map(|check| of_check(task, check)).collect(),
    };
    [own].into_iter().chain(checks.iter().filter_map(|check| of_runner(task, check))).collect()
}

/// Returns the suite of the tests that a check ran. None: its output names none.
fn of_runner(task: &str, check: &Check<'_>) -> Option<Suite> {
    let tests = check.reading?.tests.as_ref()?;
    let cases = of_tests(task, check, tests);
    (!cases.is_empty()).then(|| Suite {
        name: format!("{task} {} ({})", check.name, tests.framework),
        timestamp: check.span.map_or_else(String::new, |span| span.started.to_string()),
        duration_ms: check.duration_ms(),
        properties: Vec::new(),
        cases,
    })
}

fn of_check(task: &str, check: &Check<'_>) -> Case {
    let problem = || Problem { message: check.message.to_owned(), kind: check.outcome(), detail: check.detail() };
    let (result, output) = match &check.status {
        Status::Passed => (CaseResult::Passed, String::new()),
        Status::PassedWithRemark => {
            (CaseResult::Passed, format!("{}: {}\n{}", check.outcome(), check.message, check.detail()))
        }
        Status::Failed => (CaseResult::Failure(problem()), check.output_end()),
        Status::Errored => (CaseResult::Error(problem()), check.output_end()),
        Status::Skipped(reason) => (CaseResult::Skipped(reason.clone()), String::new()),
    };
    Case {
        name: check.title(),
        class: task.to_owned(),
        file: None,
        line: None,
        duration_ms: check.duration_ms(),
        result,
        output,
    }
}

/// Returns the tests that the output names. A failed one is a failure only if its check blocks.
fn of_tests(task: &str, check: &Check<'_>, tests: &TestResults) -> Vec<Case> {
    let case = |test: NamedTest<'_>| {
        let failure = test.failure;
        let problem = || Problem {
            message: failure.map_or_else(String::new, |failure| failure.message.clone()),
            kind: check.outcome(),
            detail: failure.and_then(|failure| failure.stack.clone()).unwrap_or_default(),
        };
        Case {
            name: test.name(),
            class: format!("{task}.{}", check.id),
            file: test.file().map(str::to_owned),
            line: failure.and_then(|failure| failure.line),
            duration_ms: test.duration_ms(),
            result: match test.status() {
                TestStatus::Passed => CaseResult::Passed,
                TestStatus::Skipped => CaseResult::Skipped(String::new()),
                TestStatus::Failed if check.status.is_failure() => CaseResult::Failure(problem()),
                TestStatus::Failed => CaseResult::Skipped("failed, which does not block".to_owned()),
            },
            output: String::new(),
        }
    };
    check::tests(tests).into_iter().map(case).collect()
}

impl Suite {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let Self { name, timestamp, duration_ms, properties, cases } = self;
        let (name, counts, time) = (attribute(name), Counts::of(cases), seconds(*duration_ms));
        writeln!(out, r#"  <testsuite name="{name}" {counts} time="{time}" timestamp="{}">"#, attribute(timestamp))?;
        if !properties.is_empty() {
            writeln!(out, "    <properties>")?;
            for (name, value) in properties {
                writeln!(out, r#"      <property name="{name}" value="{}"/>"#, attribute(value))?;
            }
            writeln!(out, "    </properties>")?;
        }
        for case in cases {
            case.write(out)?;
        }
        writeln!(out, "  </testsuite>")
    }
}

impl Case {
    fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        let (name, class) = (attribute(&self.name), attribute(&self.class));
        write!(out, r#"    <testcase name="{name}" classname="{class}" time="{}""#, seconds(self.duration_ms))?;
        if let Some(file) = &self.file {
            write!(out, r#" file="{}""#, attribute(file))?;
        }
        if let Some(line) = self.line {
            write!(out, r#" line="{line}""#)?;
        }
        writeln!(out, ">")?;
        match &self.result {
            CaseResult::Passed => {}
            CaseResult::Failure(problem) => problem.write("failure", out)?,
            CaseResult::Error(problem) => problem.write("error", out)?,
            CaseResult::Skipped(reason) => writeln!(out, r#"      <skipped message="{}"/>"#, attribute(reason))?,
        }
        if !self.output.is_empty() {
            writeln!(out, "      <system-out>{}</system-out>", text(&self.output))?;
        }
        writeln!(out, "    </testcase>")
    }
}

impl Problem {
    fn write(&self, element: &str, out: &mut dyn Write) -> io::Result<()> {
        let Self { message, kind, detail } = self;
        let (message, detail) = (attribute(message), text(detail));
        writeln!(out, r#"      <{element} message="{message}" type="{kind}">{detail}</{element}>"#)
    }
}

/// Milliseconds as seconds.
fn seconds(ms: u64) -> String {
    format!("{}.{:03}", ms / 1000, ms % 1000)
}

/// Escapes the value of an attribute, in which a line end would become a blank.
fn attribute(value: &str) -> String {
    text(value).replace('"', "&quot;").replace('\n', "&#10;").replace('\t', "&#9;")
}

/// Escapes text. What XML 1.0 cannot hold, even escaped, is left out, and so are ANSI escape sequences.
fn text(value: &str) -> String {
    let plain = referee_syntax::ansi::strip(value);
    let plain: String = plain.chars().filter(|character| is_of_xml(*character)).collect();
    plain.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;")
}

/// Whether XML 1.0 can hold a character.
fn is_of_xml(character: char) -> bool {
    matches!(character, '\t' | '\n' | ' '..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::human::fixture::runs;

    fn written(reports: &[&Report]) -> String {
        let mut out = Vec::new();
        write(reports, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn checks_and_tests_are_cases_and_what_blocks_is_a_failure() {
        insta::assert_snapshot!(written(&[&runs::failing(), &runs::passing()]));
    }

    #[test]
    fn what_says_nothing_of_the_work_is_an_error() {
        let text = written(&[&runs::timed_out()]);
        assert!(text.contains("<error message=") && text.contains(r#"type="TIMEOUT""#), "{text}");
    }

    #[test]
    fn text_of_tools_ends_no_element_and_holds_nothing_that_xml_cannot() {
        let evil = "]]><x y=\"1\"/>&amp;\u{1b}[31m\u{0}\u{8}\u{fffe}";
        let text = written(&[&runs::hostile(evil, "long")]);
        assert!(!text.contains("<x") && !text.contains(['\u{0}', '\u{8}', '\u{1b}', '\u{fffe}']), "{text}");
    }
}
