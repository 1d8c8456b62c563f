//! Who may use the server of `referee serve`, for people.

use std::io::{self, Write};

use referee_model::access::{Role, TokenList};
use referee_model::time::Timestamp;

use crate::page::{Line, Page};
use crate::style::{Style, Tone};

/// Column after the role.
const ROLE: usize = 10;

/// Writes one line for each token.
pub fn tokens(list: &TokenList, now: Timestamp, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if list.tokens.is_empty() {
        return page.line(Line::new().then(Tone::Plain, "no tokens"));
    }
    for token in &list.tokens {
        let tone = match token.role {
            Role::Viewer => Tone::Plain,
            Role::Operator => Tone::Strong,
        };
        let end = match token.until {
            Some(until) if token.is_over(now) => format!("expired {until}"),
            Some(until) => format!("until {until}"),
            None => "without an end".to_owned(),
        };
        let line = Line::new().then(tone, token.role.as_str()).padded_to(ROLE).then(Tone::Plain, &token.name);
        page.line(line.then(Tone::Faint, &format!(", created {}, {end}", token.created)))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use referee_model::access::TokenRecord;
    use referee_model::id::Digest;

    use super::*;
    use crate::style::Verbosity;

    #[test]
    fn a_token_is_a_line_that_says_its_role_and_its_end() {
        let at = |second: i64| Timestamp::from_millisecond(second * 1_000);
        let token = |name: &str, role, until| TokenRecord {
            name: name.to_owned(),
            sha256: Digest::of(name),
            role,
            created: at(0),
            until,
        };
        let tokens = vec![
            token("ci", Role::Operator, None),
            token("board", Role::Viewer, Some(at(10))),
            token("old", Role::Viewer, Some(at(5))),
        ];
        let style = Style { color: false, unicode: false, width: 80, interactive: false, verbosity: Verbosity::Normal };
        let mut text = Vec::new();
        super::tokens(&TokenList { tokens }, at(5), &style, &mut text).unwrap();
        let text = String::from_utf8(text).unwrap();
        assert_eq!(
            text,
            "operator  ci, created 1970-01-01T00:00:00.000Z, without an end\n\
             viewer    board, created 1970-01-01T00:00:00.000Z, until 1970-01-01T00:00:10.000Z\n\
             viewer    old, created 1970-01-01T00:00:00.000Z, expired 1970-01-01T00:00:05.000Z\n"
        );
    }
}
