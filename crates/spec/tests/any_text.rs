//! No bytes make the loader panic, and every complaint points into the text.

#![expect(clippy::unwrap_used, clippy::disallowed_methods, reason = "tests make the files that they load")]

use std::path::Path;

use proptest::prelude::*;
use referee_spec::complaint::{Complaint, Level, render_plain};
use referee_spec::error::SpecError;
use referee_spec::plan::{Options, load};

/// Loads bytes, and checks what must hold of every complaint.
fn complain(bytes: &[u8]) -> Vec<Complaint> {
    let directory = tempfile::tempdir().unwrap();
    let file = directory.path().join("referee.yaml");
    std::fs::write(&file, bytes).unwrap();
    let complaints = match load(&file, &Options::default()) {
        Ok(loaded) => loaded.warnings,
        Err(SpecError::Complaints(complaints)) => {
            assert!(
                complaints.iter().any(|complaint| complaint.level == Level::Error),
                "nothing loads and nothing is wrong: {complaints:?}"
            );
            complaints
        }
        Err(other) => panic!("{other}"),
    };
    let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes)).into_owned();
    let text = text.replace("\r\n", "\n").replace('\r', "\n");
    let lines: Vec<&str> = text.split('\n').collect();
    for complaint in &complaints {
        let line = lines.get(complaint.line - 1).unwrap_or_else(|| panic!("line {} of {text:?}", complaint.line));
        let length = line.chars().count();
        assert!(complaint.column >= 1 && complaint.column <= length + 1, "{complaint:?} in {line:?}");
        assert!(
            complaint.end_column > complaint.column && complaint.end_column <= length + 2,
            "{complaint:?} in {line:?}"
        );
        assert!(complaint.source_column <= complaint.column, "{complaint:?}");
        assert!(!render_plain(complaint).contains('\u{1b}'), "{complaint:?}");
    }
    complaints
}

fn valid_documents() -> Vec<Vec<u8>> {
    let directory = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/valid");
    let mut files: Vec<_> = directory.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files.iter().map(|file| std::fs::read(file).unwrap()).collect()
}

#[derive(Debug, Clone)]
enum Mutation {
    Cut(prop::sample::Index),
    Remove(prop::sample::Index),
    Insert(prop::sample::Index, String),
    Repeat(prop::sample::Index, prop::sample::Index),
}

fn mutation() -> impl Strategy<Value = Mutation> {
    let index = any::<prop::sample::Index>;
    let tokens = prop::sample::select(vec![
        "{",
        "}",
        "[",
        "]",
        ":",
        ": ",
        "- ",
        "\n",
        "\n  ",
        "\t",
        "\"",
        "'",
        "&a ",
        "*a",
        "!!int ",
        "!x ",
        "<<: ",
        "? ",
        "|\n",
        ">-\n",
        "#",
        "//",
        "/*",
        "*/",
        "---\n",
        "...\n",
        "%TAG ! x\n",
        "é",
        "\u{feff}",
        "\u{85}",
        "\r",
        "\\u0000",
        "\\",
        ",",
        "null",
        "~",
        "${A}",
        "1e999",
        "-",
        "\u{1f600}",
    ]);
    prop_oneof![
        index().prop_map(Mutation::Cut),
        index().prop_map(Mutation::Remove),
        (index(), tokens).prop_map(|(at, token)| Mutation::Insert(at, token.to_owned())),
        (index(), index()).prop_map(|(from, to)| Mutation::Repeat(from, to)),
    ]
}

fn mutate(bytes: &mut Vec<u8>, mutation: Mutation) {
    if bytes.is_empty() {
        return;
    }
    match mutation {
        Mutation::Cut(at) => bytes.truncate(at.index(bytes.len())),
        Mutation::Remove(at) => drop(bytes.remove(at.index(bytes.len()))),
        Mutation::Insert(at, token) => {
            let at = at.index(bytes.len());
            bytes.splice(at..at, token.into_bytes());
        }
        Mutation::Repeat(from, to) => {
            let (from, to) = (from.index(bytes.len()), to.index(bytes.len()));
            let part = bytes[from.min(to)..from.max(to)].to_vec();
            bytes.splice(from..from, part);
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn arbitrary_bytes_are_survived(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        complain(&bytes);
    }

    #[test]
    fn arbitrary_texts_are_survived(text in "[ -~\\n\\t\u{e9}\u{feff}{}:\\[\\],\"'#&*!|>%@`?-]{0,80}") {
        complain(text.as_bytes());
    }

    #[test]
    fn mutated_documents_are_survived(
        document in prop::sample::select(valid_documents()),
        mutations in prop::collection::vec(mutation(), 1..6),
    ) {
        let mut bytes = document;
        for mutation in mutations {
            mutate(&mut bytes, mutation);
        }
        complain(&bytes);
    }
}
