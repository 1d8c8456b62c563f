//! Certificate and key of the server.

use std::path::Path;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::server_credentials;
use referee_server::tls::{Tls, TlsError};

use super::super::endpoint::{out_of_reach, wrong};
use crate::args::serve::ServeServer;

/// Prepares TLS, where it is asked for. `listens`: the server listens on an address.
pub(super) fn prepare(
    context: &Context,
    arguments: &ServeServer,
    listens: bool,
    workspace: Option<&Path>,
) -> Result<Option<Tls>, EngineError> {
    let (Some(certificate), Some(key)) = (&arguments.tls_cert, &arguments.tls_key) else { return Ok(None) };
    if !listens {
        return Err(EngineError::usage("--tls-cert: a Unix socket needs no TLS: say --listen as well".to_owned()));
    }
    let (certificate, key) = (context.directory.join(certificate), context.directory.join(key));
    out_of_reach("--tls-key", &key, workspace)?;
    let chain = server_credentials::read_certificates(&certificate).map_err(|error| wrong(&error))?;
    let secret = server_credentials::read_key(&key).map_err(|error| wrong(&error))?;
    let tls = Tls::new(&chain, &secret).map_err(|error| {
        let (certificate, key) = (certificate.display(), key.display());
        EngineError::usage(match error {
            TlsError::Certificates(reason) => format!("--tls-cert: {certificate} cannot be used: {reason}"),
            TlsError::Key(reason) => format!("--tls-key: {key} cannot be used: {reason}"),
            TlsError::Pair(reason) => format!("--tls-key: {key} and {certificate} cannot be used together: {reason}"),
        })
    })?;
    Ok(Some(tls))
}

/// Returns the scheme of the server's address.
pub(super) fn scheme(tls: Option<&Tls>) -> &'static str {
    if tls.is_some() { "https" } else { "http" }
}
