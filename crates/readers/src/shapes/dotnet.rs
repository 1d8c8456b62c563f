//! Failed .NET tests: their message and stack, `at Tests.Calc.Adds() in /src/CalcTests.cs:line 12`.

use crate::candidate::name;
use crate::pattern::Pattern;
use crate::shapes::failing::{Failing, Language};
use crate::text;

/// Maximum length of a line that is parsed as a stack frame, in bytes.
const FRAME_BYTES: usize = 2 * 1024;

/// Maximum number of lines of a stack that are searched for a location.
const STACK_LINES: usize = 200;

/// Path prefix of framework sources in deterministic builds.
const OF_FRAMEWORKS: &str = "/_/";

const MESSAGE_LINES: usize = 60;

/// A frame in the format of the runtime, and in that of xUnit.net's own runner.
static FRAME: Pattern = Pattern::new(
    r"^(?:at (?<method>.+?) in (?<file>.+?):(?:line )?(?<line>\d+)|(?<file2>[^\s(].*?)\((?<line2>\d+),\d+\): at (?<method2>.+))$",
);

/// A frame in the format of the runtime in any language: `   at N.T.b() in C:\p\T.cs:line 12`.
static FRAME_IN_ANY_LANGUAGE: Pattern = Pattern::new(r"^\s*\S+ .+\) \S+ (?<file>.+\.\w+):\S+ (?<line>\d+)\s*$");

/// A stack frame with a location.
struct Frame<'a> {
    method: &'a str,
    file: &'a str,
    line: Option<u32>,
}

fn frame(line: &str) -> Option<Frame<'_>> {
    if FRAME_BYTES < line.len() || !line.contains("at ") {
        return None;
    }
    let found = FRAME.find(line.trim())?;
    Some(Frame { method: found.get("method")?, file: found.get("file")?, line: found.position("line") })
}

/// Returns whether a line belongs to a stack, with or without a location.
fn is_stack_line(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ")
        || line.starts_with("--- End of stack trace")
        || (line.contains("): at ") && frame(line).is_some())
}

/// Returns the innermost location in a stack that is in a file of the project.
pub(crate) fn place(stack: &str) -> Option<(String, u32)> {
    stack.lines().take(STACK_LINES).filter(|line| line.len() <= FRAME_BYTES && line.contains(") ")).find_map(|line| {
        let found = FRAME_IN_ANY_LANGUAGE.find(line)?;
        let file = text::path(found.text("file"));
        // Stacks also name sources of the frameworks, if those were built with source paths.
        let is_foreign = file.starts_with(OF_FRAMEWORKS) || file.contains("/xunit/") && file.contains("/src/");
        (!is_foreign).then_some((file, found.position("line")?))
    })
}

pub(crate) const DOTNET: Language = Language {
    lines: MESSAGE_LINES,
    takes_frame: |failing, line| is_stack_line(line).then(|| failing.trace(line)).is_some(),
    complete,
};

/// Fills in the location and the compared values of a failure.
fn complete(failing: &mut Failing) {
    let failure = &mut failing.failure;
    let test = failure.name.split(['(', '[', ' ']).next().unwrap_or_default();
    let stack = failure.stack.as_deref().unwrap_or_default();
    let frames = || stack.lines().filter_map(frame).filter(|frame| !frame.file.starts_with(OF_FRAMEWORKS));
    let is_own = |frame: &Frame<'_>| !test.is_empty() && frame.method.starts_with(test);
    if let Some(place) = frames().find(is_own).or_else(|| frames().next()) {
        failure.file = Some(name(&text::path(place.file)));
        failure.line = place.line;
    }
    let value = |labels: &[&str]| {
        let mut lines = failure.message.lines();
        let value = lines.find_map(|line| labels.iter().find_map(|label| line.strip_prefix(label)))?;
        Some(value.trim().to_owned()).filter(|value| !value.is_empty())
    };
    (failure.expected, failure.received) = (value(&["Expected:"]), value(&["Actual:", "But was:"]));
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::scan::Line;

    #[test]
    fn message_and_place_are_told_apart() {
        for (stack, file, line) in [
            (
                "   at Xunit.Assert.Equal() in /_/src/Assert.cs:line 9\n   at Calc.Tests.Adds() in /src/T.cs:line 12",
                "/src/T.cs",
                12,
            ),
            (
                "   at Help.Me() in C:\\src\\H.cs:line 3\n   at Calc.Tests.Adds() in C:\\src\\T.cs:line 12",
                "C:/src/T.cs",
                12,
            ),
            ("/src/T.cs(12,0): at Calc.Tests.Adds()", "/src/T.cs", 12),
            ("    at Calc.Tests.Adds() in /src/T.cs:12", "/src/T.cs", 12),
        ] {
            let printed = Line::new("x", Stream::Stdout, 0..1);
            let mut failing = Failing::new("Calc.Tests.Adds(a: 1)", "", &printed).told_in(&DOTNET);
            for it in "   Assert.Equal() Failure\nExpected: 4\nActual:   3".lines().chain(stack.lines()) {
                assert!(failing.add(&printed, it.trim()));
            }
            let failure = failing.finish();
            assert_eq!((failure.file.as_deref(), failure.line), (Some(file), Some(line)), "{stack}");
            assert_eq!(failure.message, "Assert.Equal() Failure\nExpected: 4\nActual:   3");
            assert_eq!((failure.expected.as_deref(), failure.received.as_deref()), (Some("4"), Some("3")));
        }
    }
}
