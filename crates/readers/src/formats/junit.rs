//! JUnit XML, which nearly every test runner can write, each with small differences.
//!
//! ```xml
//! <testsuites><testsuite name="demo.CalcTest" tests="2" failures="1">
//!   <testcase classname="demo.CalcTest" name="adds" time="0.01"/>
//!   <testcase classname="demo.CalcTest" name="divides"><failure message="/ by zero" type="…">…</failure></testcase>
//! </testsuite></testsuites>
//! ```
//!
//! | element or attribute                         | meaning                                                           |
//! |----------------------------------------------|-------------------------------------------------------------------|
//! | `failure`, `error`                           | failed; counted once per test, however many there are             |
//! | `skipped`, `disabled`; status `notrun`       | skipped, unless something failed                                  |
//! | `flakyFailure`, `flakyError` (Surefire)      | passed in the end                                                 |
//! | `rerunFailure`, `rerunError`                 | belongs to the failure beside it                                  |
//! | `failure` or `error` directly in a suite     | the suite broke                                                   |

mod location;

use crate::formats::test_report::{Dialect, Failed, Report, Test, Tests, full_name, seconds};
use crate::prelude::*;
use crate::shapes::results::counts;
use crate::xml::Element;

/// JUnit XML, regardless of the tool that wrote it.
pub(crate) static TOOL: Tool =
    Tool::new("junit", &["junit-xml", "junitxml"], Role::Test).documents(DOCUMENTS).merge(candidate::together);

/// The document formats of JUnit XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<testsuite"], &[], |stream, _| Box::new(Report::<Junit>::new(stream)))];

/// The class name that jest-junit uses for a suite that never ran.
const SUITE_FAILED: &str = "Test suite failed to run";

/// Maximum number of enclosing groups recorded per test.
const ANCESTORS: usize = 32;

/// State while one document is read.
#[derive(Debug, Default)]
struct Junit {
    /// The first failure of the open test, if any.
    failed: Option<Failed>,
    is_skipped: bool,
    /// Number of tests in each open suite, including those of its inner suites.
    tests_in: Vec<u64>,
}

impl Dialect for Junit {
    const NAME: &'static str = "junit";

    fn begin(&mut self, root: &Element) -> bool {
        matches!(root.name.as_str(), "testsuites" | "testsuite")
    }

    fn open(&mut self, element: &Element, _around: &[Element]) {
        match element.name.as_str() {
            "testcase" => (self.failed, self.is_skipped) = (None, false),
            "testsuite" | "testsuites" => self.tests_in.push(0),
            _ => {}
        }
    }

    fn close(&mut self, element: Element, around: &[Element], at: Origin, tests: &mut Tests) {
        let parent = around.last().map_or("", |parent| parent.name.as_str());
        match (element.name.as_str(), parent) {
            ("failure" | "error", "testcase") if self.failed.is_none() => self.failed = Some(failed(&element)),
            ("skipped" | "disabled" | "ignored", "testcase") => self.is_skipped = true,
            ("failure" | "error", "testsuite" | "testsuites") => {
                let suite = around.last().and_then(|suite| suite.get("name")).unwrap_or_default().to_owned();
                tests.broken_suite(Failed { name: suite, ..failed(&element) }, at);
            }
            ("testcase", "testsuite" | "testsuites") => {
                if let Some(of_suite) = self.tests_in.last_mut() {
                    *of_suite += 1;
                }
                self.test(&element, around, at, tests);
            }
            ("testsuite" | "testsuites", _) => self.suite(&element, around.is_empty(), tests),
            _ => {}
        }
    }
}

impl Junit {
    fn test(&mut self, element: &Element, around: &[Element], at: Origin, tests: &mut Tests) {
        let suite = around.last();
        let get = |name| element.get(name).filter(|value| !value.trim().is_empty());
        let of_suite = |name| suite.and_then(|suite| suite.get(name)).filter(|value| !value.trim().is_empty());
        let (class, title) = (get("classname").or(get("class")).unwrap_or_default(), get("name").unwrap_or_default());
        let duration_ms = seconds(element.get("time").or(element.get("duration")));
        let file = get("file").or(get("filepath")).or(of_suite("file")).or(of_suite("filepath"));
        let status = self.status(element);
        let ancestors = if class.is_empty() || class == title { suites(around) } else { vec![class.to_owned()] };
        let test = Test { ancestors, title: title.to_owned(), file: file.map(text::path), duration_ms };
        let suite_name = of_suite("name").unwrap_or_default();
        if status != TestStatus::Failed {
            return tests.test(&test, status);
        }
        let told = self.failed.take().unwrap_or_default();
        let mut failed = Failed { duration_ms, ..told };
        location::complete(&mut failed, element, file, class, suite_name);
        failed.suite = is_suite(class, title, suite_name, &failed);
        failed.name = name_of(&failed, class, title, suite_name);
        // jest-junit and gotestsum report a suite that never ran as one without tests.
        if class == SUITE_FAILED || failed.suite && of_suite("tests") == Some("0") {
            return tests.broken_suite(failed, at);
        }
        tests.test(&test, status);
        tests.failure(failed, at);
    }

