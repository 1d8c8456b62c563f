//! Cookies of this server. Cookies ignore ports, so their names contain the port: two servers on one machine need
//! different names, but for those of a fleet, which share them. With TLS no other host and no plain connection can set them (RFC 6265bis, 4.1.3.2).

use axum::http::{HeaderMap, HeaderValue, header};
use axum::response::Response;

use crate::channel::Channel;

/// A cookie of this server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Cookie {
    /// The session of a browser that signed in.
    Session,
    /// The sign-in of a browser that is away at a provider. It comes back by a link of another site.
    SignIn,
}

/// Which requests a cookie comes with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct CookieScope {
    /// Port of the server. `None`: any server of the fleet.
    pub(crate) port: Option<u16>,
    pub(crate) channel: Channel,
}

impl Cookie {
    fn name(self, scope: CookieScope) -> String {
        let prefix = match scope.channel {
            Channel::Plain => "",
            Channel::Tls => "__Host-",
        };
        let what = match self {
            Self::Session => "session",
            Self::SignIn => "sign_in",
        };
        let port = scope.port.map(|port| format!("_{port}")).unwrap_or_default();
        format!("{prefix}referee_{what}{port}")
    }

    /// Returns the cookie's value in a request.
    pub(crate) fn find(self, headers: &HeaderMap, scope: CookieScope) -> Option<&str> {
        let name = self.name(scope);
        let all = headers.get_all(header::COOKIE).iter().filter_map(|value| value.to_str().ok());
        let mut pairs = all.flat_map(|value| value.split(';')).filter_map(|pair| pair.trim().split_once('='));
        pairs.find(|(key, _)| *key == name).map(|(_, value)| value)
    }

    /// Sets the cookie for some seconds; 0 removes it.
    pub(crate) fn set(self, response: &mut Response, value: &str, seconds: u64, scope: CookieScope) {
        let secure = match scope.channel {
            Channel::Plain => "",
            Channel::Tls => "; Secure",
        };
        let site = match self {
            Self::Session => "Strict",
            Self::SignIn => "Lax",
        };
        let name = self.name(scope);
        let text = format!("{name}={value}; Path=/; HttpOnly; SameSite={site}; Max-Age={seconds}{secure}");
        if let Ok(cookie) = HeaderValue::from_str(&text) {
            response.headers_mut().append(header::SET_COOKIE, cookie);
        }
    }
}
