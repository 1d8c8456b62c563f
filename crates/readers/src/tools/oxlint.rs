//! Oxlint: the default format, `unix`, `agent`, ESLint's table (`stylish`) and JSON.
//!
//! The default format has a mark, the code and the message, below it the location and the code in a frame, and
//! at the end counts: `Found 1 warning and 0 errors.`

use crate::prelude::*;
use crate::rows::at_line;
use crate::shapes::members::{named, position};
use crate::tools::eslint::stylish::Stylish;
use crate::tools::tsc;

pub(crate) static TOOL: Tool = Tool::new("oxlint", &["oxlint-json", "oxc"], Role::Lint)
    .lines(&[
        LineFormat::rows(&["[Warning/", "[Error/", "[Advice/", "[Error]", "[Warning]"], &UNIX),
        LineFormat::rows(&[": warning ", ": error "], &AGENT).unless(tsc::is_finding),
        LineFormat::new(&["  error  ", "  warning  ", "✖ "], |is_hinted| {
            Stylish::new(is_hinted).of("oxlint", "oxlint/stylish", owner)
        }),
        LineFormat::rows(&["): ", "  × ", "  x ", "  ⚠ ", "Finished in "], &DEFAULT).unless(tsc::is_finding),
    ])
    .documents(&[DocumentFormat::new(
        &["{ \"diagnostics\": [", "{\"diagnostics\":[{\"message\":"],
        &["\"diagnostics\": ["],
        |stream, _| JSON.reader(stream, false),
    )]);

/// Tells a finding in ESLint's table. Parse errors have no code, so they could be from either.
fn owner(found: &Diagnostic) -> Option<Confidence> {
    match &found.code {
        Some(code) => code.ends_with(')').then_some(Confidence::Certain),
        None => Some(Confidence::Likely),
    }
}

static UNIX: Rows = Rows::new("oxlint", "unix").level(Level::Info).rows(&[
    // `src/a.js:1:7: Message. [Warning/eslint(no-unused-vars)]`.
    finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<level>Error|Warning|Advice)/(?<code>[\w@/-]+\([\w@/.-]+\))\]$"),
    // A parse error has no code, as with ESLint.
    finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<message>.*) \[(?<level>Error|Warning|Advice)\]$")
        .common(),
    sum(r"^(?<all>\d+) problems?$"),
]);

static AGENT: Rows = Rows::new("oxlint", "agent").level(Level::Info).rows(&[
    // `src/a.js:1:7: warning eslint(no-unused-vars): Message. help: Do this.`
    finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>error|warning|advice) (?<code>[\w@/-]+\([\w@/.-]+\)): (?<message>.*?)(?: help: (?<suggestion>.*))?$"),
    finding(r"^(?<file>\S.*?):(?<line>\d+):(?<column>\d+): (?<level>error|warning|advice): (?<message>.*?)(?: help: (?<suggestion>.*))?$")
        .common(),
    sum(FOUND),
    within(FINISHED),
]);

/// `Found 12 warnings and 1 error.`
const FOUND: &str = r"^Found (?<warnings>\d+) warnings? and (?<errors>\d+) errors?\.$";

/// `Finished in 13ms on 4 files with 96 rules using 2 threads.`
const FINISHED: &str = r"^Finished in \S+ on \d+ files?(?: with \d+ rules?)? using \d+ threads?\.$";

/// The default format, drawn in Unicode or in ASCII characters:
///
/// ```text
///   ! eslint(no-unused-vars): Variable 'y' is declared but never used.
///    ,-[src/b.ts:1:7]
///  1 | const y: number = "str";
///    :       |
///    :       `-- 'y' is declared here
///    `----
///   help: Consider removing this declaration.
/// ```
static DEFAULT: Rows =
    Rows::new("oxlint", "default").level(Level::Info).confidence(Confidence::Likely).waits_over_blank_lines().rows(&[
        rest(r"^ +(?:,-|╭─)\[(?<file>\S.*?):(?<line>\d+):(?<column>\d+)\]$"),
        // A line of a message that was wrapped.
        part(r"^  [|│] (?<message>.*)$").check(|made, _| made.file.is_none()).joined(),
        part(r"^  (?:`->|[╰├]─▶)").check(|made, _| made.file.is_none()),
        part(r"^  help: (?<suggestion>.*)$").check(|made, _| made.file.is_some()),
        part(r"^        (?<suggestion>.*)$").check(|made, _| made.suggestion.is_some()),
        part(r"^ *(?<number>\d+) [|│] (?<source>.*)$").check(at_line),
        part(r"^(?:   |  note: | *\d)").check(|made, _| made.file.is_some()),
        lead(r"^  (?<level>[×x✖⚠!☞>])\u{fe0f}? (?<code>[A-Za-z@][\w@/-]*\([\w@/.-]+\)): (?<message>\S.*)$")
            .levels(MARKS)
            .vouches(),
        lead(r"^  (?<level>[×x✖⚠!☞>])\u{fe0f}? (?<message>\S.*)$").levels(MARKS),
        // A clean run has a count and, above or below it, a line with the duration.
        known(r"^Found 0 warnings and 0 errors\.$").inside("finished"),
        within(r"^Found 0 warnings and 0 errors\.$").enters("counted"),
        sum(FOUND),
        known(FINISHED).inside("counted"),
        within(FINISHED).vouches().enters("finished"),
    ]);

