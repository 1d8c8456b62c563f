//! Secret values that are known literally: those of variables with secret names, and captured ones.

use aho_corasick::{AhoCorasick, MatchKind};

use super::cut::Cut;

/// Shortest value that is redacted, in bytes; shorter ones occur in ordinary text by chance.
const SHORTEST_BYTES: usize = 8;

/// Shortest value that is redacted if the specification declares it secret, in bytes.
const SHORTEST_TOLD_BYTES: usize = 4;

/// A longer value is searched in pieces of this many bytes, so that each fits into the buffered text.
const PIECE_BYTES: usize = 1024;

/// Number of bytes at the beginning of a value that the prefilter uses.
const BEGINNING_BYTES: usize = 16;

/// Values of at most this many bytes that consist of digits only are ports, sizes and durations.
const NUMBER_BYTES: usize = 11;

/// Ordinary settings, which are not secret.
const ORDINARY: [&str; 16] = [
    "changeme",
    "database",
    "default",
    "development",
    "disabled",
    "enabled",
    "localhost",
    "password",
    "postgres",
    "production",
    "required",
    "staging",
    "testing",
    "undefined",
    "username",
    "anonymous",
];

/// Beginnings of paths and addresses.
const PLACES: [&str; 20] = [
    "/home/",
    "/usr/",
    "/etc/",
    "/var/",
    "/tmp/",
    "/opt/",
    "/run/",
    "/root/",
    "/Users/",
    "/mnt/",
    "/bin/",
    "/dev/",
    "/private/",
    "/nix/",
    "/srv/",
    "/workspace",
    "./",
    "../",
    "~/",
    "C:\\",
];

#[derive(Debug)]
pub(super) struct Literals {
    automaton: Option<AhoCorasick>,
    pieces: Vec<Piece>,
}

#[derive(Debug)]
struct Piece {
    text: String,
    rule: String,
}

/// A secret value to search for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Secret {
    pub(super) name: String,
    pub(super) value: String,
    pub(super) origin: Origin,
}

/// Why a value is considered secret.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Origin {
    /// Value of a variable with a secret name. Values that look ordinary are not redacted.
    Variable,
    /// The specification captures the value as a secret, so it is redacted however ordinary it looks.
    Captured,
}

impl Secret {
    fn rule(&self) -> String {
        match self.origin {
            Origin::Variable => format!("variable:{}", self.name),
            Origin::Captured => format!("captured:{}", self.name),
        }
    }

    /// Returns whether a line of the value is redacted.
    fn is_cut(&self, line: &str, kept: &[String]) -> bool {
        match self.origin {
            Origin::Variable => is_secret(line) && !kept.iter().any(|kept| kept.contains(line)),
            Origin::Captured => line.len() >= SHORTEST_TOLD_BYTES,
        }
    }
}

impl Literals {
    /// Builds the search from possible secrets, leaving out those that are not redacted.
    pub(super) fn new(secrets: &[Secret], kept: &[String]) -> Self {
        let mut pieces: Vec<Piece> = Vec::new();
        for secret in secrets {
            let rule = secret.rule();
            // A value of several lines is printed on several lines, perhaps indented: each line is a secret of
            // its own.
            for line in secret.value.lines().map(str::trim).filter(|line| secret.is_cut(line, kept)) {
                pieces.extend(cut_up(line).map(|text| Piece { text: text.to_owned(), rule: rule.clone() }));
            }
        }
        pieces.sort_by(|one, other| one.text.cmp(&other.text).then(one.rule.cmp(&other.rule)));
        pieces.dedup_by(|one, other| one.text == other.text);
        let automaton = (!pieces.is_empty()).then(|| {
            AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .build(pieces.iter().map(|piece| &piece.text))
                .expect("an environment is megabytes, the automaton takes gigabytes")
        });
        Self { automaton, pieces }
    }

    /// Returns the beginnings of the values.
    pub(super) fn beginnings(&self) -> impl Iterator<Item = Vec<u8>> {
        self.pieces.iter().map(|piece| piece.text.bytes().take(BEGINNING_BYTES).collect())
    }

    /// Finds all values in a text, including overlapping ones.
    pub(super) fn find(&self, text: &[u8]) -> Vec<Cut> {
        let Some(automaton) = &self.automaton else { return Vec::new() };
        automaton
            .find_overlapping_iter(text)
            .map(|found| Cut {
                start: found.start(),
                end: found.end(),
                rule: self.pieces[found.pattern().as_usize()].rule.clone(),
            })
            .collect()
    }
}

/// Returns whether a value is distinguishable from ordinary text.
fn is_secret(value: &str) -> bool {
    let number = value.len() <= NUMBER_BYTES && value.bytes().all(|byte| byte.is_ascii_digit());
    let address = (value.starts_with("http://") || value.starts_with("https://")) && !value.contains(['@', '?']);
    let framing = value.starts_with("-----");
    let one_byte = value.bytes().all(|byte| Some(byte) == value.bytes().next());
    value.len() >= SHORTEST_BYTES
        && !number
        && !address
        && !framing
        && !one_byte
        && !ORDINARY.contains(&value.to_ascii_lowercase().as_str())
        && !PLACES.iter().any(|place| value.starts_with(place))
}

/// Splits a long value into pieces; the last overlaps the one before, so that it is as long as the others.
fn cut_up(value: &str) -> impl Iterator<Item = &str> {
    let last = value.floor_char_boundary(value.len().saturating_sub(PIECE_BYTES));
    let starts = (0..last).step_by(PIECE_BYTES).chain([last]);
    starts.map(move |start| {
        let start = value.floor_char_boundary(start);
        &value[start..value.floor_char_boundary(start + PIECE_BYTES)]
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ordinary_values_are_no_secrets() {
        for value in [
            "",
            "short",
            "production",
            "Disabled",
            "5432",
            "60000000",
            "/home/user/.netrc",
            "https://auth.example.com/v2",
            "xxxxxxxxxxxx",
            "-----BEGIN PRIVATE KEY-----",
        ] {
            assert!(!is_secret(value), "{value}");
        }
        for value in
            ["hunter2hunter2", "correct horse", "/9j4AAQSkZJRg", "https://u:pw@example.com", "123456789012", "pässwörd"]
        {
            assert!(is_secret(value), "{value}");
        }
    }

    #[test]
    fn pieces_of_a_long_value_cover_it() {
        for length in [8, 1023, 1024, 1025, 2048, 5000] {
            let value: String = (0..length).map(|index| char::from(b'a' + u8::try_from(index % 23).unwrap())).collect();
            let secret = Secret { name: "A".to_owned(), value: value.clone(), origin: Origin::Variable };
            let literals = Literals::new(&[secret], &[]);
            let cuts = super::super::cut::apply(&mut value.clone().into_bytes(), literals.find(value.as_bytes()));
            assert_eq!((cuts[0].start, cuts.iter().map(|cut| cut.end).max()), (0, Some(length)), "{length}");
            assert!(cuts.windows(2).all(|pair| pair[0].end == pair[1].start));
        }
    }
}
