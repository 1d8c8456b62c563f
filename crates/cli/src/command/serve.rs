//! `referee serve`: runs the HTTP server.

use std::net::{IpAddr, Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::incident::backend::{Backend, BackendOptions};
use referee_engine::incident::handoff;
use referee_engine::path::straight;
use referee_ledger::State;
use referee_ledger::real_path;
use referee_ledger::server_credentials::{self, Socket, SocketPlace, Token};
use referee_model::limit;
use referee_server::api::ServingDocument;
use referee_server::listen::{self, Listeners};
use referee_server::service::{Access, Service};
use referee_syntax::percent;

use super::incident;
use crate::args::PlainFormat;
use crate::args::incident::run::Verifying;
use crate::args::serve::Serve;
use crate::follower::notes;
use crate::output;

/// Default port.
const PORT: u16 = 4747;
/// Variable for the token.
const TOKEN: &str = "REFEREE_TOKEN";

pub(super) fn execute(context: &Context, arguments: &Serve) -> Result<u8, EngineError> {
    let address = address(arguments)?;
    let backend = backend(context, arguments)?;
    let incidents = incident::service(context, &arguments.root)?.served();
    let token = address.map(|address| token(context, arguments, address, backend.workspace())).transpose()?;
    let cancellation = crate::resolve::signals()?;
    let tcp = address.map(listen::tcp).transpose().map_err(|error| refused(address, &error))?;
    let bound = tcp.as_ref().map(std::net::TcpListener::local_addr).transpose();
    let bound = bound.map_err(|error| refused(address, &error))?;
    let unix = arguments.unix.as_ref().map(|path| socket(&context.directory.join(path))).transpose()?;
    let (unix, socket) = unix.unzip();
    let names = arguments.host_name.iter().map(|name| name.to_ascii_lowercase()).collect();
    let access = Access { token: token.as_ref().map(|(text, _)| text.clone()), names };
    announce(context, arguments, bound, token.as_ref())?;
    let evidence = arguments.evidence.evidence.as_ref().map(|directory| context.directory.join(directory));
    let queue = handoff::queue(context, arguments.queue_dir.as_deref());
    let service = Service::new(incidents, backend, evidence, queue, access);
    let served = listen::serve(service, Listeners { tcp, unix }, &cancellation);
    if let Some(socket) = socket {
        socket.clear()?;
    }
    served.map_err(|error| EngineError::internal(format!("the server did not end well: {error}")))?;
    Ok(0)
}

/// Returns the backend that plans, checks and repairs incidents.
fn backend(context: &Context, arguments: &Serve) -> Result<Backend, EngineError> {
    let verifying =
        Verifying::usual(&arguments.specification).map_err(|error| EngineError::usage(error.to_string()))?;
    let options = BackendOptions {
        verification: verifying.options(),
        agent: arguments.agent.clone(),
        agent_timeout: limit::AGENT_DEADLINE_MS,
        live: None,
        planner: arguments.planner.clone(),
        notes: notes(context),
    };
    Backend::new(context, options)
}

/// Returns the address to listen on. None: only a Unix socket.
fn address(arguments: &Serve) -> Result<Option<SocketAddr>, EngineError> {
    let Some(typed) = &arguments.listen else {
        let usual = SocketAddr::from((Ipv4Addr::LOCALHOST, PORT));
        return Ok(arguments.unix.is_none().then_some(usual));
    };
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
        if !arguments.allow_non_loopback {
            let message = format!("{address} is reached by other machines: say --allow-non-loopback if that is meant");
            return Err(EngineError::usage(message));
        }
        if arguments.token_file.is_none() {
            return Err(EngineError::usage("--allow-non-loopback needs --token-file".to_owned()));
        }
    }
    Ok(Some(address))
}

fn is_loopback(address: IpAddr) -> bool {
    address.to_canonical().is_loopback()
}

