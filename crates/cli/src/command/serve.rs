//! `referee serve`: runs the HTTP server.

use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};
use std::sync::Arc;

use referee_engine::context::Context;
use referee_engine::depot_mirror::DepotMirror;
use referee_engine::error::EngineError;
use referee_engine::incident::backend::{Backend, BackendOptions};
use referee_engine::incident::handoff;
use referee_engine::order_queue::OrderQueue;
use referee_engine::standby::LoopBoard;
use referee_ledger::server_credentials::{self, Socket, SocketPlace};
use referee_model::limit;
use referee_server::api::ServingDocument;
use referee_server::listen::{self, Listeners};
use referee_server::oidc::Oidc;
use referee_server::service::{Access, Content, Fleet, Project, Service};
use referee_server::session_key::SessionKey;
use referee_syntax::percent;

use super::endpoint::{Endpoint, ServerToken, refused, wrong};
use super::incident;
use crate::args::PlainFormat;
use crate::args::agent_fleet::AgentFleet;
use crate::args::depot::DepotProject;
use crate::args::incident::run::Verifying;
use crate::args::serve::{Serve, ServeCommand, ServeServer};
use crate::command::evidence::depot::{self, agent_workers};
use crate::follower::notes;
use crate::output;

/// Default port.
const PORT: u16 = 4747;

mod audit;
mod oidc;
mod proxy;
mod tls;
mod token;

pub(super) fn execute(context: &Context, arguments: &Serve) -> Result<u8, EngineError> {
    match &arguments.command {
        Some(ServeCommand::Token(command)) => token::execute(context, command),
        Some(ServeCommand::Audit(arguments)) => audit::execute(context, arguments),
        None => serve(context, &arguments.server),
    }
}

fn serve(context: &Context, arguments: &ServeServer) -> Result<u8, EngineError> {
    let address = address(arguments)?;
    let session_key = arguments.session_key.as_deref().map(|file| session_key(context, file)).transpose()?;
    let content = if arguments.fleet { fleet(context, arguments)? } else { project(context, arguments)? };
    let workspace = match &content {
        Content::Project(project) => Some(project.backend.workspace().to_path_buf()),
        Content::Fleet(_) => None,
    };
    let workspace = workspace.as_deref();
    let state = token::state(context, workspace)?;
    let token = address.map(|address| endpoint(arguments).token(context, address, workspace)).transpose()?;
    let tls = tls::prepare(context, arguments, address.is_some(), workspace)?;
    let proxy = proxy::trusted(context, arguments, workspace)?;
    let cancellation = crate::resolve::signals()?;
    let tcp = address.map(listen::tcp).transpose().map_err(|error| refused(address, &error))?;
    let bound = tcp.as_ref().map(std::net::TcpListener::local_addr).transpose();
    let bound = bound.map_err(|error| refused(address, &error))?;
    let place = bound.map(|bound| (bound, format!("{}://{bound}", tls::scheme(tls.as_ref()))));
    let oidc = oidc::provider(context, arguments, session_key.as_ref(), place.as_ref(), workspace)?;
    let unix = arguments.unix.as_ref().map(|path| socket(&context.directory.join(path))).transpose()?;
    let (unix, socket) = unix.unzip();
    let names = arguments.host_name.iter().map(|name| name.to_ascii_lowercase());
    let names = names.chain(oidc.as_ref().map(Oidc::public_host)).collect();
    let access = Access {
        token: token.as_ref().map(|token| token.text.clone()),
        named: token::named(&state),
        audit: audit::sink(context, arguments, session_key.as_ref(), &state)?,
        proxy,
        oidc: oidc.map(Arc::new),
        session_key,
        is_strict: arguments.allow_non_loopback,
        names,
    };
    announce(context, arguments, place.map(|(_, address)| address), token.as_ref())?;
    let service = Service::new(content, access, context.clock);
    let served = listen::serve(service, Listeners { tcp, tls, unix }, &cancellation);
    if let Some(socket) = socket {
        socket.clear()?;
    }
    served.map_err(|error| EngineError::internal(format!("the server did not end well: {error}")))?;
    Ok(0)
}

