//! Manifests, read as far as is needed. Whatever they hold, there is an answer; what is broken holds nothing.

use std::collections::BTreeMap;

use referee_syntax::tree::Node;
use serde_json::Value;

use crate::complaint::Findings;
use crate::read;

/// Reads JSON as npm does: strictly.
pub(super) fn json(text: &str) -> Option<Value> {
    serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()
}

/// Reads JSON with comments, or YAML; also where the end of a list or map stands no deeper than its key, which YAML 1.2 does
/// not allow and GitHub reads.
pub(super) fn tree(text: &str) -> Option<Node> {
    strict_tree(text).or_else(|| strict_tree(&with_deeper_ends(text)))
}

/// The text with lines indented that hold nothing but the end of a list or map.
fn with_deeper_ends(text: &str) -> String {
    let is_end = |line: &str| matches!(line.trim().trim_end_matches(','), "]" | "}");
    let deeper = |line: &str| if is_end(line) { format!("{DEEPER}{line}\n") } else { format!("{line}\n") };
    text.lines().map(deeper).collect()
}

/// Deeper than any key.
const DEEPER: &str = "                                        ";

fn strict_tree(text: &str) -> Option<Node> {
    let mut findings = Findings::default();
    let source = read::source("", text.as_bytes(), &mut findings);
    read::tree(&source, &mut findings)
}

/// The tables of a TOML or INI file: names of tables to keys to values as they are written.
///
/// This is no reader of TOML: it knows headers, keys and values over several lines, which is what it takes to see what is
/// configured.
#[derive(Debug, Default)]
pub(super) struct Tables(BTreeMap<String, BTreeMap<String, String>>);

impl Tables {
    /// Takes a text apart.
    pub(super) fn read(text: &str) -> Self {
        let mut tables: BTreeMap<String, BTreeMap<String, String>> = BTreeMap::new();
        let mut table = String::new();
        let mut key: Option<String> = None;
        for line in text.lines() {
            let trimmed = line.trim();
            let indented = line.starts_with([' ', '\t']);
            if trimmed.is_empty() || trimmed.starts_with(['#', ';']) {
                continue;
            }
            let open = key.as_ref().and_then(|key| tables.get(&table)?.get(key)).is_some_and(|value| is_open(value));
            if !open
                && !indented
                && let Some(header) = header(trimmed)
            {
                table = header;
                tables.entry(table.clone()).or_default();
                key = None;
            } else if !open
                && let Some((name, value)) = assignment(trimmed)
                && !(indented && key.is_some())
            {
                tables.entry(table.clone()).or_default().insert(name.clone(), value);
                key = Some(name);
            } else if let Some(value) = key.as_ref().and_then(|key| tables.get_mut(&table)?.get_mut(key)) {
                value.push('\n');
                value.push_str(trimmed);
            }
        }
        Self(tables)
    }

    /// Whether there is a table of this name, or one within it.
    pub(super) fn has(&self, name: &str) -> bool {
        self.0.keys().any(|table| table == name || table.strip_prefix(name).is_some_and(|rest| rest.starts_with('.')))
    }

    /// The names of all tables.
    pub(super) fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// The keys of a table.
    pub(super) fn keys(&self, table: &str) -> impl Iterator<Item = &str> {
        self.0.get(table).into_iter().flatten().map(|(key, _)| key.as_str())
    }

    /// Returns a value as it is written, without quotes.
    pub(super) fn value(&self, table: &str, key: &str) -> Option<&str> {
        let value = self.0.get(table)?.get(key)?.trim();
        let unquoted = ['"', '\''].into_iter().find_map(|quote| value.strip_prefix(quote)?.strip_suffix(quote));
        Some(unquoted.unwrap_or(value))
    }
}

/// Whether a list has begun in a value and not ended.
fn is_open(value: &str) -> bool {
    let count = |one: char| value.matches(one).count();
    value.starts_with('[') && count('[') > count(']')
}

fn header(line: &str) -> Option<String> {
    let inner = line.strip_prefix('[')?.trim_start_matches('[');
    let end = inner.find(']')?;
    Some(inner[..end].trim().trim_matches('"').to_owned())
}

fn assignment(line: &str) -> Option<(String, String)> {
    let (name, value) = line.split_once('=').or_else(|| line.split_once(": "))?;
    let name = name.trim().trim_matches(['"', '\'']);
    let plain = |character: char| character.is_ascii_alphanumeric() || "_-. \"".contains(character);
    (!name.is_empty() && name.chars().all(plain)).then(|| (name.to_owned(), value.trim().to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_end_of_a_list_may_stand_as_deep_as_its_key() {
        let workflow = "on: push\njobs:\n  a:\n    strategy:\n      matrix:\n        python: [\n          \"3.8\",\n        ]\n    steps: []\n";
        assert!(strict_tree(workflow).is_none(), "it is no YAML 1.2");
        assert!(tree(workflow).is_some_and(|tree| tree.get("jobs").is_some()));
        assert!(tree("a: [\n").is_none() && tree("a: ]\n").is_none());
    }

    #[test]
    fn tables_keys_and_long_values_are_found() {
        let tables = Tables::read(
            "top = 1\n[tool.ruff]\nline-length = 100\n[project]\nname = \"a\"\ndependencies = [\n  \"b\", # why\n  \"c>=1\",\n]\nversion='2'\n[tool:pytest]\ntestpaths =\n    tests\n    more\n[[bin]]\nname = 'x'\n",
        );
        assert!(tables.has("tool.ruff") && tables.has("tool") && tables.has("bin") && !tables.has("too"));
        assert_eq!(tables.value("project", "version"), Some("2"));
        assert!(tables.value("project", "dependencies").unwrap().contains("c>=1"));
        assert_eq!(tables.value("tool:pytest", "testpaths"), Some("tests\nmore"));
        assert_eq!(tables.value("", "top"), Some("1"));
    }

    #[test]
    fn junk_holds_nothing() {
        assert!(!Tables::read("][\n=\n[\n\u{0}").has("a"));
        assert_eq!(json("{"), None);
        assert_eq!(tree("{a: [").map(drop), None);
    }
}
