//! The OpenID provider at which people sign in.

use std::net::SocketAddr;
use std::path::Path;
use std::time::Duration;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_exec::{OwnRequest, fetch};
use referee_ledger::server_credentials;
use referee_server::oidc::{Oidc, OidcOptions, ProviderRequest};
use referee_server::session_key::SessionKey;

use super::super::endpoint::{out_of_reach, wrong};
use crate::args::serve::ServeServer;

/// Time limit for an answer of the provider.
const ANSWER: Duration = Duration::from_secs(10);
/// Maximum size of an answer of the provider, in bytes.
const ANSWER_BYTES: u64 = 1024 * 1024;

/// Returns the provider at which people sign in, where one is named. `place`: where the server listens, and the address
/// that it shows.
pub(super) fn provider(
    context: &Context,
    arguments: &ServeServer,
    session_key: Option<&SessionKey>,
    place: Option<&(SocketAddr, String)>,
    workspace: Option<&Path>,
) -> Result<Option<Oidc>, EngineError> {
    let (Some(issuer), Some(client), Some(file), Some(operators)) = (
        &arguments.oidc_issuer,
        &arguments.oidc_client_id,
        &arguments.oidc_client_secret_file,
        &arguments.oidc_operator_group,
    ) else {
        return Ok(None);
    };
    let usage = |message: String| EngineError::usage(message);
    let Some((bound, address)) = place else {
        return Err(usage("--oidc-issuer: browsers need an address: say --listen as well".to_owned()));
    };
    if arguments.public_url.is_none() && bound.ip().is_unspecified() {
        return Err(usage(format!("--oidc-issuer: {bound} is no address for browsers: say --public-url as well")));
    }
    let file = context.directory.join(file);
    out_of_reach("--oidc-client-secret-file", &file, workspace)?;
    let client_secret = server_credentials::read_secret(&file).map_err(|error| wrong(&error))?;
    let options = OidcOptions {
        issuer: issuer.clone(),
        client: client.clone(),
        client_secret,
        operator_group: operators.clone(),
        viewer_group: arguments.oidc_viewer_group.clone(),
        public_url: arguments.public_url.clone().unwrap_or_else(|| address.clone()),
    };
    let oidc =
        Oidc::new(options, session_key, Box::new(ask)).map_err(|reason| usage(format!("--oidc-issuer: {reason}")))?;
    Ok(Some(oidc))
}

fn ask(request: &ProviderRequest) -> Result<(u16, Vec<u8>), String> {
    fetch(&OwnRequest {
        url: &request.address,
        authorization: request.authorization.as_deref(),
        form: request.form.as_deref(),
        limit_bytes: ANSWER_BYTES,
        timeout: ANSWER,
    })
}
