//! Psalm: its console output in both layouts, the emacs format with one finding per line, and JSON.
//!
//! ```text
//! ERROR: UndefinedMethod - src/Foo.php:12:15 - Method Foo::bar does not exist (see https://psalm.dev/022)
//!         $foo->bar();
//!
//! 1 errors found
//! ```
//! Since version 5 the location is on a line of its own, which begins with `at `, and the message on the next.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("psalm", &["psalm-json"], Role::Typecheck)
    .lines(&[
        LineFormat::rows(&["ERROR: ", "INFO: ", " errors found", "https://psalm.dev/"], &CONSOLE),
        LineFormat::rows(&[":error - ", ":warning - ", ":info - "], &EMACS),
    ])
    .documents(&[
        DocumentFormat::json(
            &["[{\"severity\":\"", "[{\"link\":\"https://psalm.dev"],
            &["\"severity\":", "\"link\":"],
            &JSON,
        )
        .or_empty("[]"),
        DocumentFormat::json(&["{\"issues\":[{\"severity\":"], &["\"issues\":"], &WRAPPED),
    ]);

static EMACS: Rows = Rows::new("psalm", "emacs").rows(&[
    // `/path/to/main.php:258:4:error - InvalidGlobal: Cannot use global scope`.
    finding(
        r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+):(?<level>error|warning|info) - (?<code>[A-Z]\w+): (?<message>.*?)(?: \(see https://psalm\.dev/\d+\))?$",
    ),
]);

static CONSOLE: Rows = Rows::new("psalm", "console").complete(|found| !found.message.is_empty()).rows(&[
    head(r"^(?<level>ERROR|INFO|WARNING): (?<code>[A-Z]\w+) - (?<file>\S.*?):(?<line>\d+):(?<column>\d+) - (?<message>.*?)(?: \(see https://psalm\.dev/\d+\))?$"),
    lead(r"^(?<level>ERROR|INFO|WARNING): (?<code>[A-Z]\w+)$"),
    rest(r"^at (?<file>\S.*?):(?<line>\d+):(?<column>\d+)$").check(|made, _| made.file.is_none()),
    part(r"^(?<message>.*?)(?: \(see https://psalm\.dev/\d+\))?$")
        .check(|made, _| made.file.is_some() && made.message.is_empty()),
    part(r"^(?<source> .*)$").check(|made, _| made.file.is_some() && made.source.is_none()),
    sum(r"^(?<all>\d+) errors? found$").level(Level::Error).clean(),
    part("").check(|made, _| made.file.is_some()),
    known(r"^No errors found!$").hinted(),
    within(r"^-{30}$").known(),
]);

/// `[{"severity":"error","line_from":12,"line_to":12,"type":"UndefinedMethod","message":…,"file_name":…,"column_from":15}]`.
static JSON: JsonFindings = JsonFindings::of(&MEMBERS);

/// The same list, in the member `issues`.
static WRAPPED: JsonFindings = JsonFindings { paths: &[&["issues", ANY]], ..JSON };

const MEMBERS: Members = Members {
    tool: "psalm",
    file: "file_name|file_path",
    line: "line_from",
    column: "column_from",
    end_line: "line_to",
    end_column: "column_to",
    code: "type",
    source: "snippet",
    level: "severity",
    needs: &["line_from", "severity"],
    ..Members::MESSAGE
};

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::scan::Line;

    #[test]
    fn both_layouts_are_read() {
        let lines = [
            "ERROR: UndefinedMethod - src/Foo.php:12:15 - Method Foo::bar does not exist (see https://psalm.dev/022)",
            "        $foo->bar();",
            "",
            "INFO: UnusedVariable",
            "at src/Foo.php:3:1",
            "$a is never referenced (see https://psalm.dev/077)",
            "$a = 1;",
            "",
            "ERROR: Connection refused",
            "------------------------------",
            "2 errors found",
        ];
        let mut reader = CONSOLE.reader(false);
        for (at, text) in lines.iter().enumerate() {
            let (start, text) = (at as u64, *text);
            reader.line(&Line::new(text, Stream::Stdout, start..start + 1));
        }
        let candidate = reader.finish().unwrap();
        assert_eq!((candidate.findings.counts.errors, candidate.findings.counts.infos), (2, 1));
        let all = candidate.findings.kept.into_items();
        assert_eq!((all[0].message.as_str(), all[0].line), ("Method Foo::bar does not exist", Some(12)));
        assert_eq!((all[1].message.as_str(), all[1].line), ("$a is never referenced", Some(3)));
    }
}
