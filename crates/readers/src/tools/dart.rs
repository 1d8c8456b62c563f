//! Dart and Flutter: `dart analyze` (`  error - lib/a.dart:3:5 - Undefined name 'x'. - undefined_identifier`, Flutter's
//! `   info • message • lib/a.dart:3:5 • code`, machine, JSON) and `dart test`.

mod tests;

use std::sync::LazyLock;

use referee_model::plan::Role;
use referee_model::reading::Level;

use crate::candidate;
use crate::document::Opening;
use crate::json::ANY;
use crate::rows::{Rows, finding, sum};
use crate::shapes::json_findings::JsonFindings;
use crate::shapes::members::Members;
use crate::tool::{DocumentFormat, LineFormat, Tool};

pub(crate) const ANALYZE: Tool = Tool {
    name: "dart-analyze",
    aliases: &["dart", "flutter-analyze", "dartanalyzer"],
    role: Role::Lint,
    lines: &[LineFormat {
        prefilter: &[".dart:", "|LINT|", "|COMPILE_TIME_ERROR|", "|STATIC_WARNING|", "|HINT|", "No issues found!"],
        reader: |is_hinted| TEXT.reader(is_hinted),
    }],
    documents: &[DocumentFormat {
        opening: Opening { compact: &["{\"version\":1,\"diagnostics\":"], keys: &[], empty: None },
        reader: |stream, is_hinted| JSON.reader(stream, is_hinted),
    }],
    merge: candidate::gravest,
};

pub(crate) const TEST: Tool = Tool {
    name: "dart-test",
    aliases: &["flutter-test"],
    role: Role::Test,
    lines: &[LineFormat {
        prefilter: &[": All tests passed!", "🎉 ", ": Some tests failed.", " [E]", ": loading "],
        reader: |_| Box::new(tests::Text::default()),
    }],
    documents: &[],
    merge: candidate::together,
};

static TEXT: LazyLock<Rows> = LazyLock::new(|| {
    Rows::new(
        "dart-analyze",
        "text",
        [
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
            // It doubles backslashes.
            .check(|made, _| {
                made.file = made.file.take().map(|file| file.replace("//", "/"));
                made.code = made.code.take().map(|code| code.to_ascii_lowercase());
                true
            }),
            // With Flutter's time behind.
            sum(r"^ *(?<all>\d+|No) issues? found[.!]?(?: \(ran in [\d.]+m?s\))?$").clean(),
        ],
    )
    .level(Level::Info)
});

static JSON: JsonFindings = JsonFindings {
    rule: "dart-analyze/json",
    paths: &[&["diagnostics", ANY]],
    record: |record| MEMBERS.told(record),
    is_own: |_| true,
    ..JsonFindings::LIST
};

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
