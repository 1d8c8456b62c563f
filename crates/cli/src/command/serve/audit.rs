//! `referee serve audit`: who did what at the server.

use std::collections::VecDeque;

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_ledger::{LedgerError, State, audit_log};
use referee_model::audit::{AuditLine, AuditListDocument, LIST};
use referee_model::exit_code;
use referee_report::human;
use referee_server::audit_sink::AuditSink;

use crate::args::PlainFormat;
use crate::args::serve::ServeAudit;
use crate::output;

/// Returns what a server writes its lines to.
pub(super) fn sink(state: &State) -> AuditSink {
    let state = state.clone();
    Box::new(move |line| audit_log::append(&state, line).map_err(|error| error.to_string()))
}

pub(super) fn execute(context: &Context, arguments: &ServeAudit) -> Result<u8, EngineError> {
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
