//! Checkstyle XML, which many linters write:
//! `<checkstyle><file name="a.ts"><error line="1" column="10" severity="error" message="…" source="semi"/></file>`.

use crate::formats::xml_findings::XmlFindings;
use crate::prelude::*;

/// The document formats of Checkstyle XML.
pub(crate) const DOCUMENTS: &[DocumentFormat] =
    &[DocumentFormat::new(&["<checkstyle"], &[], |stream, _| XML.reader(stream))];

static XML: XmlFindings =
    XmlFindings { root: "checkstyle", elements: &[("error", &ERROR), ("exception", &EXCEPTION)], sign: None };

/// Prefixes that some linters write before their rules.
const PREFIXES: &[&str] = &["eslint.rules.", "ShellCheck.", "detekt."];

const ERROR: Members = Members {
    tool: "checkstyle",
    file: "^name",
    line: "line",
    column: "column",
    code: "source",
    level: "severity",
    is_mute: true,
    check: |made, record| {
        let rule = |code: &String| PREFIXES.iter().find_map(|prefix| code.strip_prefix(prefix)).map(str::to_owned);
        made.code = made.code.as_ref().and_then(rule).filter(|rule| !rule.is_empty()).or(made.code.take());
        said(&record.value, "severity") != Some("ignore")
    },
    ..Members::MESSAGE
};

/// A failure of Checkstyle itself, of which the first line tells.
const EXCEPTION: Members = Members {
    tool: "checkstyle",
    message: "#",
    is_mute: true,
    complete: |made, _| made.message.truncate(made.message.lines().next().map_or(0, str::len)),
    ..Members::MESSAGE
};

#[cfg(test)]
mod tests {
    use super::*;
    use crate::formats::finding_report::tests::{shown, told};
    use referee_model::record::Stream;

    fn read(document: &str) -> Option<Vec<String>> {
        told(DOCUMENTS[0].reader(Stream::Stdout, false), document).map(shown)
    }

    #[test]
    fn errors_are_findings_of_their_file() {
        let read = read(
            "<checkstyle version='4.3'><file name='src\\a.ts'><error line='1' column='10' severity='warning' message='&apos;x&apos; no' source='eslint.rules.semi'/>\
             <error line='0' severity='ignore' message='m'/><error line='3' message='m' source='a.b.C'/></file></checkstyle>",
        );
        assert_eq!(read.unwrap(), ["Warning src/a.ts 1:10:-:- semi: 'x' no", "Error src/a.ts 3:-:-:- a.b.C: m"]);
    }

    #[test]
    fn an_empty_report_is_a_clean_run() {
        assert_eq!(read("<checkstyle version='4.3'></checkstyle>"), Some(Vec::new()));
        assert_eq!(read("<checkstyles><error message='m'/></checkstyles>"), None);
    }
}
