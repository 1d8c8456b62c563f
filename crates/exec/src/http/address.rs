//! URLs: which can be requested, where a redirect leads, and which have the same origin (RFC 3986, RFC 6454).

use referee_syntax::percent;
use ureq::http::Uri;

/// A URL that can be requested: absolute, `http` or `https`, without a fragment or credentials.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Address {
    uri: Uri,
    port: u16,
}

/// A URL, and the credentials that it contained.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Given {
    pub(super) address: Address,
    /// `name:password`, before it is encoded for the `Authorization` header.
    pub(super) credentials: Option<Vec<u8>>,
}

impl Address {
    /// Parses a URL; control characters, spaces and the like are percent-encoded. An `Err` says why it cannot
    /// be requested.
    pub(super) fn parse(text: &str) -> Result<Given, String> {
        let text = text.split('#').next().unwrap_or_default();
        let Some((scheme, rest)) = text.split_once("://") else {
            return Err("the URL must begin with http:// or https://".to_owned());
        };
        let default_port = match scheme.to_ascii_lowercase().as_str() {
            "http" => 80,
            "https" => 443,
            _ => return Err("the URL must begin with http:// or https://".to_owned()),
        };
        let end = rest.find(['/', '?', '\\']).unwrap_or(rest.len());
        let (authority, path) = rest.split_at(end);
        let (credentials, host) = match authority.rsplit_once('@') {
            Some((credentials, host)) => (Some(percent::decode(credentials)), host),
            None => (None, authority),
        };
        if !host.is_ascii() {
            return Err("a host is asked by its ASCII name (xn--…)".to_owned());
        }
        let is_part = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~[]:".contains(&byte);
        if host.is_empty() || host.starts_with(':') || !host.bytes().all(is_part) {
            return Err("the URL names no host that can be asked".to_owned());
        }
        let separator = if path.starts_with('/') { "" } else { "/" };
        let whole = format!("{}://{host}{separator}{}", scheme.to_ascii_lowercase(), percent::address(path));
        let uri: Uri = whole.parse().map_err(|error| format!("the URL cannot be asked: {error}"))?;
        let port = match host.rsplit_once(':') {
            Some((_, port)) if !port.ends_with(']') && !port.is_empty() => {
                port.parse().ok().filter(|port| *port > 0).ok_or("the URL names a port that is none")?
            }
            _ => default_port,
        };
        Ok(Given { address: Self { uri, port }, credentials })
    }

    /// Returns the URL that a redirect from this one leads to. An `Err` says why it cannot be requested.
    pub(super) fn join(&self, location: &str) -> Result<Given, String> {
        let location = location.trim_matches([' ', '\t']).split('#').next().unwrap_or_default();
        if location.bytes().any(|byte| byte.is_ascii_control()) {
            return Err("it leads to a place with control characters in its name".to_owned());
        }
        let here = format!("{}://{}", self.scheme(), self.authority());
        let (path, query) = (self.uri.path(), self.uri.query());
        let target = if has_scheme(location) {
            return Self::parse(location);
        } else if let Some(network) = location.strip_prefix("//") {
            return Self::parse(&format!("{}://{network}", self.scheme()));
        } else if location.is_empty() {
            query.map_or_else(|| path.to_owned(), |query| format!("{path}?{query}"))
        } else if location.starts_with('?') {
            format!("{path}{location}")
        } else {
            let (relative, query) = location.find('?').map_or((location, ""), |at| location.split_at(at));
            let directory = if relative.starts_with('/') { "" } else { &path[..=path.rfind('/').unwrap_or(0)] };
            format!("{}{query}", without_dots(&format!("{directory}{relative}")))
        };
        Self::parse(&format!("{here}{target}"))
    }

    pub(super) fn uri(&self) -> &Uri {
        &self.uri
    }

    fn scheme(&self) -> &str {
        self.uri.scheme_str().unwrap_or_default()
    }

    fn authority(&self) -> &str {
        self.uri.authority().map_or("", |authority| authority.as_str())
    }

    /// Returns the host; an IPv6 address without its brackets.
    pub(super) fn host(&self) -> &str {
        let host = self.uri.host().unwrap_or_default();
        host.strip_prefix('[').and_then(|host| host.strip_suffix(']')).unwrap_or(host)
    }

    pub(super) fn port(&self) -> u16 {
        self.port
    }

    /// Returns whether another URL has the same origin.
    pub(super) fn is_same_origin(&self, other: &Self) -> bool {
        (self.scheme(), self.port) == (other.scheme(), other.port) && self.host().eq_ignore_ascii_case(other.host())
    }
}

fn has_scheme(location: &str) -> bool {
    let Some((scheme, _)) = location.split_once(':') else { return false };
    scheme.starts_with(|first: char| first.is_ascii_alphabetic())
        && scheme.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"+-.".contains(&byte))
}

