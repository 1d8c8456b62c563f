//! Operators applied to the samples and to every source of this workspace.

use proptest::prelude::*;
use referee_model::mutant::{Language, Mutant};
use referee_mutation::{FILE_BYTES_MAX, Refusal, mutants};

use crate::samples::{SAMPLES, files};

#[test]
fn mutants_of_the_samples_are_these() {
    for (language, name, text) in SAMPLES {
        let lines: Vec<String> = mutants(language, text).unwrap().iter().map(line).collect();
        insta::assert_snapshot!(name, lines.join("\n"));
    }
}

fn line(mutant: &Mutant) -> String {
    let operator = serde_json::to_value(mutant.operator).unwrap();
    let flat = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
    format!(
        "{}:{} {} {}: {} -> {}",
        mutant.line,
        mutant.column,
        mutant.anchor.function.as_deref().unwrap_or("-"),
        operator.as_str().unwrap(),
        flat(&mutant.original),
        flat(&mutant.replacement)
    )
}

/// Tests every mutant of the samples, and every n-th mutant of other files to limit the duration to seconds.
#[test]
fn a_mutant_differs_and_makes_no_syntax_error() {
    let samples = SAMPLES.map(|(language, name, text)| (language, name.to_owned(), text.to_owned(), 1));
    let others = files().into_iter().map(|(language, path, text)| (language, path.display().to_string(), text, 120));
    let (mut wrong, mut count) = (Vec::new(), 0);
    for (language, name, text, every) in samples.into_iter().chain(others) {
        let errors = syntax_errors(language, &text);
        for mutant in mutants(language, &text).unwrap().iter().step_by(every) {
            count += 1;
            let changed = mutant.apply(&text).unwrap();
            assert_ne!(changed, text, "{name}");
            if syntax_errors(language, &changed) > errors {
                wrong.push(format!("{name}: {}", line(mutant)));
            }
        }
    }
    println!("{count} mutants");
    assert!(count > 1000);
    assert!(wrong.is_empty(), "{} of {count}:\n{}", wrong.len(), wrong.join("\n"));
}

fn syntax_errors(language: Language, text: &str) -> usize {
    let mut parser = tree_sitter::Parser::new();
    parser.set_language(&grammar(language)).unwrap();
    let tree = parser.parse(text, None).unwrap();
    let (mut errors, mut next) = (0, vec![tree.root_node()]);
    while let Some(node) = next.pop() {
        errors += usize::from(node.is_error() || node.is_missing());
        if node.has_error() {
            let mut cursor = node.walk();
            next.extend(node.children(&mut cursor));
        }
    }
    errors
}

fn grammar(language: Language) -> tree_sitter::Language {
    match language {
        Language::C => tree_sitter_c::LANGUAGE,
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
        Language::Cpp => tree_sitter_cpp::LANGUAGE,
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
        Language::JavaScript => tree_sitter_javascript::LANGUAGE,
        Language::Php => tree_sitter_php::LANGUAGE_PHP,
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
        Language::Rust => tree_sitter_rust::LANGUAGE,
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
    }
    .into()
}

#[test]
fn samples_have_no_syntax_errors() {
    for (language, name, text) in SAMPLES {
        assert_eq!(syntax_errors(language, text), 0, "{name}");
    }
}

#[test]
fn what_is_too_long_is_refused_and_what_is_long_is_not() {
    for language in Language::ALL {
        let long = "(".repeat(FILE_BYTES_MAX + 1);
        assert_eq!(mutants(language, &long), Err(Refusal::TooLong(FILE_BYTES_MAX + 1)));
        let deep = ["(", "[{", "a(b[", "if a < 1 {\n", "a+", "a.b().", "!", "f()(", "a?b:"]
            .map(|part| part.repeat(20_000 / part.len()));
        for text in deep {
            assert!(matches!(mutants(language, &text), Ok(_) | Err(Refusal::TooHard)));
        }
    }
}

#[test]
fn a_long_file_is_within_the_budget_of_the_parser() {
    for (language, name, text) in SAMPLES.into_iter().step_by(3) {
        let long = text.repeat(FILE_BYTES_MAX / text.len());
        assert!(mutants(language, &long).is_ok_and(|mutants| mutants.len() > 1000), "{name}");
    }
}

proptest! {
    #[test]
    fn junk_is_no_reason_to_panic(text in "(?s).{0,300}", cut in 0_usize..4_000, language in 0_usize..12) {
        let (language, _, sample) = SAMPLES[language];
        let cut = sample.floor_char_boundary(cut);
        for text in [text.clone(), [&sample[..cut], &text, &sample[cut..]].concat()] {
            for mutant in mutants(language, &text).unwrap() {
                prop_assert!(mutant.apply(&text).is_some_and(|changed| changed != text));
            }
            let _ = referee_mutation::unformatted(language, &text).unwrap();
            let _ = referee_mutation::hollowed(language, sample, &text).unwrap();
        }
    }
}
