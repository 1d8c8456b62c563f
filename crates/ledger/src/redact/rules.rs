//! Recognizes secrets by their shape: a table of rules, each with the trigger words without which it cannot
//! apply.

use std::sync::{LazyLock, OnceLock};

use aho_corasick::AhoCorasick;
use regex::bytes::Regex;

use super::cut::{Cut, REPLACEMENT};

/// A shape of secrets.
struct Rule {
    name: &'static str,
    /// At least one of these words occurs in every match of the pattern, with `follows` after it.
    triggers: &'static [&'static str],
    follows: Follows,
    /// The pattern; group 1, or else the whole match, is the secret.
    pattern: &'static str,
    /// Additional condition on the secret.
    check: fn(&[u8]) -> bool,
}

/// Text that must follow a trigger word on the same line for it to announce a secret. This is checked before
/// any pattern, so that such words in ordinary output cost little.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Follows {
    Anything,
    /// A `:` or `=` nearby.
    Assignment,
    /// An `@`.
    At,
}

/// Endings of keys that name secrets, as written in code, configuration and variables.
const KEYS: &[&str] = &[
    "assw", "ASSW", "ecret", "ECRET", "oken", "OKEN", "_key", "_KEY", "-key", "-Key", "-KEY", "Key", "ikey", "IKEY",
    "sskey", "SSKEY", "tekey", "TEKEY",
];

/// Endings of the names of query parameters that hold secrets.
const QUERY_KEYS: &[&str] = &[
    "assw", "ASSW", "ecret", "ECRET", "oken", "OKEN", "_key", "_KEY", "-key", "Key", "ikey", "IKEY", "sskey", "SSKEY",
    "?sig", "&sig", "ignature", "ession",
];

const RULES: &[Rule] = &[
    Rule {
        name: "github-token",
        triggers: &["ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_"],
        follows: Follows::Anything,
        pattern: r"gh[pousr]_[A-Za-z0-9]{36,255}|github_pat_[A-Za-z0-9_]{22,255}",
        check: always,
    },
    Rule {
        name: "gitlab-token",
        triggers: &["glpat-"],
        follows: Follows::Anything,
        pattern: r"glpat-[A-Za-z0-9_-]{20,128}",
        check: always,
    },
    Rule {
        name: "aws-key-id",
        triggers: &["AKIA", "ASIA"],
        follows: Follows::Anything,
        pattern: r"\b(?:AKIA|ASIA)[A-Z0-9]{16}\b",
        check: always,
    },
    Rule {
        name: "aws-secret-key",
        triggers: KEYS,
        follows: Follows::Assignment,
        pattern: r#"(?i:aws_?secret_?(?:access_?)?key)["']?\s{0,8}[=:]\s{0,8}["']?([A-Za-z0-9/+]{40})(?:[^A-Za-z0-9/+]|$)"#,
        check: always,
    },
    Rule {
        name: "slack-token",
        triggers: &["xox"],
        follows: Follows::Anything,
        pattern: r"xox[abeprs]-[A-Za-z0-9-]{10,255}",
        check: has_digit,
    },
    Rule {
        name: "stripe-key",
        triggers: &["sk_live_", "rk_live_"],
        follows: Follows::Anything,
        pattern: r"[sr]k_live_[A-Za-z0-9]{16,255}",
        check: always,
    },
    Rule {
        name: "api-key",
        triggers: &["sk-"],
        follows: Follows::Anything,
        pattern: r"\bsk-[A-Za-z0-9_-]{20,255}",
        check: is_no_identifier,
    },
    Rule {
        name: "npm-token",
        triggers: &["npm_"],
        follows: Follows::Anything,
        pattern: r"npm_[A-Za-z0-9]{36}",
        check: always,
    },
    Rule {
        name: "pypi-token",
        triggers: &["pypi-"],
        follows: Follows::Anything,
        pattern: r"pypi-[A-Za-z0-9_-]{50,255}",
        check: always,
    },
    Rule {
        name: "google-key",
        triggers: &["AIza"],
        follows: Follows::Anything,
        pattern: r"AIza[A-Za-z0-9_-]{35}",
        check: always,
    },
    Rule {
        name: "json-web-token",
        triggers: &["eyJ"],
        follows: Follows::Anything,
        pattern: r"eyJ[A-Za-z0-9_-]{8,}\.eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",
        check: always,
    },
    Rule {
        name: "url-password",
        triggers: &["://"],
        follows: Follows::At,
        pattern: r#"://[^\s/@:"'<>]{0,128}:([^\s/@"'<>]{1,512})@"#,
        check: is_no_placeholder,
    },
    Rule {
        name: "authorization",
        triggers: &["uthorization", "UTHORIZATION"],
        follows: Follows::Assignment,
        pattern: r#"(?i:authorization)["']?\s{0,8}[:=]\s{0,8}["']?(?i:bearer|basic|token)\s{1,8}([A-Za-z0-9._~+/=-]{3,4096})"#,
        check: is_no_stand_in,
    },
    Rule {
        name: "cookie",
        triggers: &["ookie", "OOKIE"],
        follows: Follows::Assignment,
        // A header: at the beginning of a line, of a quoted text, or of a trace of a request.
        pattern: r#"(?:^|[\n"'{,<>]\s{0,4})(?i:(?:set-)?cookie)["']?\s{0,8}:\s{0,8}["']?([^\s"'=;]{1,128}=[^\r\n"']{1,4096})"#,
        check: always,
    },
    Rule {
        name: "query-parameter",
        triggers: QUERY_KEYS,
        follows: Follows::Assignment,
        pattern: concat!(
            r"[?&](?i:[a-z_-]{0,32}(?:token|secret|password|passwd|api_?-?key|access_?-?key|signature)|sig|session_?id)=",
            r#"([^\s&"'<>\\#]{1,4096})"#
        ),
        check: is_no_stand_in,
    },
    Rule {
        name: "secret-value",
        triggers: KEYS,
        follows: Follows::Assignment,
        pattern: concat!(
            r"(?i:password|passwd|secret|token|api[_-]?key|access[_-]?key|private[_-]?key)",
            r#"\\?["']?\s{0,8}(?:=>|[:=])\s{0,8}\\?["']?([A-Za-z0-9+/=_.~!@#$%^&*-]{16,512})"#
        ),
        check: is_random,
    },
];

