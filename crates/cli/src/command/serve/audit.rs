//! `referee serve audit`: who did what at the server.

use std::collections::VecDeque;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::{LedgerError, State, audit_log};
use referee_model::audit::{AuditLine, AuditListDocument, FLEET, FleetAuditDocument, LIST, ServerAudit};
use referee_model::exit_code;
use referee_model::id::ServerName;
use referee_report::human;
use referee_server::audit_sink::AuditSink;
use referee_server::depot_audit;
use referee_server::session_key::SessionKey;

use crate::args::PlainFormat;
use crate::args::serve::{ServeAudit, ServeServer};
use crate::command::evidence::depot;
use crate::output;

/// Returns what a server writes its lines to: with the key of a fleet the depot, else the state directory.
pub(super) fn sink(
    context: &Context,
    arguments: &ServeServer,
    key: Option<&SessionKey>,
    state: &State,
) -> Result<AuditSink, EngineError> {
    let Some(key) = key else {
        let state = state.clone();
        return Ok(Box::new(move |line| audit_log::append(&state, line).map_err(|error| error.to_string())));
    };
    let depot = depot::fleet_client(context, arguments.evidence.as_deref(), &arguments.project)?;
    let context = context.clone();
    Ok(depot_audit::sink(depot, key.clone(), move || server_name(&context)))
}

/// Returns a name that no server had before: that of the machine where the environment tells it, and the time.
fn server_name(context: &Context) -> Result<ServerName, String> {
    let execution = context.new_execution().map_err(|error| error.message)?;
    let start = execution.as_str().trim_start_matches("exec-");
    let host = context.variable("HOSTNAME").and_then(|name| ServerName::parse(name.to_str()?).ok());
    let host = host.as_ref().map_or("server", ServerName::as_str);
    ServerName::parse(format!("{host}.{start}")).map_err(|error| error.to_string())
}

pub(super) fn execute(context: &Context, arguments: &ServeAudit) -> Result<u8, EngineError> {
    if let Some(key) = &arguments.session_key {
        return fleet(context, arguments, &super::session_key(context, key)?);
    }
    let kept = if arguments.verify { 0 } else { arguments.limit };
    let mut lines: VecDeque<AuditLine> = VecDeque::new();
    let mut take = |line| {
        lines.push_back(line);
        if lines.len() > kept {
            lines.pop_front();
        }
    };
    let unread = |error: LedgerError| EngineError::refused(error.to_string());
    let state = context.state_if_any()?;
    let found = state.map(|state| audit_log::scan(&state, &mut take)).transpose().map_err(unread)?;
    let (total, fault) = found.as_ref().map_or((0, None), |found| (found.lines, found.fault.clone()));
    let list = AuditListDocument { total, fault, lines: lines.into() };
    output::document(
        arguments.format,
        || LIST.encode(&list),
        |out| human::server_access::audit(&list, &context.terminal.stdout, out),
    )?;
    if let Some(fault) = &list.fault {
        let path = found.map(|found| found.path.display().to_string()).unwrap_or_default();
        return Err(EngineError::refused(format!("{path} is broken at line {}: {}", fault.line, fault.reason)));
    }
    if arguments.format == PlainFormat::Human {
        output::aside(format!("{} lines, each follows from the one before\n", list.total).as_bytes())?;
    }
    Ok(exit_code::PASSED)
}

/// Shows the logs of all servers of a fleet.
fn fleet(context: &Context, arguments: &ServeAudit, key: &SessionKey) -> Result<u8, EngineError> {
    let depot = depot::audit_client(context, arguments.evidence.as_deref())?;
    let mut document = FleetAuditDocument::default();
    for server in depot.audit_servers()? {
        let mut log = depot_audit::read(key, &server, &depot.read_audit(&server)?);
        let kept = if arguments.verify { 0 } else { arguments.limit };
        log.lines.drain(..log.lines.len().saturating_sub(kept));
        document.servers.push(ServerAudit { server, log });
    }
    output::document(
        arguments.format,
        || FLEET.encode(&document),
        |out| human::server_access::fleet_audit(&document, &context.terminal.stdout, out),
    )?;
    for ServerAudit { server, log } in &document.servers {
        if let Some(fault) = &log.fault {
            let message = format!("the log of {server} is broken at line {}: {}", fault.line, fault.reason);
            return Err(EngineError::refused(message));
        }
    }
    if arguments.format == PlainFormat::Human {
        let lines: u64 = document.servers.iter().map(|server| server.log.total).sum();
        let told = format!("{lines} lines of {} servers, each follows from the one before\n", document.servers.len());
        output::aside(told.as_bytes())?;
    }
    Ok(exit_code::PASSED)
}
