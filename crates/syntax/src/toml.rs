//! TOML 1.1.

use toml::Spanned;
use toml::de::{DeTable, DeValue, Error};

use crate::tree::{Entry, Kind, Node};

/// Reads a text as a mapping; dates and times are texts.
///
/// # Errors
/// Fails with what is wrong first where it is not TOML.
pub fn read(text: &str) -> Result<Node, String> {
    let (root, errors) = parse(text);
    errors.first().map_or(Ok(root), |error| Err(error.message().to_owned()))
}

/// As [`read`], with as much of a text that is not TOML as can be told.
pub fn read_any(text: &str) -> Node {
    parse(text).0
}

fn parse(text: &str) -> (Node, Vec<Error>) {
    let (root, errors) = DeTable::parse_recoverable(text);
    (Node { span: root.span().into(), kind: Kind::Map(entries(root.get_ref())) }, errors)
}

fn entries(table: &DeTable<'_>) -> Vec<Entry> {
    let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| Entry {
        key: AsRef::<str>::as_ref(key.get_ref()).to_owned(),
        key_span: key.span().into(),
        value: node(value),
    };
    let mut entries: Vec<Entry> = table.iter().map(entry).collect();
    entries.sort_by_key(|entry| entry.key_span.start);
    entries
}

fn node(value: &Spanned<DeValue<'_>>) -> Node {
    let kind = match value.get_ref() {
        DeValue::String(text) => Kind::Text(text.clone().into_owned()),
        DeValue::Integer(number) => {
            let literal = number.to_string();
            match i64::from_str_radix(number.as_str(), number.radix()) {
                Ok(value) => Kind::Integer { value, literal },
                Err(_) => Kind::Float { value: literal.parse().unwrap_or(f64::NAN), literal },
            }
        }
        DeValue::Float(number) => {
            Kind::Float { value: number.as_str().parse().unwrap_or(f64::NAN), literal: number.to_string() }
        }
        DeValue::Boolean(value) => Kind::Bool(*value),
        DeValue::Datetime(moment) => Kind::Text(moment.to_string()),
        DeValue::Array(elements) => Kind::List(elements.iter().map(node).collect()),
        DeValue::Table(table) => Kind::Map(entries(table)),
    };
    Node { kind, span: value.span().into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn scalar(text: &str, keys: &str) -> Option<String> {
        read_any(text).at(keys).and_then(Node::scalar).map(str::to_owned)
    }

    #[test]
    fn values_are_found_however_their_tables_are_written() {
        for text in
            ["[a.b]\nc = 1\n", "a.b.c = 1\n", "a = { b = { c = 1 } }\n", "[a]\nb.c = 1 # one\n", "[\"a\".'b']\n'c'=1"]
        {
            assert_eq!(scalar(text, "a.b.c").as_deref(), Some("1"), "{text}");
        }
        assert_eq!(scalar("a = 2026-11-26", "a").as_deref(), Some("2026-11-26"));
        assert_eq!(scalar("a = '''\nx\ny'''", "a").as_deref(), Some("x\ny"));
        assert_eq!(scalar("a = 99999999999999999999", "a").as_deref(), Some("99999999999999999999"));
    }

    #[test]
    fn values_stand_in_the_order_and_at_the_places_of_the_text() {
        let text = "[z]\nb = 'é'\na = [1,\n  2]\n";
        let root = read_any(text);
        let at = |keys| root.at(keys).map(|node| &text[node.span.start..node.span.end]);
        assert_eq!((at("z.b"), at("z.a")), (Some("'é'"), Some("[1,\n  2]")));
        let keys: Vec<&str> =
            root.at("z").map(Node::entries).unwrap_or_default().iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["b", "a"]);
    }

    #[test]
    fn junk_is_told_and_what_stands_beside_it_is_read() {
        for text in ["a = 1\nb = \n[c", "a = 1\na = 2\n", "a = 1\n]["] {
            assert!(read(text).is_err(), "{text}");
            assert_eq!(read_any(text).get("a").and_then(Node::integer), Some(1), "{text}");
        }
        for deep in ["[".repeat(100_000), format!("a = {}", "[".repeat(100_000)), "a.".repeat(100_000)] {
            assert!(read(&deep).is_err());
        }
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(\\[|\\]|\\{|\\}|=|\"|'|#|,|\\n|[a-z0-9.é ]){0,80}") {
            read_any(&text);
        }
    }
}
