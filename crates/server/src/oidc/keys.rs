//! The public keys of a provider (JWK Set, RFC 7517), and signatures that they verify. RS256 and ES256, nothing else.

use referee_syntax::base64;
use ring::signature::{self, RsaPublicKeyComponents, UnparsedPublicKey};
use serde::Deserialize;

/// Maximum number of keys that are looked at.
const KEYS: usize = 100;
/// Number of bytes of a coordinate on P-256.
const COORDINATE: usize = 32;

/// A signature algorithm (RFC 7518).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Algorithm {
    Rs256,
    Es256,
}

impl Algorithm {
    /// Returns the algorithm with a name. `None`: it is none of those that are taken, such as `none` and `HS256`.
    pub(super) fn parse(name: &str) -> Option<Self> {
        match name {
            "RS256" => Some(Self::Rs256),
            "ES256" => Some(Self::Es256),
            _ => None,
        }
    }

    fn name(self) -> &'static str {
        match self {
            Self::Rs256 => "RS256",
            Self::Es256 => "ES256",
        }
    }
}

/// The keys of a provider that can sign ID tokens.
#[derive(Debug, Clone, Default)]
pub(super) struct Keys(Vec<Key>);

#[derive(Debug, Clone)]
struct Key {
    id: Option<String>,
    algorithm: Algorithm,
    material: PublicNumbers,
}

#[derive(Debug, Clone)]
enum PublicNumbers {
    Rsa {
        modulus: Vec<u8>,
        exponent: Vec<u8>,
    },
    /// An uncompressed point on P-256.
    Point(Vec<u8>),
}

#[derive(Deserialize)]
struct KeySetDocument {
    keys: Vec<KeyDocument>,
}

#[derive(Deserialize)]
struct KeyDocument {
    kty: String,
    kid: Option<String>,
    alg: Option<String>,
    #[serde(rename = "use")]
    purpose: Option<String>,
    n: Option<String>,
    e: Option<String>,
    crv: Option<String>,
    x: Option<String>,
    y: Option<String>,
}

impl Keys {
    /// Parses a set of keys. Keys for other purposes or algorithms are left out.
    ///
    /// # Errors
    /// Fails for what is no set of keys.
    pub(super) fn parse(bytes: &[u8]) -> Result<Self, String> {
        let document: KeySetDocument =
            serde_json::from_slice(bytes).map_err(|error| format!("its keys are no JWK Set: {error}"))?;
        Ok(Self(document.keys.iter().take(KEYS).filter_map(Key::of).collect()))
    }

    /// Returns the key that a token names. `None`: there is no such key. A token that names none means the only key.
    pub(super) fn find(&self, id: Option<&str>, algorithm: Algorithm) -> Option<VerificationKey<'_>> {
        let mut fitting = self.0.iter().filter(|key| key.algorithm == algorithm);
        let found = match id {
            Some(id) => fitting.find(|key| key.id.as_deref() == Some(id)),
            None => fitting.next().filter(|_| fitting.next().is_none()),
        };
        found.map(|key| VerificationKey(&key.material))
    }
}

impl Key {
    fn of(document: &KeyDocument) -> Option<Self> {
        if document.purpose.as_deref().is_some_and(|purpose| purpose != "sig") {
            return None;
        }
        let bytes = |text: &Option<String>| base64::decode(text.as_deref()?);
        let (algorithm, material) = match document.kty.as_str() {
            "RSA" => {
                let (modulus, exponent) = (unpadded(&bytes(&document.n)?), unpadded(&bytes(&document.e)?));
                (Algorithm::Rs256, PublicNumbers::Rsa { modulus, exponent })
            }
            "EC" if document.crv.as_deref() == Some("P-256") => {
                let (x, y) = (bytes(&document.x)?, bytes(&document.y)?);
                if x.len() != COORDINATE || y.len() != COORDINATE {
                    return None;
                }
                (Algorithm::Es256, PublicNumbers::Point([&[4], x.as_slice(), y.as_slice()].concat()))
            }
            _ => return None,
        };
        let is_meant = document.alg.as_deref().is_none_or(|name| name == algorithm.name());
        is_meant.then(|| Self { id: document.kid.clone(), algorithm, material })
    }
}

/// Returns a number without leading zeros, which some providers write.
fn unpadded(number: &[u8]) -> Vec<u8> {
    number.iter().copied().skip_while(|byte| *byte == 0).collect()
}

/// A key that verifies signatures.
#[derive(Debug)]
pub(super) struct VerificationKey<'keys>(&'keys PublicNumbers);

impl VerificationKey<'_> {
    /// Returns whether a message was signed with the key. RSA keys have 2048 bits at least.
    pub(super) fn verifies(&self, message: &[u8], signed: &[u8]) -> bool {
        let verified = match self.0 {
            PublicNumbers::Rsa { modulus, exponent } => {
                let key = RsaPublicKeyComponents { n: modulus, e: exponent };
                key.verify(&signature::RSA_PKCS1_2048_8192_SHA256, message, signed)
            }
            PublicNumbers::Point(point) => {
                UnparsedPublicKey::new(&signature::ECDSA_P256_SHA256_FIXED, point).verify(message, signed)
            }
        };
        verified.is_ok()
    }
}
