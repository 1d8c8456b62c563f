//! Assertions that an edit removed from code that tests load, such as a helper that no longer checks.
//!
//! A function counts as emptied if it had assertions, still exists and has none, while the file has fewer
//! assertions than before. So a function that moved its assertion to another one does not count, nor one that
//! asserts the same in fewer words.

use std::collections::BTreeMap;

/// Code that asserts, in any of the languages.
const ASSERTIONS: [&str; 14] = [
    "assert", "expect(", "expect.", "throw ", "throw(", "raise ", "panic(", "panic!(", ".Fatal", ".Error(", ".Errorf(",
    "fail(", "require.", "ensure!(",
];

/// Code that looks like an assertion but asserts nothing.
const TRIVIAL: [&str; 10] = [
    "assert(true",
    "assert!(true",
    "assert.ok(true",
    "assert.ok(1)",
    "assert(1)",
    "expect(true)",
    "assertTrue(true",
    "assertTrue(True",
    "assert true",
    "assert1",
];

/// Describes where assertions were removed. `None` if nowhere.
pub fn emptied(before: &str, now: &str) -> Option<String> {
    let (before, now) = (by_function(before), by_function(now));
    let total = |counts: &BTreeMap<String, usize>| counts.values().sum::<usize>();
    let (then, left) = (total(&before), total(&now));
    if left >= then {
        return None;
    }
    let is_emptied = |(name, count): &(&String, &usize)| **count > 0 && now.get(*name) == Some(&0);
    match before.iter().find(is_emptied) {
        Some((name, _)) if !name.is_empty() => Some(format!("`{name}`, which tests call, asserts nothing any more")),
        _ if left == 0 => Some("nothing in it asserts anything any more, and tests load it".to_owned()),
        _ => None,
    }
}

/// Whether every line with an assertion still exists.
pub fn keeps(before: &str, now: &str) -> bool {
    let mut left = asserting(now);
    asserting(before).iter().all(|line| match left.iter().position(|other| other.1 == line.1) {
        Some(at) => {
            left.swap_remove(at);
            true
        }
        None => false,
    })
}

/// Returns the number of lines with an assertion by function; outside of functions the name is empty.
fn by_function(text: &str) -> BTreeMap<String, usize> {
    let mut counts: BTreeMap<String, usize> =
        text.lines().filter_map(|line| header(line.trim())).map(|name| (name, 0)).collect();
    for (function, _) in asserting(text) {
        *counts.entry(function).or_default() += 1;
    }
    counts
}

/// Returns the lines with an assertion, each with its function.
fn asserting(text: &str) -> Vec<(String, &str)> {
    let mut found = Vec::new();
    let mut function = String::new();
    // Indentation of a `return`: code after it at that level is unreachable.
    let mut dead: Option<usize> = None;
    for line in text.lines().filter(|line| !line.trim().is_empty()) {
        let depth = line.len() - line.trim_start().len();
        let code = line.trim();
        dead = dead.filter(|at| depth >= *at);
        function = header(code).unwrap_or(function);
        if dead.is_none() && asserts(code) {
            found.push((function.clone(), code));
        }
        let word = code.split([' ', ';', '(']).next().unwrap_or_default();
        if word == "return" && dead.is_none() {
            dead = Some(depth);
        }
    }
    found
}

pub fn asserts(code: &str) -> bool {
    let is_comment = code.starts_with("//") || code.starts_with('#') || code.starts_with('*');
    let is_import = ["import ", "from ", "use ", "#include"].iter().any(|word| code.starts_with(word))
        || code.contains("require(") && !code.contains("=>");
    let flat: String = code.chars().filter(|character| !character.is_whitespace()).collect();
    let is_trivial = TRIVIAL.iter().any(|form| code.contains(form) || flat.contains(form));
    !is_comment && !is_import && !is_trivial && ASSERTIONS.iter().any(|form| code.contains(form))
}

