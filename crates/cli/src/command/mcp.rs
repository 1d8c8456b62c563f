//! `referee mcp`: serves tools to coding agents.

use std::net::SocketAddr;

use referee_engine::context::{Context, SpecificationNames};
use referee_engine::error::EngineError;
use referee_mcp::http::{self, Access};
use referee_mcp::project::Project;
use referee_mcp::stdio;
use referee_model::exit_code;
use referee_server::api::ServingDocument;

use super::endpoint::{self, Endpoint, ServerToken};
use crate::args::PlainFormat;
use crate::args::mcp::{Mcp, McpCommand, McpServer};
use crate::{output, resolve};

mod config;

pub(super) fn execute(context: &Context, arguments: &Mcp) -> Result<u8, EngineError> {
    match &arguments.command {
        Some(McpCommand::Config(arguments)) => config::execute(context, arguments),
        None => serve(context, &arguments.server),
    }
}

fn serve(context: &Context, arguments: &McpServer) -> Result<u8, EngineError> {
    let root = arguments.root.root.as_ref().map(|root| context.directory.join(root));
    let project = Project::new(context.clone(), arguments.gate.options(), root)?;
    let signals = resolve::signals()?;
    let served = match &arguments.listen {
        None => stdio::serve(project, &signals),
        Some(typed) => {
            let endpoint = Endpoint {
                allow_non_loopback: arguments.allow_non_loopback,
                token_file: arguments.token_file.as_deref(),
            };
            let address = endpoint.address(typed)?;
            // The token is kept away from where agents write, which is the workspace where one is known.
            let workspace = workspace(context);
            let token = endpoint.token(context, address, Some(&workspace))?;
            let listener = http::listen(address).map_err(|error| endpoint::refused(Some(address), &error))?;
            let bound = listener.local_addr().map_err(|error| endpoint::refused(Some(address), &error))?;
            announce(arguments, bound, &token)?;
            let names = arguments.host_name.iter().map(|name| name.to_ascii_lowercase()).collect();
            http::serve(project, listener, Access { token: token.text, names }, &signals)
        }
    };
    served.map_err(|error| EngineError::internal(format!("the server did not end well: {error}")))?;
    Ok(exit_code::PASSED)
}

/// Returns the workspace of the nearest specification, or the current directory.
fn workspace(context: &Context) -> std::path::PathBuf {
    let loaded = context.load(&SpecificationNames::default()).ok();
    let suite = loaded.and_then(|mut loaded| loaded.all.pop()?.ok()).map(|loaded| loaded.suite);
    let plan = suite.and_then(|suite| suite.tasks.into_iter().next());
    plan.map_or_else(|| context.directory.clone(), |plan| plan.workspace)
}

/// Prints the address, in one line.
fn announce(arguments: &McpServer, bound: SocketAddr, token: &ServerToken) -> Result<(), EngineError> {
    let address = format!("http://{bound}{}", http::PATH);
    let line = match arguments.format {
        PlainFormat::Json => serde_json::to_string(&ServingDocument {
            serving_version: ServingDocument::VERSION.to_owned(),
            address: Some(address),
            unix: None,
            token_file: token.shown_file(),
        })?,
        PlainFormat::Human => format!("listening at {address}{}", token.told()),
    };
    Ok(output::answer(format!("{line}\n").as_bytes())?)
}
