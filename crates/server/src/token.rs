//! Tokens: the server's own, and those that were created by name, with a role and an end.

use std::sync::Arc;

use referee_model::access::{Actor, Role, TokenRecord};
use referee_model::id::Digest;

use crate::caller::Caller;
use crate::problem::Problem;
use crate::service::Service;
use crate::session::{self, Holder};

const WRONG: &str = "this is no token of this server: it is wrong, or was revoked";

/// Returns who holds a token.
pub(crate) async fn holder(service: &Arc<Service>, text: &str) -> Result<Holder, Problem> {
    let is_own = service.access.token.as_deref().is_some_and(|token| session::is_same(token, text));
    if is_own {
        let caller = Caller { who: Actor::ServerToken, role: Role::Operator };
        return Ok(Holder { caller, token: None });
    }
    // What cannot be such a token costs no look at the list.
    if !text.starts_with(&service.access.named.beginning) {
        return Err(Problem::unauthorized(WRONG));
    }
    let digest = Digest::of(text);
    Ok(Holder { caller: of_named(service, digest).await?, token: Some(digest) })
}

/// Returns who holds the token with a digest, if it still is valid.
pub(crate) async fn of_named(service: &Arc<Service>, digest: Digest) -> Result<Caller, Problem> {
    let unread = |why| Problem::unavailable(format!("the tokens cannot be read: {why}"));
    let tokens = service.off_thread(move |service| (service.access.named.list)().map_err(unread)).await?;
    let now = service.now();
    // All tokens are compared, so that the time reveals nothing.
    let wanted = digest.to_string();
    let found = tokens.into_iter().fold(None, |found, token: TokenRecord| {
        if session::is_same(&token.sha256.to_string(), &wanted) { Some(token) } else { found }
    });
    match found {
        None => Err(Problem::unauthorized(WRONG)),
        Some(token) if token.is_over(now) => Err(Problem::unauthorized(format!(
            "the token `{}` is over: ask for another one (`referee serve token create`)",
            token.name
        ))),
        Some(token) => Ok(Caller { who: Actor::Token { name: token.name }, role: token.role }),
    }
}
