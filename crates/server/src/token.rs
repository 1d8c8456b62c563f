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
        return Ok(Holder { caller, token: Some(service.sessions.mark(Digest::of(text))) });
    }
    // What cannot be such a token costs no look at the list.
    if !text.starts_with(&service.access.named.beginning) {
        return Err(Problem::unauthorized(WRONG));
    }
    let mark = service.sessions.mark(Digest::of(text));
    Ok(Holder { caller: of_mark(service, mark).await?, token: Some(mark) })
}

/// Returns who holds the token that a mark stands for, if it still is valid.
pub(crate) async fn of_mark(service: &Arc<Service>, mark: Digest) -> Result<Caller, Problem> {
    let wanted = mark.to_string();
    let is_wanted = |token: Digest| session::is_same(&service.sessions.mark(token).to_string(), &wanted);
    if service.access.token.as_ref().is_some_and(|token| is_wanted(Digest::of(token))) {
        return Ok(Caller { who: Actor::ServerToken, role: Role::Operator });
    }
    let unread = |why| Problem::unavailable(format!("the tokens cannot be read: {why}"));
    let tokens = service.off_thread(move |service| (service.access.named.list)().map_err(unread)).await?;
    let now = service.now();
    // All tokens are compared, so that the time reveals nothing.
    let found = tokens.into_iter().fold(
        None,
        |found, token: TokenRecord| {
            if is_wanted(token.sha256) { Some(token) } else { found }
        },
    );
    match found {
        None => Err(Problem::unauthorized(WRONG)),
        Some(token) if token.is_over(now) => Err(Problem::unauthorized(format!(
            "the token `{}` is over: ask for another one (`referee serve token create`)",
            token.name
        ))),
        Some(token) => Ok(Caller { who: Actor::Token { name: token.name }, role: token.role }),
    }
}
