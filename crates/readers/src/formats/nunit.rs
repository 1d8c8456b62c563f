//! NUnit's XML: that of version 3 (`<test-run>`, `<test-case result="Failed">`) and that of version 2
//! (`<test-results>`, `<test-case executed="True" success="False">`).

use crate::formats::test_report::{Dialect, Failed, Report, Test, Tests, full_name, seconds};
use crate::prelude::*;
use crate::xml::Element;

/// The document formats of NUnit XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<test-run", "<test-results", "<test-suite "], &[], |stream, _| {
        Box::new(Report::<Nunit>::new(stream))
    })];

/// State while one document is read.
#[derive(Debug, Default)]
struct Nunit {
    /// Message of the innermost open failure.
    message: String,
    stack: String,
    has_failure: bool,
}

impl Dialect for Nunit {
    const NAME: &'static str = "nunit";

    fn begin(&mut self, root: &Element) -> bool {
        matches!(root.name.as_str(), "test-run" | "test-results" | "test-suite")
    }

    fn open(&mut self, element: &Element, _around: &[Element]) {
        if matches!(element.name.as_str(), "test-case" | "test-suite" | "failure") {
            *self = Self::default();
        }
    }

    fn close(&mut self, element: Element, around: &[Element], at: Origin, tests: &mut Tests) {
        let parent = around.last().map_or("", |parent| parent.name.as_str());
        match (element.name.as_str(), parent) {
            ("message", "failure") => self.message = element.text,
            ("stack-trace", "failure") => self.stack = element.text,
            ("failure", "test-case") => self.has_failure = true,
            ("failure", "test-suite") => {
                if let Some(suite) = around.last() {
                    self.suite(suite, at, tests);
                }
            }
            ("test-case", _) => self.test(&element, around, at, tests),
            _ => {}
        }
    }
}

impl Nunit {
    fn test(&mut self, element: &Element, around: &[Element], at: Origin, tests: &mut Tests) {
        let status = self.status(element);
        let title = element.get("name").unwrap_or_default();
        let suite = around.iter().rev().find(|suite| suite.name == "test-suite");
        let group =
            element.get("classname").or_else(|| suite.and_then(|suite| suite.get("fullname").or(suite.get("name"))));
        let group = group.unwrap_or_default();
        let test = Test {
            ancestors: if group.is_empty() { Vec::new() } else { vec![group.to_owned()] },
            title: title.to_owned(),
            file: None,
            duration_ms: seconds(element.get("duration").or(element.get("time"))),
        };
        tests.test(&test, status);
        if status == TestStatus::Failed {
            // Version 2 uses full test names.
            let is_full = title.split('(').next().is_some_and(|name| name.contains('.'));
            let short = || if is_full { title.to_owned() } else { full_name(group, title) };
            let name = element.get("fullname").map_or_else(short, str::to_owned);
            let failed = Failed::of_dotnet(name, &mut self.message, &mut self.stack);
            tests.failure(Failed { duration_ms: test.duration_ms, ..failed }, at);
        }
    }

    /// Records a failure of the suite itself, in its setup or teardown. A suite that only contains a failed
    /// test is also marked as failed, and is ignored.
    fn suite(&mut self, suite: &Element, at: Origin, tests: &mut Tests) {
        let is_of_child = suite.get("site").is_some_and(|site| matches!(site, "Child" | "Parent"))
            || self.message.contains("child test")
            || suite.get("result").is_none_or(|result| !result.starts_with("Failed") && result != "Error");
        if is_of_child || suite.get("site").is_none() {
            return;
        }
        let name = suite.get("fullname").or(suite.get("name")).unwrap_or_default().to_owned();
        tests.broken_suite(Failed::of_dotnet(name, &mut self.message, &mut self.stack), at);
    }

    fn status(&self, test: &Element) -> TestStatus {
        let is = |name, value: &str| test.get(name).is_some_and(|said| said.eq_ignore_ascii_case(value));
        let result = test.get("result").unwrap_or_default().to_ascii_lowercase();
        if is("executed", "false") {
            return TestStatus::Skipped;
        }
        if result.starts_with("failed") || matches!(result.as_str(), "failure" | "error" | "cancelled" | "notrunnable")
        {
            return TestStatus::Failed;
        }
        if result.starts_with("skipped") || matches!(result.as_str(), "ignored" | "inconclusive" | "notexecuted") {
            return TestStatus::Skipped;
        }
        if result.is_empty() && (is("success", "false") || self.has_failure) {
            return TestStatus::Failed;
        }
        TestStatus::Passed
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::test_report::tests::told;

    #[test]
    fn both_versions_are_read() {
        let three = "<test-run><test-suite type='TestFixture' fullname='N.T' result='Failed' site='Child'><failure><message>One or more child tests had errors</message></failure>\
            <test-case name='a' fullname='N.T.a' result='Passed'/><test-case name='b' fullname='N.T.b' result='Failed'>\
            <failure><message>Expected: 3</message><stack-trace>at N.T.b() in C:\\p\\T.cs:line 12</stack-trace></failure></test-case>\
            <test-case name='c' result='Skipped' label='Ignored'/><test-case name='d' result='Inconclusive'/></test-suite></test-run>";
        let read = told::<Nunit>(&[three]).unwrap();
        assert_eq!((read.counts.passed, read.counts.failed, read.counts.skipped), (1, 1, 2));
        assert_eq!((read.failures.len(), read.failures[0].name.as_str()), (1, "N.T.b"));
        assert_eq!((read.failures[0].file.as_deref(), read.failures[0].line), (Some("C:/p/T.cs"), Some(12)));
        let two = "<test-results><test-suite name='x'><results><test-case name='N.a' executed='True' success='True'/>\
            <test-case name='N.b' executed='True' success='False'><failure><message>m</message></failure></test-case>\
            <test-case name='N.c' executed='False'/><test-case name='N.d' executed='True' result='Error' success='False'/></results></test-suite></test-results>";
        let read = told::<Nunit>(&[two]).unwrap();
        assert_eq!((read.counts.passed, read.counts.failed, read.counts.skipped), (1, 2, 1));
    }

    #[test]
    fn a_set_up_that_fails_breaks_its_suite() {
        let document = "<test-run><test-suite fullname='N.T' result='Failed' site='SetUp'><failure><message>no database</message></failure>\
            <test-case name='a' result='Failed' site='Parent'><failure><message>OneTimeSetUp: no database</message></failure></test-case></test-suite></test-run>";
        let read = told::<Nunit>(&[document]).unwrap();
        assert_eq!((read.counts.failed, read.failures.len()), (1, 2));
        assert!(read.failures[0].suite && !read.failures[1].suite);
    }
}
