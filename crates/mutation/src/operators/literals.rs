//! Constants.

use tree_sitter::Node;

use super::Edit;
use super::conditions::condition;
use crate::exclusion::is_message;
use crate::kind::{BOOLEANS, LOOPS, NUMBERS, STRINGS, is};
use crate::source::{Source, Trail, unwrap};
use referee_model::mutant::Language;
use referee_model::mutant::Operator;

/// Numbers whose successor may not fit the type: maximum values of integer types, and absolute values of the
/// minimum ones.
const ENDS: [u128; 11] = [
    127,
    128,
    255,
    32_767,
    32_768,
    65_535,
    2_147_483_647,
    2_147_483_648,
    4_294_967_295,
    9_223_372_036_854_775_807,
    18_446_744_073_709_551_615,
];

pub(super) fn edit<'tree>(source: &Source, trail: &Trail<'tree>) -> Option<Edit<'tree>> {
    let node = trail.last()?.node;
    if is(&BOOLEANS, node.kind()) {
        let replacement = turned(source.of(node))?;
        return (!is_endless(source, trail)).then(|| Edit::whole(Operator::BooleanLiteral, node, replacement));
    }
    if is(&NUMBERS, node.kind()) {
        return Some(Edit::whole(Operator::NumberConstant, node, other_number(source.of(node))?));
    }
    let is_within_string = trail.iter().rev().nth(1).is_some_and(|above| is(&STRINGS, above.node.kind()));
    if is(&STRINGS, node.kind()) && !is_within_string && !is_message(source, trail) {
        let replacement = emptied(source.language, source.of(node))?;
        return Some(Edit::whole(Operator::StringConstant, node, replacement));
    }
    None
}

fn turned(literal: &str) -> Option<&'static str> {
    Some(match literal {
        "true" => "false",
        "false" => "true",
        "True" => "False",
        "False" => "True",
        "TRUE" => "FALSE",
        "FALSE" => "TRUE",
        _ => return None,
    })
}

/// Returns whether a node is the condition of an endless loop, `while (true)`: changed, compilers report
/// unreachable code.
fn is_endless(source: &Source, trail: &Trail) -> bool {
    let Some(node) = trail.last().map(|step| step.node) else { return false };
    trail.iter().rev().skip(1).take(2).any(|above| {
        is(&LOOPS, above.node.kind()) && condition(source, above.node).is_some_and(|held| same(unwrap(held), node))
    })
}

fn same(left: Node, right: Node) -> bool {
    left.id() == right.id()
}

/// Returns the next decimal number, or the previous one if the next may not fit the type.
fn other_number(literal: &str) -> Option<String> {
    let digits: String = literal.chars().take_while(|one| one.is_ascii_digit() || *one == '_').collect();
    let rest = &literal[digits.len()..];
    let bare = digits.replace('_', "");
    let is_octal = bare.len() > 1 && bare.starts_with('0');
    if is_octal || bare == "0" && rest.starts_with(['x', 'X', 'b', 'B', 'o', 'O']) {
        return None;
    }
    let number: u128 = bare.parse().ok()?;
    let other = if ENDS.contains(&number) { number.checked_sub(1)? } else { number.checked_add(1)? };
    Some(format!("{other}{rest}"))
}

/// Returns the empty string with the same quotes. None: it is empty already, or its length is part of its type.
fn emptied(language: Language, literal: &str) -> Option<String> {
    let opening = literal.find(['"', '\'', '`'])?;
    let quote = literal[opening..].chars().next()?;
    let (prefix, quoted) = literal.split_at(opening);
    if quoted.trim_matches([quote, '#', '@']).is_empty() {
        return None;
    }
    let is_sized = prefix.chars().any(|one| matches!(one, 'b' | 'B' | 'c' | 'C'));
    let kept = match (language, is_sized) {
        (Language::Rust, true) => return None,
        (Language::Python, true) => "b",
        (Language::C | Language::Cpp, _) => prefix.trim_end_matches('R'),
        _ => "",
    };
    Some(format!("{kept}{quote}{quote}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_number_fits_where_the_number_did() {
        for (literal, other) in [
            ("0", Some("1")),
            ("1_000u64", Some("1001u64")),
            ("255u8", Some("254u8")),
            ("1.5", Some("2.5")),
            ("2e3", Some("3e3")),
            ("0x1F", None),
            ("0644", None),
            (".5", None),
            ("340282366920938463463374607431768211455", None),
        ] {
            assert_eq!(other_number(literal).as_deref(), other, "{literal}");
        }
    }

    #[test]
    fn an_emptied_text_keeps_its_quotes() {
        for (language, literal, empty) in [
            (Language::Python, "rb'a'", Some("b''")),
            (Language::Python, "\"\"\"a\"\"\"", Some("\"\"")),
            (Language::Python, "''", None),
            (Language::Rust, "r#\"a\"#", Some("\"\"")),
            (Language::Rust, "b\"a\"", None),
            (Language::Cpp, "LR\"(a)\"", Some("L\"\"")),
            (Language::CSharp, "$\"{a}\"", Some("\"\"")),
            (Language::Go, "`a`", Some("``")),
        ] {
            assert_eq!(emptied(language, literal).as_deref(), empty, "{literal}");
        }
    }
}