/// Resolves `.` and `..` in a path (RFC 3986, §5.2.4).
fn without_dots(path: &str) -> String {
    let mut plain: Vec<&str> = Vec::new();
    let mut names = path.split('/').skip(1).peekable();
    while let Some(name) = names.next() {
        let is_last = names.peek().is_none();
        match name {
            "." => {}
            ".." => {
                plain.pop();
            }
            name => {
                plain.push(name);
                continue;
            }
        }
        if is_last {
            plain.push("");
        }
    }
    format!("/{}", plain.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_made_safe_or_refused() {
        for (text, expected) in [
            ("http://localhost:3000/a?b=c#d", Ok("http://localhost:3000/a?b=c")),
            ("HTTPS://Example.org", Ok("https://Example.org/")),
            ("http://a?x=1", Ok("http://a/?x=1")),
            ("http://a/b c\u{e4}\n{id}[0]%20", Ok("http://a/b%20c%C3%A4%0A%7Bid%7D[0]%20")),
            ("http://[::1]:80/", Ok("http://[::1]:80/")),
            ("http://u:p@a/", Ok("http://a/")),
            ("ftp://a/", Err("the URL must begin with http:// or https://")),
            ("/a", Err("the URL must begin with http:// or https://")),
            ("", Err("the URL must begin with http:// or https://")),
            ("http:///a", Err("the URL names no host that can be asked")),
            ("http://a b/", Err("the URL names no host that can be asked")),
            ("http://a\r\nX: y/", Err("the URL names no host that can be asked")),
            ("http://:80/", Err("the URL names no host that can be asked")),
            ("http://\u{e4}/", Err("a host is asked by its ASCII name (xn--…)")),
            ("http://a:0/", Err("the URL names a port that is none")),
            ("http://a:x/", Err("")),
            ("http://a:70000/", Err("")),
        ] {
            let parsed = Address::parse(text).map(|given| given.address.uri().to_string());
            match (&parsed, expected) {
                (Ok(url), Ok(expected)) => assert_eq!(url, expected, "{text}"),
                (Err(why), Err(expected)) => assert!(why.starts_with(expected), "{text}: {why}"),
                _ => panic!("{text}: {parsed:?}"),
            }
        }
        let given = Address::parse("https://n%40me:pa:ss@a:8443/").unwrap();
        assert_eq!(given.credentials.as_deref(), Some(&b"n@me:pa:ss"[..]));
        assert_eq!((given.address.host(), given.address.port()), ("a", 8443));
    }

    #[test]
    fn redirects_lead_where_browsers_go() {
        let from = Address::parse("http://a:1/b/c/d?q").unwrap().address;
        for (location, expected) in [
            ("g", Some("http://a:1/b/c/g")),
            ("./g", Some("http://a:1/b/c/g")),
            ("g/", Some("http://a:1/b/c/g/")),
            ("/g", Some("http://a:1/g")),
            ("//g", Some("http://g/")),
            ("?y", Some("http://a:1/b/c/d?y")),
            ("g?y#s", Some("http://a:1/b/c/g?y")),
            ("", Some("http://a:1/b/c/d?q")),
            ("#s", Some("http://a:1/b/c/d?q")),
            (".", Some("http://a:1/b/c/")),
            ("..", Some("http://a:1/b/")),
            ("../..", Some("http://a:1/")),
            ("../../../g", Some("http://a:1/g")),
            ("/./g/../h", Some("http://a:1/h")),
            ("g?next=/../x", Some("http://a:1/b/c/g?next=/../x")),
            ("https://x/y z", Some("https://x/y%20z")),
            ("file:///etc/passwd", None),
            ("javascript:alert(1)", None),
            ("gopher://a", None),
            ("/a\r\nb", None),
        ] {
            let target = from.join(location).map(|given| given.address.uri().to_string());
            assert_eq!(target.as_deref().ok(), expected, "{location}: {target:?}");
        }
    }

    #[test]
    fn origins_are_scheme_host_and_port() {
        let address = |text| Address::parse(text).unwrap().address;
        let here = address("http://a/x");
        for (other, same) in
            [("http://A:80/y", true), ("https://a/x", false), ("http://a:81/", false), ("http://b/", false)]
        {
            assert_eq!(here.is_same_origin(&address(other)), same, "{other}");
        }
    }

    proptest::proptest! {
        #[test]
        fn whatever_is_taken_can_be_asked_again(text in "https?://[a-z@:\\[\\]0-9.]{0,12}[ -~\u{80}-\u{ff}]{0,20}") {
            if let Ok(given) = Address::parse(&text) {
                let url = given.address.uri().to_string();
                proptest::prop_assert_eq!(Address::parse(&url).map(|again| again.address), Ok(given.address.clone()));
                proptest::prop_assert!(given.address.join(&text).is_ok());
            }
        }
    }
}