    fn status(&self, element: &Element) -> TestStatus {
        let says = |words: &[&str]| {
            [element.get("status"), element.get("result")]
                .iter()
                .flatten()
                .any(|said| words.iter().any(|word| word.eq_ignore_ascii_case(said)))
        };
        if self.failed.is_some() {
            TestStatus::Failed
        } else if self.is_skipped || says(&["skipped", "disabled", "ignored", "notrun", "suppressed", "pending"]) {
            TestStatus::Skipped
        } else if says(&["failed", "fail", "failure", "error"]) {
            TestStatus::Failed
        } else {
            TestStatus::Passed
        }
    }

    /// Ends a suite. A suite that lists no tests may still count some.
    fn suite(&mut self, element: &Element, is_root: bool, tests: &mut Tests) {
        let listed = self.tests_in.pop().unwrap_or(0);
        let number = |name| element.get(name).and_then(text::count);
        let failed = number("failures").unwrap_or(0) + number("errors").unwrap_or(0);
        let mut counted = listed;
        if listed == 0
            && let Some(all) = number("tests").filter(|all| 0 < *all && (is_root || element.name == "testsuite"))
        {
            let skipped = number("skipped").or(number("disabled")).unwrap_or(0);
            let failed = failed.min(all);
            let skipped = skipped.min(all - failed);
            tests.summed_up(counts(all - failed - skipped, failed, skipped));
            counted = all;
        }
        if let Some(around) = self.tests_in.last_mut() {
            *around += counted;
        }
        if is_root && 0 < listed {
            tests.hold_against(failed);
        }
    }
}

/// Returns the names of the suites around a test.
fn suites(around: &[Element]) -> Vec<String> {
    let named = around.iter().filter_map(|suite| suite.get("name")).filter(|name| !name.trim().is_empty());
    named.take(ANCESTORS).map(str::to_owned).collect()
}

fn failed(element: &Element) -> Failed {
    let body = element.text.trim_matches(['\r', '\n']);
    let message = element.get("message").map(str::trim).filter(|message| !message.is_empty());
    let mut message = message.map_or_else(|| first_paragraph(body), str::to_owned);
    if message == "collection failure" {
        // pytest marks the lines with the reason in the text.
        let reasons = body.lines().filter_map(|line| line.strip_prefix("E   ")).take(10);
        reasons.for_each(|reason| text::add_line(&mut message, reason.trim_end(), limit::MESSAGE_BYTES));
    }
    // gotestsum's message is only this word; the output of the test is in the text.
    let message = if message == "Failed" && !body.is_empty() { of_go(body) } else { message };
    let message = match element.get("type").map(str::trim) {
        Some(kind) if message.is_empty() => kind.to_owned(),
        _ => message,
    };
    Failed {
        message,
        stack: body.to_owned(),
        file: element.get("file").filter(|file| !file.is_empty()).map(str::to_owned),
        line: element.get("line").and_then(text::position),
        ..Failed::default()
    }
}

/// Returns the output of a Go test, without the lines that frame it.
fn of_go(body: &str) -> String {
    let is_frame = |line: &str| ["=== ", "--- "].iter().any(|mark| line.trim_start().starts_with(mark));
    let said = body.lines().filter(|line| !is_frame(line)).map(str::trim);
    let said: Vec<&str> = said.filter(|line| !line.is_empty()).take(40).collect();
    if said.is_empty() { "Failed".to_owned() } else { said.join("\n") }
}

/// Returns the text of a body before its stack.
fn first_paragraph(body: &str) -> String {
    const LINES: usize = 40;
    let lines = body.lines().skip_while(|line| line.trim().is_empty() || line.contains(SUITE_FAILED));
    let said = lines.take(LINES).take_while(|line| !line.trim_start().starts_with("at "));
    said.collect::<Vec<_>>().join("\n").trim().to_owned()
}

/// Returns whether the failure is that of a suite that never ran, such as a file that could not be imported or
/// compiled.
fn is_suite(class: &str, title: &str, suite: &str, failed: &Failed) -> bool {
    // Vitest names such a test like its file; Jest, pytest and converters of `go test` output use fixed
    // phrases.
    let is_file = !title.is_empty() && title == class && title == suite;
    let is_jest = class == SUITE_FAILED || title.ends_with(SUITE_FAILED);
    let is_pytest = class.is_empty() && failed.message.starts_with("collection failure");
    let is_build = ["[build failed]", "[setup failed]"].iter().any(|mark| failed.message.ends_with(mark));
    let is_go = matches!(title, "[build failed]" | "[setup failed]" | "Build error")
        || class.is_empty() && title == "TestMain" && is_build;
    let is_surefire = title.is_empty() && !class.is_empty();
    is_file || is_jest || is_pytest || is_go || is_surefire
}

