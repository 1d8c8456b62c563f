//! The tools, in the order in which they are listed. `tools.json` describes them.

use referee_engine::incident::Cancellation;
use rmcp::model::Tool;
use serde_json::Value;

use crate::answer::Answer;
use crate::observer::Observer;
use crate::project::Project;

mod diagnostics;
mod evidence;
mod explain;
mod gate;
mod handback;
mod incident;
mod plan;
mod report;
mod run;
mod schema;

/// A tool that runs checks.
pub(crate) type Run = fn(&Project, Value, &mut Observer, &Cancellation) -> Answer;

/// What a tool does.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    /// Reads, or changes an incident: several of these work at a time.
    Read(fn(&Project, Value) -> Answer),
    /// Runs checks: one at a time.
    Run(Run),
}

const OPERATIONS: [(&str, Operation); 12] = [
    ("referee_plan", Operation::Read(plan::plan)),
    ("referee_run", Operation::Run(run::run)),
    ("referee_gate", Operation::Run(gate::gate)),
    ("referee_report", Operation::Read(report::report)),
    ("referee_explain", Operation::Read(explain::explain)),
    ("referee_diagnostics", Operation::Read(diagnostics::diagnostics)),
    ("referee_evidence_verify", Operation::Read(evidence::verify)),
    ("referee_handback", Operation::Read(handback::handback)),
    ("referee_incident_list", Operation::Read(incident::list)),
    ("referee_incident_get", Operation::Read(incident::get)),
    ("referee_incident_plan", Operation::Read(incident::plan)),
    ("referee_schema", Operation::Read(schema::schema)),
];

/// Names, descriptions, schemas and annotations of the tools.
const DESCRIPTIONS: &str = include_str!("tools.json");

/// Returns the descriptions of all tools.
///
/// # Errors
/// Fails only if the program was built with descriptions that cannot be read.
pub(crate) fn all() -> Result<Vec<Tool>, serde_json::Error> {
    serde_json::from_str(DESCRIPTIONS)
}

/// Returns what the tool with this name does. `None`: there is no such tool.
pub(crate) fn operation(name: &str) -> Option<Operation> {
    OPERATIONS.iter().find(|(known, _)| *known == name).map(|(_, operation)| *operation)
}

#[cfg(test)]
mod tests {
    use referee_model::limit;
    use serde_json::json;

    use super::*;

    #[test]
    fn every_tool_is_described_and_every_description_has_a_tool() {
        let described: Vec<String> = all().unwrap().iter().map(|tool| tool.name.to_string()).collect();
        let known: Vec<&str> = OPERATIONS.iter().map(|(name, _)| *name).collect();
        assert_eq!(described, known);
    }

    #[test]
    fn what_only_a_person_may_do_has_no_tool() {
        for word in ["approve", "reject", "waive", "lock", "enroll", "key", "reopen", "archive", "baseline", "prune"] {
            assert!(OPERATIONS.iter().all(|(name, _)| !name.contains(word)), "{word}");
        }
    }

    #[test]
    fn tools_are_closed_objects_with_all_hints_and_a_schema_of_their_answer() {
        for tool in all().unwrap() {
            assert_eq!(tool.input_schema["additionalProperties"], json!(false), "{}", tool.name);
            let output = tool.output_schema.unwrap_or_else(|| panic!("{} says what it answers", tool.name));
            assert_eq!(output["type"], json!("object"), "{}", tool.name);
            let hints = tool.annotations.unwrap_or_else(|| panic!("{} says what it does", tool.name));
            assert!(hints.read_only_hint.is_some() && hints.open_world_hint == Some(false), "{}", tool.name);
            assert!(hints.destructive_hint == Some(false) && hints.idempotent_hint.is_some(), "{}", tool.name);
        }
    }

    #[test]
    fn limits_are_those_of_the_engine() {
        let described: Value = serde_json::from_str(DESCRIPTIONS).unwrap();
        let most = |tool: usize| described[tool]["inputSchema"]["properties"]["limit"]["maximum"].clone();
        assert_eq!([most(0), most(3)], [json!(plan::LISTED_MAX), json!(report::LISTED_MAX)]);
        assert_eq!([most(5), most(8)], [json!(limit::REGISTER_LISTED_MAX), json!(limit::INCIDENTS_LISTED_MAX)]);
    }
}
