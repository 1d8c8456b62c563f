//! The JSON formats: a list of files with their messages, and `json-with-metadata`, with that list under
//! `results`.

use referee_model::reading::{EditPlace, FixEdit};

use crate::candidate::edits;
use crate::prelude::*;
use crate::shapes::json_tests::number;

pub(crate) const FORMAT: DocumentFormat = DocumentFormat::json(
    &["[{\"filePath\":", "{\"results\":[{\"filePath\":"],
    &["\"filePath\":", "\"results\":"],
    &JSON,
)
.or_empty("[]");

static JSON: JsonFindings = JsonFindings {
    paths: &[&[ANY, "messages", ANY], &["results", ANY, "messages", ANY]],
    is_own: |members| members.contains_key("filePath") && members.contains_key("errorCount"),
    sum: |members| {
        let [errors, warnings] = ["errorCount", "warningCount"].map(|key| number(members.get(key)));
        members.get("filePath").map(|_| Sum { errors, warnings, ..Sum::default() })
    },
    // A file without its count of errors is half a report, and never a clean one.
    is_half: |members| members.contains_key("filePath") && !members.get("errorCount").is_some_and(Value::is_u64),
    is_strict: true,
    ..JsonFindings::of(&MEMBERS)
};

const MEMBERS: Members = Members {
    tool: "eslint",
    file: "^filePath",
    line: "line",
    column: "column",
    end_line: "endLine",
    end_column: "endColumn",
    code: "ruleId",
    suggestion: "suggestions/0/desc",
    fix: "fix",
    level: "severity",
    levels: &[("1", Level::Warning), ("2", Level::Error)],
    needs: &["severity"],
    check: |made, record| {
        made.suggestion = made.suggestion.as_deref().map(name);
        made.edits = edits(record.value.get("fix").and_then(edit).map(|edit| vec![edit]));
        // Any other number is not ESLint's.
        matches!(record.value["severity"].as_u64(), Some(1 | 2))
    },
    ..Members::MESSAGE
};

/// Reads `{"range": [10, 15], "text": "const"}`: offsets in UTF-16 code units. A value of another shape still
/// means that there is a fix.
fn edit(fix: &Value) -> Option<FixEdit> {
    let at = |index: usize| fix.get("range")?.get(index)?.as_u64();
    let place = EditPlace::Range { start: at(0)?, end: at(1)? };
    Some(FixEdit { file: None, place, text: said(fix, "text")?.to_owned() })
}

#[cfg(test)]
mod tests {
    use std::io::BufReader;

    use super::*;

    #[test]
    fn a_file_without_its_count_is_never_clean_even_where_the_command_is_known() {
        for (document, is_told) in [
            ("[]", true),
            (r#"[{"filePath":"a.js","messages":[],"errorCount":0,"warningCount":0}]"#, true),
            (r#"[{"filePath":"a.js"}]"#, false),
            (r#"[{"filePath":"a.js","messages":[],"errorCount":"0"}]"#, false),
            (r#"[{"filePath":"a.js","messages":[],"errorCount":0},{"filePath":"b.js"}]"#, false),
            (r#"[{"filePath":"a.js","messages":[],"errorCount":0"#, false),
        ] {
            let mut reader = FORMAT.reader(Stream::Stdout, true);
            reader.document(&mut BufReader::new(document.as_bytes()), 0).unwrap();
            assert_eq!(reader.finish(true).is_some(), is_told, "{document}");
        }
    }
}
