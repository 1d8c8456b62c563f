//! PHP itself: messages about a script that it runs or, with `-l`, only parses.
//!
//! `Warning: Undefined variable $x in /project/a.php on line 3` is the displayed form,
//! `PHP Warning:  Undefined variable $x in /project/a.php on line 3` the logged form; a terminal often shows
//! both.

use crate::prelude::*;

pub(crate) static TOOL: Tool = Tool::new("php", &[], Role::Compile).lines(&[
    LineFormat::rows(&[" on line ", "Fatal error: ", "No syntax errors detected in "], &DISPLAYED),
    LineFormat::rows(&["PHP "], &LOGGED),
]);

/// Maximum number of lines of an uncaught exception.
const LINES: u32 = 400;

/// Creates the rows; `$prefix` stands before the kind of a finding.
macro_rules! rows {
    ($prefix:literal) => {
        [
            finding(placed!(
                $prefix,
                "Parse error|Fatal error|Recoverable fatal error|Catchable fatal error|Compile Error"
            ))
            .names_tool()
            .fails(),
            finding(placed!($prefix, "Warning|Deprecated")).level(Level::Warning),
            finding(placed!($prefix, "Notice|Strict Standards")).level(Level::Info),
            known(concat!("^", $prefix, "No syntax errors detected in ")),
            within(concat!("^", $prefix, "Errors parsing ")),
            head(concat!(begin!($prefix, "Fatal error"), r"(?<message>Uncaught .*) in (?<file>\S.*):(?<line>\d+)$"))
                .rule("php/uncaught")
                .names_tool()
                .fails(),
            head(concat!(begin!($prefix, "Fatal error"), "(?<message>Uncaught .*)$"))
                .rule("php/uncaught")
                .names_tool()
                .fails()
                .enters("message"),
            part(r"^  thrown in (?<file>.+) on line (?<line>\d+)$").last(),
            part(r"^(?<message>(?:Stack trace:|#\d+ |Next ).*)$").enters("stack"),
            part("^(?<message>.*)$").inside("message").check(|made, _| made.file.is_none()),
        ]
    };
}

macro_rules! begin {
    ($prefix:literal, $kinds:literal) => {
        concat!(r"^(?:\[\d\d-\w{3}-\d{4} [^\]]{8,60}\] )?", $prefix, "(?:", $kinds, "): +")
    };
}

macro_rules! placed {
    ($prefix:literal, $kinds:literal) => {
        concat!(
            begin!($prefix, $kinds),
            r"(?<message>.*) in (?<file>\S.*?)(?:\((?<line>\d+)\) : [\w' ()]+ on line \d+| on line (?<line2>\d+))$"
        )
    };
}

static DISPLAYED: Rows = format("text").rows(&rows!(""));

/// The same findings as those displayed, of which either form counts.
static LOGGED: Rows = format("log").rows(&rows!("PHP "));

/// A mere warning in another tool's output yields to that tool's findings.
const fn format(name: &'static str) -> Rows {
    Rows::new("php", name).rule("php/text").confidence(Confidence::Likely).yields().most_lines(LINES)
}

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;

    fn found(lines: &[&str]) -> Vec<(Level, Option<String>, Option<u32>, String)> {
        let mut reader = DISPLAYED.reader(false);
        for (at, text) in lines.iter().enumerate() {
            let (start, text) = (at as u64, *text);
            reader.line(&Line::new(text, Stream::Stdout, start..start + 1));
        }
        let found = reader.finish().map_or(Vec::new(), |candidate| candidate.findings.kept.into_items());
        found.into_iter().map(|it| (it.level, it.file, it.line, it.message)).collect()
    }

    #[test]
    fn what_is_logged_and_displayed_is_one_finding() {
        let lines = [
            "[21-Nov-2026 23:15:19 UTC] PHP Warning:  No in C:\\p\\a.php on line 3",
            "Warning: No in C:\\p\\a.php on line 3",
            "Notice: mind in a.php(7) : eval()'d code on line 1",
        ];
        let file = |name: &str| Some(name.to_owned());
        assert_eq!(
            found(&lines),
            [
                (Level::Warning, file("C:/p/a.php"), Some(3), "No".to_owned()),
                (Level::Info, file("a.php"), Some(7), "mind".to_owned())
            ]
        );
    }

    #[test]
    fn what_nobody_caught_stands_where_it_was_thrown() {
        let lines = [
            "Fatal error: Uncaught Error: two",
            "lines in /p/a.php:4",
            "Stack trace:",
            "#0 {main}",
            "  thrown in /p/a.php on line 4",
            "after",
        ];
        let all = found(&lines);
        assert_eq!(all.len(), 1);
        assert_eq!((all[0].1.as_deref(), all[0].2), (Some("/p/a.php"), Some(4)));
        assert!(all[0].3.starts_with("Uncaught Error: two\nlines in"), "{}", all[0].3);
        assert!(found(&["Warning: mind the gap", "Fatal error: out of luck"]).is_empty());
    }
}
