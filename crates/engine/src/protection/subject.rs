//! What a test used of the workspace, and whether all of it is gone: a feature that was removed together with its
//! tests.
//!
//! | language               | subject of a test                                                            |
//! |------------------------|------------------------------------------------------------------------------|
//! | JavaScript, TypeScript | names that it uses and that are imported from files of the workspace         |
//! | Python                 | the same, for modules of the workspace                                       |
//! | Go, Rust               | functions that it calls by bare names, which only its package can have       |
//!
//! A name is gone if its module is gone or no longer contains the word, and no other source defines or imports it.

use std::collections::{BTreeMap, BTreeSet};

use referee_ledger::workspace::{Listed, Looked};
use referee_model::id::WorkspacePath;
use referee_syntax::program::{Declaration, Language, Line, Source, calls, lines_of, words};

use super::Look;

/// Maximum number of sources that are inspected.
const SOURCES: usize = 5_000;

/// Keywords that define or import the word after them.
const DEFINING: [&str; 13] =
    ["function", "class", "def", "fn", "func", "struct", "enum", "trait", "interface", "type", "mod", "object", "fun"];

/// Keywords at the start of lines whose names are imported or exported.
const IMPORTING: [&str; 6] = ["import", "from", "use", "export", "pub", "require"];

/// Functions that the languages themselves provide under bare names.
const BUILT_IN: [&str; 36] = [
    "append", "cap", "clear", "close", "complex", "copy", "delete", "len", "make", "max", "min", "new", "panic",
    "print", "println", "recover", "string", "byte", "rune", "int", "int32", "int64", "uint", "uint8", "uint64",
    "float64", "bool", "error", "func", "if", "Some", "Ok", "Err", "Box", "drop", "fn",
];

/// The sources of a workspace, before and now; read on first use.
pub(super) struct Subjects<'a> {
    /// Returns the files that existed before.
    then: &'a dyn Fn() -> BTreeSet<String>,
    listed: &'a [Listed],
    look: Look<'a>,
    read: Option<Read>,
}

struct Read {
    then: BTreeSet<String>,
    now: BTreeMap<String, Vec<Line>>,
}

/// A name that is imported from the workspace.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Imported {
    alias: String,
    /// Name in the module. `None` for the module itself, whose parts may be accessed with a dot.
    name: Option<String>,
    /// The module, in the notation of [`is_module`].
    module: String,
}

impl<'a> Subjects<'a> {
    pub(super) fn new(then: &'a dyn Fn() -> BTreeSet<String>, listed: &'a [Listed], look: Look<'a>) -> Self {
        Self { then, listed, look, read: None }
    }

    /// Whether a test used something of the workspace, and all of that is gone.
    pub(super) fn are_gone(&mut self, path: &str, source: &Source, test: &Declaration) -> bool {
        let read = self.read();
        let lines = &source.lines[test.lines.clone()];
        match path.rsplit_once('.').map_or("", |(_, ending)| ending) {
            "go" | "rs" => read.bare_names_are_gone(source, lines, &test.title),
            "py" => read.imports_are_gone(&python(path, &source.lines), lines),
            "js" | "jsx" | "mjs" | "cjs" | "ts" | "tsx" | "mts" | "cts" => {
                read.imports_are_gone(&script(path, &source.lines), lines)
            }
            _ => false,
        }
    }

    fn read(&mut self) -> &Read {
        let Self { then, listed, look, read } = self;
        read.get_or_insert_with(|| {
            let lines = |listed: &Listed| match look(&listed.path) {
                Looked::File(held) => {
                    let text = String::from_utf8(held.content?).ok()?;
                    Some((listed.path.clone(), lines_of(&listed.path, &text)?))
                }
                _ => None,
            };
            let sources = listed.iter().filter(|file| !file.ignored && Language::of(&file.path).is_some());
            let now: BTreeMap<String, Vec<Line>> = sources.take(SOURCES + 1).filter_map(lines).collect();
            // Nothing is known to be gone from sources that were not inspected.
            let then = if now.len() > SOURCES { BTreeSet::new() } else { then() };
            Read { then, now }
        })
    }
}

