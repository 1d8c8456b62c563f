//! Code that interferes with its own judgement: it patches an assertion or the end of the process, or, in
//! production code, imports a test library or asks whether it is under test.

use referee_model::run_context::suppression::SuppressionKind as Kind;
use referee_model::test_file;
use referee_syntax::program::{Language, Line, flat, has_words, is_word};

use super::table::{AROUND_TESTS, CHANGES, SCRIPT_LIBRARIES, VARIABLES};

/// Prefix of Referee's own variables.
const OWN: &str = "REFEREE_";

const PYTHON_LIBRARIES: [&str; 4] = ["pytest", "unittest", "_pytest", "nose"];
const JVM_LIBRARIES: [&str; 5] = ["org.junit", "org.testng", "org.assertj", "org.mockito", "kotlin.test"];
const CSHARP_LIBRARIES: [&str; 3] = ["Xunit", "NUnit", "Microsoft.VisualStudio.TestTools"];

/// Finds such code in a line.
pub(super) fn find(line: &Line, language: Language, path: &str) -> Vec<(Kind, String)> {
    if matches!(language, Language::Css | Language::Html | Language::Yaml | Language::Dockerfile | Language::Settings) {
        return Vec::new();
    }
    let flat = flat(&line.code);
    if flat.is_empty() && line.texts.is_empty() {
        return Vec::new();
    }
    let is_production = !test_file::is_of_tests(path);
    let mut found = Vec::new();
    if patches(&flat, line, language, is_production) {
        found.push(Kind::PatchedAssertion);
    }
    // Configuration of tools is loaded by the test runner, and imports from it.
    if is_production && !path.contains(".config.") {
        if asks(&flat, line, language) {
            found.push(Kind::TestAwareness);
        }
        if imports(line, language) && !is_around_tests(path) {
            found.push(Kind::TestImport);
        }
    }
    let words = format!("{flat} {}", line.texts.concat());
    found.into_iter().map(|kind| (kind, words.clone())).collect()
}

fn has_text(line: &Line, is: impl Fn(&str) -> bool) -> bool {
    line.texts.iter().any(|text| is(text))
}

/// Whether code asks whether it is under test.
fn asks(flat: &str, line: &Line, language: Language) -> bool {
    let is_variable = |word: &str| {
        VARIABLES.contains(&word)
            || word.starts_with(OWN)
                && word.chars().all(|character| character.is_ascii_uppercase() || "_0123456789".contains(character))
    };
    // `JEST` and `PYTEST` alone are common names; as string literals a variable's name is compared with them.
    let is_whole = |word: &str| word != "JEST" && word != "PYTEST" && word != "NEXTEST" && is_variable(word);
    let in_code = line.code.split(|next: char| !is_word(next)).any(is_whole);
    let in_text = has_text(line, |text| match language {
        Language::Shell => text.split(|next: char| !is_word(next)).any(is_whole),
        _ => is_variable(text),
    });
    let names = |words: &[&str]| has_text(line, |text| words.iter().any(|word| text.contains(word)));
    in_code
        || in_text
        || match language {
            Language::JavaScript | Language::TypeScript => {
                flat.contains("NODE_ENV") && has_text(line, |text| text == "test")
                    || flat.contains("import.meta.vitest")
                    || (flat.contains("process.argv") || flat.contains("process.execArgv"))
                        && names(&["--test", "jest", "vitest", "mocha"])
                    || flat.contains(".stack") && names(&[".test.", "node:test", "jest", "vitest", "mocha"])
                    || flat.contains("require.cache") && names(&["jest", "vitest", "mocha"])
                    || ["jest", "vi", "describe", "it", "expect"].iter().any(|name| {
                        has_words(&line.code, &["typeof", name])
                            || !flat.contains(&format!("globalThis.{name}="))
                                && ends_after(flat, &format!("globalThis.{name}"))
                    })
            }
            Language::Python => {
                flat.contains("sys.modules") && has_text(line, |text| PYTHON_LIBRARIES.contains(&text))
                    || (flat.contains("sys.argv") || flat.contains("inspect.stack("))
                        && names(&["pytest", "unittest", "test_"])
            }
            Language::Go => {
                flat.contains("testing.Testing()")
                    || flat.contains("flag.Lookup(") && names(&["test."])
                    || flat.contains("os.Args") && names(&[".test", "-test."])
            }
            Language::Rust => flat.contains("cfg!(test)") || flat.contains("cfg(not(test))"),
            Language::Java => names(&["org.junit", "org.testng", "junit."]),
            Language::CSharp => has_text(line, |text| {
                let text = text.to_ascii_lowercase();
                ["xunit", "nunit", "testhost"].iter().any(|name| text.starts_with(name))
            }),
            Language::Ruby => flat.contains("defined?(RSpec") || flat.contains("defined?(Minitest"),
            Language::Php => flat.contains("defined(") && names(&["PHPUNIT"]),
            _ => false,
        }
}

