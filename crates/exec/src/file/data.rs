//! Parses content as data, JSON or YAML, and checks its syntax.

use std::path::Path;

use referee_model::limit;
use referee_model::plan::DataSyntax;
use referee_model::record::SyntaxObservation;
use referee_syntax::position;
use serde::de::IgnoredAny;
use serde_json::Value;

use super::MustEnd;
use super::flaw::{Flaw, placed};
use super::yaml;

/// Largest YAML that is parsed, in bytes; parsing takes many times its size in memory.
const YAML_BYTES: u64 = 16 * 1024 * 1024;

/// The format that content is parsed as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    Json,
    Yaml,
    /// JSON if it is valid JSON, otherwise YAML.
    JsonOrYaml,
}

impl Format {
    /// Returns the stated format, or else the one that the file name extension indicates.
    pub(super) fn of(stated: Option<DataSyntax>, path: &Path) -> Self {
        match stated {
            Some(DataSyntax::Json) => return Self::Json,
            Some(DataSyntax::Yaml) => return Self::Yaml,
            None => {}
        }
        let extension = path.extension().map(|extension| extension.to_string_lossy().to_ascii_lowercase());
        match extension.as_deref() {
            Some("json") => Self::Json,
            Some("yaml" | "yml") => Self::Yaml,
            _ => Self::JsonOrYaml,
        }
    }
}

/// Checks whether content is well-formed. An `Err` is the reason why the check had to stop.
pub(super) fn syntax(content: &[u8], syntax: DataSyntax, must_end: MustEnd<'_>) -> Result<SyntaxObservation, String> {
    let flaw = match syntax {
        DataSyntax::Json => text(content)
            .and_then(|text| serde_json::from_str(text).map(|IgnoredAny| ()).map_err(|error| json_flaw(&error))),
        DataSyntax::Yaml => yaml_text(content).and_then(|text| yaml::read(text, must_end).map(|_| ())),
    };
    match flaw {
        Ok(()) => Ok(SyntaxObservation::WellFormed),
        Err(Flaw::Malformed(message)) => Ok(SyntaxObservation::Malformed { message }),
        Err(Flaw::TooLarge) => Ok(SyntaxObservation::TooLarge),
        Err(Flaw::Ended(reason)) => Err(reason),
    }
}

/// Returns the values in the content: one for JSON, one per document for YAML.
pub(super) fn values(content: &[u8], format: Format, must_end: MustEnd<'_>) -> Result<Vec<Value>, Flaw> {
    match format {
        Format::Json => json(content).map(|value| vec![value]),
        Format::Yaml => yaml_values(content, must_end),
        Format::JsonOrYaml => match json(content) {
            Ok(value) => Ok(vec![value]),
            Err(flaw) => yaml_values(content, must_end).map_err(|other| match other {
                Flaw::Malformed(_) => flaw,
                Flaw::TooLarge | Flaw::Ended(_) => other,
            }),
        },
    }
}

/// Parses JSON text.
pub(crate) fn json(content: &[u8]) -> Result<Value, Flaw> {
    if content.len() as u64 > limit::FILE_CONTENT_BYTES {
        return Err(Flaw::TooLarge);
    }
    serde_json::from_str(text(content)?).map_err(|error| json_flaw(&error))
}

fn yaml_values(content: &[u8], must_end: MustEnd<'_>) -> Result<Vec<Value>, Flaw> {
    let stream = yaml::read(yaml_text(content)?, must_end)?;
    match stream.beyond_json {
        Some(message) => Err(Flaw::Malformed(message)),
        None if stream.documents.is_empty() => Err(Flaw::Malformed("there is nothing in it".to_owned())),
        None => Ok(stream.documents),
    }
}

fn yaml_text(content: &[u8]) -> Result<&str, Flaw> {
    if content.len() as u64 > YAML_BYTES { Err(Flaw::TooLarge) } else { text(content) }
}

