//! Reads outputs one by one, validates each against its schema, and extracts its published values at once, so that
//! only one document is in memory at a time.

use std::collections::BTreeMap;
use std::rc::Rc;

use referee_judge::stage::checks::output::{self, DocumentSeen, OutputSeen, SchemaSeen};
use referee_judge::stage::checks::parameter::{self, ParameterSeen};
use referee_judge::stage::checks::{Scene, Sight, configuration};
use referee_judge::stage::query;
use referee_model::id::Digest;
use referee_model::limit;
use referee_model::stage::check::{CheckKind, Checks};
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::result::WF_RESULT;
use referee_model::stage::workflow::{Output, OutputParameter, Stage};
use referee_model::stage::{OUTPUT_DATA, STAGES};
use referee_schema::validator::{Validator, is_vacuous};
use serde_json::Value;

use super::observation::{self, Read};
use crate::stage::outputs::Outputs;
use crate::stage::{Opened, StageError, data};

/// State while outputs are read.
pub(super) struct Reading<'stage> {
    opened: &'stage Opened,
    stage: &'stage Stage,
    scene: &'stage Scene,
    schemas: BTreeMap<StagePath, Rc<Schema>>,
    /// Result of each output parameter, in declared order.
    parameters: Vec<ParameterSeen>,
    /// Total size of the values so far, in bytes.
    published: usize,
}

enum Schema {
    NotAFile,
    Unusable(String),
    Usable(Box<Validator>),
}

struct File {
    sight: Sight,
    document: DocumentSeen,
    value: Option<Value>,
}

impl<'stage> Reading<'stage> {
    pub(super) fn new(opened: &'stage Opened, stage: &'stage Stage, scene: &'stage Scene) -> Self {
        let undeclared = |parameter: &OutputParameter| match &parameter.source {
            PathReference::Inside(_) => ParameterSeen::SourceUndeclared,
            PathReference::Outside { fault, .. } => ParameterSeen::SourceOutside(*fault),
        };
        let parameters = stage.output_parameters.iter().map(undeclared).collect();
        Self { opened, stage, scene, schemas: BTreeMap::new(), parameters, published: 0 }
    }

    pub(super) fn take(&mut self, output: &Output, outputs: &mut Outputs) -> Result<(), StageError> {
        let path = output.path.as_str();
        let file = self.file(output, outputs)?;
        let schema = self.schema(output, file.value.as_ref(), &mut outputs.checks)?;
        let seen = OutputSeen {
            path: path.to_owned(),
            is_required: output.is_required || is_result(path),
            sight: file.sight,
            document: file.document,
            schema,
        };
        outputs.checks.checks.extend(output::checks(self.scene, &seen));
        self.extract(&seen, file.value.as_ref());
        Ok(())
    }

    /// Adds the results of the output parameters.
    pub(super) fn finish(self, outputs: &mut Outputs) {
        for (parameter, seen) in self.stage.output_parameters.iter().zip(self.parameters) {
            let judged = parameter::judged(self.scene, parameter, seen);
            outputs.checks.checks.extend(judged.check);
            outputs.checks.warnings.extend(judged.warning);
            if let Some(value) = judged.value {
                outputs.parameters.insert(parameter.name.clone(), value);
            }
        }
    }

    fn file(&self, output: &Output, outputs: &mut Outputs) -> Result<File, StageError> {
        let plain = |sight| File { sight, document: DocumentSeen::NotAsked, value: None };
        let PathReference::Inside(path) = &output.path else {
            return Ok(plain(observation::look(self.opened, &self.opened.stage, &output.path)?.sight));
        };
        let mut keep = |digest| outputs.found.insert(path.to_string(), digest);
        let read = if self.is_document(output, path) {
            Some(observation::read(self.opened, &self.opened.stage, path)?)
        } else {
            None
        };
        let bytes = match read {
            Some(Read::Nothing(sight)) if sight != Sight::Empty => return Ok(plain(sight)),
            Some(Read::Bytes(bytes)) => bytes,
            // Read as a stream: it is no document, or larger than the limit.
            None | Some(Read::Nothing(_) | Read::TooLarge) => {
                let looked = observation::look(self.opened, &self.opened.stage, &output.path)?;
                looked.digest.map(&mut keep);
                let too_large = matches!(read, Some(Read::TooLarge)) && looked.sight == Sight::Holds;
                let document = if too_large { DocumentSeen::TooLarge(looked.bytes) } else { DocumentSeen::NotAsked };
                return Ok(File { document, ..plain(looked.sight) });
            }
        };
        keep(Digest::of(&bytes));
        Ok(match data::read(&bytes) {
            Ok(value) => File { sight: Sight::Holds, document: self.said(path, &value), value: Some(value) },
            Err(error) => File { document: DocumentSeen::NotJson(error.to_string()), ..plain(Sight::Holds) },
        })
    }

    fn is_document(&self, output: &Output, path: &StagePath) -> bool {
        let is_published = |parameter: &OutputParameter| parameter.source.inside() == Some(path);
        output.schema.is_some()
            || path.name().rsplit_once('.').is_some_and(|(_, ending)| ending.eq_ignore_ascii_case("json"))
            || self.stage.output_parameters.iter().any(is_published)
    }

