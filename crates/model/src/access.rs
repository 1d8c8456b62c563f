//! Who may do what at the server of `referee serve`, and who did.

use serde::{Deserialize, Serialize};

use crate::document::Kind;
use crate::id::Digest;
use crate::time::Timestamp;

/// The document that holds a [`TokenList`].
pub const TOKENS: Kind = Kind { name: "the tokens of `referee serve`", key: "tokens_version", version: "1.0.0" };

/// Maximum length of a token's name, in characters.
const NAME_CHARACTERS: usize = 64;

words! {
    /// What a caller may do at the server. A later role may do everything that the ones before it may.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "snake_case")]
    pub enum Role {
        /// Reads, and changes nothing.
        Viewer = "viewer",
        /// Does whatever the server offers. Approving takes an approver's key as well.
        Operator = "operator",
    }
}

/// Who made a request.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
pub enum Actor {
    /// Nobody who proved anything.
    Unknown,
    /// A process of this user, at the Unix socket.
    UnixUser {
        /// Number of the user.
        id: u32,
    },
    /// Whoever has the server's own token.
    ServerToken,
    /// Whoever has a token that was created by name.
    Token {
        /// Name of the token.
        name: String,
    },
    /// A user that a proxy signed in.
    ProxyUser {
        /// Name of the user, as the proxy gives it.
        name: String,
    },
    /// A person whom an OpenID provider signed in.
    Person {
        /// Issuer of the person's ID token.
        issuer: String,
        /// Identifier of the person at the issuer.
        subject: String,
    },
}

/// The tokens that were created by name.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenList {
    /// The tokens, in the order of their creation.
    pub tokens: Vec<TokenRecord>,
}

/// A token that was created by name. The token itself is not kept.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct TokenRecord {
    /// Name of the token.
    pub name: String,
    /// SHA-256 of the token.
    pub sha256: Digest,
    /// What its holder may do.
    pub role: Role,
    /// When it was created.
    pub created: Timestamp,
    /// When it ends. None: it does not end by itself.
    pub until: Option<Timestamp>,
}

impl TokenRecord {
    /// Returns whether the token is over.
    pub fn is_over(&self, now: Timestamp) -> bool {
        self.until.is_some_and(|until| until <= now)
    }
}

/// Checks the name of a token.
///
/// # Errors
/// Fails for a text that is no name.
pub fn check_token_name(name: &str) -> Result<(), String> {
    let begins = name.bytes().next().is_some_and(|byte| byte.is_ascii_alphanumeric());
    let is_plain = name.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'.' | b'_' | b'-'));
    if begins && is_plain && name.len() <= NAME_CHARACTERS {
        return Ok(());
    }
    Err(format!("a token's name has letters, digits, `.`, `_` and `-`, at most {NAME_CHARACTERS}, such as `ci`"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operator_may_do_what_a_viewer_may() {
        assert!(Role::Operator > Role::Viewer);
        for role in [Role::Viewer, Role::Operator] {
            assert_eq!(serde_json::to_value(role).unwrap(), role.as_str());
        }
    }

    #[test]
    fn a_token_is_over_from_its_end_on() {
        let at = Timestamp::from_millisecond;
        let token = |until| TokenRecord {
            name: "ci".to_owned(),
            sha256: Digest::of("x"),
            role: Role::Viewer,
            created: at(0),
            until,
        };
        assert!(!token(None).is_over(at(i64::MAX)));
        assert!(!token(Some(at(10))).is_over(at(9)) && token(Some(at(10))).is_over(at(10)));
    }

    #[test]
    fn a_name_is_one_plain_word() {
        for name in ["ci", "0", "Ada.Lovelace-2_x"] {
            assert_eq!(check_token_name(name), Ok(()));
        }
        for name in ["", " ", "-x", ".x", "a b", "a/b", "a\n", "\u{e4}", &"x".repeat(65)] {
            assert!(check_token_name(name).is_err(), "{name:?}");
        }
    }
}