/// Returns the token: from the given file, from the environment, or from the state directory, where it is
/// created if missing.
fn token(
    context: &Context,
    arguments: &Serve,
    address: SocketAddr,
    workspace: &Path,
) -> Result<(String, Option<PathBuf>), EngineError> {
    let with_file = |Token { text, file }| (text, Some(file));
    if let Some(file) = &arguments.token_file {
        let file = context.directory.join(file);
        out_of_reach(&file, workspace)?;
        return Ok(with_file(server_credentials::read_token(&file).map_err(|error| wrong(&error))?));
    }
    if let Some(value) = context.variable(TOKEN) {
        let text = value.to_str().unwrap_or_default();
        server_credentials::check_token(text).map_err(|reason| EngineError::usage(format!("{TOKEN}: {reason}")))?;
        return Ok((text.to_owned(), None));
    }
    let state: State = context.state([workspace])?.ok_or_else(|| {
        EngineError::usage(format!(
            "the token for {address} is kept in the state directory: set REFEREE_STATE_DIR, or HOME"
        ))
    })?;
    Ok(with_file(server_credentials::token(&state)?))
}

/// Refuses a token inside the workspace, or named by a path in it: an agent that works there could read or
/// replace it.
fn out_of_reach(file: &Path, workspace: &Path) -> Result<(), EngineError> {
    let workspace = real_path(workspace);
    let name = file.parent().zip(file.file_name()).map(|(directory, name)| real_path(directory).join(name));
    let lies_in = |path: &Path| straight(path).starts_with(&workspace);
    if name.as_deref().is_some_and(lies_in) || lies_in(&real_path(file)) {
        return Err(EngineError::usage(format!(
            "--token-file: {} is in the workspace {}, where agents can write: keep it outside",
            file.display(),
            workspace.display()
        )));
    }
    Ok(())
}

/// Returns the error about an invalid file that was given.
fn wrong(error: &referee_ledger::LedgerError) -> EngineError {
    EngineError::usage(error.to_string())
}

fn refused(address: Option<SocketAddr>, error: &std::io::Error) -> EngineError {
    let place = address.map(|address| address.to_string()).unwrap_or_default();
    let hint = match error.kind() {
        std::io::ErrorKind::AddrInUse => ": somebody does already; choose another port with --listen",
        _ => "",
    };
    EngineError::refused(format!("cannot listen at {place}: {error}{hint}"))
}

/// Listens on a Unix socket that only this user can access.
fn socket(path: &Path) -> Result<(std::os::unix::net::UnixListener, Socket), EngineError> {
    let place =
        SocketPlace::take(path, listen::is_answered).map_err(|error| EngineError::refused(error.to_string()))?;
    let unheard = |error: std::io::Error| EngineError::refused(format!("cannot listen at {}: {error}", path.display()));
    let listener = listen::unix(path).map_err(unheard)?;
    let socket = place.settle()?;
    Ok((listener, socket))
}

/// Prints the address, in one line; and to a person at a terminal how to log in.
fn announce(
    context: &Context,
    arguments: &Serve,
    bound: Option<SocketAddr>,
    token: Option<&(String, Option<PathBuf>)>,
) -> Result<(), EngineError> {
    let file = token.and_then(|(_, file)| file.as_ref()).map(|file| file.display().to_string());
    let address = bound.map(|address| format!("http://{address}"));
    let unix = arguments.unix.as_ref().map(|path| context.directory.join(path).display().to_string());
    let line = match arguments.format {
        PlainFormat::Json => {
            let document = ServingDocument {
                serving_version: ServingDocument::VERSION.to_owned(),
                address: address.clone(),
                unix,
                token_file: file,
            };
            serde_json::to_string(&document)?
        }
        PlainFormat::Human => {
            let places: Vec<String> = address.clone().into_iter().chain(unix).collect();
            let kept = match (&file, token) {
                (Some(file), _) => format!("; the token is in {file}"),
                (None, Some(_)) => format!("; the token is that of {TOKEN}"),
                (None, None) => String::new(),
            };
            format!("listening at {}{kept}", places.join(" and "))
        }
    };
    output::answer(format!("{line}\n").as_bytes())?;
    if let (true, Some(address), Some((token, _))) = (context.terminal.stderr.interactive, address, token) {
        output::aside(format!("open {address}/login?token={}\n", percent::component(token)).as_bytes())?;
    }
    Ok(())
}
