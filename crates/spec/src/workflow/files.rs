//! Collects the files of a run from the workflow's directory, and reports all errors at once.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use referee_model::limit;
use referee_model::stage::path::StagePath;
use referee_model::stage::workflow::{SharedTemplate, Stage};
use referee_model::stage::{STAGE_CONFIG, STAGES};

use super::directory::{Directory, Unusable};
use super::fault::Faults;
use super::rules::{SPECIFICATION, kept_in_stages};
use super::semantics::Declared;
use super::{contents, writer};
use crate::complaint::Complaint;
use crate::error::SpecError;
use crate::plan::{Options, load_text};

#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Path in the workflow's directory.
    pub(super) origin: StagePath,
    pub(super) bytes: Vec<u8>,
}

/// Files of a stage, by path in its directory.
pub(super) type Parts = BTreeMap<StagePath, Part>;

/// Files collected so far.
pub(super) struct Gathering<'all> {
    directory: &'all Directory,
    /// Workspace that specifications refer to.
    workspace: &'all Path,
    /// Path of `wf.yaml`, as configurations name it.
    source: String,
    shared: Parts,
    /// Specifications by path in the workflow's directory. None: it cannot be used, which was reported.
    specifications: BTreeMap<StagePath, Option<Vec<u8>>>,
    /// Total size of the files so far, in bytes.
    bytes: u64,
    /// Whether the size limit is reached.
    pub(super) is_full: bool,
    /// Unusable files of the current stage and of all stages; they were reported.
    unusable: BTreeSet<StagePath>,
    unusable_shared: BTreeSet<StagePath>,
    /// Schemas that were checked already.
    pub(super) looked_at: BTreeSet<StagePath>,
    pub(super) files: BTreeMap<StagePath, Vec<u8>>,
    pub(super) faults: Faults,
    pub(super) notices: Faults,
    pub(super) complaints: Vec<Complaint>,
}

impl<'all> Gathering<'all> {
    pub(super) fn new(directory: &'all Directory, workspace: &'all Path, source: String) -> Self {
        Self {
            directory,
            workspace,
            source,
            shared: Parts::new(),
            specifications: BTreeMap::new(),
            bytes: 0,
            is_full: false,
            unusable: BTreeSet::new(),
            unusable_shared: BTreeSet::new(),
            looked_at: BTreeSet::new(),
            files: BTreeMap::new(),
            faults: Faults::default(),
            notices: Faults::default(),
            complaints: Vec::new(),
        }
    }

    /// Collects the files that every stage gets.
    pub(super) fn shared(&mut self, templates: &[SharedTemplate]) {
        let mut size = 0;
        for SharedTemplate { source, target } in templates {
            if self.is_too_much(size) {
                return;
            }
            match self.directory.file(source) {
                Ok(bytes) => {
                    size += bytes.len() as u64;
                    self.shared.insert(target.clone(), Part { origin: source.clone(), bytes });
                }
                Err(why) => {
                    self.unusable_shared.insert(target.clone());
                    self.faults.push(
                        format!("the shared template `{source}` {why}"),
                        remedy(&why, "make the file, or take its entry out of `shared_templates`"),
                        "wf.yaml, shared_templates",
                    );
                }
            }
        }
    }

    /// Collects the files of one stage.
    pub(super) fn stage(&mut self, declared: &Declared<'_>) {
        let Some(stage) = declared.stage.as_ref().filter(|_| !self.is_full) else { return };
        self.unusable.clone_from(&self.unusable_shared);
        let Some(parts) = self.parts(stage) else {
            // The directory of the stage cannot be used, which was reported; missing files follow from that.
            self.specification(stage);
            return;
        };
        contents::stage(self, stage, &parts);
        let specification = self.specification(stage);
        let moved = specification.as_ref().map(|(path, _)| path.to_string());
        let configuration = writer::configuration(declared.node, stage.id.as_str(), &self.source, moved.as_deref());
        let parts = parts.into_iter().map(|(path, part)| (path, part.bytes)).chain(specification);
        let configuration = StagePath::parse(STAGE_CONFIG).ok().map(|path| (path, configuration.into_bytes()));
        for (path, bytes) in parts.chain(configuration) {
            if self.is_too_much(bytes.len() as u64) {
                return;
            }
            self.bytes += bytes.len() as u64;
            match StagePath::parse(&format!("{STAGES}/{}/{path}", stage.id)) {
                Ok(path) => drop(self.files.insert(path, bytes)),
                Err(fault) => self.faults.push(
                    format!("the file `{path}` of the stage {} has no place in a run: {fault}", stage.id),
                    "give it a shorter path",
                    see(stage),
                ),
            }
        }
    }