/// The patterns that were asked so far, in the order of the rules. Each takes about a millisecond to compile, and most
/// commands ask none.
static PATTERNS: [OnceLock<Regex>; RULES.len()] = [const { OnceLock::new() }; RULES.len()];

/// Returns the compiled pattern of a rule.
fn compiled<'a>(rule: &Rule, pattern: &'a OnceLock<Regex>) -> &'a Regex {
    pattern.get_or_init(|| {
        let pattern = format!("(?-u){}", rule.pattern);
        Regex::new(&pattern).expect("the patterns of the table are valid, as the tests of this module use each")
    })
}

/// The triggers of all rules; [`ASKED_BY`] maps each to its rules.
static TRIGGERS: LazyLock<AhoCorasick> = LazyLock::new(|| {
    AhoCorasick::new(triggers().map(|(word, _)| word)).expect("the table holds a few dozen short words")
});

/// For each trigger, in the same order, the rules that it activates, as a bit set.
static ASKED_BY: LazyLock<Vec<u32>> = LazyLock::new(|| {
    let asking = |word| RULES.iter().enumerate().filter(move |(_, rule)| rule.triggers.contains(&word));
    triggers().map(|(word, _)| asking(word).fold(0, |rules, (index, _)| rules | 1 << index)).collect()
});

/// Returns every trigger word, and the text that must follow it.
pub(super) fn triggers() -> impl Iterator<Item = (&'static str, Follows)> {
    RULES.iter().flat_map(|rule| rule.triggers.iter().map(|&word| (word, rule.follows)))
}

/// Finds secrets by their shape.
pub(super) fn find(text: &[u8]) -> Vec<Cut> {
    let asked =
        TRIGGERS.find_overlapping_iter(text).fold(0, |rules, found| rules | ASKED_BY[found.pattern().as_usize()]);
    let mut cuts = Vec::new();
    for (index, (rule, pattern)) in RULES.iter().zip(PATTERNS.iter()).enumerate() {
        if asked & (1 << index) == 0 {
            continue;
        }
        for captures in compiled(rule, pattern).captures_iter(text) {
            let Some(secret) = captures.get(1).or_else(|| captures.get(0)) else { continue };
            if (rule.check)(secret.as_bytes()) {
                cuts.push(Cut { start: secret.start(), end: secret.end(), rule: rule.name.to_owned() });
            }
        }
    }
    cuts
}

fn always(_: &[u8]) -> bool {
    true
}

fn has_digit(secret: &[u8]) -> bool {
    secret.iter().any(u8::is_ascii_digit)
}

/// Returns whether the text is no placeholder such as `${PASSWORD}` or `%s`.
fn is_no_placeholder(secret: &[u8]) -> bool {
    !matches!(secret[0], b'$' | b'{' | b'%' | b'[')
}

