//! Diagnoses texts that are not the expected key: what they are, and how to create the right one.

use ed25519_dalek::pkcs8::SecretDocument;

/// How to create a signing key.
const MAKE: &str = "an Ed25519 key in PKCS#8 PEM without a password is needed: make one by `referee key new`, or by \
                    `openssl genpkey -algorithm ed25519 -out key.pem`";

/// What a public key must be.
pub(super) const PUBLIC_NEEDED: &str = "an Ed25519 public key in SPKI PEM is needed: `referee key show` prints it, or \
                                        `openssl pkey -in key.pem -pubout`";

/// Labels of PEM blocks of keys, their description, and advice other than creating a new key.
const LABELS: [(&str, &str, Option<&str>); 10] = [
    (
        "ENCRYPTED PRIVATE KEY",
        "a private key with a password",
        Some("take the password off, in a place that only you can read: `openssl pkey -in FILE -out key.pem`"),
    ),
    ("ENCRYPTED SIGSTORE PRIVATE KEY", "a private key that cosign encrypted", None),
    ("ENCRYPTED COSIGN PRIVATE KEY", "a private key that cosign encrypted", None),
    ("RSA PRIVATE KEY", "an RSA key", None),
    ("EC PRIVATE KEY", "a key on another elliptic curve", None),
    ("DSA PRIVATE KEY", "a DSA key", None),
    (
        "OPENSSH PRIVATE KEY",
        "a private key in the form of OpenSSH",
        Some("add it to an agent and sign by that (`ssh-add FILE`, then `--key agent:COMMENT`)"),
    ),
    ("RSA PUBLIC KEY", "an RSA public key", None),
    ("PUBLIC KEY", "a public key", None),
    ("CERTIFICATE", "a certificate", None),
];

/// Algorithms named in PKCS#8 and SPKI, by their encoded object identifiers.
const ALGORITHMS: [(&[u8], &str); 6] = [
    (&[0x06, 0x03, 0x2b, 0x65, 0x70], "an Ed25519 key that is damaged"),
    (&[0x06, 0x09, 0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01, 0x01], "an RSA key"),
    (&[0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x3d, 0x02, 0x01], "a key on another elliptic curve (EC)"),
    (&[0x06, 0x03, 0x2b, 0x65, 0x71], "an Ed448 key"),
    (&[0x06, 0x03, 0x2b, 0x65, 0x6e], "an X25519 key, which agrees on secrets and does not sign"),
    (&[0x06, 0x07, 0x2a, 0x86, 0x48, 0xce, 0x38, 0x04, 0x01], "a DSA key"),
];

/// Describes a text that is not a usable private key, and says what is needed.
pub(super) fn of_private(text: &str) -> (&'static str, String) {
    let label = label(text);
    if label == Some("PRIVATE KEY") {
        return (algorithm(text), MAKE.to_owned());
    }
    match LABELS.iter().find(|(known, _, _)| Some(*known) == label) {
        Some((_, found, Some(instead))) => (*found, format!("{MAKE}; or {instead}")),
        Some((_, found, None)) => (*found, MAKE.to_owned()),
        None => ("no key", MAKE.to_owned()),
    }
}

/// Describes a text that is not a usable public key.
pub(super) fn of_public(text: &str) -> &'static str {
    match label(text) {
        Some("PUBLIC KEY") => algorithm(text),
        Some("PRIVATE KEY") => "a private key",
        label => LABELS.iter().find(|(known, _, _)| Some(*known) == label).map_or("no key", |(_, found, _)| *found),
    }
}

/// Returns the label of the first PEM block.
fn label(text: &str) -> Option<&str> {
    let (_, rest) = text.split_once("-----BEGIN ")?;
    rest.split_once("-----").map(|(label, _)| label)
}

fn algorithm(text: &str) -> &'static str {
    let Ok((_, document)) = SecretDocument::from_pem(text) else { return "a key that is cut short or damaged" };
    let names = |identifier: &[u8]| document.as_bytes().windows(identifier.len()).any(|window| window == identifier);
    ALGORITHMS.iter().find(|(identifier, _)| names(identifier)).map_or("a key of an unknown kind", |(_, name)| *name)
}
