//! TOML 1.1.

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::tree::{Entry, Kind, Node};

/// Maximum nesting depth.
const DEPTH: usize = 128;

/// Parses a text as a mapping. A date or time becomes a mapping of `datetime` to its text, to distinguish it from
/// a text.
///
/// # Errors
/// Fails with the first error if the text is not TOML, is nested too deeply, or contains an integer of more than
/// 64 bits.
pub fn read(text: &str) -> Result<Node, String> {
    let (root, fault) = parse(text);
    fault.map_or(Ok(root), Err)
}

/// Like [`read`], but recovers as much as possible from an invalid text.
pub fn read_any(text: &str) -> Node {
    parse(text).0
}

fn parse(text: &str) -> (Node, Option<String>) {
    let (root, errors) = DeTable::parse_recoverable(text);
    let mut reader = Reader { fault: errors.first().map(|error| error.message().to_owned()) };
    let kind = Kind::Map(reader.entries(root.get_ref(), 0));
    (Node { span: root.span().into(), kind }, reader.fault)
}

struct Reader {
    fault: Option<String>,
}

impl Reader {
    fn entries(&mut self, table: &DeTable<'_>, depth: usize) -> Vec<Entry> {
        let entry = |(key, value): (&Spanned<_>, &Spanned<DeValue<'_>>)| Entry {
            key: AsRef::<str>::as_ref(key.get_ref()).to_owned(),
            key_span: key.span().into(),
            value: self.node(value, depth + 1),
        };
        let mut entries: Vec<Entry> = table.iter().map(entry).collect();
        entries.sort_by_key(|entry| entry.key_span.start);
        entries
    }

    fn node(&mut self, value: &Spanned<DeValue<'_>>, depth: usize) -> Node {
        let span = value.span().into();
        if depth > DEPTH {
            self.fault.get_or_insert_with(|| format!("it is nested more than {DEPTH} deep"));
            return Node { kind: Kind::Null, span };
        }
        let kind = match value.get_ref() {
            DeValue::String(text) => Kind::Text(text.clone().into_owned()),
            DeValue::Integer(number) => {
                let literal = number.to_string();
                if let Ok(value) = i64::from_str_radix(number.as_str(), number.radix()) {
                    Kind::Integer { value, literal }
                } else {
                    self.fault.get_or_insert_with(|| format!("the integer {literal} has more than 64 bits"));
                    Kind::Float { value: literal.parse().unwrap_or(f64::NAN), literal }
                }
            }
            DeValue::Float(number) => {
                Kind::Float { value: number.as_str().parse().unwrap_or(f64::NAN), literal: number.to_string() }
            }
            DeValue::Boolean(value) => Kind::Bool(*value),
            DeValue::Datetime(moment) => {
                let value = Node { kind: Kind::Text(moment.to_string()), span };
                Kind::Map(vec![Entry { key: "datetime".to_owned(), key_span: span, value }])
            }
            DeValue::Array(elements) => {
                Kind::List(elements.iter().map(|element| self.node(element, depth + 1)).collect())
            }
            DeValue::Table(table) => Kind::Map(self.entries(table, depth)),
        };
        Node { kind, span }
    }
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
        assert_eq!(scalar("a = 2026-11-26", "a.datetime").as_deref(), Some("2026-11-26"));
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
        // Nested tables, each below a dotted key with many parts.
        let key = "a.".repeat(78) + "a = ";
        let deep = format!("x = {}1{}\ny = 2\n", format!("{{ {key}").repeat(79), " }".repeat(79));
        assert!(read(&deep).is_err_and(|why| why.contains("deep")));
        assert_eq!(read_any(&deep).get("y").and_then(Node::integer), Some(2));
    }

    #[test]
    fn an_integer_that_does_not_fit_is_no_other_number() {
        for text in ["a = 99999999999999999999", "a = 0xFFFFFFFFFFFFFFFFFF", "a = [{ b = -9223372036854775809 }]"] {
            assert!(read(text).is_err_and(|why| why.contains("64 bits")), "{text}");
        }
        assert_ne!(read("a = 2026-11-26").unwrap().kind, read("a = '2026-11-26'").unwrap().kind);
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(\\[|\\]|\\{|\\}|=|\"|'|#|,|\\n|[a-z0-9.é ]){0,80}") {
            read_any(&text);
        }
    }
}
