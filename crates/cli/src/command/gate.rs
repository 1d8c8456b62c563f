//! `referee gate`: decides whether the work is done.

use std::io::Read;

use referee_engine::context::Context;
use referee_engine::error::{EngineError, ErrorKind};
use referee_engine::gate::{self, GateRequest};
use referee_judge::claim;
use referee_ledger::redact::Redactor;
use referee_model::exit_code;
use referee_model::gate::Cause;
use referee_model::gate::GateAnswer;
use referee_model::limit;
use referee_model::reading::Level;
use referee_model::suite::Suite;

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
    let (suite, options) = (suite(context, &arguments.asked)?, arguments.asked.gate.options());
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
        let next = match problem.kind {
            ErrorKind::Refused | ErrorKind::Usage => "ask in another way",
            ErrorKind::Specification => "fix the specification, then ask again",
            ErrorKind::Evidence | ErrorKind::Store | ErrorKind::Run => "make room for evidence, then ask again",
            ErrorKind::Internal => "ask again; where it fails again, tell those who make Referee",
        };
        let causes = causes(&problem);
        let document = referee_report::gate::gate_document::refused(&causes, next, problem.exit_code());
        output::answer(&referee_model::document::to_bytes(&document)?)?;
    }
    Err(problem)
}

/// Returns the causes, one per complaint.
fn causes(problem: &EngineError) -> Vec<Cause> {
    let redactor = Redactor::new(Vec::new(), Vec::new());
    let cause = |message: &str| Cause {
        task: None,
        check: None,
        tool: None,
        severity: Level::Error,
        file: None,
        line: None,
        column: None,
        code: None,
        message: redactor.text(message),
        output: Vec::new(),
    };
    let errors = problem.complaints.iter().filter(|complaint| complaint.level == referee_spec::Level::Error);
    let of_complaint = |complaint: &referee_spec::Complaint| Cause {
        file: Some(complaint.file.clone()),
        line: u32::try_from(complaint.line).ok(),
        column: u32::try_from(complaint.column).ok(),
        code: Some(complaint.code.id().to_owned()),
        ..cause(&complaint.message)
    };
    let causes: Vec<Cause> = errors.take(limit::GATE_CAUSES).map(of_complaint).collect();
    if causes.is_empty() { vec![cause(&problem.message)] } else { causes }
}
