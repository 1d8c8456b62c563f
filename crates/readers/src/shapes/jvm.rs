//! Exceptions as printed by the Java virtual machine: stack frames, `at demo.CalcTest.adds(CalcTest.java:7)`,
//! and the line above them with class and message.

use referee_model::limit;
use referee_syntax::cut;

use crate::candidate::name;
use crate::pattern::Pattern;
use crate::scan::Line;
use crate::shapes::failing::{Failing, Language};

/// Maximum length of a line that is parsed as a stack frame, in bytes.
const FRAME_BYTES: usize = 2 * 1024;

/// A frame, with the class loader, module and version that may precede the class.
static FRAME: Pattern = Pattern::new(
    r"^(?:at )?(?:[\w.@$-]*/){0,2}(?<class>[\w.$]+)\.(?<method>[\w$<>-]+)\((?<file>[\w$.-]+\.(?:java|kt|kts|scala|groovy|clj)):(?<line>\d+)\)(?: ~?\[.*\])?$",
);

/// The class and message of an exception.
pub(crate) const EXCEPTION: &str = r"^(?<code>(?:[A-Za-z_][\w$]*\.)*[A-Z][\w$]*(?:Error|Exception|Failure|Failed|Throwable|Exit|Interrupt)[\w$]*)(?:: (?<message>.*)|:?)$";

/// `expected:<4> but was:<3>` in the formats of JUnit, TestNG, Hamcrest's one-liners and kotlin.test.
static COMPARISON: Pattern = Pattern::new(
    r"(?s)[Ee]xpected:? ?(?:<(?<expected>.*)> but was: ?(?:\w[\w.]*)?<(?<actual>.*)>|\[(?<expected2>.*)\] but found \[(?<actual2>.*)\])",
);

/// Packages whose frames do not belong to the project.
const LIBRARIES: &str = "java. javax. jdk. sun. com.sun. jakarta. junit. org.junit. org.testng. org.opentest4j. org.apache.maven. \
    org.gradle. worker.org.gradle. kotlin. kotlinx. scala. sbt. org.scalatest. org.assertj. org.hamcrest. \
    org.mockito. groovy. org.codehaus.groovy. org.apache.groovy. org.spockframework. org.springframework. \
    io.kotest. munit. com.google.common.truth. com.novocode. org.apache.tools.ant. reactor. io.netty.";

/// Exception classes that only state that an assertion failed.
const ASSERTIONS: &[&str] = &[
    "java.lang.AssertionError",
    "junit.framework.AssertionFailedError",
    "junit.framework.ComparisonFailure",
    "org.junit.ComparisonFailure",
    "org.opentest4j.AssertionFailedError",
    "kotlin.AssertionError",
];

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Frame<'a> {
    pub(crate) class: &'a str,
    pub(crate) method: &'a str,
    pub(crate) file: &'a str,
    pub(crate) line: Option<u32>,
}

/// Returns whether a line belongs to a stack, with or without a location.
pub(crate) fn is_stack_line(line: &str) -> bool {
    let line = line.trim_start();
    line.starts_with("at ")
        || line.starts_with("Caused by: ")
        || line.starts_with("Suppressed: ")
        || (line.starts_with("... ") && (line.ends_with(" more") || line.ends_with("common frames omitted")))
}

/// Parses a stack frame that has a location.
pub(crate) fn frame(line: &str) -> Option<Frame<'_>> {
    let line = line.trim();
    if FRAME_BYTES < line.len() || !line.ends_with([')', ']']) {
        return None;
    }
    let found = FRAME.find(line)?;
    let [class, method, file] = ["class", "method", "file"].map(|group| found.text(group));
    Some(Frame { class, method, file, line: found.position("line") })
}

/// Returns whether a class belongs to the project rather than to a library or the runtime.
pub(crate) fn is_in_project(class: &str) -> bool {
    !LIBRARIES.split(' ').any(|library| class.starts_with(library))
}

/// Returns a message without the name of an exception class that only states that an assertion failed.
pub(crate) fn without_assertion(message: &str) -> &str {
    let (class, said) = message.split_once(':').unwrap_or((message, ""));
    if ASSERTIONS.contains(&class) && !said.trim().is_empty() { said.trim_start() } else { message }
}

/// Returns the expected and the actual value, if the message of an assertion gives them.
pub(crate) fn compared(message: &str) -> Option<(&str, &str)> {
    let found = COMPARISON.find(message)?;
    Some((found.get("expected")?, found.get("actual")?))
}

/// Returns the location of a test in a stack: the frame of its method, otherwise the first one of its class,
/// otherwise the first one of the project.
pub(crate) fn place<'a>(stack: &'a str, class: &'a str, method: &str) -> Option<Frame<'a>> {
    let outer = |class: &'a str| class.split('$').next().unwrap_or(class);
    let is_of_class = |frame: &Frame<'a>| {
        let (outer, class) = (outer(frame.class), outer(class));
        !class.is_empty() && (outer == class || outer.rsplit('.').next() == Some(class))
    };
    let frames = || stack.lines().filter_map(frame);
    let own = frames().find(|frame| is_of_class(frame) && frame.method == method);
    own.or_else(|| frames().find(is_of_class)).or_else(|| frames().find(|frame| is_in_project(frame.class)))
}

