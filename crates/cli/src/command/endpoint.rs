//! Where a server listens, and the token that it is asked with.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::path::straight;
use referee_ledger::server_credentials::{self, Token};
use referee_ledger::{State, real_path};

/// Variable for the token.
const TOKEN: &str = "REFEREE_TOKEN";

/// What was typed about a server's address and token.
pub(super) struct Endpoint<'typed> {
    pub(super) allow_non_loopback: bool,
    pub(super) token_file: Option<&'typed Path>,
}

/// A token, and the file that it is kept in.
pub(super) struct ServerToken {
    pub(super) text: String,
    /// `None`: it comes from the environment.
    file: Option<PathBuf>,
}

impl ServerToken {
    pub(super) fn shown_file(&self) -> Option<String> {
        self.file.as_ref().map(|file| file.display().to_string())
    }

    /// Returns where the token is, as the end of a line.
    pub(super) fn told(&self) -> String {
        match self.shown_file() {
            Some(file) => format!("; the token is in {file}"),
            None => format!("; the token is that of {TOKEN}"),
        }
    }
}

impl From<Token> for ServerToken {
    fn from(token: Token) -> Self {
        Self { text: token.text, file: Some(token.file) }
    }
}

impl Endpoint<'_> {
    /// Returns the address to listen on. A port alone is one of this machine's own.
    pub(super) fn address(&self, typed: &str) -> Result<SocketAddr, EngineError> {
        let port = typed.strip_prefix("localhost:").unwrap_or(typed);
        let address = match port.parse::<u16>() {
            Ok(port) => SocketAddr::from((Ipv4Addr::LOCALHOST, port)),
            Err(_) => typed.parse().map_err(|_| {
                EngineError::usage(format!(
                    "--listen: expected a port, or an address with a port such as 127.0.0.1:4747, found `{typed}`"
                ))
            })?,
        };
        if !is_loopback(address.ip()) {
            if !self.allow_non_loopback {
                let message =
                    format!("{address} is reached by other machines: say --allow-non-loopback if that is meant");
                return Err(EngineError::usage(message));
            }
            if self.token_file.is_none() {
                return Err(EngineError::usage("--allow-non-loopback needs --token-file".to_owned()));
            }
        }
        Ok(address)
    }

    /// Returns the token: from the given file, from the environment, or from the state directory, where it is
    /// created if missing.
    pub(super) fn token(
        &self,
        context: &Context,
        address: SocketAddr,
        workspace: Option<&Path>,
    ) -> Result<ServerToken, EngineError> {
        if let Some(file) = self.token_file {
            let file = context.directory.join(file);
            out_of_reach("--token-file", &file, workspace)?;
            return Ok(server_credentials::read_token(&file).map_err(|error| wrong(&error))?.into());
        }
        if let Some(value) = context.variable(TOKEN) {
            let text = value.to_str().unwrap_or_default();
            server_credentials::check_token(text).map_err(|reason| EngineError::usage(format!("{TOKEN}: {reason}")))?;
            return Ok(ServerToken { text: text.to_owned(), file: None });
        }
        let state: State = context.state(workspace)?.ok_or_else(|| {
            EngineError::usage(format!(
                "the token for {address} is kept in the state directory: set REFEREE_STATE_DIR, or HOME"
            ))
        })?;
        Ok(server_credentials::token(&state)?.into())
    }
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Refuses a secret inside the workspace, or named by a path in it: an agent that works there could read or
/// replace it. `None`: no agent works there.
pub(super) fn out_of_reach(option: &str, file: &Path, workspace: Option<&Path>) -> Result<(), EngineError> {
    let Some(workspace) = workspace.map(real_path) else { return Ok(()) };
    let name = file.parent().zip(file.file_name()).map(|(directory, name)| real_path(directory).join(name));
    let lies_in = |path: &Path| straight(path).starts_with(&workspace);
    if name.as_deref().is_some_and(lies_in) || lies_in(&real_path(file)) {
        return Err(EngineError::usage(format!(
            "{option}: {} is in the workspace {}, where agents can write: keep it outside",
            file.display(),
            workspace.display()
        )));
    }
    Ok(())
}

/// Returns the error about an invalid file that was given.
pub(super) fn wrong(error: &referee_ledger::LedgerError) -> EngineError {
    EngineError::usage(error.to_string())
}

/// Returns the error about an address that cannot be listened on.
pub(super) fn refused(address: Option<SocketAddr>, error: &std::io::Error) -> EngineError {
    let place = address.map(|address| address.to_string()).unwrap_or_default();
    let hint = match error.kind() {
        std::io::ErrorKind::AddrInUse => ": somebody does already; choose another port with --listen",
        _ => "",
    };
    EngineError::refused(format!("cannot listen at {place}: {error}{hint}"))
}