/// Returns the name of the function that a line declares.
fn header(code: &str) -> Option<String> {
    let last_name = |text: &str| -> Option<String> {
        let text = text.trim_end();
        let start =
            text.rfind(|next: char| !(next.is_alphanumeric() || next == '_' || next == '$')).map_or(0, |at| at + 1);
        text.get(start..).filter(|name| !name.is_empty()).map(str::to_owned)
    };
    let words: Vec<&str> = code.split_whitespace().collect();
    if let Some(at) =
        words.iter().take(4).position(|word| matches!(*word, "function" | "function*" | "def" | "func" | "fn"))
    {
        let rest = words.get(at + 1..).unwrap_or_default().join(" ");
        let is_method = words[at] == "func" && rest.starts_with('(');
        let rest = if is_method { rest.split_once(')').map_or("", |(_, rest)| rest) } else { &rest };
        if let Some(name) = rest.split(['(', '<', ':', '[']).next().and_then(last_name) {
            return Some(name);
        }
    }
    if let Some((before, _)) = code.split_once("=>").or_else(|| code.split_once("function")) {
        return before.split(['=', ':']).next().filter(|name| name.len() < before.len()).and_then(last_name);
    }
    let word = words.first()?;
    let is_control = ["if", "for", "while", "switch", "catch", "else", "}", "with", "try", "match", "do"]
        .iter()
        .any(|control| word.starts_with(control));
    (code.ends_with('{') && code.contains('(') && !is_control)
        .then(|| code.split('(').next().and_then(last_name))
        .flatten()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_helper_that_asserts_nothing_any_more_is_told_from_one_that_was_rewritten() {
        let js = "const assert = require('node:assert');\nexports.same = (a, b) => {\n  assert.strictEqual(a, b);\n};\nexports.other = (a) => assert.ok(a);\n";
        let py = "def same(a, b):\n    assert a == b\n\ndef other(a):\n    if not a:\n        raise ValueError(a)\n";
        let go = "func same(t *testing.T, a int) {\n\tif a != 1 {\n\t\tt.Fatal(a)\n\t}\n}\n";
        for (before, from, to, gone) in [
            (js, "  assert.strictEqual(a, b);\n", "", Some("same")),
            (js, "  assert.strictEqual(a, b);", "  // assert.strictEqual(a, b);", Some("same")),
            (js, "  assert.strictEqual(a, b);", "  return;\n  assert.strictEqual(a, b);", Some("same")),
            (js, "  assert.strictEqual(a, b);", "  assert.ok(true);", Some("same")),
            (js, "assert.ok(a);", "{};", Some("other")),
            (js, "assert.strictEqual(a, b)", "assert.deepStrictEqual(a, b)", None),
            (
                js,
                "  assert.strictEqual(a, b);\n",
                "  check(a, b);\n};\nconst check = (a, b) => {\n  assert.strictEqual(a, b);\n",
                None,
            ),
            (js, "exports.other", "exports.third = (a) => assert(a);\nexports.other", None),
            (py, "    assert a == b", "    pass", Some("same")),
            (py, "        raise ValueError(a)", "        return", Some("other")),
            (py, "    assert a == b", "    return\n    assert a == b", Some("same")),
            (py, "    assert a == b", "    assert a == b, (a, b)", None),
            (go, "\t\tt.Fatal(a)\n", "", Some("same")),
        ] {
            assert!(before.contains(from), "{from}");
            let said = emptied(before, &before.replacen(from, to, 1));
            match gone {
                Some(name) => assert!(said.as_deref().is_some_and(|said| said.contains(name)), "{to}: {said:?}"),
                None => assert_eq!(said, None, "{to}"),
            }
            assert_eq!(emptied(before, before), None);
        }
        assert!(keeps(js, &format!("{js}exports.more = (a) => assert.ok(a);\n")) && keeps("1\n", "2\n"));
        assert!(!keeps(js, &js.replace("(a, b);", "(typeof a, typeof b);")), "it asserts something else");
        assert_eq!(emptied("{ \"assert\": 1 }\nassert(a)\nassert(b)\n", "assert(a)\n"), None, "some are left");
    }
}