const MARKS: &[(&str, Level)] = &[
    ("×", Level::Error),
    ("x", Level::Error),
    ("✖", Level::Error),
    ("⚠", Level::Warning),
    ("!", Level::Warning),
    ("☞", Level::Info),
    (">", Level::Info),
];

/// `{ "diagnostics": [{"message": "…","code": "eslint(no-debugger)","labels": [{"span": {"line": 2,"column": 1}}]}], "number_of_files": 4 }`.
static JSON: JsonFindings = JsonFindings {
    paths: &[&["diagnostics", ANY]],
    is_own: |members| members.contains_key("number_of_files"),
    is_strict: true,
    ..JsonFindings::of(&MEMBERS)
};

/// Maximum number of labels kept in addition to the first.
const RELATED_KEPT: usize = 8;

const MEMBERS: Members = Members {
    tool: "oxlint",
    file: "filename",
    line: "labels/0/span/line",
    column: "labels/0/span/column",
    code: "code",
    suggestion: "help",
    level: "severity",
    otherwise: Level::Info,
    needs: &["severity", "filename", "labels"],
    complete: |made, record| {
        let labels = record.value.get("labels").and_then(Value::as_array).into_iter().flatten();
        made.related = labels.skip(1).take(RELATED_KEPT).map(|label| place(label, made.file.as_ref())).collect();
    },
    ..Members::MESSAGE
};

fn place(label: &Value, file: Option<&String>) -> RelatedPlace {
    RelatedPlace {
        file: file.cloned(),
        line: position(label, "span/line"),
        column: position(label, "span/column"),
        message: named(label, "label").unwrap_or_default(),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::candidate::Candidate;
    use crate::scan::Line;

    fn candidate(text: &str) -> Option<Candidate> {
        let mut reader = DEFAULT.reader(false);
        for text in text.lines() {
            let stream = Stream::Stdout;
            reader.line(&Line::new(text, stream, 0..0));
        }
        reader.finish()
    }

    #[test]
    fn a_finding_is_read_with_its_place() {
        let text = "  ⚠ typescript-eslint(ban-types): Do not use\n  │ this type\n    ╭─[src/a.ts:10:7]\n  9 │ a\n 10 │ const y;\n    ·       ─\n    ╰────\n  help: Remove it.\n";
        let found = candidate(text).unwrap().findings.kept.into_items().remove(0);
        assert_eq!((found.line, found.column, found.level), (Some(10), Some(7), Level::Warning));
        assert_eq!(found.message, "Do not use this type");
        assert_eq!(found.code.as_deref(), Some("typescript-eslint(ban-types)"));
        assert_eq!((found.source.as_deref(), found.suggestion.as_deref()), (Some("const y;"), Some("Remove it.")));
    }

    #[test]
    fn what_has_no_place_is_no_finding() {
        assert!(candidate("  x something\n  other\n").is_none());
        assert!(candidate("  > npm run lint\n\nFound 0 warnings and 0 errors.\n").is_none());
    }

    #[test]
    fn a_clean_run_is_counted_and_finished() {
        let (found, finished) = ("Found 0 warnings and 0 errors.", "Finished in 1.2s on 1 file using 8 threads.");
        assert!(candidate(&format!("{found}\n{finished}\n")).is_some());
        assert!(candidate(&format!("{finished}\n{found}\n")).is_some());
        assert!(candidate(finished).is_none() && candidate("Finished in 3.2 seconds").is_none());
    }
}
