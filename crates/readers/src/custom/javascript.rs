//! Translates JavaScript regular expressions to the syntax of the `regex` crate.
//!
//! Both agree on nearly everything that problem matchers use. Syntax specific to JavaScript is rewritten;
//! features that the crate lacks because they cannot be matched in linear time are rejected.
//!
//! | JavaScript                       | here                                                    |
//! |----------------------------------|---------------------------------------------------------|
//! | `\d`, `\w`                       | ASCII only                                              |
//! | `[^]`, `[]`                      | anything, nothing                                       |
//! | `[[]`, `[a&&b]`                  | the characters of a class are escaped                   |
//! | `a{`, `{b`                       | braces that are not a count are escaped                 |
//! | `\q`                             | the letter itself                                       |
//! | `(?=…)`, `(?!…)`, `(?<=…)`, `\1` | rejected                                                |

use std::fmt::Write as _;
use std::iter::Peekable;
use std::str::Chars;

use crate::pattern::Expression;

const EXPRESSION_BYTES: usize = 8 * 1024;

/// The reason why an expression is rejected, and the remedy.
pub(super) type Refusal = (String, &'static str);

const LOOK_AROUND: &str = "write what must follow or precede into the expression itself, and capture only the rest";
const REFERENCE: &str = "write the text out that the group is to match again";
const SYNTAX: &str = "correct the expression";

pub(super) fn compile(expression: &str) -> Result<Expression, Refusal> {
    build(&translated(expression)?, false)
}

/// Compiles an expression that is in the syntax of the crate.
pub(super) fn build(expression: &str, ignores_case: bool) -> Result<Expression, Refusal> {
    Expression::new(expression, ignores_case).and_then(Expression::compiled).map_err(|error| match error {
        regex::Error::CompiledTooBig(_) => ("it is too large when compiled".to_owned(), "use smaller repetitions"),
        // The last line of the crate's message is the problem; those before it point into the expression.
        other => {
            let told = other.to_string();
            let last = told.lines().last().unwrap_or_default();
            (last.trim_start_matches("error: ").to_owned(), SYNTAX)
        }
    })
}

/// Translates an expression to the syntax of the crate.
fn translated(expression: &str) -> Result<String, Refusal> {
    if EXPRESSION_BYTES < expression.len() {
        return Err((format!("it is longer than {EXPRESSION_BYTES} bytes"), "shorten it"));
    }
    let mut written = String::with_capacity(expression.len() + 16);
    let mut rest = expression.chars().peekable();
    while let Some(character) = rest.next() {
        match character {
            '\\' => escape(&mut rest, false, &mut written)?,
            '[' => class(&mut rest, &mut written)?,
            '(' if rest.peek() == Some(&'?') => group(&mut rest, &mut written)?,
            '{' => brace(&mut rest, &mut written),
            '}' => written.push_str("\\}"),
            ']' => written.push_str("\\]"),
            other => written.push(other),
        }
    }
    Ok(written)
}

/// Parses an escape sequence after its backslash.
fn escape(rest: &mut Peekable<Chars<'_>>, is_in_class: bool, written: &mut String) -> Result<(), Refusal> {
    let Some(escaped) = rest.next() else {
        return Err(("it ends in a backslash".to_owned(), "write two backslashes for one"));
    };
    match escaped {
        'd' => written.push_str(if is_in_class { "0-9" } else { "[0-9]" }),
        'w' => written.push_str(if is_in_class { "0-9A-Za-z_" } else { "[0-9A-Za-z_]" }),
        'D' => written.push_str("[^0-9]"),
        'W' => written.push_str("[^0-9A-Za-z_]"),
        'b' if is_in_class => written.push_str("\\x08"),
        's' | 'S' | 'b' | 'B' | 'n' | 'r' | 't' | 'f' | 'v' => {
            written.push('\\');
            written.push(escaped);
        }
        '0' => written.push_str("\\x00"),
        '1'..='9' | 'k' => return Err(("it refers back to a group".to_owned(), REFERENCE)),
        'p' | 'P' if rest.peek() == Some(&'{') => {
            written.push('\\');
            written.push(escaped);
            for character in rest.by_ref() {
                written.push(character);
                if character == '}' {
                    break;
                }
            }
        }
        'x' | 'u' => code_point(rest, escaped, written),
        'c' => {
            let control = rest.next().filter(char::is_ascii_alphabetic).map_or(0, |letter| u32::from(letter) % 32);
            point(control, written);
        }
        letter if letter.is_ascii_alphanumeric() => written.push(letter),
        other => literal(other, written),
    }
    Ok(())
}

/// Writes a literal character.
pub(super) fn literal(character: char, written: &mut String) {
    // A backslash before these two has a special meaning.
    if character.is_ascii_punctuation() && !matches!(character, '<' | '>') {
        written.push('\\');
    }
    written.push(character);
}

/// Writes a character by its code point.
fn point(number: u32, written: &mut String) {
    // Writing into a string cannot fail.
    let _ = write!(written, "\\x{{{number:x}}}");
}

/// Parses `x41`, `u0041` or `u{41}`; if no such number follows, the letter is literal.
fn code_point(rest: &mut Peekable<Chars<'_>>, letter: char, written: &mut String) {
    let mut ahead = rest.clone();
    let digits: String = if letter == 'u' && ahead.peek() == Some(&'{') {
        ahead.next();
        ahead.by_ref().take_while(|digit| *digit != '}').take(6).collect()
    } else {
        ahead.by_ref().take(if letter == 'x' { 2 } else { 4 }).collect()
    };
    let is_number = !digits.is_empty() && digits.bytes().all(|digit| digit.is_ascii_hexdigit());
    let number = u32::from_str_radix(&digits, 16).ok().filter(|_| is_number).and_then(char::from_u32);
    if let Some(number) = number {
        *rest = ahead;
        point(u32::from(number), written);
    } else {
        written.push(letter);
    }
}

/// Parses a class after its opening bracket.
fn class(rest: &mut Peekable<Chars<'_>>, written: &mut String) -> Result<(), Refusal> {
    let is_negated = rest.next_if_eq(&'^').is_some();
    if rest.next_if_eq(&']').is_some() {
        written.push_str(if is_negated { "[\\s\\S]" } else { "[a&&b]" });
        return Ok(());
    }
    written.push_str(if is_negated { "[^" } else { "[" });
    let mut follows_set = false;
    loop {
        let is_set = begins_set(rest);
        match rest.next() {
            None => return Err(("a class is not closed".to_owned(), "close it with `]`, or write `\\[`")),
            Some(']') => break,
            Some('\\') => escape(rest, true, written)?,
            // Next to a set, and at the end of a range, it is literal.
            Some('-') if follows_set || begins_set(rest) || written.ends_with('-') => written.push_str("\\-"),
            Some('-') => written.push('-'),
            // In a JavaScript class, only ranges have a special meaning.
            Some(other) => literal(other, written),
        }
        follows_set = is_set;
    }
    written.push(']');
    Ok(())
}

/// Returns whether a set of characters follows: `\s`, `\d`, `\w`.
fn begins_set(rest: &Peekable<Chars<'_>>) -> bool {
    let mut ahead = rest.clone();
    ahead.next() == Some('\\') && matches!(ahead.next(), Some('s' | 'S' | 'd' | 'D' | 'w' | 'W'))
}

/// Parses `?…` after an opening parenthesis.
fn group(rest: &mut Peekable<Chars<'_>>, written: &mut String) -> Result<(), Refusal> {
    let mut ahead = rest.clone();
    ahead.next();
    let (first, second) = (ahead.next(), ahead.next());
    match (first, second) {
        (Some('=' | '!'), _) | (Some('<'), Some('=' | '!')) => {
            Err(("it looks ahead or behind".to_owned(), LOOK_AROUND))
        }
        _ => {
            written.push('(');
            Ok(())
        }
    }
}

/// Parses the text after an opening brace, which is a count or makes the brace literal.
fn brace(rest: &mut Peekable<Chars<'_>>, written: &mut String) {
    let mut ahead = rest.clone();
    let inner: String = ahead.by_ref().take_while(|character| *character != '}').take(16).collect();
    let (least, most) = inner.split_once(',').map_or((inner.as_str(), None), |(least, most)| (least, Some(most)));
    let is_number = |digits: &str| digits.bytes().all(|digit| digit.is_ascii_digit());
    let is_count = !least.is_empty() && is_number(least) && most.is_none_or(is_number);
    let is_closed = rest.clone().nth(inner.chars().count()) == Some('}');
    if is_count && is_closed && !written.is_empty() {
        written.push('{');
        written.push_str(&inner);
        written.push('}');
        *rest = ahead;
    } else {
        written.push_str("\\{");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_javascript_allows_is_written_out() {
        for (expression, text, matches) in [
            (
                r"^([^\s].*)[\(:](\d+)[,:](\d+)(?:\):\s+|\s+-\s+)(error|warning)\s+TS(\d+)\s*:\s*(.*)$",
                "a.ts(1,2): error TS1: m",
                true,
            ),
            (r"^[^]+$", "any", true),
            (r"[]", "any", false),
            (r"^[[\]]+$", "[]", true),
            (r"^\<[<>]\>$", "<<>", true),
            (r"^[a&&b]+$", "a&b", true),
            (r"^a{b}{2}c{1,}d{$", "a{b}}cd{", true),
            (r"^\/\-\_\q$", "/-_q", true),
            (r"^\x41\u0042\u{43}\cJ$", "ABC\n", true),
            (r"^\d$", "\u{0663}", false),
            (r"^[\w-]+$", "a-b", true),
            (r"^[\s->=]+$", " -->=", true),
            (r"^[+--]+$", "+,-", true),
            (r"^[a-\d]+$", "a-1", true),
            (r"^(?<file>[^:]+):$", "a:", true),
        ] {
            let compiled = compile(expression).unwrap_or_else(|refusal| panic!("{expression}: {refusal:?}"));
            assert_eq!(compiled.find(text).is_some(), matches, "{expression} is {compiled:?}");
        }
    }

    #[test]
    fn what_cannot_be_matched_in_linear_time_is_refused() {
        for expression in
            ["a(?=b)", "a(?!b)", "(?<=a)b", "(?<!a)b", r"(a)\1", r"(?<n>a)\k<n>", "(", "[a", "a\\", "(a{1000}){1000}"]
        {
            let (problem, remedy) = compile(expression).unwrap_err();
            assert!(!problem.is_empty() && !remedy.is_empty(), "{expression}");
        }
        assert!(compile(&"a".repeat(EXPRESSION_BYTES + 1)).is_err());
    }

    proptest::proptest! {
        #[test]
        fn no_expression_panics(expression in "[\\\\\\[\\](){}?<>=!a-c0-9,^$.|*+xuckpd-]{0,40}") {
            let _ = compile(&expression);
        }
    }
}
