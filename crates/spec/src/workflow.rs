//! Reads `wf.yaml`, its directory, and `stage-config.yaml` (seed 5).
//!
//! A workflow's file is checked against the shape of [`keys`], then read for its meaning: within a stage, and
//! between stages. Then the files of a run are collected from the directory. None of these stops at the first
//! fault.

use std::collections::BTreeMap;
use std::path::Path;

use referee_model::limit;
use referee_model::stage::STAGES;
use referee_model::stage::path::{PathReference, StagePath};
use referee_model::stage::workflow::{SharedTemplate, Stage, Workflow};
use referee_syntax::tree::Node;

use self::directory::Directory;
use self::files::Gathering;
use self::keys::{STAGE, WF, WORKFLOW};
use self::semantics::{Declared, LeadingOut, Reader};
use self::workflow_document::Document;
use crate::complaint::{Complaint, Findings, Level};

mod contents;
mod directory;
mod fault;
mod files;
pub mod keys;
mod order;
mod prompt;
mod rules;
mod semantics;
mod workflow_document;
mod writer;

pub use fault::Fault;
pub use prompt::MARKER;

/// A workflow with all files from which a run is composed.
#[derive(Debug, Clone)]
pub struct Template {
    /// Content of `wf.yaml`.
    pub workflow: Workflow,
    /// Files of a run, by path in its directory: configurations, prompts, schemas, specifications.
    pub files: BTreeMap<StagePath, Vec<u8>>,
    /// Warnings about the files, with positions.
    pub warnings: Vec<Complaint>,
    /// Warnings about the directory.
    pub notices: Vec<Fault>,
}

/// All errors of a directory that prevent composing its workflow.
#[derive(Debug, Clone)]
pub struct WorkflowError {
    /// Complaints about `wf.yaml` and specifications, with positions; includes warnings.
    pub complaints: Vec<Complaint>,
    /// Faults of the directory.
    pub faults: Vec<Fault>,
}

/// Schemas of the documents of a run. Each is copied into every run.
const SCHEMAS: [&str; 4] = ["wf", "stage-config", "handback", "wf-result"];

/// Loads a workflow's directory. Specifications of its stages refer to the workspace.
///
/// # Errors
/// Fails with all errors.
pub fn load(path: &Path, workspace: &Path) -> Result<Template, WorkflowError> {
    let (directory, bytes) = opened(path)?;
    let mut document = Document::read(WF, &bytes, &WORKFLOW);
    let mut gathering = Gathering::new(&directory, workspace, path.join(WF).display().to_string());
    let mut workflow = None;
    if let Some(root) = &document.root {
        let read = read(root, &mut document.findings);
        gathering.shared(&read.shared);
        for declared in &read.declared {
            gathering.stage(declared);
        }
        workflow = read.into_workflow(root);
    }
    let Gathering { mut files, faults, notices, complaints: of_specifications, .. } = gathering;
    files.extend(schemas());
    let mut complaints = document.into_complaints();
    complaints.extend(of_specifications);
    let has_errors = complaints.iter().any(|complaint| complaint.level == Level::Error);
    match workflow {
        Some(workflow) if !has_errors && faults.kept.is_empty() => {
            Ok(Template { workflow, files, warnings: complaints, notices: notices.kept })
        }
        _ => Err(WorkflowError { complaints, faults: faults.kept }),
    }
}

/// Reads the configuration of a stage. A path that leads out of its directory is kept as written.
///
/// # Errors
/// Fails with all errors.
pub fn stage_config(name: &str, bytes: &[u8]) -> Result<Stage, Vec<Complaint>> {
    let mut document = Document::read(name, bytes, &STAGE);
    let mut stage = None;
    if let Some(root) = &document.root {
        let mut reader = Reader::new(LeadingOut::Kept, &mut document.findings);
        let declared = reader.stage(root);
        reader.finish();
        rules::stage(&declared, &mut document.findings);
        order::stages_of_one(&declared, &mut document.findings);
        stage = declared.stage.filter(|_| declared.is_whole);
    }
    let failed = document.findings.has_errors();
    match stage {
        Some(stage) if !failed => Ok(stage),
        _ => Err(document.into_complaints()),
    }
}

