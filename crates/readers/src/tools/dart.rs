//! Dart and Flutter: `dart analyze` (`  error - lib/a.dart:3:5 - Undefined name 'x'. - undefined_identifier`, Flutter's
//! `   info • message • lib/a.dart:3:5 • code`, machine, JSON) and `dart test`.

mod tests;

use crate::prelude::*;

pub(crate) static ANALYZE: Tool = Tool::new("dart-analyze", &["dart", "flutter-analyze", "dartanalyzer"], Role::Lint)
    .lines(&[LineFormat::new(
        &[".dart:", "|LINT|", "|COMPILE_TIME_ERROR|", "|STATIC_WARNING|", "|HINT|", "No issues found!"],
        |is_hinted| TEXT.reader(is_hinted),
    )])
    .documents(&[DocumentFormat::json(&["{\"version\":1,\"diagnostics\":"], &[], &JSON)]);

pub(crate) static TEST: Tool = Tool::new("dart-test", &["flutter-test"], Role::Test)
    .lines(&[LineFormat::tests(
        &[": All tests passed!", "🎉 ", ": Some tests failed.", " [E]", ": loading "],
        &tests::TEXT,
    )])
    .merge(candidate::together);

static TEXT: Rows = Rows::new("dart-analyze", "text").level(Level::Info).rows(&[
    finding(
        r"^ *(?<level>error|warning|info|hint|lint) (?:-|•) (?<file>\S.*?\.(?:dart|yaml|gradle|xml)):(?<line>\d+):(?<column>\d+) (?:-|•) (?<message>\S.*) (?:-|•) (?<code>[a-z][a-z0-9_/]+)$",
    ),
    // Flutter: `   info • message • lib/a.dart:3:5 • code`.
    finding(
        r"^ *(?<level>error|warning|info|hint|lint) • (?<message>\S.*?) (?:•|at) (?<file>\S+\.(?:dart|yaml)):(?<line>\d+):(?<column>\d+) (?:•|-) \(?(?<code>[a-z][a-z0-9_/]+)\)?$",
    ),
    // `ERROR|COMPILE_TIME_ERROR|UNDEFINED_IDENTIFIER|/p/a.dart|2|3|1|Undefined name 'x'.`
    finding(
        r"^(?<level>ERROR|WARNING|INFO)\|[A-Z_]+\|(?<code>[A-Z][A-Z0-9_]+)\|(?<file>[^|]+)\|(?<line>\d+)\|(?<column>\d+)\|\d+\|(?<message>.*)$",
    )
    // Backslashes are doubled.
    .then(|made, _| {
        made.file = made.file.take().map(|file| file.replace("//", "/"));
        made.code = made.code.take().map(|code| code.to_ascii_lowercase());
}),
    // Flutter adds the time.
    sum(r"^ *(?<all>\d+|No) issues? found[.!]?(?: \(ran in [\d.]+m?s\))?$").clean(),
]);

static JSON: JsonFindings =
    JsonFindings { paths: &[&["diagnostics", ANY]], is_own: |_| true, ..JsonFindings::of(&MEMBERS) };

const MEMBERS: Members = Members {
    tool: "dart-analyze",
    message: "problemMessage",
    file: "location/file",
    line: "location/range/start/line",
    column: "location/range/start/column",
    end_line: "location/range/end/line",
    end_column: "location/range/end/column",
    code: "code",
    suggestion: "correctionMessage",
    level: "severity",
    otherwise: Level::Info,
    needs: &["code"],
    ..Members::MESSAGE
};
