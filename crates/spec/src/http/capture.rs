//! Reads values captured from a response for later actions.

use crate::form::http as keys;
use referee_model::plan::CaptureName;
use referee_model::plan::http::{Capture, CaptureSource};
use referee_syntax::tree::Entry;

use super::{json_path, pattern};
use crate::complaint::Findings;

/// Parts of names that suggest a secret, without `_`, `-` and `.`.
const SECRET: [&str; 11] = [
    "token",
    "secret",
    "password",
    "passwd",
    "apikey",
    "authorization",
    "cookie",
    "session",
    "credential",
    "privatekey",
    "passphrase",
];

/// Reads a mapping of names to locations in the response.
pub(crate) fn captures(written: &[Entry], findings: &mut Findings) -> Vec<Capture> {
    written.iter().filter_map(|entry| capture(entry, findings)).collect()
}

fn capture(entry: &Entry, findings: &mut Findings) -> Option<Capture> {
    let written = keys::Capture::of(&entry.value);
    let path = written.json.node().unwrap_or(&entry.value);
    let from = if let Some(header) = written.header.node().filter(|_| !written.json.is_given()) {
        header.text().map(|header| CaptureSource::Header(header.to_owned()))
    } else if let Some(regex) = written.regex.node().filter(|_| !written.json.is_given()) {
        pattern(regex, findings).map(CaptureSource::Regex)
    } else {
        json_path(path.text()?, path.span, findings).map(CaptureSource::JsonPath)
    };
    let secret = written.secret.boolean().unwrap_or_else(|| looks_secret(&entry.key));
    Some(Capture { name: CaptureName::parse(&entry.key)?, from: from?, secret })
}

/// Returns whether a name looks like that of a secret.
fn looks_secret(name: &str) -> bool {
    let letters = name.chars().filter(|character| !matches!(character, '_' | '-' | '.'));
    let letters: String = letters.map(|character| character.to_ascii_lowercase()).collect();
    SECRET.iter().any(|part| letters.contains(part))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::value::tests::node;

    #[test]
    fn names_tell_of_secrets_unless_it_is_said_otherwise() {
        for (name, secret) in [
            ("ACCESS_TOKEN", true),
            ("x-api-key", true),
            ("apiKey", true),
            ("sessionId", true),
            ("private_key", true),
            ("id", false),
            ("api", false),
            ("key", false),
        ] {
            assert_eq!(looks_secret(name), secret, "{name}");
        }
        let node = node(
            "{ token: $.t, order: $.id, open_token: { json: $.t, secret: false }, id: { header: Location, secret: true } }",
        );
        let captures = captures(node.entries(), &mut Findings::default());
        let secrets: Vec<(&str, bool)> =
            captures.iter().map(|capture| (capture.name.as_str(), capture.secret)).collect();
        assert_eq!(secrets, [("token", true), ("order", false), ("open_token", false), ("id", true)]);
        assert_eq!(captures[3].from, CaptureSource::Header("Location".to_owned()));
    }

    #[test]
    fn a_broken_place_is_complained_about() {
        for written in ["'$.'", "{ json: '$[' }", "{ regex: '(' }"] {
            let mut findings = Findings::default();
            assert_eq!(captures(node(&format!("{{ a: {written} }}")).entries(), &mut findings), [], "{written}");
            assert!(findings.has_errors(), "{written}");
        }
        assert_eq!(captures(node("{ a: { regex: '(.*)' } }").entries(), &mut Findings::default()).len(), 1);
    }
}