impl Template {
    /// Inserts the handback protocol into the first prompts of the stages (WF-03).
    #[must_use]
    pub fn with_protocol(mut self, section: &str) -> Self {
        for stage in &self.workflow.stages {
            let entry = format!("{STAGES}/{}/{}", stage.id, stage.prompt.entry.as_str());
            let Some(bytes) = StagePath::parse(&entry).ok().and_then(|path| self.files.get_mut(&path)) else {
                continue;
            };
            let Ok(prompt) = std::str::from_utf8(bytes) else { continue };
            let told = prompt::told(prompt, section);
            *bytes = told.text.into_bytes();
            if told.has_its_own {
                self.notices.push(Fault {
                    cause: format!("the prompt of the stage {} tells of handing back in words of its own", stage.id),
                    action: format!("put the line `{MARKER}` in their place"),
                    see: None,
                });
            }
        }
        self
    }
}

fn opened(path: &Path) -> Result<(Directory, Vec<u8>), WorkflowError> {
    let alone = |cause: String, action: &str| WorkflowError {
        complaints: Vec::new(),
        faults: vec![Fault { cause, action: action.to_owned(), see: Some("referee schema wf".to_owned()) }],
    };
    let shown = path.display();
    let directory = Directory::open(path)
        .map_err(|why| alone(format!("the directory {shown} {why}"), "name a workflow's directory"))?;
    let bytes = StagePath::parse(WF)
        .map_err(|fault| fault.to_string())
        .and_then(|wf| directory.file(&wf).map_err(|why| why.to_string()))
        .map_err(|why| alone(format!("`{WF}` {why} in {shown}"), "write it, or name the directory that holds it"))?;
    Ok((directory, bytes))
}

/// Parsed `wf.yaml`, as far as it could be read.
struct Read<'root> {
    declared: Vec<Declared<'root>>,
    shared: Vec<SharedTemplate>,
}

fn read<'root>(root: &'root Node, findings: &mut Findings) -> Read<'root> {
    let written = keys::Workflow::of(root);
    let elements = written.stages.elements();
    let elements = match written.stages.node() {
        Some(stages) if elements.len() > limit::WORKFLOW_STAGES => {
            findings.push(semantics::too_many(stages.span, elements.len(), limit::WORKFLOW_STAGES));
            &[]
        }
        _ => elements,
    };
    let mut reader = Reader::new(LeadingOut::Refused, findings);
    let declared: Vec<Declared<'_>> = elements.iter().map(|element| reader.stage(element)).collect();
    let shared = reader.items(written.shared_templates, Reader::shared);
    reader.finish();
    for stage in &declared {
        rules::stage(stage, findings);
    }
    rules::shared(written.shared_templates.elements(), findings);
    order::stages(&declared, findings);
    order::extensions(root, &declared, findings);
    Read { declared, shared }
}

impl Read<'_> {
    /// Returns the workflow. None: a required part is missing, which has its complaint.
    fn into_workflow(self, root: &Node) -> Option<Workflow> {
        let written = keys::Workflow::of(root);
        let metadata = keys::Metadata::of(written.metadata.node());
        Some(Workflow {
            version: semantics::text(written.version)?,
            name: semantics::id(metadata.name)?,
            description: semantics::text(metadata.description)?,
            author: semantics::text(metadata.author),
            stages: self.declared.into_iter().map(in_its_directory).collect::<Option<_>>()?,
            shared: self.shared,
        })
    }
}

/// Returns a stage as placed in a run, where its specification is in its own directory.
fn in_its_directory(declared: Declared<'_>) -> Option<Stage> {
    let mut stage = declared.stage?;
    let own = |place: PathReference| PathReference::new(&format!("{}/{}", rules::SPECIFICATION, name(&place)));
    stage.specification = stage.specification.map(own);
    Some(stage)
}

fn name(place: &PathReference) -> &str {
    place.inside().map_or(place.as_str(), StagePath::name)
}

/// Returns the schemas of the documents of a run, by path in it.
fn schemas() -> impl Iterator<Item = (StagePath, Vec<u8>)> {
    SCHEMAS.iter().filter_map(|name| {
        let path = StagePath::parse(&format!("schemas/{name}.schema.json")).ok()?;
        Some((path, referee_schema::published::text(name)?.as_bytes().to_vec()))
    })
}
