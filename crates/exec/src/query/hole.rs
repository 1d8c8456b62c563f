//! Captured values in SQL. Whatever a server answered to an earlier action, it stays one value: it ends no string, and
//! adds no words.

use std::collections::BTreeMap;

use referee_model::plan::{CaptureName, Piece, Template};

/// Where in a statement a text ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Context {
    /// Between words.
    Code,
    /// Between quotation marks of this kind.
    Quoted(char),
    LineComment,
    BlockComment,
}

/// Fills the placeholders of a statement. Between single quotes a value is text, in a quoted name it must be a plain
/// word, and elsewhere a number: a word there could be a column, and make a condition always true. A statement with
/// placeholders is refused where databases differ on what is quoted.
pub(super) fn fill(template: &Template, captured: &BTreeMap<CaptureName, String>) -> Result<String, String> {
    if let Some(text) = template.as_plain() {
        return Ok(text.to_owned());
    }
    let (mut filled, mut context) = (String::new(), Context::Code);
    for piece in template.pieces() {
        match piece {
            Piece::Text(text) => {
                context = end(text, context)?;
                filled.push_str(text);
            }
            Piece::Captured(name) => {
                let value = captured.get(name).ok_or_else(|| missing(name))?;
                filled.push_str(&fitting(name, value, context)?);
            }
        }
    }
    Ok(filled)
}

/// Returns where a text ends that begins in this context.
fn end(text: &str, begin: Context) -> Result<Context, String> {
    let mut context = begin;
    let mut letters = text.chars().peekable();
    while let Some(letter) = letters.next() {
        let next = letters.peek().copied();
        context = match (context, letter) {
            (Context::Code, '\'' | '"' | '`') => Context::Quoted(letter),
            (Context::Code, '$' | '#') | (Context::Quoted(_), '\\') => return Err(ambiguous(&letter.to_string())),
            (Context::Code, '-') if next == Some('-') => {
                letters.next();
                match letters.peek() {
                    Some(after) if !after.is_whitespace() => return Err(ambiguous("--")),
                    _ => Context::LineComment,
                }
            }
            (Context::Code, '/') if next == Some('*') => {
                letters.next();
                Context::BlockComment
            }
            (Context::BlockComment, '/') if next == Some('*') => return Err(ambiguous("/*")),
            (Context::BlockComment, '*') if next == Some('/') => {
                letters.next();
                Context::Code
            }
            (Context::LineComment, '\n') => Context::Code,
            // A doubled quotation mark ends its text and begins it again.
            (Context::Quoted(mark), letter) if letter == mark => Context::Code,
            _ => context,
        };
    }
    Ok(context)
}

fn ambiguous(sign: &str) -> String {
    format!("databases read `{sign}` differently there, so captured values cannot be put into this statement safely")
}

/// Returns why a text cannot be filled.
pub(super) fn missing(name: &CaptureName) -> String {
    format!("nothing was captured as `{name}`: the action that captures it did not run, or found nothing")
}

fn fitting(name: &CaptureName, value: &str, context: Context) -> Result<String, String> {
    if context == Context::Quoted('\'') {
        // MySQL takes a backslash for its own, others do not.
        if value.contains(['\\', '\0']) {
            return Err(format!(
                "the value captured as `{name}` holds a backslash or a null character, which databases read differently"
            ));
        }
        return Ok(value.replace('\'', "''"));
    }
    if let Context::Quoted(_) = context {
        let is_plain = |letter: char| letter.is_ascii_alphanumeric() || letter == '_';
        return if !value.is_empty() && value.chars().all(is_plain) {
            Ok(value.to_owned())
        } else {
            Err(format!("the value captured as `{name}` is no plain word, as a name of a column or table must be"))
        };
    }
    let digits = value.strip_prefix('-').unwrap_or(value);
    let (whole, part) = digits.split_once('.').unwrap_or((digits, "0"));
    if [whole, part].iter().any(|digits| digits.is_empty() || !digits.bytes().all(|digit| digit.is_ascii_digit())) {
        return Err(format!(
            "the value captured as `{name}` is no number, so it must stand between single quotes in the statement"
        ));
    }
    // Two minus signs begin a comment.
    Ok(if value.starts_with('-') { format!("({value})") } else { value.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_value_that_was_not_captured_is_named() {
        let mut template = Template::plain("SELECT ");
        template.push_captured(CaptureName::parse("it").unwrap());
        assert!(fill(&template, &BTreeMap::new()).unwrap_err().contains("nothing was captured as `it`"));
        let plain = Template::plain("SELECT $1, 'a\\'");
        assert_eq!(fill(&plain, &BTreeMap::new()).as_deref(), Ok("SELECT $1, 'a\\'"));
    }

    #[test]
    fn a_captured_value_stays_one_value() {
        let name = CaptureName::parse("it").unwrap();
        for (before, value, after, expected) in [
            ("SELECT ", "42", "", Ok("SELECT 42")),
            ("SELECT 1 -", "-1.5", "", Ok("SELECT 1 -(-1.5)")),
            ("SELECT * FROM \"", "a_b", "\"", Ok("SELECT * FROM \"a_b\"")),
            ("SELECT * FROM t WHERE id = ", "id", "", Err("no number")),
            ("SELECT ", "1.", "", Err("no number")),
            ("SELECT '", "it's; -- \"x\"", "'", Ok("SELECT 'it''s; -- \"x\"'")),
            ("SELECT 'a''b', '", "c", "'", Ok("SELECT 'a''b', 'c'")),
            ("SELECT ", "1 OR 1=1", "", Err("no number")),
            ("SELECT ", "1;DROP", "", Err("no number")),
            ("SELECT ", "--x", "", Err("no number")),
            ("SELECT ", "", "", Err("no number")),
            ("SELECT 'a', ", "'b'", "", Err("no number")),
            ("SELECT '", "a\\", "'", Err("backslash")),
            ("SELECT \"", "a b", "\"", Err("no plain word")),
            ("SELECT \"it's\", ", "1 OR 1=1", "", Err("no number")),
            ("-- it's\nSELECT ", "1 OR 1=1", "", Err("no number")),
            ("-- it's\nSELECT ", "1", "", Ok("-- it's\nSELECT 1")),
            ("/* it's */ SELECT ", "1 OR 1=1", "", Err("no number")),
            ("/* it's */ SELECT '", "a b", "'", Ok("/* it's */ SELECT 'a b'")),
            ("SELECT $$'$$, ", "1", "", Err("`$`")),
            ("# it's\nSELECT ", "1", "", Err("`#`")),
            ("SELECT 5--it's\n, ", "1", "", Err("`--`")),
            ("/* /* */ ' */ SELECT ", "1", "", Err("`/*`")),
            ("SELECT 'a\\', ", "1", "", Err("`\\`")),
        ] {
            let mut template = Template::plain(before);
            template.push_captured(name.clone());
            template.push_text(after);
            let filled = fill(&template, &BTreeMap::from([(name.clone(), value.to_owned())]));
            match expected {
                Ok(text) => assert_eq!(filled.unwrap(), text),
                Err(part) => assert!(filled.unwrap_err().contains(part), "{value}"),
            }
            assert!(fill(&template, &BTreeMap::new()).is_err());
        }
    }
}
