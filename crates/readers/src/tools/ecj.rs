//! The Eclipse compiler for Java:
//!
//! ```text
//! ----------
//! 1. ERROR in /src/App.java (at line 8)
//!     Integer x = 0.0f;
//!                 ^^^^
//! Type mismatch: cannot convert from float to Integer
//! ----------
//! 1 problem (1 error)
//! ```
//!
//! Versions before 3.3 print the location on a line of its own. Under Maven the location follows Maven's level.

use crate::prelude::*;
use crate::shapes::ant;
use crate::tools::maven::compiler;

pub(crate) static TOOL: Tool = Tool::new("ecj", &["eclipse"], Role::Compile)
    .lines(&[
        LineFormat::rows(&[". ERROR in ", ". WARNING in ", ". INFO in "], &TEXT),
        LineFormat::rows(&["[ERROR] ", "[WARNING] "], &IN_MAVEN),
    ])
    .merge(candidate::together);

static IN_MAVEN: Rows = compiler::rows("ecj", &[" problem (1 error)", " problem (1 warning)", " problems ("]);

static TEXT: Rows =
    Rows::new("ecj", "text").without(ant::without_task).complete(|found| !found.message.is_empty()).rows(&[
        head(r"^\d+\. (?<level>ERROR|WARNING|INFO) in (?<file>\S.*?)(?: \(at line (?<line>\d+)\))?$").enters("source"),
        heading("^-{10}").known(),
        sum(r"^(?<all>\d+) problems? \((?:\d+ \w+(?:, )?){1,3}\)$"),
        part(r"^ *\(at line (?<line>\d+)\)$").check(|made, _| made.line.is_none()),
        part(r"^\s*\^[~^]*$").inside("source").enters("message"),
        part(r"^\t*(?<source>.*)$").inside("source").check(|made, _| made.line.is_some() && made.source.is_none()),
        part("").inside("source").check(|made, _| made.line.is_some()),
        part(r"^\s*(?<message>\S.*)$").check(|made, _| made.message.is_empty()),
        part("^(?<message>.*)$"),
    ]);

#[cfg(test)]
mod tests {
    use referee_model::record::Stream;

    use super::*;
    use crate::candidate::Use;
    use crate::scan::Line;

    #[test]
    fn the_place_may_stand_on_its_own_line() {
        let mut reader = TEXT.reader(false);
        for text in [
            "1. WARNING in /a/B.java",
            " (at line 10)",
            "\timport java.io.*;",
            "\t       ^^^^^^^",
            "It is never used",
            "----------",
            "1 problem (1 warning)",
        ] {
            let line = Line::new(text, Stream::Stderr, 0..9);
            assert_eq!(reader.line(&line), Use::Line, "{text}");
        }
        let found = reader.finish().unwrap().findings.kept.into_items();
        assert_eq!((found.len(), found[0].line, found[0].message.as_str()), (1, Some(10), "It is never used"));
        assert_eq!(found[0].source.as_deref(), Some("import java.io.*;"));
    }
}
