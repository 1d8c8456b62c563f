//! xUnit.net's XML: version 2 (`<assemblies><assembly><collection><test result="Fail">`), version 1
//! (`<assembly><class><test>`), and version 3, which is version 2 with more attributes.

use crate::formats::test_report::{Dialect, Failed, Report, Test, Tests, full_name, seconds};
use crate::prelude::*;
use crate::xml::Element;

/// The document formats of xUnit.net XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<assemblies", "<assembly "], &[], |stream, _| Box::new(Report::<Xunit>::new(stream)))];

/// State while one document is read.
#[derive(Debug, Default)]
struct Xunit {
    message: String,
    stack: String,
}

impl Dialect for Xunit {
    const NAME: &'static str = "xunit";

    /// Checks the attributes, because other .NET formats also have an `assembly` root.
    fn begin(&mut self, root: &Element) -> bool {
        match root.name.as_str() {
            "assemblies" => true,
            "assembly" => root.get("run-date").is_some() || root.get("test-framework").is_some(),
            _ => false,
        }
    }

    fn open(&mut self, element: &Element, _around: &[Element]) {
        if matches!(element.name.as_str(), "test" | "error") {
            *self = Self::default();
        }
    }

    fn close(&mut self, element: Element, around: &[Element], at: Origin, tests: &mut Tests) {
        let parent = around.last().map_or("", |parent| parent.name.as_str());
        match (element.name.as_str(), parent) {
            ("message", "failure") => self.message = element.text,
            ("stack-trace", "failure") => self.stack = element.text,
            ("test", "collection" | "class" | "assembly") => self.test(&element, at, tests),
            // Errors outside of tests: during cleanup, or while tests are discovered.
            ("error", "errors") => {
                let name = element.get("name").or(element.get("type")).unwrap_or_default().to_owned();
                let failed = Failed::of_dotnet(name, &mut self.message, &mut self.stack);
                tests.broken_suite(failed, at);
            }
            _ => {}
        }
    }
}

impl Xunit {
    fn test(&mut self, element: &Element, at: Origin, tests: &mut Tests) {
        let status = match element.get("result").unwrap_or_default() {
            "Fail" | "Error" => TestStatus::Failed,
            "Skip" | "NotRun" => TestStatus::Skipped,
            _ => TestStatus::Passed,
        };
        let get = |name| element.get(name).unwrap_or_default();
        let (class, title) = (get("type"), get("name"));
        let duration_ms = seconds(element.get("time"));
        let short = title.strip_prefix(class).and_then(|rest| rest.strip_prefix('.')).unwrap_or(title);
        let test = Test { ancestors: vec![class.to_owned()], title: short.to_owned(), file: None, duration_ms };
        tests.test(&test, status);
        if status == TestStatus::Failed {
            let failed = Failed::of_dotnet(full_name(class, title), &mut self.message, &mut self.stack);
            let mut failed = Failed { duration_ms, ..failed };
            if failed.file.is_none() {
                failed.file = element.get("source-file").map(str::to_owned);
                failed.line = element.get("source-line").and_then(text::position);
            }
            tests.failure(failed, at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::test_report::tests::told;

    #[test]
    fn tests_of_both_versions_are_counted() {
        let two = "<assemblies><assembly name='a.dll' total='9'><errors/><collection><test name='N.T.a' type='N.T' result='Pass'/>\
            <test name='N.T.b' type='N.T' result='Fail'><failure><message>no</message><stack-trace>   at N.T.b() in C:\\p\\T.cs:line 16</stack-trace></failure></test>\
            <test name='N.T.c' type='N.T' result='Skip'/></collection></assembly></assemblies>";
        let read = told::<Xunit>(&[two]).unwrap();
        assert_eq!((read.counts.passed, read.counts.failed, read.counts.skipped), (1, 1, 1));
        assert_eq!((read.failures[0].name.as_str(), read.failures[0].line), ("N.T.b", Some(16)));
        let one = "<assembly name='a.dll' run-date='2011-01-01'><class name='N.T'><test name='N.T.a' type='N.T' result='Pass'/></class></assembly>";
        assert_eq!(told::<Xunit>(&[one]).unwrap().counts.passed, 1);
        assert!(told::<Xunit>(&["<assembly name='x'><test result='Fail'/></assembly>"]).is_none());
    }
}
