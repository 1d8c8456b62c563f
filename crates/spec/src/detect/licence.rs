//! Detects the license header of a project's files: its checks apply to `referee.yaml`, too.

use std::collections::BTreeMap;
use std::path::Path;

use super::Tree;
use crate::read;
use crate::source::harmless;

/// Maximum number of files that are examined.
const FILES: usize = 64;
/// Number of bytes read of each file.
const HEAD_BYTES: usize = 4 * 1024;
/// Maximum length of a header in lines, and of a line in characters.
const LINES: usize = 40;
const COLUMNS: usize = 200;
/// A header must occur in this many files to be that of the project.
const FILES_ALIKE: usize = 2;

/// Extensions of sources that have such headers.
const SOURCES: &[&str] = &[
    "c", "cc", "cjs", "cpp", "cs", "go", "h", "hpp", "java", "js", "jsx", "kt", "lua", "mjs", "php", "proto", "py",
    "rb", "rs", "scala", "sh", "swift", "ts", "tsx", "yaml", "yml",
];

/// Phrases of license headers, in lower case.
const SIGNS: &[&str] = &[
    "spdx-license-identifier",
    "licensed under",
    "licensed to",
    "permission is hereby granted",
    "all rights reserved",
];

/// Returns the lines of the header at the beginning of most sources, without comment markers. Empty: there is none.
pub fn header(root: &Path, tree: &Tree) -> Vec<String> {
    let is_source = |path: &&str| {
        path.rsplit_once('.').is_some_and(|(_, extension)| SOURCES.contains(&extension.to_lowercase().as_str()))
    };
    let is_file = |path: &&str| root.join(path).symlink_metadata().is_ok_and(|facts| facts.is_file());
    let heads = tree.files().filter(is_source).filter(is_file).take(FILES).filter_map(|path| {
        let bytes = read::file(&root.join(path), HEAD_BYTES as u64).ok()?;
        Some(String::from_utf8_lossy(bytes.get(..HEAD_BYTES).unwrap_or(&bytes)).into_owned())
    });
    common(&heads.collect::<Vec<_>>())
}

/// Returns the header that more than half of these texts begin with; years may differ.
fn common(heads: &[String]) -> Vec<String> {
    let mut found: BTreeMap<String, (usize, Vec<String>)> = BTreeMap::new();
    for lines in heads.iter().filter_map(|head| licence(comment(head))) {
        let without_years: String = lines.join("\n").chars().filter(|character| !character.is_ascii_digit()).collect();
        found.entry(without_years).or_insert((0, lines)).0 += 1;
    }
    let most = found.into_values().max_by_key(|(count, _)| *count);
    let most = most.filter(|(count, _)| *count >= FILES_ALIKE && count * 2 > heads.len());
    most.map(|(_, lines)| lines).unwrap_or_default()
}

/// Returns the header within a leading comment. None: it does not mention a license, or is longer than a header.
fn licence(comment: Vec<String>) -> Option<Vec<String>> {
    let says = |line: &String| SIGNS.iter().any(|sign| line.to_lowercase().contains(sign));
    let is_tag = |line: &String| line.starts_with("SPDX-") || line.starts_with("Copyright");
    if !comment.iter().any(says) {
        return None;
    }
    // Beside SPDX tags a comment may have any text.
    let lines: Vec<String> = if comment.iter().any(|line| line.starts_with("SPDX-License-Identifier")) {
        comment.into_iter().filter(is_tag).collect()
    } else {
        comment
    };
    let is_short = lines.len() <= LINES && lines.iter().all(|line| line.chars().count() <= COLUMNS);
    is_short.then_some(lines)
}

/// Returns the lines of the comment at the beginning of a text, without markers.
fn comment(text: &str) -> Vec<String> {
    let is_before = |line: &&str| {
        let line = line.trim();
        line.is_empty() || line.starts_with("#!") || line.starts_with("<?php") || line.contains("coding:")
    };
    let lines: Vec<&str> = text.trim_start_matches('\u{feff}').lines().skip_while(is_before).collect();
    let first = lines.first().map_or("", |line| line.trim());
    let mut comment: Vec<String> = if first.starts_with("/*") {
        let end = lines.iter().position(|line| line.contains("*/")).map_or(lines.len(), |end| end + 1);
        lines[..end].iter().map(|line| inner(line, &["/**", "/*", "*/", "*"])).collect()
    } else if let Some(mark) = ["//", "#", "--"].iter().find(|mark| first.starts_with(**mark)) {
        let block = lines.iter().take_while(|line| line.trim().starts_with(mark));
        block.map(|line| inner(line, &[mark])).collect()
    } else {
        Vec::new()
    };
    while comment.last().is_some_and(String::is_empty) {
        comment.pop();
    }
    let blank = comment.iter().take_while(|line| line.is_empty()).count();
    comment.split_off(blank)
}

/// Returns a line of a comment without its markers.
fn inner(line: &str, marks: &[&str]) -> String {
    let line = line.trim();
    let line = marks.iter().find_map(|mark| line.strip_prefix(mark)).unwrap_or(line);
    let line = line.trim_end().strip_suffix("*/").unwrap_or(line).trim_end();
    line.strip_prefix(' ').unwrap_or(line).chars().map(harmless).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(heads: &[&str]) -> Vec<String> {
        common(&heads.iter().map(|head| (*head).to_owned()).collect::<Vec<_>>())
    }

    #[test]
    fn a_header_that_most_files_have_is_the_projects() {
        let apache = "Licensed to the Foundation under one\n * or more licenses.\n *\n *   http://x/LICENSE-2.0";
        let java = format!("/*\n * {apache}\n */\npackage a;\n");
        assert_eq!(
            found(&[&java, &java, "package b;"]),
            ["Licensed to the Foundation under one", "or more licenses.", "", "  http://x/LICENSE-2.0"]
        );
        let spdx = |year: u16, rest: &str| {
            format!("#!/bin/sh\n# Copyright {year} A\n# SPDX-License-Identifier: MIT\n# {rest}\n\necho\n")
        };
        assert_eq!(
            found(&[&spdx(2020, "One thing."), &spdx(2024, "Another.")]),
            ["Copyright 2020 A", "SPDX-License-Identifier: MIT"]
        );
        assert_eq!(
            found(&["/* SPDX-License-Identifier: ISC */\nint a;", "// SPDX-License-Identifier: ISC\nint b;"]).len(),
            1
        );
    }

    #[test]
    fn what_is_no_header_of_the_project_is_none() {
        let one = "// SPDX-License-Identifier: MIT\n";
        for heads in
            [&[one][..], &[one, one, "a", "b", "c"], &["// What it does.\n", "// What it does.\n"], &["", "/*"], &[]]
        {
            assert_eq!(found(heads), Vec::<String>::new(), "{heads:?}");
        }
    }
}