fn ends_after(flat: &str, words: &str) -> bool {
    flat.split(words).skip(1).any(|after| !after.starts_with(is_word))
}

/// Whether a line imports a test library.
fn imports(line: &Line, language: Language) -> bool {
    let code = line.code.trim_start();
    let of = |libraries: &[&str], name: &str| {
        libraries.iter().any(|library| name.strip_prefix(library).is_some_and(|rest| !rest.starts_with(is_word)))
    };
    match language {
        Language::JavaScript | Language::TypeScript => {
            let is_import = ["import", "require", "from"].iter().any(|word| has_words(code, &[word]));
            is_import && has_text(line, |text| SCRIPT_LIBRARIES.contains(&text))
        }
        Language::Python => ["import ", "from "]
            .iter()
            .any(|word| code.strip_prefix(word).is_some_and(|name| of(&PYTHON_LIBRARIES, name.trim_start()))),
        Language::Go => {
            let words = code.replace('"', " ");
            let is_import = words
                .split_whitespace()
                .all(|word| word == "import" || word.chars().all(|next| is_word(next) || next == '.'));
            is_import
                && words.split_whitespace().count() <= 2
                && has_text(line, |text| text == "testing" || text.starts_with("github.com/stretchr/testify"))
        }
        Language::Java => code
            .strip_prefix("import ")
            .is_some_and(|name| of(&JVM_LIBRARIES, name.trim_start().trim_start_matches("static ").trim_start())),
        Language::CSharp => code.strip_prefix("using ").is_some_and(|name| of(&CSHARP_LIBRARIES, name.trim_start())),
        Language::Ruby => {
            code.starts_with("require")
                && has_text(line, |text| text.starts_with("rspec") || text.starts_with("minitest"))
        }
        _ => false,
    }
}

/// Whether a path marks its code as serving tests.
fn is_around_tests(path: &str) -> bool {
    path.split(|next: char| !next.is_ascii_alphanumeric()).any(|word| {
        let begins_upper = ["Test", "Mock", "Fixture", "Spec"].iter().any(|part| word.contains(part));
        begins_upper || AROUND_TESTS.contains(&word.to_ascii_lowercase().as_str())
    })
}

/// Objects whose members only a test library sets.
const SCRIPT_ASSERTIONS: [&str; 5] = ["assert", "chai", "expect", "AssertionError", "chai.assert"];
const PYTHON_ASSERTIONS: [&str; 4] = ["unittest", "TestCase", "pytest", "AssertionError"];