/// Minimum length of the secrets that `secret-value` finds, in bytes.
const LONG_VALUE: usize = 16;

/// Returns whether the text is a plausible secret: `undefined`, `null` and the like, placeholders, and compound
/// words are expected by tests, but accepted by no server.
fn is_no_stand_in(secret: &[u8]) -> bool {
    const STAND_INS: [&[u8]; 14] = [
        b"undefined",
        b"null",
        b"none",
        b"nil",
        b"true",
        b"false",
        b"nan",
        b"token",
        b"secret",
        b"password",
        b"string",
        b"invalid",
        b"expired",
        b"missing",
    ];
    let is_word = |piece: &[u8]| STAND_INS.iter().any(|word| piece.eq_ignore_ascii_case(word));
    // All of it is redacted; or the rule for long values redacted more than a parameter holds, and the rest is
    // no secret.
    let is_cut_already =
        secret.iter().all(|byte| *byte == REPLACEMENT) || secret.starts_with(&[REPLACEMENT; LONG_VALUE]);
    !is_cut_already && is_no_placeholder(secret) && !secret.split(|byte| matches!(byte, b'-' | b'_')).all(is_word)
}

/// Returns whether the text is no identifier: names such as `sk-loading-spinner-2` consist of words and
/// numbers; secrets mix letters and digits.
fn is_no_identifier(secret: &[u8]) -> bool {
    let mut pieces = secret.split(|byte| !byte.is_ascii_alphanumeric());
    !pieces.all(|piece| piece.iter().all(u8::is_ascii_digit) || piece.iter().all(u8::is_ascii_alphabetic))
}

/// Returns whether the text looks random: at least 3.5 bits per character, at least two runs of digits, no
/// path.
fn is_random(secret: &[u8]) -> bool {
    let path = secret.contains(&b'/') && secret.contains(&b'.');
    let digit_runs = secret.split(|byte| !byte.is_ascii_digit()).filter(|run| !run.is_empty()).count();
    let letters = secret.iter().any(u8::is_ascii_alphabetic);
    !path && letters && digit_runs >= 2 && is_no_identifier(secret) && entropy(secret) >= 3.5
}

/// Returns the Shannon entropy in bits per character, from the frequency of each byte.
fn entropy(text: &[u8]) -> f64 {
    let mut counts = [0_u16; 256];
    for &byte in text {
        counts[usize::from(byte)] += 1;
    }
    let total: f64 = counts.iter().map(|&count| f64::from(count)).sum();
    let bits = |count: f64| -(count / total) * (count / total).log2();
    counts.iter().filter(|&&count| count > 0).map(|&count| bits(f64::from(count))).sum()
}

#[cfg(test)]
mod tests {
    use super::super::Redactor;
    use super::*;

    fn found(text: &str) -> Vec<(String, &str)> {
        find(text.as_bytes()).into_iter().map(|cut| (cut.rule, &text[cut.start..cut.end])).collect()
    }

    /// Texts in which `«…»` marks the secret, and the rule that must find it. The tokens are assembled here so
    /// that secret scanners do not report this file.
    fn rows() -> Vec<(String, &'static str)> {
        let random = "a8Fk2LmQ0zXc7VbN4tYu1RwE6pSd9GhJ3kLm";
        let upper = "J7Q2X4M9B1C8D3E5";
        vec![
            (format!("x «ghp_{random}» y"), "github-token"),
            (format!("\"«github_pat_{random}»\""), "github-token"),
            (format!("git: «glpat-{}»", &random[..20]), "gitlab-token"),
            (format!("id=«AKIA{upper}»,"), "aws-key-id"),
            (format!("aws_secret_access_key = «{random}AB/+»\n"), "aws-secret-key"),
            (format!("«xoxb-{}»", &random[..24]), "slack-token"),
            (format!("key «sk_live_{}»", &random[..24]), "stripe-key"),
            (format!("'«sk-ant-api03-{random}»'"), "api-key"),
            (format!("//registry/:_auth «npm_{random}»"), "npm-token"),
            (format!("«pypi-{random}{random}»"), "pypi-token"),
            (format!("?k=«AIza{}»&", &random[..35]), "google-key"),
            (format!("«eyJ{random}.eyJ{random}.{random}»"), "json-web-token"),
            ("postgres://user:«s3cr3t»@db:5432/app".to_owned(), "url-password"),
            ("Authorization: Bearer «abc123def456»\r".to_owned(), "authorization"),
            ("Authorization: Bearer «a.b-c»".to_owned(), "authorization"),
            ("authorization: Basic «abcd»".to_owned(), "authorization"),
            ("Cookie: «a=b; c=d»\r".to_owned(), "cookie"),
            ("< Set-Cookie: «sid=42; Path=/»".to_owned(), "cookie"),
            ("{\"cookie\": \"«theme=dark; sid=9»\"}".to_owned(), "cookie"),
            ("GET /x?token=«abc»&x=1".to_owned(), "query-parameter"),
            ("https://h/x?y=1&sig=«zz» HTTP/1.1".to_owned(), "query-parameter"),
            ("\"/cb?access_token=«1»&session_id=2\"".to_owned(), "query-parameter"),
            ("{\"authorization\":\"Basic «dXNlcjpwYXNz»\"}".to_owned(), "authorization"),
            ("password = \"«x7Kq2mP9vR4tW8zB1n»\"".to_owned(), "secret-value"),
            ("{\\\"apiKey\\\": \\\"«x7Kq2mP9vR4tW8zB1n»\\\"}".to_owned(), "secret-value"),
            ("MY_TOKEN=«9f8e7d6c5b4a39281706f5e4d3c2b1a0»".to_owned(), "secret-value"),
        ]
    }