pub(crate) const JVM: Language = Language {
    lines: MESSAGE_LINES,
    takes_frame: |failing, line| {
        let is_stack = failing.has_stack() || is_stack_line(line) || frame(line).is_some();
        is_stack.then(|| failing.trace(line)).is_some()
    },
    complete,
};

/// Maximum number of lines of a message; text with more lines is not a message.
const MESSAGE_LINES: usize = 60;

/// Begins a failed test; an empty method means that the whole class failed.
pub(crate) fn failing(class: &str, method: &str, rule: &str, line: &Line<'_>) -> Failing {
    let full = if method.is_empty() { class.to_owned() } else { format!("{class}.{method}") };
    let mut failing = Failing::new(&full, rule, line).told_in(&JVM);
    (failing.class, failing.method) = (class.to_owned(), method.to_owned());
    failing
}

/// Fills in the location and the compared values of a failure.
pub(crate) fn complete(failing: &mut Failing) {
    let Failing { failure, class, method, .. } = failing;
    let method = method.split(['(', '[', ' ']).next().unwrap_or(method);
    if let Some(place) = failure.stack.as_deref().and_then(|stack| place(stack, class, method)) {
        (failure.file, failure.line) = (Some(name(place.file)), place.line);
    }
    let kept = |value: &str| Some(cut::head(value, limit::MESSAGE_BYTES).to_owned());
    if let Some((expected, received)) = compared(&failure.message) {
        (failure.expected, failure.received) = (kept(expected), kept(received));
    }
    failure.message = without_assertion(&failure.message).trim_start().to_owned();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_name_class_method_and_place() {
        for (line, place) in [
            ("\tat demo.CalcTest.adds(CalcTest.java:7)", Some(("demo.CalcTest", "adds", "CalcTest.java", 7))),
            ("at app//demo.CalcTest.slow(CalcTest.java:14)", Some(("demo.CalcTest", "slow", "CalcTest.java", 14))),
            (
                "at java.base@17.0.15/java.lang.Thread.run(Thread.java:840)",
                Some(("java.lang.Thread", "run", "Thread.java", 840)),
            ),
            ("   demo.A$B.<init>(A.kt:3)", Some(("demo.A$B", "<init>", "A.kt", 3))),
            ("\tat demo.A.f(Native Method)", None),
            ("\tat demo.A.f(Unknown Source)", None),
            ("look at me(A.java:3) now", None),
        ] {
            let found = frame(line).map(|frame| (frame.class, frame.method, frame.file, frame.line));
            assert_eq!(found, place.map(|(class, method, file, line)| (class, method, file, Some(line))), "{line}");
        }
    }

    #[test]
    fn exceptions_are_told_from_other_lines() {
        static PATTERN: Pattern = Pattern::new(EXCEPTION);
        let exception = |line| PATTERN.find(line).map(|found| (found.text("code"), found.text("message")));
        assert_eq!(exception("java.lang.AssertionError: no"), Some(("java.lang.AssertionError", "no")));
        assert_eq!(exception("demo.BadThingException"), Some(("demo.BadThingException", "")));
        assert_eq!(exception("Something: else"), None);
        assert_eq!(exception("An Exception: else"), None);
    }

    #[test]
    fn assertions_say_what_was_compared() {
        for (message, pair) in [
            ("sum expected:<4> but was:<3>", Some(("4", "3"))),
            ("expected: <a\nb> but was: <c>", Some(("a\nb", "c"))),
            ("expected: java.lang.String<a> but was: java.lang.String<b>", None),
            ("expected [4] but found [3]", Some(("4", "3"))),
            ("nothing expected", None),
        ] {
            assert_eq!(compared(message), pair, "{message}");
        }
        assert_eq!(without_assertion("org.opentest4j.AssertionFailedError: x: y"), "x: y");
        assert_eq!(without_assertion("java.lang.AssertionError"), "java.lang.AssertionError");
        assert_eq!(
            without_assertion("java.lang.ArithmeticException: / by zero"),
            "java.lang.ArithmeticException: / by zero"
        );
    }

    #[test]
    fn the_place_of_a_test_is_in_its_own_class() {
        let stack = "at demo.Calc.div(Calc.java:4)\nat demo.CalcTest.help(CalcTest.java:9)\nat demo.CalcTest.divides(CalcTest.java:10)";
        let line = |class, method| place(stack, class, method).and_then(|frame| frame.line);
        assert_eq!(line("demo.CalcTest", "divides"), Some(10));
        assert_eq!(line("CalcTest", "other"), Some(9));
        assert_eq!(line("demo.Unknown", "x"), Some(4));
    }
}
