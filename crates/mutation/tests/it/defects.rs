//! Tools report the planted defects, and nothing in the unchanged samples.

use std::process::Command;

use referee_model::mutant::Language;
use referee_mutation::{mutants, syntax_break, type_error, unformatted};

use crate::samples::SAMPLES;

/// Returns whether a tool accepts a text. None: the tool is not available.
fn is_accepted(command: &[&str], name: &str, text: &str) -> Option<bool> {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join(name);
    std::fs::write(&path, text).unwrap();
    if command[0] == "go" {
        std::fs::write(directory.path().join("go.mod"), "module cart\n\ngo 1.21\n").unwrap();
    }
    let arguments = command[1..].iter().map(|argument| if *argument == "{}" { name } else { *argument });
    let run = Command::new(command[0]).args(arguments).current_dir(&directory).output();
    let Ok(output) = run else {
        println!("skipped: no {}", command[0]);
        return None;
    };
    // `gofmt -l` lists files and exits with 0.
    let lists = command.contains(&"-l") && !output.stdout.is_empty();
    Some(output.status.success() && !lists)
}

/// Checks that the sample is accepted and the planted defect is not.
fn check(command: &[&str], name: &str, text: &str, planted: &str) {
    let Some(accepted) = is_accepted(command, name, text) else { return };
    assert!(accepted, "{command:?} accepts {name}");
    assert_eq!(is_accepted(command, name, planted), Some(false), "{command:?} refuses:\n{planted}");
}

fn sample(name: &str) -> (Language, &'static str) {
    let found = SAMPLES.into_iter().find(|(_, known, _)| *known == name).unwrap();
    (found.0, found.2)
}

const COMPILERS: [(&str, &[&str]); 10] = [
    ("cart.py", &["python3", "-m", "py_compile", "{}"]),
    ("cart.go", &["go", "vet", "."]),
    ("cart.rs", &["rustc", "--edition=2024", "--crate-type=lib", "--emit=metadata", "{}"]),
    ("cart.c", &["gcc", "-std=c17", "-fsyntax-only", "{}"]),
    ("cart.cpp", &["g++", "-std=c++17", "-fsyntax-only", "{}"]),
    ("Cart.java", &["javac", "-d", "out", "{}"]),
    ("cart.rb", &["ruby", "-c", "{}"]),
    ("cart.php", &["php", "-l", "{}"]),
    ("cart.ts", &["tsc", "--noEmit", "--target", "es2022", "{}"]),
    ("Cart.cs", &["csc", "-target:library", "{}"]),
];

#[test]
fn no_compiler_accepts_a_syntax_break() {
    for (name, command) in COMPILERS {
        let (language, text) = sample(name);
        check(command, name, text, &syntax_break(language, text));
    }
    let plain = "const a = 1;\nmodule.exports = { a };\n";
    check(&["node", "--check", "{}"], "a.js", plain, &syntax_break(Language::JavaScript, plain));
}

#[test]
fn no_checker_of_types_accepts_a_type_error() {
    for (name, command) in COMPILERS {
        let (language, text) = sample(name);
        let Some(planted) = type_error(language, text) else { continue };
        if language != Language::Python {
            check(command, name, text, &planted);
        }
    }
    let (language, text) = sample("cart.py");
    let planted = type_error(language, text).unwrap();
    check(&["mypy", "--ignore-missing-imports", "{}"], "cart.py", text, &planted);
    assert_ne!(is_accepted(&["python3", "-m", "py_compile", "{}"], "cart.py", &planted), Some(false), "it still runs");
    for language in [Language::JavaScript, Language::Php, Language::Ruby] {
        assert_eq!(type_error(language, "a"), None);
    }
}

#[test]
fn a_type_error_has_a_name_of_its_own_and_a_line_of_its_own() {
    let planted = type_error(Language::Python, "planted = planted1 = 1").unwrap();
    assert_eq!(planted, "planted = planted1 = 1\nplanted2: int = \"text\"\n");
}

#[test]
fn formatters_undo_what_is_unformatted_and_compilers_accept_it() {
    const FORMATTERS: [(&str, &[&str]); 6] = [
        ("cart.go", &["gofmt", "-l", "{}"]),
        ("cart.rs", &["rustfmt", "--check", "--edition=2024", "--config=use_small_heuristics=Max", "{}"]),
        ("cart.py", &["black", "--check", "{}"]),
        ("cart.js", &["prettier", "--single-quote", "--print-width=100", "--check", "{}"]),
        ("cart.ts", &["prettier", "--single-quote", "--print-width=100", "--check", "{}"]),
        ("list.tsx", &["prettier", "--single-quote", "--print-width=100", "--check", "{}"]),
    ];
    for (name, command) in FORMATTERS {
        let (language, text) = sample(name);
        check(command, name, text, &unformatted(language, text).unwrap().unwrap());
    }
    for (name, command) in COMPILERS {
        let (language, text) = sample(name);
        let planted = unformatted(language, text).unwrap().unwrap();
        assert_ne!(is_accepted(command, name, &planted), Some(false), "{name}");
    }
    assert_eq!(unformatted(Language::Python, "# nothing\n"), Ok(None));
}

#[test]
fn what_is_planted_differs_by_little() {
    for (language, name, text) in SAMPLES {
        let planted = unformatted(language, text).unwrap().unwrap();
        assert_eq!(planted.len(), text.len() + 3, "{name}");
        assert!(syntax_break(language, text).ends_with(text), "{name}");
    }
}

/// In a statically typed language, a mutant that does not compile says nothing about the tests. Slow compilers
/// only check some of the mutants.
#[test]
fn compilers_accept_the_mutants_of_the_samples() {
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (name, command) in COMPILERS {
        let (language, text) = sample(name);
        let every = if matches!(language, Language::C | Language::Cpp) { 2 } else { 7 };
        for mutant in mutants(language, text).unwrap().iter().step_by(every) {
            count += 1;
            if is_accepted(command, name, &mutant.apply(text).unwrap()) == Some(false) {
                wrong.push(format!("{name}:{} {} -> {}", mutant.line, mutant.original, mutant.replacement));
            }
        }
    }
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}
