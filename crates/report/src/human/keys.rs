//! New keys and trusted keys.

use std::io::{self, Write};

use referee_model::time::Timestamp;
use referee_model::trust::{Role, TrustedKeyDocument};

use crate::page::{Line, Page, width};
use crate::style::{Style, Tone};

/// Column at which values of a new key start.
const VALUES: usize = 12;

/// A new key.
#[derive(Debug, Clone, Copy)]
pub struct Made<'a> {
    /// Path of the private key.
    pub private: &'a str,
    /// Path of the public key.
    pub public: &'a str,
    /// Id of the key.
    pub id: &'a str,
}

/// Writes where a new key is stored and what it is for. Paths are never cut, because a person copies them.
pub fn made(key: &Made<'_>, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    for (name, value) in [("private key", key.private), ("public key", key.public), ("id", key.id)] {
        let lead = Line::new().then(Tone::Faint, name).padded_to(VALUES).then(Tone::Plain, " ");
        page.paragraph(lead, VALUES + 1, Tone::Place, value, usize::MAX)?;
    }
    let advice = "Sign by `referee run --key FILE` with the private key, which nobody else may read. Whoever verifies believes \
                  the public key by `referee key trust`, or names it by `referee evidence verify --key`.";
    page.paragraph(Line::new(), 0, Tone::Faint, advice, usize::MAX)
}

/// Writes one sentence, without cutting it.
pub fn told(sentence: &str, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    Page::new(*style, out).paragraph(Line::new(), 0, Tone::Plain, sentence, usize::MAX)
}

/// Writes the trusted keys, two lines per key; the id is never cut, because a person compares it.
pub fn list(keys: &[TrustedKeyDocument], now: Timestamp, style: &Style, out: &mut dyn Write) -> io::Result<()> {
    let mut page = Page::new(*style, out);
    if keys.is_empty() {
        return page.line(Line::new().then(Tone::Faint, "no trusted keys; `referee key trust` adds one"));
    }
    let names = keys.iter().map(|key| width(&key.name)).max().unwrap_or(0).min(page.columns() / 3);
    for key in keys {
        let is_over = key.until.is_some_and(|until| now > until);
        let roles: Vec<&str> = key.roles.iter().copied().map(Role::as_str).collect();
        let since = format!("since {}", key.since.day());
        let until = key.until.map(|until| format!("{} {}", if is_over { "was trusted until" } else { "until" }, until));
        let line = Line::new()
            .then(Tone::Strong, &key.name)
            .padded_to(names + 2)
            .then(Tone::Plain, &roles.join(" and "))
            .then(Tone::Plain, ", ")
            .then(Tone::Plain, &since);
        let tone = if is_over { Tone::Bad } else { Tone::Plain };
        page.line(until.map_or_else(|| line.clone(), |until| line.clone().then(Tone::Plain, ", ").then(tone, &until)))?;
        page.paragraph(Line::indented(2), 2, Tone::Faint, &key.key_id.to_string(), usize::MAX)?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use referee_model::id::Digest;

    use super::*;
    use crate::human::fixture::{ascii, plain};

    #[test]
    fn keys_are_listed_with_whose_they_are_and_for_how_long() {
        let at = |millisecond| Timestamp::from_millisecond(millisecond);
        let key = |number: u8, name: &str, roles: &[Role], until| TrustedKeyDocument {
            key_id: Digest::from_bytes([number; 32]),
            public_key: String::new(),
            name: name.to_owned(),
            roles: roles.iter().copied().collect(),
            since: at(1_795_251_924_120),
            until,
        };
        let keys = [
            key(1, "our CI", &[Role::Runner], None),
            key(2, "Ada \u{1b}[31mLovelace", &[Role::Approver, Role::Runner], Some(at(1_795_252_000_000))),
            key(3, "Bob", &[Role::Approver], Some(at(1_899_999_999_999))),
        ];
        let now = at(1_800_000_000_000);
        let wide = plain(100, |style, out| list(&keys, now, &style, out));
        let lines: Vec<&str> = wide.lines().collect();
        assert_eq!(lines.len(), 6, "two lines a key: {wide}");
        assert!(lines[0].starts_with("our CI") && lines[0].contains("runner, since 2026-11-21"), "{wide}");
        assert!(lines[2].contains("runner and approver, since 2026-11-21, was trusted until 2026-11-21"), "{wide}");
        assert!(!wide.contains('\u{1b}'), "a name cannot colour the page: {wide:?}");
        assert!(lines[4].contains(", until 2030-"), "{wide}");
        let narrow = ascii(50, |style, out| list(&keys, now, &style, out));
        for (number, key) in keys.iter().enumerate() {
            assert_eq!(lines[2 * number + 1].trim(), key.key_id.to_string(), "an id is whole");
            let digits: String = narrow.split_whitespace().collect();
            assert!(digits.contains(&key.key_id.to_string()), "also on a narrow page: {narrow}");
        }
        assert!(plain(80, |style, out| list(&[], now, &style, out)).contains("no trusted keys"));
    }

    #[test]
    fn a_new_key_is_told_with_its_places_whole() {
        let key = Made {
            private: "/home/ada/.config/referee/key.pem",
            public: "/home/ada/.config/referee/key.pub.pem",
            id: &"ab".repeat(32),
        };
        let text = plain(80, |style, out| made(&key, &style, out));
        for part in [key.private, key.public, key.id, "referee run --key", "referee key trust"] {
            assert!(text.replace('\n', " ").contains(part), "{part}: {text}");
        }
    }
}
