//! What can be told of statements without a database.

/// Whether a text begins as a `SELECT` does, after comments and parentheses. Whether it is one statement, only the
/// database knows.
pub(crate) fn is_select(text: &str) -> bool {
    let word: String = without_comments(text).chars().take_while(char::is_ascii_alphabetic).collect();
    word.eq_ignore_ascii_case("select") || word.eq_ignore_ascii_case("with")
}

/// Whether a text is nothing but comments, which MariaDB takes for a statement.
pub(crate) fn is_empty(text: &str) -> bool {
    without_comments(text).trim_matches(|one: char| one.is_whitespace() || one == ';').is_empty()
}

/// Returns a text from its first word on. What MySQL reads in `/*! … */` is no comment.
fn without_comments(text: &str) -> &str {
    let mut rest = text;
    loop {
        rest = rest.trim_start_matches(|one: char| one.is_whitespace() || one == '(');
        rest = if let Some(line) = rest.strip_prefix("--") {
            line.split_once('\n').map_or("", |(_, rest)| rest)
        } else if let Some(block) = rest.strip_prefix("/*").filter(|block| !block.starts_with('!')) {
            block.split_once("*/").map_or("", |(_, rest)| rest)
        } else {
            return rest;
        };
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn comments_and_parentheses_do_not_hide_a_select() {
        for (text, expected) in [
            ("select 1", true),
            ("  -- all\n/* of\nthem */ (SELECT 1) union (select 2)", true),
            ("WITH a AS (SELECT 1) SELECT * FROM a", true),
            ("selected", false),
            ("INSERT INTO t SELECT 1", false),
            ("-- select 1", false),
            ("/* select 1", false),
            ("", false),
        ] {
            assert_eq!(is_select(text), expected, "{text}");
        }
    }

    #[test]
    fn comments_alone_are_no_statement() {
        for (text, expected) in [
            ("", true),
            (" -- x\n/* y */ ; ", true),
            ("-- x", true),
            ("/*! SELECT 1 */", false),
            ("-- x\nSELECT 1", false),
        ] {
            assert_eq!(is_empty(text), expected, "{text}");
        }
    }
}