impl Read {
    fn imports_are_gone(&self, imports: &[Imported], test: &[Line]) -> bool {
        let used: BTreeSet<&str> = test.iter().flat_map(|line| words(&line.code)).collect();
        let asked: Vec<&Imported> = imports
            .iter()
            .filter(|import| used.contains(import.alias.as_str()))
            .filter(|import| self.then.iter().any(|path| is_module(path, &import.module)))
            .collect();
        !asked.is_empty() && asked.iter().all(|import| self.is_import_gone(import, test))
    }

    fn is_import_gone(&self, import: &Imported, test: &[Line]) -> bool {
        let module: Vec<&Vec<Line>> =
            self.now.iter().filter(|(path, _)| is_module(path, &import.module)).map(|(_, lines)| lines).collect();
        let is_gone = |name: &str| {
            let stands = |lines: &&Vec<Line>| lines.iter().flat_map(|line| words(&line.code)).any(|word| word == name);
            !module.iter().any(stands) && !self.is_defined(name)
        };
        let Some(name) = &import.name else {
            let parts: BTreeSet<&str> = test.iter().flat_map(|line| parts_of(&line.code, &import.alias)).collect();
            return if parts.is_empty() { module.is_empty() } else { parts.into_iter().all(is_gone) };
        };
        is_gone(name)
    }

    fn bare_names_are_gone(&self, source: &Source, test: &[Line], title: &str) -> bool {
        if self.then.is_empty() {
            return false;
        }
        let own: BTreeSet<&str> = source.lines.iter().flat_map(|line| bound(&line.code)).collect();
        let called = |line| calls(line).filter(|(_, is_part)| !is_part).map(|(name, _)| name);
        let asked: BTreeSet<&str> = test.iter().flat_map(|line| called(line.code.as_str())).collect();
        let asked: Vec<&str> = asked
            .into_iter()
            .filter(|name| *name != title && !own.contains(name) && !BUILT_IN.contains(name))
            .collect();
        // The name before `::` counts as used, too.
        let has_other = test.iter().flat_map(|line| heads(&line.code)).any(|head| self.is_defined(head));
        !asked.is_empty() && !has_other && asked.iter().all(|name| !self.is_defined(name))
    }

    fn is_defined(&self, name: &str) -> bool {
        self.now.values().flatten().any(|line| defines(&line.code, name))
    }
}

/// Whether a line defines, imports or exports a name.
fn defines(code: &str, name: &str) -> bool {
    let Some(at) = words(code).position(|word| word == name) else { return false };
    let first = words(code).next().unwrap_or_default();
    let before = at.checked_sub(1).and_then(|before| words(code).nth(before));
    let is_outermost = !code.starts_with(char::is_whitespace) && matches!(first, "const" | "let" | "var" | "static");
    let is_method_of_go = first == "func" && code.contains(&format!(") {name}("));
    before.is_some_and(|before| DEFINING.contains(&before) || before == "exports")
        || IMPORTING.contains(&first)
        || code.contains("require(")
        || is_outermost
        || is_method_of_go
        || !code.starts_with(char::is_whitespace) && code.starts_with(name) && code.contains('=')
}

/// Returns the names that a line of Go or Rust binds or defines.
fn bound(code: &str) -> impl Iterator<Item = &str> {
    let list: Vec<&str> = words(code).collect();
    let declared = list
        .windows(2)
        .filter(|pair| matches!(pair[0], "let" | "mut" | "func" | "fn" | "var" | "const"))
        .map(|pair| pair[1])
        .collect::<Vec<_>>();
    let assigned = code.split_once(":=").map(|(left, _)| words(left).collect::<Vec<_>>()).unwrap_or_default();
    declared.into_iter().chain(assigned)
}

/// Returns the words before `::` in a line.
fn heads(code: &str) -> impl Iterator<Item = &str> {
    code.match_indices("::").filter_map(|(at, _)| words(&code[..at]).last())
}

/// Returns the names after a word and a dot.
fn parts_of<'a>(code: &'a str, word: &str) -> Vec<&'a str> {
    let dotted = format!("{word}.");
    let places = code.match_indices(dotted.as_str()).map(|(at, _)| &code[at + dotted.len()..]);
    places.filter_map(|rest| words(rest).next()).collect()
}

