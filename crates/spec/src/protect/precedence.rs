//! New files that would shadow existing ones: recipes that are found first, modules that Python finds before
//! its own or its runner's, directories that tools search once they exist.

use std::collections::BTreeSet;

use referee_model::lock::{LockRule, Newcomers};
use referee_model::run_context::protection::Mode;
use referee_model::test_file::is_of_tests;

use super::{NAMES, escaped, whole};
use crate::detect::Ecosystem;

/// File names of which the first existing one is used (make: "Makefile Names"; task: "Supported file names";
/// rake: `DEFAULT_RAKEFILES`; gradle: groovy before kotlin).
const ORDERS: [&[&str]; 5] = [
    &["GNUmakefile", "makefile", "Makefile"],
    &["Taskfile.yml", "taskfile.yml", "Taskfile.yaml", "taskfile.yaml", "Taskfile.dist.yml", "Taskfile.dist.yaml"],
    &["rakefile", "Rakefile", "rakefile.rb", "Rakefile.rb"],
    &["build.gradle", "build.gradle.kts"],
    &["settings.gradle", "settings.gradle.kts"],
];

/// Directories that a tool searches once they exist (node: "Loading from node_modules directories"; gradle:
/// "Sharing build logic"). In projects that already have them they are ordinary work.
const DIRECTORIES: [(Ecosystem, &str, &str); 2] = [
    (Ecosystem::Node, "node_modules", "modules are found there before others"),
    (Ecosystem::Java, "buildSrc", "it runs while the project is built"),
];

/// File extensions of single-file modules, as a pattern.
const MODULES: &str = "{py,pyc,so,*.so}";

/// Returns rules against shadowing files, by the existing files.
pub(super) fn rules(files: &BTreeSet<&str>, project: &BTreeSet<Ecosystem>) -> Vec<LockRule> {
    let mut rules = earlier_names(files);
    for (ecosystem, name, reason) in DIRECTORIES {
        let is_there = || files.iter().any(|path| path.split('/').rev().skip(1).any(|part| part == name));
        if project.contains(&ecosystem) && !is_there() {
            rules.push(whole(format!("**/{name}/**"), Mode::Frozen, Newcomers::Governing, reason.to_owned()));
        }
    }
    if project.contains(&Ecosystem::Python) {
        rules.extend(modules(files));
    }
    rules
}

/// Returns rules for names that would be found before an existing one.
fn earlier_names(files: &BTreeSet<&str>) -> Vec<LockRule> {
    let mut rules = Vec::new();
    for path in files {
        let (directory, name) = path.rsplit_once('/').map_or(("", *path), |(directory, name)| (directory, name));
        for order in ORDERS.iter().filter(|order| order.contains(&name)) {
            for earlier in order.iter().take_while(|earlier| **earlier != name) {
                let reason = format!("it would be found before {path}");
                rules.push(never(&inside(directory, earlier), reason));
            }
        }
    }
    rules
}

/// Returns rules for modules that would be imported in place of Python's own and its checkers': from the root
/// (`python -m`), from `src`, and from directories where pytest finds tests; and for files that turn a
/// directory of tests into a package, and so run before them.
fn modules(files: &BTreeSet<&str>) -> Vec<LockRule> {
    let is_package = |directory: &str| files.contains(inside(directory, "__init__.py").as_str());
    let of_python = || files.iter().filter(|path| path.rsplit_once('.').is_some_and(|(_, ending)| ending == "py"));
    let of_tests: BTreeSet<String> =
        of_python().filter(|path| is_of_tests(path)).map(|path| super::parent_directory(path).to_owned()).collect();
    let mut imported: BTreeSet<String> =
        of_tests.iter().map(|directory| base(directory, &is_package).to_owned()).collect();
    imported.insert(String::new());
    imported.extend(of_python().find(|path| path.starts_with("src/")).map(|_| base("src", &is_package).to_owned()));
    let names: Vec<&str> = NAMES.words("python.standard").chain(NAMES.words("python.checkers")).collect();
    let names = names.join(",");
    let mut rules = Vec::new();
    for directory in imported {
        let names = inside(&escaped(&directory), &format!("{{{names}}}"));
        let reason = "python would import it in place of a module of its own, or of a tool's".to_owned();
        rules.push(never_pattern(format!("{names}.{MODULES}"), reason.clone()));
        rules.push(never_pattern(format!("{names}/__init__.{MODULES}"), reason));
    }
    for directory in of_tests.iter().filter(|directory| !is_package(directory)) {
        let reason = "it makes a package of a directory of tests, and runs before them".to_owned();
        rules.push(never(&inside(directory, "__init__.py"), reason));
    }
    rules
}

/// Returns the directory from which a module is imported: the nearest one above that is not a package.
fn base<'a>(directory: &'a str, is_package: &dyn Fn(&str) -> bool) -> &'a str {
    let mut at = directory;
    while !at.is_empty() && is_package(at) {
        at = super::parent_directory(at);
    }
    at
}

fn inside(directory: &str, name: &str) -> String {
    if directory.is_empty() { name.to_owned() } else { format!("{directory}/{name}") }
}

/// Returns a rule for a file that must not be added; an existing one is not protected.
fn never(path: &str, reason: String) -> LockRule {
    never_pattern(escaped(path), reason)
}

fn never_pattern(pattern: String, reason: String) -> LockRule {
    whole(pattern, Mode::Review, Newcomers::Never, reason)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(files: &[&str]) -> Vec<String> {
        let files: BTreeSet<&str> = files.iter().copied().collect();
        let rules = rules(&files, &super::super::table::kinds(&files));
        rules.into_iter().map(|rule| rule.pattern).filter(|pattern| !pattern.contains("asyncio")).collect()
    }

    fn importable(files: &[&str]) -> Vec<String> {
        let files: BTreeSet<&str> = files.iter().copied().collect();
        let patterns = modules(&files).into_iter().map(|rule| rule.pattern);
        patterns.filter_map(|pattern| pattern.split_once("{_").map(|(directory, _)| directory.to_owned())).collect()
    }

    #[test]
    fn names_that_are_found_first_may_not_come_where_a_later_one_is() {
        assert_eq!(
            of(&["Makefile", "a/Taskfile.yaml"]),
            ["GNUmakefile", "makefile", "a/Taskfile.yml", "a/taskfile.yml"]
        );
        assert_eq!(of(&["GNUmakefile", "justfile"]), [""; 0]);
    }

    #[test]
    fn directories_that_tools_look_into_may_not_come_where_none_is() {
        assert_eq!(of(&["package.json"]), ["**/node_modules/**"]);
        assert_eq!(of(&["package.json", "node_modules/a/index.js"]), [""; 0]);
        assert_eq!(of(&["build.gradle", "buildSrc/src/A.java"]), [""; 0]);
    }

    #[test]
    fn modules_may_not_come_where_python_imports_from() {
        let files = [
            "sums.py",
            "src/sums/__init__.py",
            "tests/test_a.py",
            "app/__init__.py",
            "app/tests/__init__.py",
            "app/tests/test_b.py",
        ];
        assert_eq!(importable(&files), ["", "", "src/", "src/", "tests/", "tests/"]);
        assert_eq!(of(&files), ["tests/__init__.py"]);
        assert_eq!(of(&["a/b.go", "go.mod"]), [""; 0]);
    }
}
