//! The interpreters that scripts name in their `#!` line, which run as much as the scripts do.

use std::ffi::OsStr;
use std::path::{Path, PathBuf};

use referee_model::record::Executable;

use crate::executable::Executables;
use crate::resolve::{head, search};

/// Maximum length of a chain of scripts; the system itself allows four.
const DEPTH: usize = 4;

/// Returns the interpreters of the programs that are scripts, and theirs in turn, without duplicates. An
/// interpreter that does not exist is left out.
pub(crate) fn behind(known: &[Executable], path: Option<&OsStr>, executables: &Executables) -> Vec<Executable> {
    let mut found: Vec<Executable> = Vec::new();
    let mut scripts: Vec<PathBuf> = known.iter().map(|executable| PathBuf::from(&executable.path)).collect();
    for _ in 0..DEPTH {
        let interpreters: Vec<(String, PathBuf)> =
            scripts.iter().filter_map(|script| interpreter(&head(script)?, path)).collect();
        scripts.clear();
        for (name, program) in interpreters {
            let is_known = |executable: &Executable| executable.name == name;
            if !known.iter().chain(&found).any(is_known) {
                found.push(executables.identify(&name, &program));
                scripts.push(program);
            }
        }
    }
    found
}

/// Finds the program that a `#!` line names, and the name that it is requested by. `env` is resolved to the program
/// that it runs.
fn interpreter(head: &[u8], path: Option<&OsStr>) -> Option<(String, PathBuf)> {
    let line = head.strip_prefix(b"#!")?.split(|byte| *byte == b'\n').next()?;
    let line = std::str::from_utf8(line).ok()?;
    let mut words = line.split_ascii_whitespace();
    let program = words.next()?;
    if Path::new(program).file_name()? != "env" {
        return Some((program.to_owned(), PathBuf::from(program)));
    }
    let name = words.find(|word| !word.starts_with('-') && !word.contains('='))?;
    let found = if name.starts_with('/') { PathBuf::from(name) } else { search(name, path).ok()? };
    Some((name.to_owned(), found))
}

#[cfg(test)]
#[expect(clippy::disallowed_methods, reason = "tests make the files that are looked at")]
mod tests {
    use std::fs;
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    #[test]
    fn interpreters_are_found_as_the_system_finds_them() {
        let directory = tempfile::tempdir().unwrap();
        let root = directory.path().canonicalize().unwrap();
        let script = |name: &str, text: &str| {
            fs::write(root.join(name), text).unwrap();
            fs::set_permissions(root.join(name), fs::Permissions::from_mode(0o755)).unwrap();
        };
        script("node", "#!/bin/sh\n");
        let at = |name: &str| Executable {
            name: name.to_owned(),
            path: root.join(name).to_string_lossy().into_owned(),
            sha256: None,
            version: None,
        };
        for (text, names) in [
            ("#!/usr/bin/env node\nrest", vec!["node", "/bin/sh"]),
            ("#!/usr/bin/env -S A=b node --flag\n", vec!["node", "/bin/sh"]),
            ("#! /bin/sh -e", vec!["/bin/sh"]),
            ("#!/usr/bin/env missing\n", vec![]),
            ("#!/usr/bin/env\n", vec![]),
            ("#!\n", vec![]),
            ("\u{7f}ELF", vec![]),
        ] {
            script("tool", text);
            let found = behind(&[at("tool")], Some(root.as_os_str()), &Executables::default());
            let found: Vec<&str> = found.iter().map(|executable| executable.name.as_str()).collect();
            assert_eq!(found, names, "{text}");
        }
    }

    #[test]
    fn scripts_behind_one_another_in_a_ring_are_named_once() {
        let directory = tempfile::tempdir().unwrap();
        let program = directory.path().canonicalize().unwrap().join("ring");
        fs::write(&program, format!("#!{}\n", program.display())).unwrap();
        let path = program.to_string_lossy().into_owned();
        let known = [Executable { name: "ring".to_owned(), path, sha256: None, version: None }];
        assert_eq!(behind(&known, None, &Executables::default()).len(), 1);
    }
}
