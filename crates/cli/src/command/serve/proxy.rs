//! A proxy that signs people in.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::server_credentials;
use referee_server::proxy::TrustedProxy;

use super::super::endpoint::{out_of_reach, wrong};
use crate::args::serve::ServeServer;

/// Returns the proxy whose word is taken, where one is named.
pub(super) fn trusted(
    context: &Context,
    arguments: &ServeServer,
    workspace: Option<&Path>,
) -> Result<Option<TrustedProxy>, EngineError> {
    let (Some(header), Some(file)) = (&arguments.trust_proxy_user, &arguments.proxy_secret_file) else {
        return Ok(None);
    };
    let file = context.directory.join(file);
    out_of_reach("--proxy-secret-file", &file, workspace)?;
    let secret = server_credentials::read_token(&file).map_err(|error| wrong(&error))?;
    let proxy = TrustedProxy::new(header, secret.text, arguments.proxy_role.into());
    proxy.map(Some).map_err(|reason| EngineError::usage(format!("--trust-proxy-user: {reason}")))
}
