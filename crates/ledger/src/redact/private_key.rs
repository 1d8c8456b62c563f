//! Private keys in PEM: the only kind of secret that spans many lines. The BEGIN and END lines are not
//! redacted.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem;
use regex::bytes::Regex;

use super::cut::Cut;

/// Words without which no private key begins.
pub(super) const TRIGGER: &str = "PRIVATE KEY";

const RULE: &str = "private-key";

/// Maximum length of a key's body, in bytes, so that text that only looks like a key does not redact the rest
/// of a log.
const BODY_BYTES: usize = 64 * 1024;

/// Shortest run of base64 that is taken for a part of a key if other text is on the line, in bytes.
const RUN_BYTES: usize = 16;

/// Shortest run of base64 after other words (a time, a service's name) that is taken for a whole line of a key,
/// in bytes.
const PREFIXED_RUN_BYTES: usize = 40;

/// A line of base64 shorter than this is the last of a body; keys are wrapped at 64, 70 or 76 characters.
const FULL_LINE_BYTES: usize = 60;

static BEGIN: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?-u)-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----").expect("the pattern is valid")
});

const END: &[u8] = b"-----END ";

/// State across pieces of text: the body of the key that the text so far has not closed.
#[derive(Debug, Clone, Default)]
pub(super) struct PrivateKey(Option<Body>);

#[derive(Debug, Clone, Default)]
struct Body {
    /// Number of bytes since the body began.
    bytes: usize,
    /// Column at which its lines begin. None: no line was seen yet.
    column: Option<usize>,
    /// Whether its last line was seen.
    complete: bool,
}

impl PrivateKey {
    /// Returns whether the next piece of text must be examined, whatever it holds.
    pub(super) fn is_open(&self) -> bool {
        self.0.is_some()
    }

    /// Finds the parts of keys in one piece of text.
    pub(super) fn find(&mut self, text: &[u8]) -> Vec<Cut> {
        let mut cuts = Vec::new();
        let mut position = self.go_on(text, &mut cuts);
        while let Some(begin) = BEGIN.find_at(text, position) {
            if let Some(length) = memmem::find(&text[begin.end()..], END) {
                position = begin.end() + length;
                cuts.extend(runs(text, begin.end()..position, 1, is_body_byte));
            } else {
                cuts.extend(runs(text, begin.end()..text.len(), RUN_BYTES, is_key_byte));
                self.0 = Some(Body::default());
                break;
            }
        }
        cuts
    }

    /// Continues in a key that began earlier; returns the end of its part of this text.
    fn go_on(&mut self, text: &[u8], cuts: &mut Vec<Cut>) -> usize {
        let Some(body) = &mut self.0 else { return 0 };
        body.bytes += text.len();
        if let Some(end) = memmem::find(text, END) {
            cuts.extend(runs(text, 0..end, RUN_BYTES, is_key_byte));
            self.0 = None;
            return end;
        }
        if !body.take_line(text, cuts) || body.bytes > BODY_BYTES {
            self.0 = None;
        }
        0
    }
}

impl Body {
    /// Cuts a line of the key. Returns false if the line belongs to no key.
    fn take_line(&mut self, text: &[u8], cuts: &mut Vec<Cut>) -> bool {
        let line = text.trim_ascii_end();
        let start = line.iter().rposition(|&byte| !is_base64(byte)).map_or(0, |last| last + 1);
        let length = line.len() - start;
        let alone = line[..start].trim_ascii().is_empty();
        let aligned = self.column == Some(start);
        if length > 0 && (alone || aligned || length >= PREFIXED_RUN_BYTES) && (!self.complete || line[start] == b'=') {
            cuts.push(Cut { start, end: line.len(), rule: RULE.to_owned() });
            self.column = Some(start);
            self.complete = length < FULL_LINE_BYTES;
            return true;
        }
        // Lines between the BEGIN line and the key itself: `Proc-Type: 4,ENCRYPTED`, an empty line.
        let header = line.is_empty() || memmem::find(line, b": ").is_some() || line.ends_with(b"|");
        self.column.is_none() && header
    }
}

/// Finds the sufficiently long runs of certain bytes in a part of a text.
fn runs(text: &[u8], part: Range<usize>, shortest: usize, is_part: fn(u8) -> bool) -> Vec<Cut> {
    let mut runs = Vec::new();
    let mut end = part.start;
    for run in text[part].split(|&byte| !is_part(byte)) {
        let start = end;
        end = start + run.len();
        if run.len() >= shortest {
            runs.push(Cut { start, end, rule: RULE.to_owned() });
        }
        // Each run except the last is followed by one byte that belongs to none.
        end += 1;
    }
    runs
}

fn is_base64(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'+' | b'/' | b'=')
}

/// In JSON and in variables the line breaks of a key are written as `\n`.
fn is_key_byte(byte: u8) -> bool {
    is_base64(byte) || byte == b'\\'
}

fn is_body_byte(byte: u8) -> bool {
    !byte.is_ascii_whitespace() && !matches!(byte, b'"' | b'\'' | b'`')
}

#[cfg(test)]
mod tests {
    use super::super::Redactor;

    fn redacted(text: &str) -> String {
        Redactor::new(Vec::new(), Vec::new()).text(text)
    }

    #[test]
    fn the_body_of_a_key_goes_and_its_frame_stays() {
        let line = "MIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj";
        let stars = "*".repeat(line.len());
        for prefix in ["", "  ", "web-1  | "] {
            let text = |body: &str, last: &str| {
                ["-----BEGIN RSA PRIVATE KEY-----", body, body, last, "-----END RSA PRIVATE KEY-----", "done"]
                    .map(|line| format!("{prefix}{line}\r\n"))
                    .concat()
            };
            assert_eq!(redacted(&text(line, "AbCd==")), text(&stars, "******"), "{prefix:?}");
        }
    }

    #[test]
    fn a_key_on_one_line_keeps_its_quotes() {
        let text =
            r#"{"key": "-----BEGIN PRIVATE KEY-----\nMIIEvQIBADANBg\nAbC=\n-----END PRIVATE KEY-----\n", "n": 1}"#;
        let redacted = redacted(text);
        assert!(redacted.starts_with(r#"{"key": "-----BEGIN PRIVATE KEY-----****"#), "{redacted}");
        assert!(redacted.ends_with(r#"****-----END PRIVATE KEY-----\n", "n": 1}"#), "{redacted}");
        assert_eq!(redacted.len(), text.len());
        assert!(!redacted.contains("MIIE"));
    }

    #[test]
    fn a_key_that_never_ends_does_not_take_the_rest_with_it() {
        for text in [
            "-----BEGIN PRIVATE KEY-----\nTests: 5 passed\nall done\n",
            "expected -----BEGIN PRIVATE KEY----- to be there\nDone in 3 s\n",
            "-----BEGIN CERTIFICATE-----\nMIIEvQIBADANBgkqhkiG9w0BAQEFAASCBKcwggSjAgEAAoIBAQC7VJTUt9Us8cKj\n",
        ] {
            assert_eq!(redacted(text), text);
        }
        let cut_off = "-----BEGIN PRIVATE KEY-----\nAAAABBBBCCCCDDDD\nTests: 5 passed\nok\n";
        assert_eq!(redacted(cut_off), "-----BEGIN PRIVATE KEY-----\n****************\nTests: 5 passed\nok\n");
    }
}
