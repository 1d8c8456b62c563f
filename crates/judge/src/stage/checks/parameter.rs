//! Checks of a value that a stage publishes from a document.

use referee_model::limit;
use referee_model::stage::check::{Check, CheckKind};
use referee_model::stage::path::StagePathFault;
use referee_model::stage::workflow::OutputParameter;
use serde_json::Value;

use super::{Scene, failed, outside};

/// Observation of a value to be published.
#[derive(Debug, Clone, PartialEq)]
pub enum ParameterSeen {
    /// The value. Null means that it is not published.
    Value(Value),
    Nowhere,
    /// The file is optional and absent.
    SourceAbsent,
    /// The file is invalid, which its own checks report.
    SourceFailed,
    /// The file is not an output of the stage.
    SourceUndeclared,
    /// The path of the file is not inside the stage's directory.
    SourceOutside(StagePathFault),
    /// With this value, the total size limit is exceeded.
    TooMuch,
}

/// Judgement of a value to be published. All empty: it is correctly not published.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ParameterJudged {
    pub value: Option<Value>,
    pub check: Option<Check>,
    /// Warning, if any.
    pub warning: Option<String>,
}

/// Judges a value to be published.
pub fn judged(scene: &Scene, parameter: &OutputParameter, seen: ParameterSeen) -> ParameterJudged {
    let OutputParameter { name, source, query, .. } = parameter;
    let file = source.as_str();
    let warned = |why: String| ParameterJudged {
        warning: Some(format!("the output parameter {name} is not published: {why}")),
        ..ParameterJudged::default()
    };
    let wrong = |check: Check| ParameterJudged { check: Some(check), ..ParameterJudged::default() };
    match seen {
        ParameterSeen::Value(Value::Null) | ParameterSeen::SourceFailed => ParameterJudged::default(),
        ParameterSeen::Value(value) => ParameterJudged { value: Some(value), ..ParameterJudged::default() },
        ParameterSeen::Nowhere => warned(format!("there is nothing at `{query}` in {file}")),
        ParameterSeen::SourceAbsent => warned(format!("{file} is not there")),
        ParameterSeen::SourceOutside(fault) => wrong(outside(CheckKind::PathSecurity, file, fault)),
        ParameterSeen::SourceUndeclared => wrong(failed(
            CheckKind::ParamExtracted,
            name,
            format!("{file}, which it stands in, is not an output of the stage, so nothing judges it"),
            format!("declare {file} below `outputs` in wf.yaml, and compose the run again"),
        )),
        ParameterSeen::TooMuch => wrong(failed(
            CheckKind::ParamExtracted,
            name,
            format!("with it the values to publish have more than {} bytes", limit::STAGE_PARAMETERS_BYTES),
            format!("publish less of {}: what is large is taken as a file", scene.file(file)),
        )),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::stage::id::StageId;
    use referee_model::stage::path::PathReference;
    use serde_json::json;

    use referee_model::stage::query::Query;

    use super::*;

    #[test]
    fn only_a_value_that_is_there_is_published() {
        let scene = Scene { stage: StageId::parse("explore").unwrap(), run: "/run".to_owned() };
        let parameter = OutputParameter {
            name: "phases".to_owned(),
            description: None,
            source: PathReference::new("run/output-data/a.json"),
            query: Query::parse("a.b").unwrap(),
        };
        for (seen, published, fails, warns) in [
            (ParameterSeen::Value(json!(1)), true, None, false),
            (ParameterSeen::Value(json!("")), true, None, false),
            (ParameterSeen::Value(Value::Null), false, None, false),
            (ParameterSeen::Nowhere, false, None, true),
            (ParameterSeen::SourceAbsent, false, None, true),
            (ParameterSeen::SourceFailed, false, None, false),
            (ParameterSeen::SourceUndeclared, false, Some(CheckKind::ParamExtracted), false),
            (ParameterSeen::SourceOutside(StagePathFault::LeadsOut), false, Some(CheckKind::PathSecurity), false),
            (ParameterSeen::TooMuch, false, Some(CheckKind::ParamExtracted), false),
        ] {
            let judged = judged(&scene, &parameter, seen.clone());
            assert_eq!(judged.value.is_some(), published, "{seen:?}");
            assert_eq!(judged.check.as_ref().map(|check| check.kind), fails, "{seen:?}");
            assert!(judged.check.is_none_or(|check| check.failure.is_some()), "{seen:?}");
            assert_eq!(judged.warning.is_some(), warns, "{seen:?}");
        }
    }
}
