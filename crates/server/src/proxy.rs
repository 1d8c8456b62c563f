//! People whom a proxy signed in. It names them in a header, and proves by a secret in another one that it did.

use axum::http::{HeaderMap, HeaderName};
use referee_model::access::{Actor, Role};

use crate::caller::Caller;
use crate::problem::Problem;
use crate::session;

/// Header with the secret that the proxy shares with this server.
pub const SECRET: &str = "x-referee-proxy-secret";
/// Maximum length of a user's name, in characters.
const NAME_CHARACTERS: usize = 256;
/// Headers that mean something else.
const TAKEN: [&str; 6] = ["authorization", "cookie", "host", "origin", "x-referee-approver", SECRET];

/// A proxy that signs people in.
#[derive(Debug)]
pub struct TrustedProxy {
    header: HeaderName,
    secret: String,
    role: Role,
}

impl TrustedProxy {
    /// Trusts a proxy that names users in a header.
    ///
    /// # Errors
    /// Fails for what is no name of a header, or that of another one.
    pub fn new(header: &str, secret: String, role: Role) -> Result<Self, String> {
        let header = HeaderName::from_bytes(header.as_bytes()).map_err(|_| format!("`{header}` names no header"))?;
        if TAKEN.contains(&header.as_str()) || header.as_str().starts_with("sec-") {
            return Err(format!("the header `{header}` means something else"));
        }
        Ok(Self { header, secret, role })
    }

    /// Returns whether a request says anything of a proxy's.
    pub(crate) fn is_meant(&self, headers: &HeaderMap) -> bool {
        headers.contains_key(&self.header) || headers.contains_key(SECRET)
    }

    /// Returns the user whom the proxy names. `None`: it names nobody.
    ///
    /// # Errors
    /// Fails for a request that does not come from the proxy and says so, and for a name that is none.
    pub(crate) fn caller(&self, headers: &HeaderMap) -> Result<Option<Caller>, Problem> {
        if !self.is_meant(headers) {
            return Ok(None);
        }
        let refused = |reason: &str| Problem::unauthorized(reason.to_owned());
        let given = only(headers, SECRET).ok().flatten();
        if !given.is_some_and(|given| session::is_same(given, &self.secret)) {
            return Err(refused("only the proxy of this server names users: its secret is missing or wrong"));
        }
        let name = only(headers, self.header.as_str());
        let name = name.map_err(|()| refused("the proxy names several users, or none that can be read"))?;
        let name = name.unwrap_or_default().trim();
        if name.is_empty() {
            return Ok(None);
        }
        if name.chars().count() > NAME_CHARACTERS || name.chars().any(char::is_control) {
            return Err(refused("the proxy gives a name that is none"));
        }
        Ok(Some(Caller { who: Actor::ProxyUser { name: name.to_owned() }, role: self.role }))
    }
}

/// Returns the value of a header that may be there once. `None`: it is not there. `Err`: it is there several times, or is
/// not text.
fn only<'request>(headers: &'request HeaderMap, name: &str) -> Result<Option<&'request str>, ()> {
    let mut values = headers.get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => std::str::from_utf8(value.as_bytes()).map(Some).map_err(drop),
        (Some(_), Some(_)) => Err(()),
    }
}

#[cfg(test)]
mod tests {
    use axum::http::HeaderValue;

    use super::*;

    const USER: &str = "x-forwarded-user";

    fn asked(headers: &[(&'static str, &'static str)]) -> Result<Option<String>, u16> {
        let proxy = TrustedProxy::new("X-Forwarded-User", "0123456789abcdef".to_owned(), Role::Viewer).unwrap();
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.append(*name, HeaderValue::from_bytes(value.as_bytes()).unwrap());
        }
        let caller = proxy.caller(&map).map_err(|problem| problem.status.as_u16())?;
        Ok(caller.map(|caller| match caller {
            Caller { who: Actor::ProxyUser { name }, role: Role::Viewer } => name,
            other => panic!("{other:?}"),
        }))
    }

    #[test]
    fn a_user_is_believed_with_the_secret_alone() {
        let secret = (SECRET, "0123456789abcdef");
        assert_eq!(asked(&[(USER, "ada"), secret]), Ok(Some("ada".to_owned())));
        assert_eq!(asked(&[(USER, " \u{e4}da@example.org "), secret]), Ok(Some("\u{e4}da@example.org".to_owned())));
        // The proxy says that nobody signed in, or it is not asked at all.
        assert_eq!(asked(&[secret]), Ok(None));
        assert_eq!(asked(&[(USER, ""), secret]), Ok(None));
        assert_eq!(asked(&[("x-other", "ada")]), Ok(None));
        for forged in [
            &[(USER, "ada")][..],
            &[(USER, "ada"), (SECRET, "")],
            &[(USER, "ada"), (SECRET, "0123456789abcdeF")],
            &[(USER, "ada"), (SECRET, "0123456789abcde")],
            &[(USER, "ada"), secret, secret],
            &[(USER, "")],
            &[(SECRET, "wrong")],
            &[(USER, "ada"), (USER, "eve"), secret],
        ] {
            assert_eq!(asked(forged), Err(401), "{forged:?}");
        }
    }

    #[test]
    fn a_header_that_means_something_else_names_no_user() {
        for bad in ["Authorization", "cookie", "Host", "X-Referee-Approver", SECRET, "Sec-Fetch-Site", "", "a b", "a\n"]
        {
            assert!(TrustedProxy::new(bad, String::new(), Role::Viewer).is_err(), "{bad}");
        }
    }
}
