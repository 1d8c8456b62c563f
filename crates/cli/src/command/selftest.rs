//! `referee selftest`: injects faults on this machine, and checks that they are detected.

use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::selftest::{self, Row, SelftestOutcome, SelftestRequest};
use referee_model::exit_code;
use referee_report::human::verification as shown;
use referee_report::selftest_report::{self, FaultDocument, FaultState};

use crate::args::PlainFormat;
use crate::args::selftest::Selftest;
use crate::output;

/// Injects the faults, and reports the results.
pub(super) fn execute(context: &Context, arguments: &Selftest) -> Result<u8, EngineError> {
    let state = context.state([])?.ok_or_else(|| {
        EngineError::usage("there is no state directory to make faults in: set REFEREE_STATE_DIR, or HOME".to_owned())
    })?;
    let host = context.for_exec()?;
    let request = SelftestRequest {
        program: host.shim.clone(),
        host: &host,
        state: &state,
        execution: context.new_execution()?,
        kernel: referee_exec::sandbox::probe(),
    };
    let rows = selftest::run(&request, &mut |_| ())?;
    let failed = rows.iter().filter(|row| matches!(row.found, SelftestOutcome::Fails(_))).count();
    let text = match arguments.format {
        PlainFormat::Json => {
            let faults = rows.iter().map(document).collect();
            referee_model::document::to_bytes(&selftest_report::document(env!("CARGO_PKG_VERSION"), faults))?
        }
        PlainFormat::Human => {
            let mut text = Vec::new();
            let lines: Vec<_> = rows.iter().map(line).collect();
            shown::write(&lines, &context.terminal.stdout, &mut text)?;
            let sum = match failed {
                0 => format!("all {} hold\n", rows.len()),
                _ => format!(
                    "{failed} of {} do not hold: what Referee says on this machine is not to be relied on\n",
                    rows.len()
                ),
            };
            text.extend(sum.into_bytes());
            text
        }
    };
    output::answer(&text)?;
    Ok(if failed == 0 { exit_code::PASSED } else { exit_code::INTERNAL })
}

fn line(row: &Row) -> shown::Axis {
    let Row { name, fault, must, .. } = row;
    let (state, found) = match &row.found {
        SelftestOutcome::Holds => (shown::State::Good, String::new()),
        SelftestOutcome::Fails(found) => (shown::State::Bad, format!("\nFAILED: {found}")),
        SelftestOutcome::NotPossible(why) => (shown::State::Unknown, format!("\nnot tried: {why}")),
    };
    shown::Axis { name: (*name).to_owned(), state, reason: format!("{fault}: {must}{found}") }
}

fn document(row: &Row) -> FaultDocument {
    let (state, found) = match &row.found {
        SelftestOutcome::Holds => (FaultState::Holds, None),
        SelftestOutcome::Fails(found) => (FaultState::Fails, Some(found.clone())),
        SelftestOutcome::NotPossible(why) => (FaultState::NotPossible, Some(why.clone())),
    };
    let text = str::to_owned;
    FaultDocument { name: text(row.name), fault: text(row.fault), must: text(row.must), state, found }
}
