//! INI files with sections, keys and values, as parsed by Python's configparser (`setup.cfg`, `tox.ini`).

use std::collections::BTreeMap;

use crate::span::Span;
use crate::tree::{Entry, Kind, Node};

/// Parses a text as a mapping of sections, each a mapping of texts. The lines of a value are stripped of
/// indentation and comments. Keys before the first section belong to a section without a name; of a duplicate key
/// the last value is used.
pub fn read(text: &str) -> Node {
    let mut reader = Reader::default();
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        reader.line(line.trim_end(), start);
        start += line.len();
    }
    let sections = reader.sections.into_iter().map(|Section { name, span, entries, .. }| {
        let value = Node { kind: Kind::Map(entries), span };
        Entry { key: name, key_span: span, value }
    });
    Node { kind: Kind::Map(sections.collect()), span: Span { start: 0, end: text.len() } }
}

struct Section {
    name: String,
    span: Span,
    entries: Vec<Entry>,
    /// Index of the entry by key.
    keys: BTreeMap<String, usize>,
}

#[derive(Default)]
struct Reader {
    sections: Vec<Section>,
    /// Index of the section by name.
    names: BTreeMap<String, usize>,
    /// Index of the current section.
    section: usize,
    /// Index of the entry that may be continued, and the indentation of its key: lines indented further continue it.
    open: Option<(usize, usize)>,
}

impl Reader {
    fn line(&mut self, line: &str, start: usize) {
        let trimmed = line.trim_start();
        let span = Span { start: start + line.len() - trimmed.len(), end: start + line.len() };
        if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
            return;
        }
        let indent = line.len() - trimmed.len();
        if let Some((open, _)) = self.open.filter(|(_, of_key)| indent > *of_key) {
            self.continue_value(open, trimmed, span.end);
        } else if let Some((name, _)) = trimmed.strip_prefix('[').and_then(|rest| rest.split_once(']')) {
            self.open(name.trim(), span);
        } else if let Some(at) = trimmed.find(['=', ':']).filter(|at| *at > 0) {
            self.assign(trimmed, at, indent, span);
        }
    }

    fn open(&mut self, name: &str, span: Span) {
        self.open = None;
        self.section = *self.names.entry(name.to_owned()).or_insert(self.sections.len());
        if self.section == self.sections.len() {
            let (entries, keys) = (Vec::new(), BTreeMap::new());
            self.sections.push(Section { name: name.to_owned(), span, entries, keys });
        }
    }

    fn assign(&mut self, line: &str, at: usize, indent: usize, span: Span) {
        if self.sections.is_empty() {
            self.open("", span);
        }
        let Some(section) = self.sections.get_mut(self.section) else { return };
        let (key, text) = (line[..at].trim_end().to_owned(), line[at + 1..].trim_start());
        let value = Node { kind: Kind::Text(text.to_owned()), span: Span { start: span.end - text.len(), ..span } };
        let key_span = Span { end: span.start + key.len(), ..span };
        let place = *section.keys.entry(key.clone()).or_insert(section.entries.len());
        let entry = Entry { key, key_span, value };
        match section.entries.get_mut(place) {
            Some(known) => *known = entry,
            None => section.entries.push(entry),
        }
        self.open = Some((place, indent));
    }

    fn continue_value(&mut self, open: usize, line: &str, end: usize) {
        let value = self.sections.get_mut(self.section).and_then(|section| section.entries.get_mut(open));
        if let Some(Node { kind: Kind::Text(text), span }) = value.map(|entry| &mut entry.value) {
            text.push_str(if text.is_empty() { "" } else { "\n" });
            text.push_str(line);
            span.end = end;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXT: &str = "top = 1\n[tool:pytest]\ntestpaths =\n    tests\n    # why\n\n    more\n; [no]\n[a.b]\nc: d = e\n[tool:pytest]\nx=1\nx=2\n";

    #[test]
    fn sections_keys_and_values_of_several_lines_are_found() {
        let root = read(TEXT);
        let value = |section: &str, key: &str| root.get(section)?.get(key)?.text();
        assert_eq!(value("", "top"), Some("1"));
        assert_eq!(value("tool:pytest", "testpaths"), Some("tests\nmore"));
        assert_eq!(value("tool:pytest", "x"), Some("2"));
        assert_eq!(value("a.b", "c"), Some("d = e"));
        assert_eq!(root.entries().len(), 3);
    }

    #[test]
    fn keys_with_an_indent_are_keys() {
        let root = read("[flake8]\n  max-line-length = 100\n  ignore = E501,\n    W503\n");
        let value = |key: &str| root.get("flake8")?.get(key)?.text();
        assert_eq!((value("max-line-length"), value("ignore")), (Some("100"), Some("E501,\nW503")));
    }

    #[test]
    fn values_stand_where_their_text_is() {
        let root = read(TEXT);
        let entry = root.get("tool:pytest").and_then(|section| section.entry("testpaths"));
        let shown = entry.map(|entry| {
            let text = |span: Span| &TEXT[span.start..span.end];
            (text(entry.key_span), text(entry.value.span))
        });
        assert_eq!(shown, Some(("testpaths", "\n    tests\n    # why\n\n    more")));
    }

    proptest::proptest! {
        #[test]
        fn no_text_panics(text in "(\\[|\\]|=|:|#|;|\\n|\\r|\\t|[a-zé ]){0,80}") {
            read(&text);
        }
    }
}