/// Whether a line replaces an assertion, or, in production code, a function that ends the process.
fn patches(flat: &str, line: &Line, language: Language, is_production: bool) -> bool {
    let changes = |objects: &[&str]| {
        objects.iter().any(|object| {
            CHANGES.iter().any(|change| {
                let called = format!("{change}{object}");
                flat.match_indices(&called).any(|(at, _)| !flat[at + called.len()..].starts_with(is_word))
            })
        })
    };
    match language {
        Language::JavaScript | Language::TypeScript => {
            let is_library = has_text(line, |text| {
                matches!(text.trim_start_matches("node:"), "assert" | "assert/strict" | "test" | "chai")
            });
            SCRIPT_ASSERTIONS.iter().any(|object| assigns(flat, object))
                || changes(&SCRIPT_ASSERTIONS)
                || is_library
                    && ["require(\"\")", "require('')", "require(``)"].iter().any(|object| assigns(flat, object))
                || is_library && CHANGES.iter().any(|change| flat.contains(&format!("{change}require(")))
                || is_production
                    && (["process.exit=", "process.reallyExit=", "process.stdout.write="]
                        .iter()
                        .any(|form| sets(flat, form))
                        || flat.contains("process.exitCode=0")
                        || flat.contains("Object.defineProperty(process,")
                            && has_text(line, |text| text.starts_with("exit")))
        }
        Language::Python => {
            PYTHON_ASSERTIONS.iter().any(|object| assigns(flat, object))
                || changes(&PYTHON_ASSERTIONS)
                || is_production
                    && (assigns(flat, "builtins")
                        || changes(&["builtins"])
                        || ["sys.exit=", "os._exit="].iter().any(|form| sets(flat, form)))
        }
        Language::Rust => {
            ["assert", "assert_eq", "assert_ne"].iter().any(|name| ends_after(flat, &format!("macro_rules!{name}")))
        }
        Language::C => ["#defineassert(", "#undefassert", "#defineNDEBUG"].iter().any(|form| flat.starts_with(form)),
        Language::Ruby => {
            is_production
                && ["moduleMinitest", "classMinitest", "moduleRSpec"].iter().any(|form| flat.starts_with(form))
        }
        _ => false,
    }
}

/// Whether code has an assignment of this form, and not a comparison.
fn sets(flat: &str, form: &str) -> bool {
    flat.match_indices(form).any(|(at, _)| {
        let before = flat[..at].chars().next_back();
        !before.is_some_and(|before| is_word(before) || before == '.')
            && !flat[at + form.len()..].starts_with(['=', '>'])
    })
}

/// Whether a member of an object is assigned: `assert.equal =`, `assert['ok'] =`, `assert.strict.equal =`.
fn assigns(flat: &str, object: &str) -> bool {
    flat.match_indices(object).any(|(at, _)| {
        let before = flat[..at].chars().next_back();
        if before.is_some_and(|before| is_word(before) || before == '.') && !flat[..at].ends_with("unittest.") {
            return false;
        }
        let mut rest = &flat[at + object.len()..];
        let mut members = 0;
        loop {
            let after = match (rest.strip_prefix('.'), rest.strip_prefix('[')) {
                (Some(after), _) => &after[after.find(|next| !is_word(next)).unwrap_or(after.len())..],
                (_, Some(after)) => after.split_once(']').map_or("", |(_, after)| after),
                _ => break,
            };
            members += 1;
            rest = after;
        }
        members > 0 && rest.starts_with('=') && !rest.starts_with("==") && !rest.starts_with("=>")
    })
}

#[cfg(test)]
mod tests {
    use crate::suppressions::added;

    fn hold(path: &str, rows: &[(&str, &str)]) {
        for (text, expected) in rows {
            let found: Vec<&str> = added("", text, path).iter().map(|found| found.kind.as_str()).collect();
            assert_eq!(found.join(" "), *expected, "{path}: {text}");
        }
    }

    #[test]
    fn production_code_that_asks_whether_it_is_under_test_is_named() {
        hold(
            "src/price.js",
            &[
                ("if (process.env.NODE_TEST_CONTEXT) return 3;", "test-awareness"),
                ("const { JEST_WORKER_ID } = process.env;", "test-awareness"),
                ("if (process.env['VITEST']) x();", "test-awareness"),
                ("if (process.env.REFEREE_TASK) x();", "test-awareness"),
                ("Object.keys(process.env).some((k) => k.startsWith('REFEREE_'))", "test-awareness"),
                ("if (process.env.NODE_ENV === 'test') x();", "test-awareness"),
                ("if (process.env.NODE_ENV === 'production') x();", ""),
                ("if (process.execArgv.includes('--test')) x();", "test-awareness"),
                ("if (new Error().stack.includes('.test.js')) x();", "test-awareness"),
                ("if (typeof jest !== 'undefined') x();", "test-awareness"),
                ("if (globalThis.describe) x();", "test-awareness"),
                ("// VITEST is set by the runner", ""),
                ("log('set VITEST to run this');", ""),
                ("const items = list.filter((item) => item.test);", ""),
                ("if (process.env.CI) x();", ""),
                ("if (typeof items === 'object') x();", ""),
            ],
        );
        hold(
            "app/price.py",
            &[
                ("if os.environ.get('PYTEST_CURRENT_TEST'):", "test-awareness"),
                ("if 'pytest' in sys.modules:", "test-awareness"),
                ("if \"unittest\" in sys.modules:", "test-awareness"),
                ("if 'json' in sys.modules:", ""),
                ("print('run pytest')", ""),
                ("if 'REFEREE_RUN' in os.environ:", "test-awareness"),
            ],
        );
        hold(
            "price.go",
            &[
                ("if testing.Testing() {", "test-awareness"),
                ("if flag.Lookup(\"test.v\") != nil {", "test-awareness"),
                ("if strings.HasSuffix(os.Args[0], \".test\") {", "test-awareness"),
                ("name := flag.Lookup(\"name\")", ""),
            ],
        );
        hold(
            "src/price.rs",
            &[("if cfg!(test) {", "test-awareness"), ("#[cfg(not(test))]", "test-awareness"), ("#[cfg(test)]", "")],
        );
        hold("test/price.test.js", &[("if (process.env.NODE_TEST_CONTEXT) x();", "")]);
        hold("vite.config.ts", &[("if (process.env.VITEST) x();", "")]);
    }