    fn said(&self, path: &StagePath, value: &Value) -> DocumentSeen {
        if !is_result(path.as_str()) {
            return DocumentSeen::Json;
        }
        match value.get("stage_id").and_then(Value::as_str) {
            Some(id) if id == self.opened.stage.as_str() => DocumentSeen::Json,
            other => DocumentSeen::OfAnotherStage(other.unwrap_or_default().to_owned()),
        }
    }

    fn schema(
        &mut self,
        output: &Output,
        value: Option<&Value>,
        checks: &mut Checks,
    ) -> Result<SchemaSeen, StageError> {
        let path = match &output.schema {
            None => return Ok(SchemaSeen::None),
            Some(PathReference::Outside { text, fault }) => return Ok(SchemaSeen::Outside(text.clone(), *fault)),
            Some(PathReference::Inside(path)) => path,
        };
        let known = self.schemas.get(path).map(Rc::clone);
        let schema = if let Some(known) = known {
            known
        } else {
            let read = Rc::new(self.read_schema(path, checks)?);
            self.schemas.insert(path.clone(), Rc::clone(&read));
            read
        };
        Ok(match (&*schema, value) {
            (Schema::NotAFile, _) => SchemaSeen::NotAFile(path.clone()),
            (Schema::Unusable(reason), _) => SchemaSeen::Unusable(path.clone(), reason.clone()),
            (Schema::Usable(_), None) => SchemaSeen::Idle(path.clone()),
            (Schema::Usable(validator), Some(value)) => {
                let (listed, count) = validator.complaints(value, limit::STAGE_SCHEMA_COMPLAINTS);
                SchemaSeen::Held { schema: path.clone(), listed, count }
            }
        })
    }

    fn read_schema(&self, path: &StagePath, checks: &mut Checks) -> Result<Schema, StageError> {
        let unusable = |reason: &str| Ok(Schema::Unusable(reason.to_owned()));
        let bytes = match observation::read(self.opened, &self.opened.stage, path)? {
            Read::Bytes(bytes) => bytes,
            Read::TooLarge => return unusable("it is larger than what is read of a schema"),
            Read::Nothing(Sight::Empty) => return unusable("it is empty"),
            Read::Nothing(Sight::Unreadable(reason)) => return unusable(&reason),
            Read::Nothing(Sight::NotAFile) => return Ok(Schema::NotAFile),
            Read::Nothing(_) => return unusable("it is not there"),
        };
        self.hold_to_composition(path, &bytes, checks);
        let value = match data::read(&bytes) {
            Ok(value) => value,
            Err(error) => return unusable(&format!("it is not JSON: {error}")),
        };
        if is_vacuous(&value) {
            checks.warnings.push(format!("{path} asks for nothing: whatever is written holds by it"));
        }
        Ok(match Validator::new(&value) {
            Ok(validator) => Schema::Usable(Box::new(validator)),
            Err(error) => Schema::Unusable(error.to_string()),
        })
    }

    /// Adds a check that a schema differs from the composed one, unless that is reported already: the file may
    /// have been restored since it was read.
    pub(super) fn hold_to_composition(&self, path: &StagePath, bytes: &[u8], checks: &mut Checks) {
        let name = format!("{STAGES}/{}/{path}", self.opened.stage);
        let composed = self.opened.history.composed.as_ref().and_then(|composed| composed.files.get(&name));
        let is_told =
            checks.checks.iter().any(|check| check.kind == CheckKind::AsComposed && check.message.starts_with(&name));
        if composed.is_some_and(|composed| *composed != Digest::of(bytes)) && !is_told {
            let message = format!("{name} differed from what was composed when it was read");
            let action = "let whatever writes it end, and try again";
            checks.checks.push(configuration::not_as_composed(self.scene, &message, action));
        }
    }

    fn extract(&mut self, seen: &OutputSeen, value: Option<&Value>) {
        for (parameter, found) in self.stage.output_parameters.iter().zip(&mut self.parameters) {
            if parameter.source.as_str() != seen.path {
                continue;
            }
            *found = match value {
                Some(document) if seen.is_sound() => extracted(parameter, document, &mut self.published),
                _ if seen.sight == Sight::Absent && !seen.is_required => ParameterSeen::SourceAbsent,
                _ => ParameterSeen::SourceFailed,
            };
        }
    }
}

fn extracted(parameter: &OutputParameter, document: &Value, published: &mut usize) -> ParameterSeen {
    let Some(value) = query::value(&parameter.query, document) else { return ParameterSeen::Nowhere };
    let bytes = serde_json::to_vec(&value).map_or(usize::MAX, |bytes| bytes.len());
    if published.saturating_add(bytes) > limit::STAGE_PARAMETERS_BYTES {
        return ParameterSeen::TooMuch;
    }
    *published += bytes;
    ParameterSeen::Value(value)
}

fn is_result(path: &str) -> bool {
    path.strip_prefix(OUTPUT_DATA).and_then(|rest| rest.strip_prefix('/')) == Some(WF_RESULT)
}
