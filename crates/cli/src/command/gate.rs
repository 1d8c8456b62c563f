//! `referee gate`: decides whether the work is done.

use std::io::Read;

use referee_engine::comparison;
use referee_engine::context::Context;
use referee_engine::error::EngineError;
use referee_engine::gate::{self, GateRequest, Refusal};
use referee_engine::order_queue::FleetOptions;
use referee_engine::run::GateOptions;
use referee_judge::claim;
use referee_model::exit_code;
use referee_model::gate::GateAnswer;
use referee_model::limit;
use referee_model::suite::Suite;

use super::evidence::depot;
use crate::args::gate::{Gate, GateInvocation};
use crate::args::{Format, PlainFormat};
use crate::follower::{Follower, notes};
use crate::output;
use crate::resolve;

pub(super) fn execute(context: &Context, arguments: &Gate) -> Result<u8, EngineError> {
    match answer(context, arguments) {
        Ok(answer) => {
            let text = match arguments.format {
                PlainFormat::Json => {
                    referee_model::document::to_bytes(&referee_report::gate::gate_document::document(&answer))?
                }
                PlainFormat::Human => referee_report::gate::text(&answer, limit::GATE_ANSWER_CHARACTERS).into_bytes(),
            };
            output::answer(&text)?;
            Ok(exit_code::of(answer.exit))
        }
        Err(problem) => refused(arguments, problem),
    }
}

fn answer(context: &Context, arguments: &Gate) -> Result<GateAnswer, EngineError> {
    // An unreadable claim is reported before anything runs.
    let claim = arguments.claim.as_deref().map(|claim| claimed(context, claim)).transpose()?;
    let cancellation = crate::resolve::signals()?;
    let suite = suite(context, &arguments.asked)?;
    let fleet = depot::fleet(context, &arguments.fleet, &arguments.depot)?;
    let receipt_age_ms = (!arguments.asked.no_reuse).then_some(arguments.max_age);
    let fleet = fleet.map(|fleet| FleetOptions { receipt_age_ms, ..fleet });
    let options = GateOptions { fleet, ..arguments.asked.gate.options() };
    let depot = depot::of_suite(context, &arguments.depot, &suite)?;
    let request = GateRequest {
        timeout: arguments.deadline,
        ..arguments.asked.request(context, &suite, &options, &cancellation)
    };
    let is_watched = arguments.format == PlainFormat::Human && context.terminal.stderr.interactive;
    let mut answer = if is_watched {
        let mut follower = Follower::new(context, Format::Human);
        let answer = gate::ask(&request, &mut follower);
        follower.clear();
        answer?
    } else {
        gate::ask(&request, &mut notes(context))?
    };
    let directories: Vec<_> = answer.tasks.iter().map(comparison::evidence_of).collect();
    depot::push_runs(context, depot.as_ref(), &directories)?;
    if let Some(message) = claim {
        answer.contradictions = claim::contradictions(&message, &answer);
    }
    Ok(answer)
}

/// Loads the one specification of the gate.
pub(super) fn suite(context: &Context, asked: &GateInvocation) -> Result<Suite, EngineError> {
    resolve::load_one(context, &asked.specification, "the gate answers for one specification: name one")
}

/// Returns the claim: the text itself, or that of the file that it names.
fn claimed(context: &Context, claim: &str) -> Result<String, EngineError> {
    let Some(file) = claim.strip_prefix('@') else { return Ok(claim.to_owned()) };
    let path = context.directory.join(file);
    let unreadable =
        |why: &dyn std::fmt::Display| EngineError::usage(format!("--claim: {} cannot be read: {why}", path.display()));
    let is_file = path.metadata().map_err(|error| unreadable(&error))?.is_file();
    if !is_file {
        return Err(unreadable(&"it is not a file"));
    }
    let mut bytes = Vec::new();
    let opened = std::fs::File::open(&path).map_err(|error| unreadable(&error))?;
    opened.take(limit::CLAIM_BYTES + 1).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() as u64 > limit::CLAIM_BYTES {
        return Err(unreadable(&format_args!("it is larger than {} bytes", limit::CLAIM_BYTES)));
    }
    Ok(String::from_utf8_lossy(&bytes).into_owned())
}

/// Answers a request that could not be processed; in JSON, the answer is BLOCKED.
fn refused(arguments: &Gate, problem: EngineError) -> Result<u8, EngineError> {
    if arguments.format == PlainFormat::Json {
        let refusal = Refusal::from(&problem);
        let document = referee_report::gate::gate_document::refused(&refusal.causes, refusal.next, refusal.exit_code);
        output::answer(&referee_model::document::to_bytes(&document)?)?;
    }
    Err(problem)
}
