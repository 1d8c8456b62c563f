//! Mutants are located again in changed files.

use referee_model::mutant::{Language, Mutant, Operator};
use referee_mutation::{fit, mutants};

const BEFORE: &str = "\
def total(items, limit):
    count = 0
    for item in items:
        if item.price < limit:
            count += item.price
    return count


def other(items):
    return len(items) < 3
";

/// Returns the mutant that negates `item.price < limit`.
fn comparison() -> Mutant {
    let found = mutants(Language::Python, BEFORE).unwrap().into_iter();
    found
        .filter(|mutant| mutant.operator == Operator::ComparisonNegation)
        .find(|mutant| mutant.anchor.function.as_deref() == Some("total"))
        .unwrap()
}

#[test]
fn a_mutant_is_fitted_to_an_edit_or_is_gone() {
    let rows: [(&str, String, Option<usize>); 10] = [
        ("nothing changed", BEFORE.to_owned(), Some(4)),
        ("lines moved", format!("import os\n\n\n{BEFORE}"), Some(7)),
        ("renamed elsewhere", BEFORE.replace("count", "amount"), Some(4)),
        ("renamed within", BEFORE.replace("limit", "ceiling"), Some(4)),
        ("function moved", move_first_function(BEFORE), Some(8)),
        ("reformatted", BEFORE.replace("item.price < limit", "item.price  <  limit"), Some(4)),
        (
            "a peer before it",
            BEFORE.replace(
                "        if item.price < limit",
                "        if item.size < 2:\n            pass\n        if item.price < limit",
            ),
            Some(6),
        ),
        ("wrapped", BEFORE.replace("if item.price < limit", "if item and item.price < limit"), Some(4)),
        ("expression gone", BEFORE.replace("item.price < limit", "item.is_cheap(limit)"), None),
        ("function gone", BEFORE.replace("def total", "def sum_of"), None),
    ];
    for (edit, after, line) in rows {
        let fitted = fit(&comparison(), &after);
        assert_eq!(fitted.as_ref().map(|mutant| mutant.line), line, "{edit}");
        if let Some(fitted) = fitted {
            assert!(fitted.apply(&after).unwrap().contains(">= "), "{edit}");
        }
    }
}

fn move_first_function(text: &str) -> String {
    let (first, second) = text.split_once("\n\n\n").unwrap();
    format!("{second}\n\n{first}\n")
}

#[test]
fn every_mutant_of_a_sample_fits_the_sample_and_one_that_is_moved() {
    for (language, name, text) in crate::samples::SAMPLES {
        let lead = if language == Language::Php { "<p>\n</p>\n\n" } else { "\n\n\n" };
        let moved = format!("{lead}{text}");
        for mutant in mutants(language, text).unwrap() {
            assert_eq!(fit(&mutant, text).as_ref(), Some(&mutant), "{name}");
            let fitted = fit(&mutant, &moved).unwrap();
            assert_eq!((fitted.line, fitted.column), (mutant.line + 3, mutant.column), "{name}");
        }
    }
}

#[test]
fn a_mutant_survives_json() {
    let mutant = comparison();
    let json = serde_json::to_string(&mutant).unwrap();
    assert!(json.contains("\"comparison-negation\""), "{json}");
    assert_eq!(serde_json::from_str::<Mutant>(&json).unwrap(), mutant);
}
