//! Parses YAML 1.2 into JSON values, with merge keys resolved and a limit on everything that can grow.

use referee_syntax::fault::{FaultKind, Limits};
use referee_syntax::span::Span;
use referee_syntax::yaml::{self, Dialect};
use referee_syntax::{json, position};
use serde_json::Value;

use super::MustEnd;
use super::flaw::{Flaw, placed};

/// Limits of a text. Everything that aliases repeat and anchors keep is counted.
const LIMITS: Limits =
    Limits { depth: 128, values: 2_000_000, repeated_values: 2_000_000, repeated_bytes: 64 * 1024 * 1024 };

/// Longest key that a message repeats, in characters.
const KEY_CHARACTERS: usize = 60;

#[derive(Debug)]
pub(super) struct Stream {
    pub(super) documents: Vec<Value>,
    /// The first well-formed construct that JSON cannot represent, with its position. None: there is none.
    pub(super) beyond_json: Option<String>,
}

/// Parses a text with any number of documents.
pub(super) fn read(text: &str, must_end: MustEnd<'_>) -> Result<Stream, Flaw> {
    let (mut reason, mut faults, mut numbers) = (None, Vec::new(), Vec::new());
    let mut ends = || {
        reason = must_end();
        reason.is_some()
    };
    let documents = yaml::read(text, Dialect::Lenient, &LIMITS, &mut ends, &mut faults);
    if let Some(reason) = reason {
        return Err(Flaw::Ended(reason));
    }
    let told = |span: Span, message: &str| {
        let (line, column) = position::of(text, span.start);
        placed(line, column, &message.chars().filter(|character| !character.is_control()).collect::<String>())
    };
    if let Some((span, message)) = faults.iter().find_map(|fault| Some((fault.span, message(&fault.kind)?))) {
        return Err(Flaw::Malformed(told(span, &message)));
    }
    let documents = documents.unwrap_or_default();
    let documents = documents.iter().map(|document| json::value(document, &mut numbers)).collect();
    let key = faults.iter().find(|fault| fault.kind == FaultKind::KeyNotText);
    let key = key.map(|fault| (fault.span, "a key that is a list or a mapping"));
    let number = numbers.first().map(|span| (*span, "a number that is infinite or none"));
    let first = key.into_iter().chain(number).min_by_key(|(span, _)| span.start);
    let beyond_json = first.map(|(span, what)| told(span, &format!("{what} has no counterpart in JSON")));
    Ok(Stream { documents, beyond_json })
}

/// Returns the message for a fault. None: the text is well-formed all the same.
fn message(kind: &FaultKind) -> Option<String> {
    Some(match kind {
        FaultKind::Syntax(what) => what.clone(),
        FaultKind::TooDeep => format!("the nesting is deeper than {}", LIMITS.depth),
        FaultKind::TooManyValues | FaultKind::RepeatedValues => {
            format!("there are more than {} values, aliases included", LIMITS.values)
        }
        FaultKind::RepeatedBytes => {
            format!("anchors and aliases repeat more than {} MiB of text", LIMITS.repeated_bytes / (1024 * 1024))
        }
        FaultKind::AliasCycle => "this alias stands inside the value that it repeats".to_owned(),
        FaultKind::DuplicateKey { key, .. } => {
            format!("the key `{}` appears twice", key.chars().take(KEY_CHARACTERS).collect::<String>())
        }
        FaultKind::KeyNotText | FaultKind::MergeKey | FaultKind::SeveralDocuments | FaultKind::UnknownTag(_) => {
            return None;
        }
    })
}

#[cfg(test)]
mod tests {
    use std::fmt::Write as _;

    use serde_json::json;

    use super::*;

    fn values(text: &str) -> Vec<Value> {
        let stream = read(text, &mut || None).unwrap();
        assert_eq!(stream.beyond_json, None, "{text}");
        stream.documents
    }

    fn flaw(text: &str) -> String {
        match read(text, &mut || None).unwrap_err() {
            Flaw::Malformed(message) => message,
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn scalars_mean_what_yaml_1_2_says() {
        for (text, value) in [
            ("yes", json!("yes")),
            ("010", json!(10)),
            ("0o10", json!(8)),
            ("0x1F", json!(31)),
            ("0x", json!("0x")),
            ("-7", json!(-7)),
            ("1_000", json!("1_000")),
            (".5", json!(0.5)),
            ("1e3", json!(1000.0)),
            ("18446744073709551615", json!(18_446_744_073_709_551_615_u64)),
            ("1e", json!("1e")),
            (".", json!(".")),
            ("~", json!(null)),
            ("TRUE", json!(true)),
            ("'1'", json!("1")),
            ("!!str 1", json!("1")),
            ("!!int 1", json!(1)),
            ("!Ref name", json!("name")),
        ] {
            assert_eq!(values(text), [value], "{text}");
        }
    }

    #[test]
    fn merge_keys_and_aliases_bring_in_what_is_not_said() {
        let text = "base: &base {a: 1, b: 2}\nuse:\n  <<: [*base, {b: 3, c: 4}]\n  a: 0\ntext: {'<<': 1}\n";
        assert_eq!(
            values(text),
            [json!({"base": {"a": 1, "b": 2}, "use": {"a": 0, "b": 2, "c": 4}, "text": {"<<": 1}})]
        );
    }

    #[test]
    fn keys_are_texts_and_what_json_cannot_say_is_told() {
        assert_eq!(values("1: a\ntrue: b\nnull: c\n"), [json!({"1": "a", "true": "b", "null": "c"})]);
        for (text, start) in [("a: .nan", "line 1, column 4: a number"), ("b: 1\n[1]: 2\n", "line 2, column 1: a key")]
        {
            let told = read(text, &mut || None).unwrap().beyond_json.unwrap();
            assert!(told.starts_with(start), "{told}");
        }
    }

    #[test]
    fn bombs_are_refused() {
        let mut laughs = String::new();
        for level in 1..30 {
            let less = format!("*l{}", level - 1);
            let _ = writeln!(laughs, "l{level}: &l{level} [{less}, {less}, {less}, {less}, {less}]");
        }
        assert!(flaw(&format!("l0: &l0 [ha, ha]\n{laughs}")).contains("values, aliases included"));
        assert!(flaw(&"[".repeat(100_000)).starts_with("line 1, column "));
        assert!(flaw(&format!("{}x", "- ".repeat(2_000))).starts_with("line 1, column "));
        assert!(flaw("a: &a [*a]").contains("inside the value that it repeats"));
    }

    #[test]
    fn reading_ends_where_it_must() {
        let ended = read("a: 1", &mut || Some("the deadline passed".to_owned())).unwrap_err();
        assert_eq!(ended, Flaw::Ended("the deadline passed".to_owned()));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics_and_json_is_read_as_json_reads_it(text in "[\\[\\]{}:,\"'a-c0-9 \n&*<!|>-]{0,60}") {
            let stream = read(&text, &mut || None);
            if let (Ok(value), Ok(stream)) = (serde_json::from_str::<Value>(&text), stream) {
                proptest::prop_assert_eq!(stream.documents, vec![value]);
            }
        }
    }
}