fn name_of(failed: &Failed, class: &str, title: &str, suite: &str) -> String {
    if failed.suite && class == SUITE_FAILED {
        return title.to_owned();
    }
    if failed.suite && title == "TestMain" && !suite.is_empty() {
        return suite.to_owned();
    }
    // If the class is the file, as in Vitest, it is not part of the name.
    if class == suite && names_file(class) && !title.is_empty() {
        return title.to_owned();
    }
    let full = full_name(class, title);
    if full.is_empty() { suite.to_owned() } else { full }
}

/// Returns whether the name of a class or suite is a file name. A Go package may be named like a file
/// (`nats.go`), and short extensions also end package names.
fn names_file(name: &str) -> bool {
    let is_doubtful = |extension: &str| extension.len() < 2 || extension == "go";
    looks_like_file(name) && !name.rsplit_once('.').is_some_and(|(_, extension)| is_doubtful(extension))
}

/// Returns whether a name looks like that of a file: `src/calc.test.ts`.
fn looks_like_file(name: &str) -> bool {
    const EXTENSIONS: &[&str] = &[
        ".ts", ".js", ".tsx", ".jsx", ".mts", ".cts", ".mjs", ".cjs", ".vue", ".py", ".php", ".rb", ".go", ".rs", ".c",
        ".cc", ".cpp", ".lua", ".sh", ".bats", ".t", ".phpt", ".dart", ".ex", ".exs", ".swift", ".kt", ".scala",
        ".java", ".cs", ".h", ".hpp", ".m", ".mm", ".cxx",
    ];
    EXTENSIONS.iter().any(|extension| name.ends_with(extension))
}

#[cfg(test)]
mod tests {
    use referee_model::reading::{CountAuthority, TestResults};

    use super::*;
    use crate::formats::test_report::tests::told;

    fn read(document: &str) -> TestResults {
        told::<Junit>(&[document]).unwrap()
    }

    fn numbers(tests: &TestResults) -> (u64, u64, u64) {
        (tests.counts.passed, tests.counts.failed, tests.counts.skipped)
    }

    #[test]
    fn a_test_counts_once_whatever_is_told_of_it() {
        let read = read(
            "<testsuites><testsuite name='s'><testcase name='a'><skipped/><failure message='m'/><error/></testcase>\
             <testcase name='b'><flakyFailure>x</flakyFailure></testcase>\
             <testcase name='c' status='notrun'/><testcase name='d' result='skipped' status='run'/>\
             <testcase name='e'><failure/><rerunFailure/></testcase></testsuite></testsuites>",
        );
        assert_eq!(numbers(&read), (1, 2, 2));
        assert_eq!((read.failures.len(), read.failures[0].message.as_str()), (2, "m"));
    }

    #[test]
    fn suites_that_never_ran_are_told_apart() {
        for (test, name) in [
            ("<testcase classname='a.test.ts' name='a.test.ts'><failure/></testcase>", "a.test.ts"),
            (
                "<testcase classname='' name='tests.test_x'><error message='collection failure'/></testcase>",
                "tests.test_x",
            ),
            ("<testcase classname='pkg' name='[build failed]'><error/></testcase>", "pkg.[build failed]"),
            (
                "<testcase classname='Test suite failed to run' name='src/a.js'><error/></testcase>\
                 <testcase classname='Test suite failed to run' name='src/a.js'><failure>x</failure></testcase>",
                "src/a.js",
            ),
            (
                "<testcase classname='' name='TestMain'><failure message='Failed'>FAIL\tp [build failed]</failure></testcase>",
                "a.test.ts",
            ),
            ("<testcase classname='demo.X' name=''><error/></testcase>", "demo.X"),
        ] {
            let read = read(&format!("<testsuite name='a.test.ts'>{test}</testsuite>"));
            assert!(read.failures[0].suite, "{test}");
            assert_eq!(read.failures[0].name, name);
        }
    }

    #[test]
    fn counts_without_tests_are_believed() {
        let read = read("<testsuite tests='5' failures='1' errors='1' skipped='1'><system-out/></testsuite>");
        assert_eq!(numbers(&read), (2, 2, 1));
        let read = super::tests::read(
            "<testsuites tests='57'><testsuite tests='2'><testcase name='a'/></testsuite></testsuites>",
        );
        assert_eq!(numbers(&read), (1, 0, 0));
        let read =
            super::tests::read("<testsuites failures='1'><testsuite><testcase name='a'/></testsuite></testsuites>");
        assert_eq!(numbers(&read), (0, 1, 0));
    }

    #[test]
    fn documents_are_summed_and_half_ones_convict_nobody() {
        let one = "<testsuite name='s'><testcase name='a'/></testsuite>";
        let both = told::<Junit>(&[one, one]).unwrap();
        assert_eq!((numbers(&both), both.authority), ((2, 0, 0), CountAuthority::MachineReport));
        let half = told::<Junit>(&["<testsuite name='s'><testcase name='a'><failure/></testcase><testca"]).unwrap();
        assert_eq!((numbers(&half), half.authority), ((0, 1, 0), CountAuthority::Lines));
        assert!(told::<Junit>(&["<testsuitesX><a/></testsuitesX>"]).is_none());
    }
}
