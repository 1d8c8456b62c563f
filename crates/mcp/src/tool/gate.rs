//! `referee_gate`: decides whether the work may be called done.

use referee_engine::error::{EngineError, ErrorKind};
use referee_engine::gate::{self, GateRequest, Refusal as GateRefusal};
use referee_engine::incident::Cancellation;
use referee_model::gate::GateAnswer;
use referee_report::gate::gate_document;
use serde::Deserialize;
use serde_json::Value;

use crate::answer::{Answer, arguments, document};
use crate::observer::Observer;
use crate::project::Project;

#[derive(Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Arguments {
    specification: Option<String>,
    #[serde(default = "yes")]
    reuse: bool,
    timeout_seconds: Option<u32>,
}

fn yes() -> bool {
    true
}

pub(super) fn gate(project: &Project, given: Value, observer: &mut Observer, cancellation: &Cancellation) -> Answer {
    let asked: Arguments = arguments(given)?;
    match ask(project, &asked, observer, cancellation) {
        Ok(mut answer) => {
            answer.notes.append(&mut observer.notes);
            document(&gate_document::document(&answer))
        }
        // The question was right, and the answer is that the work is not done.
        Err(problem) if problem.kind == ErrorKind::Specification => {
            let refusal = GateRefusal::from(&problem);
            document(&gate_document::refused(&refusal.causes, refusal.next, refusal.exit_code))
        }
        Err(problem) => Err(problem.into()),
    }
}

fn ask(
    project: &Project,
    asked: &Arguments,
    observer: &mut Observer,
    cancellation: &Cancellation,
) -> Result<GateAnswer, EngineError> {
    let context = &project.context;
    let names = project.names(asked.specification.as_deref())?;
    let suite = context.load_single(&names, "the gate answers for one specification: name one", observer)?;
    let request = GateRequest {
        context,
        suite: &suite,
        options: &project.options,
        held_out: None,
        is_settled: false,
        reuse: asked.reuse,
        timeout: asked.timeout_seconds.map(|seconds| u64::from(seconds).saturating_mul(1_000)),
        cancellation,
    };
    gate::ask(&request, observer)
}
