//! TRX, the XML of Visual Studio's test runner: `dotnet test --logger trx`.
//!
//! `<UnitTestResult testName="N.T.b" outcome="Failed">` contains message and stack in `<Output><ErrorInfo>`.
//! The results of the single rows of a test are in its `<InnerResults>`; the test is counted, not its rows.

use crate::formats::test_report::{Dialect, Failed, Report, Test, Tests};
use crate::prelude::*;
use crate::xml::Element;

pub(crate) static TOOL: Tool = Tool::new("trx", &[], Role::Test)
    .documents(&[DocumentFormat::new(&["<TestRun "], &[], |stream, _| Box::new(Report::<Trx>::new(stream)))])
    .merge(candidate::together);

/// State while one document is read.
#[derive(Debug, Default)]
struct Trx {
    message: String,
    stack: String,
}

impl Dialect for Trx {
    const NAME: &'static str = "trx";

    fn begin(&mut self, root: &Element) -> bool {
        root.name == "TestRun"
    }

    fn close(&mut self, element: Element, around: &[Element], at: Origin, tests: &mut Tests) {
        let parent = around.last().map_or("", |parent| parent.name.as_str());
        let is_row = around.iter().any(|outer| outer.name == "InnerResults");
        match (element.name.as_str(), parent) {
            ("Message", "ErrorInfo") if self.message.is_empty() => self.message = element.text,
            ("StackTrace", "ErrorInfo") if self.stack.is_empty() => self.stack = element.text,
            (name, _) if name.ends_with("TestResult") && !is_row => self.test(&element, at, tests),
            _ => {}
        }
    }
}

impl Trx {
    fn test(&mut self, element: &Element, at: Origin, tests: &mut Tests) {
        let status = match element.get("outcome").unwrap_or_default() {
            // A missing outcome means the first one in the list of the schema.
            "Failed" | "Error" | "Timeout" | "Aborted" | "" => TestStatus::Failed,
            "Passed" | "PassedButRunAborted" | "Completed" | "Warning" => TestStatus::Passed,
            _ => TestStatus::Skipped,
        };
        let title = element.get("testName").unwrap_or_default();
        let duration_ms = element.get("duration").and_then(milliseconds);
        let test = Test { title: title.to_owned(), duration_ms, ..Test::default() };
        tests.test(&test, status);
        let (mut message, mut stack) = (std::mem::take(&mut self.message), std::mem::take(&mut self.stack));
        if status == TestStatus::Failed {
            let failed = Failed::of_dotnet(title.to_owned(), &mut message, &mut stack);
            tests.failure(Failed { duration_ms, ..failed }, at);
        }
    }
}

/// Parses `00:00:01.0950000`.
fn milliseconds(written: &str) -> Option<u64> {
    let mut parts = written.rsplitn(3, ':');
    let seconds = super::test_report::seconds(parts.next())?;
    let mut minutes = 0_u64;
    for (part, each) in parts.zip([1, 60]) {
        minutes = minutes.checked_add(part.parse::<u64>().ok()?.checked_mul(each)?)?;
    }
    minutes.checked_mul(60_000)?.checked_add(seconds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::test_report::tests::told;

    #[test]
    fn outcomes_are_counted() {
        let document = "<TestRun id='1'><Results><UnitTestResult testName='N.a' outcome='Passed' duration='00:00:00.1084258'/>\
            <UnitTestResult testName='N.b' outcome='Failed'><Output><ErrorInfo><Message>no</Message>\
            <StackTrace>   at N.b() in C:\\p\\T.cs:line 29</StackTrace></ErrorInfo></Output>\
            <InnerResults><UnitTestResult testName='N.b (1)' outcome='Failed'/></InnerResults></UnitTestResult>\
            <UnitTestResult testName='N.c' outcome='NotExecuted'/><UnitTestResult testName='N.d' outcome='Timeout'/></Results></TestRun>";
        let read = told::<Trx>(&[document]).unwrap();
        assert_eq!((read.counts.passed, read.counts.failed, read.counts.skipped), (1, 2, 1));
        assert_eq!((read.failures[0].file.as_deref(), read.failures[0].line), (Some("C:/p/T.cs"), Some(29)));
        assert_eq!(read.cases[0].duration_ms, Some(108));
    }

    #[test]
    fn times_are_read() {
        assert_eq!(milliseconds("01:02:03.5"), Some(3_723_500));
        assert_eq!(milliseconds("soon"), None);
    }
}