    /// Returns whether more bytes exceed the size limit, and reports it.
    fn is_too_much(&mut self, more: u64) -> bool {
        self.is_full |= self.bytes.saturating_add(more) > limit::COMPOSED_BYTES;
        self.is_full |= self.files.len() >= limit::COMPOSED_FILES;
        if self.is_full {
            self.too_much();
        }
        self.is_full
    }

    fn too_much(&mut self) {
        let mebibytes = limit::COMPOSED_BYTES / (1024 * 1024);
        self.faults.push(
            format!("a run would have more than {} files, or more than {mebibytes} MiB", limit::COMPOSED_FILES),
            "share fewer or smaller files: every stage gets a copy of each",
            "wf.yaml, shared_templates",
        );
    }

    /// Returns whether a file of the current stage was reported as unusable.
    pub(super) fn is_said(&self, path: &StagePath) -> bool {
        self.unusable.contains(path)
    }

    /// Returns the files of a stage. None: its directory cannot be used.
    fn parts(&mut self, stage: &Stage) -> Option<Parts> {
        let mut parts = self.shared.clone();
        let own = StagePath::parse(&format!("{STAGES}/{}", stage.id)).ok()?;
        let files = match self.directory.files(&own) {
            Ok(files) => files,
            Err(why) => {
                let action = "make it, with the stage's prompt and the schemas of its outputs";
                self.faults.push(
                    format!("the directory `{own}` of the stage {} {why}", stage.id),
                    remedy(&why, action),
                    see(stage),
                );
                return None;
            }
        };
        let mut size = 0;
        for path in files {
            if self.is_too_much(size) {
                return None;
            }
            let Ok(origin) = StagePath::parse(&format!("{own}/{path}")) else { continue };
            if let Some(what) = kept_in_stages(path.as_str()) {
                let cause = format!("`{origin}` stands where Referee keeps {what}");
                self.faults.push(cause, "move it, or take it away", see(stage));
            } else if let Some(other) = parts.get(&path) {
                let cause = format!("`{origin}` and the shared `{}` would be the same file", other.origin);
                self.faults.push(cause, "take one of them away", see(stage));
            } else {
                match self.directory.file(&origin) {
                    Ok(bytes) => {
                        size += bytes.len() as u64;
                        parts.insert(path, Part { origin, bytes });
                    }
                    Err(why) => {
                        let remedy = remedy(&why, "take it away");
                        self.faults.push(format!("`{origin}` {why}"), remedy, see(stage));
                        self.unusable.insert(path);
                    }
                }
            }
        }
        Some(parts)
    }

    /// Collects the specification of a stage.
    fn specification(&mut self, stage: &Stage) -> Option<(StagePath, Vec<u8>)> {
        let path = stage.specification.as_ref()?.inside()?.clone();
        if !self.specifications.contains_key(&path) {
            let loaded = self.loaded(stage, &path);
            self.specifications.insert(path.clone(), loaded);
        }
        let bytes = self.specifications.get(&path)?.clone()?;
        Some((StagePath::parse(&format!("{SPECIFICATION}/{}", path.name())).ok()?, bytes))
    }

    fn loaded(&mut self, stage: &Stage, path: &StagePath) -> Option<Vec<u8>> {
        let bytes = match self.directory.file(path) {
            Ok(bytes) => bytes,
            Err(why) => {
                self.faults.push(
                    format!("the specification `{path}` of the stage {} {why}", stage.id),
                    remedy(&why, "write it, or take `x-referee` away"),
                    see(stage),
                );
                return None;
            }
        };
        let options = Options { workspace: Some(self.workspace.to_path_buf()) };
        let complaints = match load_text(&self.directory.join(path), &bytes, &options) {
            Ok(loaded) => loaded.warnings,
            Err(SpecError::Complaints(complaints)) => complaints,
            Err(error) => {
                let cause = format!("the specification `{path}` cannot be loaded: {error}");
                self.faults.push(cause, "fix what is named", see(stage));
                return None;
            }
        };
        let named = |complaint| Complaint { file: path.to_string(), ..complaint };
        self.complaints.extend(complaints.into_iter().map(named));
        Some(bytes)
    }
}

/// Returns where a stage is declared.
pub(super) fn see(stage: &Stage) -> String {
    format!("wf.yaml, stage {}", stage.id)
}

/// Returns the remedy for an unusable file.
fn remedy(why: &Unusable, absent: &str) -> String {
    match why {
        Unusable::Absent => absent.to_owned(),
        Unusable::Link(_) => "put the file itself there".to_owned(),
        Unusable::NotAFile => "put a file there".to_owned(),
        Unusable::NotADirectory => "make it a directory".to_owned(),
        Unusable::TooLarge => "make it smaller".to_owned(),
        Unusable::Name(_) => "give it another name".to_owned(),
        Unusable::TooMany => "take away what no stage needs".to_owned(),
        Unusable::System(_) => "make it readable".to_owned(),
    }
}