    #[test]
    fn what_patches_assertions_is_named_and_what_uses_them_is_not() {
        hold(
            "src/price.js",
            &[
                ("assert.strictEqual = () => {};", "patched-assertion"),
                ("assert['ok'] = noop;", "patched-assertion"),
                ("require('node:assert').equal = () => {};", "patched-assertion"),
                ("Object.assign(assert, { equal() {} });", "patched-assertion"),
                ("process.exit = () => {};", "patched-assertion"),
                ("process.on('exit', () => { process.exitCode = 0; });", "patched-assertion"),
                ("process.exitCode = 1;", ""),
                ("process.exit(0);", ""),
                ("assert.strictEqual(a, b);", ""),
                ("if (assert.x === 1) y();", ""),
                ("const assert = require('node:assert');", ""),
                ("this.assert.level = 3;", ""),
                ("Object.assign(assertions, x);", ""),
            ],
        );
        hold("test/a.test.js", &[("assert.ok = () => {};", "patched-assertion"), ("process.exit = fake;", "")]);
        hold(
            "app/price.py",
            &[
                ("unittest.TestCase.assertEqual = lambda *a: None", "patched-assertion"),
                ("pytest.raises = fake", "patched-assertion"),
                ("setattr(TestCase, 'assertEqual', fake)", "patched-assertion"),
                ("builtins.print = fake", "patched-assertion"),
                ("sys.exit = fake", "patched-assertion"),
                ("sys.exit(1)", ""),
                ("if pytest.x == 1:", ""),
            ],
        );
        hold("src/a.rs", &[("macro_rules! assert_eq {", "patched-assertion"), ("macro_rules! assert_close {", "")]);
        hold(
            "a.c",
            &[
                ("#define NDEBUG", "patched-assertion"),
                ("#define assert(x)", "patched-assertion"),
                ("#include <assert.h>", ""),
            ],
        );
    }

    #[test]
    fn production_code_that_imports_a_test_library_is_named() {
        hold(
            "src/price.ts",
            &[
                ("import { vi } from 'vitest';", "test-import"),
                ("const { expect } = require('chai');", "test-import"),
                ("import test from \"node:test\";", "test-import"),
                ("import { defineConfig } from 'vitest/config';", ""),
                ("import assert from 'node:assert';", ""),
                ("log('vitest');", ""),
            ],
        );
        hold(
            "app/price.py",
            &[
                ("import unittest.mock", "test-import"),
                ("from pytest import raises", "test-import"),
                ("import pytestsomething", ""),
            ],
        );
        hold(
            "price.go",
            &[
                ("import \"testing\"", "test-import"),
                ("\t\"testing\"", "test-import"),
                ("x := \"testing\"", ""),
                ("f(\"testing\")", ""),
            ],
        );
        hold("internal/testutil/a.go", &[("\t\"testing\"", "")]);
        hold(
            "src/main/java/A.java",
            &[("import static org.junit.Assert.assertEquals;", "test-import"), ("import org.slf4j.Logger;", "")],
        );
        hold("src/latest/a.ts", &[("import 'vitest';", "test-import")]);
        hold("src/testing/render.ts", &[("import { vi } from 'vitest';", "")]);
    }
}
