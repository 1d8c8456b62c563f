//! Every declared key is read: one that nobody reads would be taken and change nothing.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests read sources")]

use std::path::{Path, PathBuf};

use referee_syntax::toml;
use regex::Regex;

/// Members that are read as those of another view with the same keys: every command is, and every action.
const SHARED: [&str; 9] = [
    "Browser.evidence",
    "Docker.allow_no_tests",
    "Docker.exit_code_only",
    "Docker.expected_exit_codes",
    "Docker.role",
    "Evaluator.shell",
    "Evaluator.working_directory",
    "Query.evidence",
    "Service.retries",
];

fn sources(directory: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for entry in directory.read_dir().unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            files.extend(sources(&path));
        } else {
            files.push(path);
        }
    }
    files
}

fn read(file: &Path) -> String {
    std::fs::read_to_string(file).unwrap()
}

/// The views that a file declares, each with its members; one that begins with `_` is declared to have no effect.
fn declared(text: &str) -> Vec<(String, Vec<String>)> {
    let view =
        r"(?ms)^(?:object|variants|fields)! \{$[^{]*?^    (?:pub(?:\(super\))? )?[A-Z_]+: (\w+)[^{]*\{$(.*?)^\}$";
    let member = Regex::new(r"(?m)(?:^ {8}|^ {12})([a-z]\w*)(?: = \S+)?: [a-z_]+\(").unwrap();
    let also = Regex::new(r"\} also \{ (.*) \}").unwrap();
    let members = |body: &str| {
        let also = also.captures(body).map_or("", |found| found.get(1).unwrap().as_str()).split(", ");
        let also = also.filter_map(|entry| Some(entry.split_once(": ")?.0.to_owned()));
        member.captures_iter(body).map(|found| found[1].to_owned()).chain(also).collect()
    };
    let views = Regex::new(view).unwrap();
    views.captures_iter(text).map(|found| (found[1].to_owned(), members(&found[2]))).collect()
}

#[test]
fn every_declared_key_is_read() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let source = here.join("src");
    let (shapes, readers): (Vec<_>, Vec<_>) = sources(&source)
        .into_iter()
        .partition(|file| file.starts_with(source.join("form")) || *file == source.join("workflow/keys.rs"));
    let readers: Vec<String> = readers.iter().map(|file| read(file)).collect();
    let views: Vec<_> = shapes.iter().flat_map(|file| declared(&read(file))).collect();
    assert!(views.len() > 60 && views.iter().all(|(_, members)| !members.is_empty()), "{views:?}");
    let mut unread = Vec::new();
    for (view, members) in views {
        let named = Regex::new(&format!(r"\b{view}(?:<|::of\b| \{{)")).unwrap();
        let readers: Vec<&String> = readers.iter().filter(|text| named.is_match(text)).collect();
        for member in members {
            let is_read = Regex::new(&format!(r"\.{member}\b[^(]|{view} \{{[^}}]*\b{member}\b")).unwrap();
            if !readers.iter().any(|text| is_read.is_match(text)) {
                unread.push(format!("{view}.{member}"));
            }
        }
    }
    unread.sort();
    assert_eq!(unread, SHARED);
}

/// The tables that are compiled in, each with the files that ask it and the name by which they do.
const TABLES: [(&str, &str, &str); 2] =
    [("detect/tools.toml", "detect", "TOOLS"), ("protect/names.toml", "protect", "NAMES")];

#[test]
fn every_list_that_the_sources_name_is_in_its_table() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    for (file, directory, name) in TABLES {
        let table = toml::read(&read(&source.join(file))).unwrap();
        let asked = Regex::new(&format!(r#"\b{name}\s*\.\s*(\w+)\(\s*"([\w.-]+)""#)).unwrap();
        let mut texts: Vec<String> = sources(&source.join(directory)).iter().map(|file| read(file)).collect();
        texts.push(read(&source.join(format!("{directory}.rs"))));
        let mut asked_count = 0;
        for found in texts.iter().flat_map(|text| asked.captures_iter(text)) {
            let valued = (&found[1] == "takes_value").then(|| format!("{}-valued", &found[2]));
            for path in valued.iter().map(String::as_str).chain([&found[2]]) {
                assert!(table.at(path).is_some(), "{file} has no {path}");
                asked_count += 1;
            }
        }
        assert!(asked_count > 10, "{file}");
    }
}