/// Whether a file is a module, given as a path from the workspace's root without extension; `*/` stands for any
/// directory.
fn is_module(path: &str, module: &str) -> bool {
    let stem = path.rsplit_once('.').map_or(path, |(stem, _)| stem);
    let stem = stem.strip_suffix("/index").or_else(|| stem.strip_suffix("/__init__")).unwrap_or(stem);
    match module.strip_prefix("*/") {
        Some(module) => stem == module || stem.strip_suffix(module).is_some_and(|before| before.ends_with('/')),
        None => stem == module || path == module,
    }
}

/// Returns the imports of a JavaScript or TypeScript source from files of the workspace.
fn script(path: &str, lines: &[Line]) -> Vec<Imported> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let Some(written) = line.texts.iter().find(|text| text.starts_with('.')) else { continue };
        let begins = |line: &Line| matches!(words(&line.code).next(), Some("import" | "const" | "let" | "var"));
        let Some(first) = (at.saturating_sub(50)..=at).rev().find(|line| begins(&lines[*line])) else { continue };
        let statement = lines[first..=at].iter().map(|line| line.code.as_str()).collect::<Vec<_>>().join(" ");
        let names =
            statement.split_once(" from ").or_else(|| statement.split_once("require(")).map_or("", |(names, _)| names);
        let Some(module) = joined(path, written) else { continue };
        found.extend(names_of(names, &module));
    }
    found
}

/// Returns the names in the head of an import: `a`, `* as a`, `{ b, c as d, e: f }`.
fn names_of(head: &str, module: &str) -> Vec<Imported> {
    let (outer, inner) = head.split_once('{').unwrap_or((head, ""));
    let imported = |alias: &str, name: Option<&str>| Imported {
        alias: alias.to_owned(),
        name: name.map(str::to_owned),
        module: module.to_owned(),
    };
    let whole = words(outer).filter(|word| !matches!(*word, "import" | "const" | "let" | "var" | "type" | "as"));
    let parts = inner.split('}').next().unwrap_or_default().split(',').filter_map(|part| {
        let words: Vec<&str> = words(part).filter(|word| *word != "type" && *word != "as").collect();
        Some(imported(words.last()?, words.first().copied()))
    });
    whole.map(|alias| imported(alias, None)).chain(parts).collect()
}

/// Returns the imports of a Python source.
fn python(path: &str, lines: &[Line]) -> Vec<Imported> {
    let mut found = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let code = line.code.trim();
        if let Some((module, first)) = code.strip_prefix("from ").and_then(|rest| rest.split_once(" import ")) {
            let more = lines[at + 1..].iter().take_while(|_| first.contains('(') && !first.contains(')'));
            let names: String =
                std::iter::once(first).chain(more.map(|line| line.code.as_str())).collect::<Vec<_>>().join(" ");
            let names = names.trim_start_matches('(').split(')').next().unwrap_or_default().to_owned();
            let module = dotted(path, module);
            for part in names.split(',') {
                let words: Vec<&str> = words(part).filter(|word| *word != "as").collect();
                let (Some(name), Some(alias)) = (words.first(), words.last()) else { continue };
                let alias = (*alias).to_owned();
                found.push(Imported { alias: alias.clone(), name: Some((*name).to_owned()), module: module.clone() });
                found.push(Imported { alias, name: None, module: format!("{module}/{name}") });
            }
        } else if let Some(modules) = code.strip_prefix("import ") {
            for part in modules.split(',') {
                let (module, alias) = part.split_once(" as ").unwrap_or((part, part));
                let alias = alias.trim().rsplit('.').next().unwrap_or_default().to_owned();
                found.push(Imported { alias, name: None, module: dotted(path, module) });
            }
        }
    }
    found
}

/// Returns a Python module in the notation of [`is_module`].
fn dotted(path: &str, module: &str) -> String {
    let module = module.trim();
    let inner = module.trim_start_matches('.');
    let inner_path = inner.replace('.', "/");
    let ups = (module.len() - inner.len()).checked_sub(1).map(|more| format!("./{}{inner_path}", "../".repeat(more)));
    ups.and_then(|written| joined(path, &written)).unwrap_or_else(|| format!("*/{inner_path}"))
}

