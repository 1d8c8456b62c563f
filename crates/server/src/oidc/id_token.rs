//! ID tokens (OpenID Connect Core, 3.1.3.7): signature, issuer, audience, times and nonce.

use referee_syntax::base64;
use serde::Deserialize;
use serde_json::Value;

use super::keys::{Algorithm, Keys};

/// Maximum size of a token, in bytes.
const TOKEN_BYTES: usize = 64 * 1024;
/// Seconds by which the clocks of provider and server may differ.
const LEEWAY_SECONDS: i64 = 60;
/// Maximum length of a subject, in characters (OpenID Connect Core, 2).
const SUBJECT_CHARACTERS: usize = 255;
/// Maximum number of groups that are looked at.
const GROUPS: usize = 10_000;

/// What a token has to be.
#[derive(Debug, Clone, Copy)]
pub(super) struct TokenExpectation<'sign_in> {
    pub(super) issuer: &'sign_in str,
    /// Id of this client at the issuer.
    pub(super) client: &'sign_in str,
    pub(super) nonce: &'sign_in str,
    /// The current time, in seconds since the epoch.
    pub(super) now: i64,
}

/// What a valid token says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Claims {
    pub(super) subject: String,
    pub(super) groups: Vec<String>,
    /// Number of seconds until the token ends.
    pub(super) seconds_left: u64,
}

/// Why a token is not taken.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum TokenError {
    /// It is signed with a key that is not among those that are known: they may have changed.
    UnknownKey,
    /// It is wrong, with the reason.
    Refused(String),
}

#[derive(Deserialize)]
struct Header {
    alg: String,
    kid: Option<String>,
    crit: Option<Value>,
}

#[derive(Deserialize)]
struct Payload {
    iss: String,
    sub: String,
    aud: Audience,
    azp: Option<String>,
    exp: f64,
    nbf: Option<f64>,
    iat: f64,
    nonce: Option<String>,
    groups: Option<Groups>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Audience {
    One(String),
    Several(Vec<String>),
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Groups {
    One(String),
    Several(Vec<String>),
}

/// Verifies a token, and returns what it says.
pub(super) fn verify(token: &str, keys: &Keys, expected: &TokenExpectation<'_>) -> Result<Claims, TokenError> {
    let refused = |reason: &str| TokenError::Refused(reason.to_owned());
    if token.len() > TOKEN_BYTES {
        return Err(refused("it is too large"));
    }
    let (signed, signature) = token.rsplit_once('.').ok_or_else(|| refused("it is no JWT"))?;
    let (header, payload) = signed.split_once('.').ok_or_else(|| refused("it is no JWT"))?;
    let decoded = |part: &str| base64::decode(part).ok_or_else(|| refused("it is not encoded as a JWT is"));
    let header: Header =
        serde_json::from_slice(&decoded(header)?).map_err(|error| refused(&format!("its header: {error}")))?;
    let algorithm = Algorithm::parse(&header.alg)
        .ok_or_else(|| refused("it is signed with another algorithm than RS256 and ES256"))?;
    if header.crit.is_some() {
        return Err(refused("it demands extensions that are not known"));
    }
    let key = keys.find(header.kid.as_deref(), algorithm).ok_or(TokenError::UnknownKey)?;
    if !key.verifies(signed.as_bytes(), &decoded(signature)?) {
        return Err(refused("its signature is wrong"));
    }
    let payload: Payload =
        serde_json::from_slice(&decoded(payload)?).map_err(|error| refused(&format!("its claims: {error}")))?;
    checked(payload, expected).map_err(refused)
}

fn checked(payload: Payload, expected: &TokenExpectation<'_>) -> Result<Claims, &'static str> {
    if payload.iss != expected.issuer {
        return Err("it comes from another issuer");
    }
    let audience = match payload.aud {
        Audience::One(one) => vec![one],
        Audience::Several(several) => several,
    };
    if !audience.iter().any(|one| one == expected.client) {
        return Err("it is meant for another client");
    }
    match payload.azp.as_deref() {
        Some(party) if party != expected.client => return Err("it was issued to another client"),
        None if audience.len() > 1 => {
            return Err("it is meant for several clients, and says not which it was issued to");
        }
        Some(_) | None => {}
    }
    let (now, exp, iat) = (expected.now, seconds(payload.exp)?, seconds(payload.iat)?);
    if exp.saturating_add(LEEWAY_SECONDS) <= now {
        return Err("it is over");
    }
    let not_before = payload.nbf.map(seconds).transpose()?.unwrap_or(iat);
    if iat > now.saturating_add(LEEWAY_SECONDS) || not_before > now.saturating_add(LEEWAY_SECONDS) {
        return Err("it is not valid yet: compare the clocks");
    }
    if payload.nonce.as_deref() != Some(expected.nonce) {
        return Err("it belongs to another sign-in");
    }
    if payload.sub.is_empty() || payload.sub.chars().count() > SUBJECT_CHARACTERS {
        return Err("it names nobody");
    }
    let groups = match payload.groups {
        None => Vec::new(),
        Some(Groups::One(one)) => vec![one],
        Some(Groups::Several(several)) => several,
    };
    if groups.len() > GROUPS {
        return Err("it names too many groups");
    }
    let seconds_left = u64::try_from(exp.saturating_sub(now)).unwrap_or(0);
    Ok(Claims { subject: payload.sub, groups, seconds_left })
}

/// Returns a time of a token in whole seconds.
#[expect(clippy::cast_possible_truncation, reason = "the number is within bounds that are far smaller")]
fn seconds(number: f64) -> Result<i64, &'static str> {
    const END: f64 = 1e12;
    if (0.0..END).contains(&number) { Ok(number as i64) } else { Err("it has a time that is none") }
}

#[cfg(test)]
mod tests;