/// Returns the content as text, without a byte order mark.
fn text(content: &[u8]) -> Result<&str, Flaw> {
    let content = content.strip_prefix("\u{feff}".as_bytes()).unwrap_or(content);
    std::str::from_utf8(content).map_err(|error| {
        let before = String::from_utf8_lossy(&content[..error.valid_up_to()]);
        let (line, column) = position::of(&before, before.len());
        Flaw::Malformed(placed(line, column, "this is not UTF-8"))
    })
}

fn json_flaw(error: &serde_json::Error) -> Flaw {
    let (line, column) = (error.line(), error.column());
    let message = error.to_string();
    let place = format!(" at line {line} column {column}");
    Flaw::Malformed(placed(line, column, message.strip_suffix(&place).unwrap_or(&message)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(content: &[u8], syntax: DataSyntax) -> String {
        match super::syntax(content, syntax, &mut || None).unwrap() {
            SyntaxObservation::WellFormed => "well-formed".to_owned(),
            SyntaxObservation::Malformed { message } => message,
            SyntaxObservation::TooLarge => "too large".to_owned(),
        }
    }

    #[test]
    fn the_first_thing_wrong_is_told_with_its_place() {
        for (content, json, yaml) in [
            (&b"{\"a\": [1, 2]}"[..], "well-formed", "well-formed"),
            (b"\xef\xbb\xbf{}", "well-formed", "well-formed"),
            (b"a: 1\n---\nb: 2\n", "line 1, column 1: expected value", "well-formed"),
            (b"{\"a\": 1,}", "line 1, column 9: key must be a string", "well-formed"),
            (b"{} x", "line 1, column 4: trailing characters", "line 1, column 4: "),
            (b"", "line 1, column 0: EOF while parsing a value", "well-formed"),
            (b"ok: 1\nbad\xff: 2\n", "line 2, column 4: this is not UTF-8", "line 2, column 4: this is not UTF-8"),
            (b"\"\xc3(\"", "line 1, column 2: this is not UTF-8", "line 1, column 2: this is not UTF-8"),
            (b"a: 1\nb: [1\n", "line 1, column 1: expected value", "line 3, column 1: "),
            (b"a: 1\na: 2\n", "line 1, column 1: expected value", "line 2, column 1: the key `a` appears twice"),
        ] {
            let text = String::from_utf8_lossy(content);
            assert_eq!(shown(content, DataSyntax::Json), json, "{text}");
            let found = shown(content, DataSyntax::Yaml);
            assert!(found.starts_with(yaml) && (yaml != "well-formed" || found == yaml), "{text}: {found}");
        }
    }

    #[test]
    fn a_name_tells_the_format_unless_it_is_stated() {
        for (name, stated, format) in [
            ("a.json", None, Format::Json),
            ("a.YML", None, Format::Yaml),
            ("a.yaml", Some(DataSyntax::Json), Format::Json),
            ("a.json", Some(DataSyntax::Yaml), Format::Yaml),
            (".config", None, Format::JsonOrYaml),
        ] {
            assert_eq!(Format::of(stated, Path::new(name)), format, "{name}");
        }
    }

    #[test]
    fn json_goes_before_yaml_and_its_flaw_is_the_one_that_is_told() {
        let read = |content: &str| values(content.as_bytes(), Format::JsonOrYaml, &mut || None);
        assert_eq!(read("{\"a\": 1}"), Ok(vec![serde_json::json!({"a": 1})]));
        assert_eq!(read("a: 1\n---\n- 2\n"), Ok(vec![serde_json::json!({"a": 1}), serde_json::json!([2])]));
        assert_eq!(read("{\"a\": [1"), Err(Flaw::Malformed("line 1, column 8: EOF while parsing a list".to_owned())));
    }

    #[test]
    fn what_is_too_large_is_not_parsed() {
        let large = vec![b' '; usize::try_from(YAML_BYTES).unwrap() + 1];
        assert_eq!(shown(&large, DataSyntax::Yaml), "too large");
        assert_eq!(values(&large, Format::Yaml, &mut || None), Err(Flaw::TooLarge));
    }
}
