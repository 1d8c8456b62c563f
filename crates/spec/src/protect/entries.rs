//! Own names of a package, by which tests may import (node: "Subpath imports", "Self-referencing a package
//! using its name").
//!
//! Existing names are protected, and further ones are free. If `exports` is a single entry, or has conditions,
//! it is protected as a whole.

use std::collections::BTreeSet;

use referee_model::lock::{LockRule, Newcomers};
use referee_model::run_context::protection::Mode;
use referee_syntax::pointer::step;
use serde_json::Value;

use super::{escaped, is_named, whole};

const REASON: &str = "it says which file an import means";

/// Returns the rules for the names of all packages.
pub(super) fn rules(files: &BTreeSet<&str>, text: &dyn Fn(&str) -> Option<String>) -> Vec<LockRule> {
    let is_package = |path: &&&str| is_named(path, "package.json");
    let mut rules = Vec::new();
    for path in files.iter().filter(is_package) {
        let Some(document) = text(path).and_then(|text| serde_json::from_str::<Value>(&text).ok()) else { continue };
        for pointer in pointers(&document) {
            let whole = whole(escaped(path), Mode::Frozen, Newcomers::Free, REASON.to_owned());
            rules.push(LockRule { pointer: Some(pointer), ..whole });
        }
    }
    rules
}

fn pointers(document: &Value) -> Vec<String> {
    let mut pointers = Vec::new();
    for (key, start) in [("imports", '#'), ("exports", '.')] {
        match document.get(key) {
            None => {}
            Some(Value::Object(entries)) if entries.keys().all(|name| name.starts_with(start)) => {
                let pointer = |name: &String| format!("/{key}{}", step(name));
                pointers.extend(entries.keys().map(pointer));
            }
            Some(_) => pointers.push(format!("/{key}")),
        }
    }
    pointers
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_that_are_there_are_held_one_by_one() {
        for (package, held) in [
            (r##"{ "imports": { "#lib": "./lib.js", "#a/*": "./a/*" } }"##, vec!["/imports/#a~1*", "/imports/#lib"]),
            (r#"{ "exports": { ".": "./a.js", "./b~": "./b.js" } }"#, vec!["/exports/.", "/exports/.~1b~0"]),
            (r#"{ "exports": { "import": "./a.mjs" } }"#, vec!["/exports"]),
            (r#"{ "exports": "./a.js", "imports": {} }"#, vec!["/exports"]),
            ("{ half", vec![]),
            ("[]", vec![]),
        ] {
            let files = BTreeSet::from(["a/package.json", "b.json"]);
            let rules = rules(&files, &|path| (path == "a/package.json").then(|| package.to_owned()));
            let found: Vec<&str> = rules.iter().filter_map(|rule| rule.pointer.as_deref()).collect();
            assert_eq!(found, held, "{package}");
        }
    }
}