/// Resolves a path relative to a file's directory, and removes a script extension. `None` if it leaves the workspace.
fn joined(path: &str, written: &str) -> Option<String> {
    let directory = path.rsplit_once('/').map_or("", |(directory, _)| directory);
    let path = String::from(WorkspacePath::from_directory(directory, written)?);
    let bare =
        path.rsplit_once('.').filter(|(_, ending)| matches!(*ending, "js" | "ts" | "mjs" | "cjs" | "tsx" | "jsx"));
    Some(bare.map_or(path.as_str(), |(bare, _)| bare).to_owned())
}

#[cfg(test)]
mod tests {
    use referee_ledger::workspace::WorkspaceFile;

    use super::*;

    /// Whether the subject of the only test of a file is gone, given the files before and now.
    fn gone(path: &str, test: &str, then: &[&str], now: &[(&str, &str)]) -> bool {
        let listed: Vec<Listed> =
            now.iter().map(|(path, _)| Listed { path: (*path).to_owned(), ignored: false }).collect();
        let look = |path: &str| match now.iter().find(|(other, _)| *other == path) {
            Some((_, text)) => Looked::File(WorkspaceFile::of(text.as_bytes().to_vec())),
            None => Looked::Missing,
        };
        let then = || then.iter().map(|path| (*path).to_owned()).collect();
        let source = Source::of(path, test).unwrap();
        Subjects::new(&then, &listed, &look).are_gone(path, &source, &source.tests[0])
    }

    #[test]
    fn a_test_goes_with_all_that_it_asked_for() {
        let js = "const { sum } = require('../src/sum.js');\nconst test = require('node:test');\ntest('adds', () => equal(sum(1, 2), 3));\n";
        let whole = "import * as math from '../src/sum';\nit('adds', () => equal(math.sum(1, 2), 3));\n";
        let python = "from shop.sums import (\n    add,\n    other,\n)\nimport requests\n\ndef test_add():\n    requests.get('x')\n    assert add(1, 2) == 3\n";
        let go = "package sums\n\nfunc TestAdd(t *testing.T) {\n\tgot := Add(1, 2)\n\tif len(got) != 3 {\n\t\tt.Fatal(got)\n\t}\n}\n";
        let there = ["src/sum.js", "shop/sums.py", "sums.go"];
        for (path, test, now, is_gone) in [
            ("test/a.test.js", js, vec![], true),
            ("test/a.test.js", js, vec![("src/sum.js", "exports.other = 1;\n// sum\n")], true),
            ("test/a.test.js", js, vec![("src/sum.js", "exports.sum = () => 3;\n")], false),
            ("test/a.test.js", js, vec![("src/b.js", "const { sum } = require('./sum.js');\n")], false),
            ("test/a.test.js", js, vec![("src/b.js", "function sum() {}\n")], false),
            ("test/a.test.js", js, vec![("src/b.js", "  total.sum = 1;\n  let sum = 0;\n")], true),
            ("test/a.test.js", whole, vec![("src/sum.js", "exports.other = 1;\n")], true),
            ("test/a.test.js", whole, vec![("src/sum.js", "export function sum() {}\n")], false),
            ("tests/test_a.py", python, vec![("shop/sums.py", "def other(): pass\n")], true),
            ("tests/test_a.py", python, vec![("shop/sums.py", "def add(): pass\n")], false),
            ("sums_test.go", go, vec![("sums.go", "package sums\n")], true),
            ("sums_test.go", go, vec![("sums.go", "func Add(a, b int) int {\n")], false),
            ("sums_test.go", go, vec![("sums.go", "func (s Sums) Add(a, b int) int {\n")], false),
        ] {
            assert_eq!(gone(path, test, &there, &now), is_gone, "{path}: {now:?}");
        }
        assert!(!gone("test/a.test.js", js, &[], &[]), "what was not there is not gone");
        let of_others = "import { get } from 'got';\nit('adds', () => equal(get(1), 3));\n";
        assert!(!gone("test/a.test.js", of_others, &there, &[]), "what is of others is not gone");
    }
}
