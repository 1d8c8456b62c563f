//! Stricter redaction of texts that are handed to others and never judged: an incident, a bundle, a handoff.
//! There a false positive costs nothing, and a leak does: every value after a name for a secret is redacted,
//! however short it is.

use std::sync::LazyLock;

use regex::bytes::{Captures, Regex};

const NAMES: &str = concat!(
    r"(?i:api[ _-]?key|(?:access|refresh|id|auth)[_-]?token|token|secret(?:[_-]?access)?(?:[_-]?key)?|passw(?:or)?d|passphrase",
    r"|pwd|session[_-]?id|(?:private|access|signing)[_-]?key(?:[_-]?id)?|credentials?|sig(?:nature)?)"
);

/// Pattern of the text between a name and its value.
const ASSIGNED: &str = r#"\\?["']?\s{0,8}(?:=>|[:=])\s{0,8}"#;

/// The patterns; group 1, or else the whole match, is the secret. They match bytes: the classes of Unicode, and counted
/// repetitions of them, take a tenth of a second to compile. A value ends at an ASCII character, so never within another.
fn patterns() -> [String; 6] {
    [
        // A name for a secret and a value assigned to it: bare, quoted, in an address or an object.
        format!(r#"{NAMES}{ASSIGNED}\\?["']?([^\s"'&,;{{}}\[\]<>\\]+)"#),
        // An object or a list that is assigned to such a name.
        format!(r"{NAMES}{ASSIGNED}[{{\[]([^{{}}\[\]]+)[}}\]]"),
        // Cookies, in any position.
        r#"(?i:cookie)["']?\s{0,8}[:=]\s{0,8}["']?([^\s"'=;]+=[^\r\n"']+)"#.to_owned(),
        // Tokens with a vendor's prefix.
        r"\b(?:gh[pousr]_|github_pat_|glpat-|npm_|pypi-|sk-|[sr]k_(?:live|test)_|xox[abeprs]-|AKIA|ASIA|AIza)[A-Za-z0-9_-]{8,}"
            .to_owned(),
        // HTTP authentication credentials.
        r"(?i:bearer|basic)\s{1,8}([A-Za-z0-9._~+/=-]{3,})".to_owned(),
        // Email addresses.
        r"[A-Za-z0-9._%+-]+@[A-Za-z0-9-]+(?:\.[A-Za-z0-9-]+)+".to_owned(),
    ]
}

static COMPILED: LazyLock<Vec<Regex>> = LazyLock::new(|| patterns().iter().map(|pattern| compiled(pattern)).collect());

/// Names for a secret at the end of a key, or as all of it: `dbPassword`, `x-api-key`.
static KEYS: LazyLock<Regex> =
    LazyLock::new(|| compiled(&format!("(?:{NAMES}|(?i:^|[_-])(?i:cookies?|authorization|jwt))$")));

fn compiled(pattern: &str) -> Regex {
    Regex::new(&format!("(?-u){pattern}")).expect("the patterns are constants, and a test uses each")
}

/// Returns whether the value of this key is a secret.
pub(super) fn is_a_name_for_a_secret(key: &str) -> bool {
    KEYS.is_match(key.as_bytes())
}

/// Redacts every byte of possible secrets in a text.
pub(super) fn cut(text: &str) -> String {
    let redacted = COMPILED.iter().fold(text.as_bytes().to_vec(), |text, pattern| {
        let replaced = |captures: &Captures<'_>| {
            let whole = captures.get_match();
            let secret = captures.get(1).unwrap_or(whole);
            let mut bytes = whole.as_bytes().to_vec();
            bytes[secret.start() - whole.start()..secret.end() - whole.start()].fill(b'*');
            bytes
        };
        pattern.replace_all(&text, replaced).into_owned()
    });
    String::from_utf8_lossy(&redacted).into_owned()
}

#[cfg(test)]
mod tests {
    use super::super::Redactor;

    /// Texts in which `«…»` marks the part to redact; the rest must stay.
    #[test]
    fn whatever_is_assigned_to_a_secret_goes_and_the_rest_stays() {
        let redactor = Redactor::new(Vec::new(), Vec::new());
        for marked in [
            "token=«abc»",
            "?token=«abc»&x=1",
            "&sig=«zz»",
            "api_key=«abc» apikey: «abc» API-KEY = «abc»",
            "\"api_key\": \"«abc»\", 'password':'«abc»'",
            "{\\\"password\\\": \\\"«abc»\\\"}",
            "password=«hunter2» password: «hunter2»",
            "session_id=«1» sessionid: «5»",
            "AWS_SECRET_ACCESS_KEY=«abcd»",
            "«ghp_0123456789abcdef» and «sk-proj-12345678»",
            "access_token=«1»,refresh_token=«2»",
            "Authorization: Bearer «a.b-c»",
            "proxy said Basic «abcd»",
            "https://u:«p»@host/x",
            "«x@y.io» wrote",
            "{\"password\": {«\"value\": \"abc\"»}}",
            "token: [«'a', 'b'»]",
            "sent cookie: «a=b; c=d»",
            "monkey: banana, keyboard=qwerty, the design: flat, path=/a/b",
        ] {
            let expected: String = {
                let mut secret = false;
                let marks = marked.chars().filter_map(|character| match character {
                    '«' | '»' => {
                        secret = character == '«';
                        None
                    }
                    _ if secret => Some('*'),
                    _ => Some(character),
                });
                marks.collect()
            };
            assert_eq!(redactor.text_strictly(&marked.replace(['«', '»'], "")), expected);
        }
    }

    #[test]
    fn a_value_beyond_ascii_is_redacted_whole() {
        let value = "значение";
        let redacted = Redactor::new(Vec::new(), Vec::new()).text_strictly(&format!("пароль token={value} и дальше"));
        assert_eq!(redacted, format!("пароль token={} и дальше", "*".repeat(value.len())));
    }

    #[test]
    fn every_observed_case_of_an_incident_is_closed() {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../../shared/reference/cases/incident.observed.json");
        let Ok(bytes) = std::fs::read(path) else {
            eprintln!("skipped: no ../shared");
            return;
        };
        let cases: serde_json::Value = serde_json::from_slice(&bytes).unwrap();
        let redactor = Redactor::new(Vec::new(), Vec::new());
        let rows = cases["redaction"].as_array().unwrap();
        assert!(rows.len() > 15);
        for row in rows {
            let (input, observed) = (row["input"].as_str().unwrap(), row["observed"].as_str().unwrap());
            let ours = redactor.text_strictly(input);
            assert_eq!(ours.len(), input.len());
            // The observed output had leaked something: all of these contain a secret.
            assert!(ours.contains('*'), "{input} -> {ours}");
            let around: Vec<&str> =
                observed.split("[REDACTED]").flat_map(|part| part.split("[REDACTED_EMAIL]")).collect();
            if around.len() > 1 {
                let mut rest = ours.as_str();
                for part in around {
                    let at = rest.find(part).unwrap_or_else(|| panic!("{input} -> {ours}: {part} is gone"));
                    assert!(rest[..at].chars().all(|character| character == '*'), "{input} -> {ours}");
                    rest = &rest[at + part.len()..];
                }
                assert!(rest.chars().all(|character| character == '*'), "{input} -> {ours}");
            }
        }
    }
}
