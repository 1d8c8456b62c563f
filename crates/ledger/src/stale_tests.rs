//! Finds compiled Maven tests whose sources no longer exist: Surefire runs the classes in
//! `target/test-classes`, and an incremental build leaves classes there that it no longer knows.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::excluded_dirs::{self, Sign};

/// Maximum depth of directories below a workspace that are searched, and maximum number of entries.
const DEPTH: usize = 24;
const ENTRIES: usize = 50_000;

/// Largest class file that is read, in bytes.
const CLASS_BYTES: u64 = 4 * 1024 * 1024;

/// Beginning and endings of class names that Surefire takes for tests.
const BEGINNING: &str = "Test";
const ENDINGS: [&str; 3] = ["Test", "Tests", "TestCase"];

/// Extensions of the sources that a class can be compiled from.
const SOURCES: [&str; 4] = [".java", ".kt", ".groovy", ".scala"];

/// Finds compiled tests without a source, as sorted paths relative to the workspace. Files that cannot be read
/// are skipped.
pub fn find(workspace: &Path) -> Vec<String> {
    let mut modules = Vec::new();
    let mut left = ENTRIES;
    modules_below(workspace, DEPTH, &mut left, &mut modules);
    let mut stale: Vec<String> = modules.iter().flat_map(|module| of_module(module, &mut left)).collect();
    stale = stale
        .iter()
        .filter_map(|path| Some(path.strip_prefix(workspace.to_str()?)?.trim_start_matches('/').to_owned()))
        .collect();
    stale.sort();
    stale
}

/// Finds the directories with a `pom.xml` and compiled tests.
fn modules_below(directory: &Path, depth: usize, left: &mut usize, modules: &mut Vec<PathBuf>) {
    if directory.join("pom.xml").is_file() && directory.join("target/test-classes").is_dir() {
        modules.push(directory.to_path_buf());
    }
    for (name, path) in children(directory, left) {
        let is_source = matches!(name.as_str(), "src" | "target");
        if depth > 0
            && !is_source
            && !excluded_dirs::is_unprotected(name.as_bytes(), |sign| matches!(sign, Sign::Beside(_)))
            && is_directory(&path)
        {
            modules_below(&path, depth - 1, left, modules);
        }
    }
}

fn of_module(module: &Path, left: &mut usize) -> Vec<String> {
    let mut classes = Vec::new();
    files_below(&module.join("target/test-classes"), DEPTH, left, &mut classes);
    classes.retain(|(name, _)| name.strip_suffix(".class").is_some_and(is_test));
    if classes.is_empty() {
        return Vec::new();
    }
    let mut sources = Vec::new();
    for directory in ["src", "target/generated-test-sources", "target/generated-sources"] {
        files_below(&module.join(directory), DEPTH, left, &mut sources);
    }
    // The source may be among the entries that were not examined.
    if *left == 0 {
        return Vec::new();
    }
    let sources: BTreeSet<String> = sources.into_iter().map(|(name, _)| name).collect();
    let is_stale = |path: &PathBuf| source_of(path).is_some_and(|source| !sources.contains(&source));
    classes
        .into_iter()
        .map(|(_, path)| path)
        .filter(is_stale)
        .filter_map(|path| path.to_str().map(str::to_owned))
        .collect()
}

fn is_test(class: &str) -> bool {
    !class.contains('$') && (class.starts_with(BEGINNING) || ENDINGS.iter().any(|ending| class.ends_with(ending)))
}

/// Returns the name of the source file that a class names. None: it names none.
fn source_of(class: &Path) -> Option<String> {
    let is_small = fs::symlink_metadata(class).is_ok_and(|facts| facts.is_file() && facts.len() <= CLASS_BYTES);
    let bytes = if is_small { fs::read(class).ok()? } else { return None };
    let attribute = b"SourceFile";
    let at = bytes.windows(attribute.len()).position(|window| window == attribute)?;
    // The constant pool stores a text as a tag, a length of two bytes, and the bytes. javac puts the file name
    // directly after the attribute name; other compilers may put it anywhere.
    texts_from(&bytes, at + attribute.len()).or_else(|| texts_from(&bytes, 0))
}

/// Returns the first text in a constant pool after an offset that is the name of a source file.
fn texts_from(bytes: &[u8], from: usize) -> Option<String> {
    let text = |at: usize| {
        let [1, high, low] = *bytes.get(at..at + 3)? else { return None };
        let text = bytes.get(at + 3..at + 3 + usize::from(u16::from_be_bytes([high, low])))?;
        let text = std::str::from_utf8(text).ok()?;
        let is_name = !text.contains(['/', '\\', ' ']) && SOURCES.iter().any(|ending| text.ends_with(ending));
        is_name.then(|| text.to_owned())
    };
    (from..bytes.len()).find_map(text)
}

fn files_below(directory: &Path, depth: usize, left: &mut usize, files: &mut Vec<(String, PathBuf)>) {
    for (name, path) in children(directory, left) {
        if is_directory(&path) {
            if depth > 0 {
                files_below(&path, depth - 1, left, files);
            }
        } else {
            files.push((name, path));
        }
    }
}

/// Returns the entries of a directory, as long as the entry limit is not exhausted.
fn children(directory: &Path, left: &mut usize) -> Vec<(String, PathBuf)> {
    let Ok(entries) = fs::read_dir(directory) else { return Vec::new() };
    let mut children = Vec::new();
    for entry in entries.flatten() {
        if *left == 0 {
            break;
        }
        *left -= 1;
        children.extend(entry.file_name().into_string().ok().map(|name| (name, entry.path())));
    }
    children
}

/// Returns whether the path is a directory, and not a link to one.
fn is_directory(path: &Path) -> bool {
    fs::symlink_metadata(path).is_ok_and(|facts| facts.is_dir())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn class(source: &str) -> Vec<u8> {
        let mut bytes = b"\xca\xfe\xba\xbe\x00\x00\x00\x3d\x00\x1d\x01\x00\x0aSourceFile\x01\x00".to_vec();
        bytes.push(u8::try_from(source.len()).unwrap());
        bytes.extend(source.as_bytes());
        bytes
    }

    #[test]
    fn a_compiled_test_without_its_source_is_named_and_no_other_class_is() {
        let directory = tempfile::tempdir().unwrap();
        let put = |path: &str, content: &[u8]| {
            let path = directory.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, content).unwrap();
        };
        put("pom.xml", b"<project/>");
        put("src/test/java/a/OneTest.java", b"");
        put("src/test/kotlin/a/Several.kt", b"");
        put("target/test-classes/a/OneTest.class", &class("OneTest.java"));
        put("target/test-classes/a/OtherTest.class", &class("Several.kt"));
        put("target/test-classes/a/Helper.class", &class("Helper.java"));
        put("target/test-classes/a/GoneTest$Inner.class", &class("GoneTest.java"));
        put("target/test-classes/a/OddTest.class", b"\xca\xfe\xba\xbe");
        put("target/generated-test-sources/a/MadeTest.java", b"");
        put("target/test-classes/a/MadeTest.class", &class("MadeTest.java"));
        assert_eq!(find(directory.path()), Vec::<String>::new());
        put("target/test-classes/a/GoneTest.class", &class("GoneTest.java"));
        put("module/pom.xml", b"<project/>");
        put("module/target/test-classes/TestGone.class", &class("TestGone.java"));
        let expected = ["module/target/test-classes/TestGone.class", "target/test-classes/a/GoneTest.class"];
        assert_eq!(find(directory.path()), expected);
        assert_eq!(find(&directory.path().join("nowhere")), Vec::<String>::new());
    }
}