    #[test]
    fn every_rule_finds_its_shape_and_nothing_around_it() {
        for (marked, rule) in rows() {
            let secret = marked.split(['«', '»']).nth(1).unwrap();
            let text = marked.replace(['«', '»'], "");
            assert!(found(&text).contains(&(rule.to_owned(), secret)), "{text}: {:?}", found(&text));
            let redacted = Redactor::new(Vec::new(), Vec::new()).text(&text);
            assert!(!redacted.contains(secret), "the quick look passes over {text}");
        }
    }

    #[test]
    fn every_rule_of_the_table_is_tried_and_is_a_bit() {
        for (rule, pattern) in RULES.iter().zip(PATTERNS.iter()) {
            assert!(rows().iter().any(|row| row.1 == rule.name), "{} is not tried", rule.name);
            assert!(compiled(rule, pattern).captures_len() <= 2, "{} has more than one secret", rule.name);
        }
        assert!(RULES.len() <= 32, "the rules are bits of a number");
    }

    #[test]
    fn ordinary_output_is_left_alone() {
        for text in [
            "SyntaxError: Unexpected token < in JSON at position 0",
            "  ✓ resets the password when the token is valid (12 ms)",
            "const token = generateAuthenticationToken(user);",
            "token: AuthTokenV2Response;",
            "expected token: expected_token_type_1234",
            "secret: src/auth/secret2/service4.test.ts",
            "Key: 0000000000000000000000",
            "npm_config_registry=https://registry.npmjs.org/",
            "https://example.com/path:with@at",
            "see https://example.com:8080/x and user@example.com",
            "redis://:${REDIS_PASSWORD}@localhost",
            "Authorization: Bearer undefined",
            "Authorization: Bearer null-token",
            "GET /reset?token=undefined",
            "GET /reset?token=${TOKEN}&x=1",
            "/page?session=2&tokens=5&design=7",
            "  ✓ sets the cookie: theme=dark (3 ms)",
            "Set-Cookie: missing",
            "cookie: yes",
            "commit 3f786850e387550fdab836ed7e6dc881de23001b",
            "index 89e6c98d92887913cadf06b2adb97f26cde4849b..5891b5b522d5df086d0ff0b110fbd9d21bb4fc71 100644",
            "\"integrity\": \"sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==\"",
            "checksum = \"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855\"",
            "golang.org/x/net v0.1.0 h1:hZ/3BUoy5aId7sCpA/Tc5lt8DkFgdVS2onTpJsZ/fl0=",
            "    id: 550e8400-e29b-41d4-a716-446655440000",
            "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
            "Expected: \"aGVsbG8gd29ybGQsIHRoaXMgaXMgYSBmaXh0dXJl\"",
            "src/features/token/key_store_2024/tests/secret_rotation_test_17.rs:120:5",
            "test tests::token_refresh_after_3600_seconds_v2 ... ok",
            "sha256:2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae",
            "<div class=\"sk-loading-spinner-container-2\">",
            "task-force-one-two-three-four-five-six-7a",
            "password: short1",
            "eyJhbGciOiJIUzI1NiJ9 alone is not a token",
            "5 passed, 0 failed, 12 tokens",
        ] {
            assert_eq!(found(text), [], "{text}");
        }
    }
}
