//! `referee serve token`: tokens with a role and an end.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::until::until;
use referee_ledger::server_tokens::{self, NewToken};
use referee_ledger::{LedgerError, State};
use referee_model::access::{TOKENS, TokenList};
use referee_model::exit_code;
use referee_report::human;
use referee_server::service::NamedTokens;

use super::super::person::refuse_to_move_the_gate;
use crate::args::serve::{ServeToken, TokenCreate, TokenListed};
use crate::output;

pub(super) fn execute(context: &Context, command: &ServeToken) -> Result<u8, EngineError> {
    match command {
        ServeToken::Create(arguments) => create(context, arguments),
        ServeToken::List(arguments) => list(context, arguments),
        ServeToken::Revoke(arguments) => revoke(context, &arguments.name),
    }
}

/// Returns the state directory that keeps the tokens, out of reach of whoever changes the workspace.
pub(super) fn state(context: &Context, workspace: Option<&Path>) -> Result<State, EngineError> {
    let missing = || EngineError::usage("tokens need a state directory: set REFEREE_STATE_DIR, or HOME".to_owned());
    context.state(workspace)?.ok_or_else(missing)
}

/// Returns the tokens for a server, which reads them anew for each request.
pub(super) fn named(state: &State) -> NamedTokens {
    let state = state.clone();
    let list = move || server_tokens::read(&state).map_err(|error| error.to_string());
    NamedTokens { beginning: server_tokens::BEGINNING.to_owned(), list: Box::new(list) }
}

fn create(context: &Context, arguments: &TokenCreate) -> Result<u8, EngineError> {
    refuse_to_move_the_gate(context, "create a token")?;
    let now = context.now();
    let end = arguments.until.as_deref().map(|text| until(text, now)).transpose().map_err(EngineError::usage)?;
    if end.is_some_and(|end| end <= now) {
        return Err(EngineError::usage("--until is in the past".to_owned()));
    }
    let state = state(context, None)?;
    let role = arguments.role.into();
    let new = NewToken { name: &arguments.name, role, until: end, now };
    let text = server_tokens::create(&state, &new).map_err(|error| refused(&error))?;
    let ends = end.map(|end| format!(" until {end}")).unwrap_or_default();
    let name = &arguments.name;
    let told = format!("token `{name}` is a {}{ends}; it is shown only now\n", role.as_str());
    output::aside(told.as_bytes())?;
    output::answer(format!("{text}\n").as_bytes())?;
    Ok(exit_code::PASSED)
}

fn list(context: &Context, arguments: &TokenListed) -> Result<u8, EngineError> {
    let state = context.state_if_any()?;
    let tokens = state.as_ref().map(server_tokens::read).transpose().map_err(|error| refused(&error))?;
    let list = TokenList { tokens: tokens.unwrap_or_default() };
    output::document(
        arguments.format,
        || TOKENS.encode(&list),
        |out| human::server_access::tokens(&list, context.now(), &context.terminal.stdout, out),
    )?;
    Ok(exit_code::PASSED)
}

fn revoke(context: &Context, name: &str) -> Result<u8, EngineError> {
    refuse_to_move_the_gate(context, "revoke a token")?;
    let state = context.state_if_any()?;
    let is_revoked =
        state.map(|state| server_tokens::revoke(&state, name)).transpose().map_err(|error| refused(&error))?;
    if is_revoked != Some(true) {
        return Err(EngineError::refused(format!("no such token: `{name}`; `referee serve token list` lists them")));
    }
    output::aside(format!("token `{name}` is revoked\n").as_bytes())?;
    Ok(exit_code::PASSED)
}

fn refused(error: &LedgerError) -> EngineError {
    EngineError::refused(error.to_string())
}