/// Returns the project of this machine.
fn project(context: &Context, arguments: &ServeServer) -> Result<Content, EngineError> {
    Ok(Content::Project(Arc::new(Project {
        backend: backend(context, arguments)?,
        office: incident::service(context, &arguments.root)?.served(),
        evidence: arguments.evidence.as_ref().map(|directory| context.directory.join(directory)),
        queue: handoff::queue(context, arguments.queue_dir.as_deref()),
    })))
}

/// Returns the runs of a depot, which are copied to the directory for temporary files, and the orders of a queue.
fn fleet(context: &Context, arguments: &ServeServer) -> Result<Content, EngineError> {
    let depot = depot::fleet_client(context, arguments.evidence.as_deref(), &arguments.project)?;
    let copies = context.variable("TMPDIR").map_or_else(|| PathBuf::from("/tmp"), PathBuf::from);
    let state = token::state(context, None)?;
    let loops = Arc::new(LoopBoard::new(context, depot.clone(), state.clone()));
    let runs = Arc::new(DepotMirror::new(context, depot, state, copies));
    Ok(Content::Fleet(Fleet { runs, loops, orders: OrderQueue::new(context)? }))
}

/// Reads the key that the servers of a fleet share.
fn session_key(context: &Context, file: &Path) -> Result<SessionKey, EngineError> {
    let file = context.directory.join(file);
    let bytes = server_credentials::read_key(&file).map_err(|error| wrong(&error))?;
    SessionKey::new(&bytes).map_err(|reason| EngineError::usage(format!("{}: {reason}", file.display())))
}

/// Returns the backend that plans, checks and repairs incidents.
fn backend(context: &Context, arguments: &ServeServer) -> Result<Backend, EngineError> {
    let verifying =
        Verifying::usual(&arguments.specification).map_err(|error| EngineError::usage(error.to_string()))?;
    let project = DepotProject { project: None };
    let workers = AgentFleet { label: arguments.agent_label.clone(), depot: None, project };
    let options = BackendOptions {
        verification: verifying.options(),
        agent: arguments.agent.clone(),
        agent_timeout: limit::AGENT_DEADLINE_MS,
        agent_workers: agent_workers(context, &workers)?,
        live: None,
        planner: arguments.planner.clone(),
        notes: notes(context),
    };
    Backend::new(context, options)
}

/// Returns the address to listen on. None: only a Unix socket.
fn address(arguments: &ServeServer) -> Result<Option<SocketAddr>, EngineError> {
    match &arguments.listen {
        Some(typed) => endpoint(arguments).address(typed).map(Some),
        None => Ok(arguments.unix.is_none().then_some(SocketAddr::from((Ipv4Addr::LOCALHOST, PORT)))),
    }
}

fn endpoint(arguments: &ServeServer) -> Endpoint<'_> {
    Endpoint { allow_non_loopback: arguments.allow_non_loopback, token_file: arguments.token_file.as_deref() }
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
    arguments: &ServeServer,
    address: Option<String>,
    token: Option<&ServerToken>,
) -> Result<(), EngineError> {
    let unix = arguments.unix.as_ref().map(|path| context.directory.join(path).display().to_string());
    let line = match arguments.format {
        PlainFormat::Json => {
            let document = ServingDocument {
                serving_version: ServingDocument::VERSION.to_owned(),
                address: address.clone(),
                unix,
                token_file: token.and_then(ServerToken::shown_file),
            };
            serde_json::to_string(&document)?
        }
        PlainFormat::Human => {
            let places: Vec<String> = address.clone().into_iter().chain(unix).collect();
            let kept = token.map(ServerToken::told).unwrap_or_default();
            format!("listening at {}{kept}", places.join(" and "))
        }
    };
    output::answer(format!("{line}\n").as_bytes())?;
    if let (true, Some(address), Some(token)) = (context.terminal.stderr.interactive, address, token) {
        output::aside(format!("open {address}/login?token={}\n", percent::component(&token.text)).as_bytes())?;
    }
    Ok(())
}
