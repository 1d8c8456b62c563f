//! Commits and pushes the changes of a resolved loop, if requested: the plan's target paths and the scope's
//! directory, never other staged files. A failed commit or push is reported, and the incident stays resolved
//! (IN-10).

use std::path::{Component, Path, PathBuf};

use referee_exec::git::{Committer, GitError, is_name};
use referee_judge::build_error::{Options, names_github, of_system_error};
use referee_ledger::incidents::{IncidentDir, Part, Stored};
use referee_model::build_error::{BuildErrorType, SystemError};
use referee_model::incident::attempt::{CommitDocument, FinalStatus, PushDocument};
use referee_model::time::Timestamp;
use referee_syntax::count::list;
use serde_json::Value;

use super::{CommitScope, Drive, LoopOptions, LoopRequest};
use crate::incident::{IncidentContext, IncidentError};

/// Maximum size of a commit message, in bytes.
const MESSAGE_BYTES: usize = 16 * 1024;

/// Maximum number of files that the result lists.
const FILES: usize = 200;

/// Maximum number of files left out of a commit that are named.
const FILES_NAMED: usize = 5;

/// Placeholder for the incident's id in a commit message.
const ID: &str = "{incident_id}";

/// Name of the evidence directory in a loop's directory: it is sealed, large, and not committed.
const EVIDENCE: &str = "evidence";

/// A requested commit that can be made.
#[derive(Debug)]
pub(super) struct Publishing {
    committer: Committer,
    branch: String,
    /// Commit that was checked out when the loop began. `None` if there was none.
    head: Option<String>,
}

/// Returns a failed push as a structured error. `None` if it cannot be serialized.
fn structured(message: &str, kind: BuildErrorType, at: Timestamp) -> Option<Value> {
    let stack = Some(message.to_owned());
    let thrown = SystemError { message: message.to_owned(), stack, kind: Some(kind), ..SystemError::default() };
    serde_json::to_value(of_system_error(&thrown, at, Options::default())).ok()
}

/// Returns the error type of a failed push, from git's message and the remote before redaction: `git@github.com`
/// looks like an email address.
fn kind(said: &str) -> BuildErrorType {
    if names_github(said) { BuildErrorType::GithubError } else { BuildErrorType::SystemError }
}

impl Publishing {
    /// Verifies before the loop begins that the requested commit can be made. Returns `None` if none is requested.
    pub(super) fn prepared(
        context: IncidentContext<'_>,
        request: &LoopRequest<'_>,
    ) -> Result<Option<Self>, IncidentError> {
        let options = &request.options;
        check(options)?;
        if !options.commit_on_resolve {
            return Ok(None);
        }
        let refused = |error: GitError| IncidentError::Refused(format!("nothing could be committed: {error}"));
        let committer = Committer::open(&request.plan.workspace, &context.host.environment).map_err(refused)?;
        let branch = committer
            .branch()
            .map_err(refused)?
            .ok_or_else(|| IncidentError::Refused("nothing could be committed: no branch is checked out".to_owned()))?;
        if let Some(asked) = options.branch.as_ref().filter(|asked| **asked != branch) {
            let reason = format!("the branch {asked} is not checked out, {branch} is: check it out, or name that one");
            return Err(IncidentError::Refused(reason));
        }
        let head = committer.head().map_err(refused)?;
        Ok(Some(Self { committer, branch, head }))
    }

    pub(super) fn publish(&self, drive: &Drive<'_, '_>, stored: &Stored) -> CommitDocument {
        let mut document = drive.commit_document(FinalStatus::Resolved);
        match self.commit(drive, stored, &mut document) {
            Ok(()) => {}
            Err(error) => {
                document.error = Some(drive.context.clean(&error.to_string()));
                return document;
            }
        }
        if let Some(commit) = document.commit_sha.as_ref().filter(|_| document.push.requested) {
            document.push.ran = true;
            match self.committer.push(&document.remote, commit, &self.branch) {
                Ok(()) => document.push.success = true,
                Err(error) => {
                    let said = error.to_string();
                    let message = drive.context.clean(&said);
                    let address = self.committer.address(&document.remote).unwrap_or_default();
                    document.push.build_error = structured(&message, kind(&format!("{said} {address}")), drive.now());
                    document.push.error = Some(message);
                }
            }
        }
        document
    }

    fn commit(&self, drive: &Drive<'_, '_>, stored: &Stored, document: &mut CommitDocument) -> Result<(), GitError> {
        let moved = |message: &str| GitError::Failed { operation: "commits", message: message.to_owned() };
        if self.committer.branch()?.as_ref() != Some(&self.branch) {
            return Err(moved("another branch was checked out while the loop went on"));
        }
        if self.committer.head()? != self.head {
            return Err(moved("another commit was made while the loop went on: look at it, and commit by hand"));
        }
        let mut notes = Vec::new();
        let mut places = self.targets(drive, &mut notes);
        places.extend(self.of_scope(drive, stored, &mut notes)?);
        let root = self.committer.root();
        let incidents = drive.context.incidents.root();
        let own = scope_places(drive, stored);
        let evidence = incidents.join(drive.run_dir()).join(EVIDENCE);
        // Files of other incidents may be below a target path that is the whole workspace.
        let is_foreign = |path: &Path| {
            path.starts_with(&evidence) || (path.starts_with(incidents) && !own.iter().any(|own| path.starts_with(own)))
        };
        let mut files = self.committer.changed(&places)?;
        files.retain(|file| !is_foreign(&root.join(file)));
        notes.extend(self.left_out(drive, &files)?);
        document.note = (!notes.is_empty()).then(|| notes.join("; "));
        let message = message(&drive.request.options, drive.id.as_str());
        match self.committer.commit(&files, &message)? {
            Some(commit) => {
                document.ran = true;
                document.commit_sha = Some(commit);
                document.commit_message = Some(message);
                files.truncate(FILES);
                document.files = files;
            }
            None => document.skipped = true,
        }
        Ok(())
    }

    /// Returns a note on changed files that are not committed, so that the commit is not mistaken for the whole
    /// repair. `None` if there are none.
    fn left_out(&self, drive: &Drive<'_, '_>, committed: &[String]) -> Result<Option<String>, GitError> {
        let (root, incidents) = (self.committer.root(), drive.context.incidents.root());
        let mut others = self.committer.changed(std::slice::from_ref(&drive.request.plan.workspace))?;
        others.retain(|file| committed.binary_search(file).is_err() && !root.join(file).starts_with(incidents));
        let why = if drive.plan.plan.target_paths().iter().all(String::is_empty) {
            "the plan names no target path (`referee incident plan --target PATH` does)"
        } else {
            "they are at none of the plan's target paths"
        };
        let names = list(&others, FILES_NAMED);
        Ok((!others.is_empty()).then(|| format!("NOT in it: {names}, changed too: {why}")))
    }

    /// Returns the plan's target paths that are in the workspace.
    fn targets(&self, drive: &Drive<'_, '_>, notes: &mut Vec<String>) -> Vec<PathBuf> {
        let workspace = &drive.request.plan.workspace;
        let mut places = Vec::new();
        for target in drive.plan.plan.target_paths() {
            let inside =
                Path::new(&target).components().all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
            let place = workspace.join(target.trim_end_matches('/'));
            if !target.is_empty() && inside && place.starts_with(self.committer.root()) {
                places.push(place);
            } else {
                notes.push(format!("the target path `{target}` leads out of the workspace: left out"));
            }
        }
        places
    }

    /// Returns the scope's directories that are in the repository, and notes those that are outside it or ignored.
    fn of_scope(
        &self,
        drive: &Drive<'_, '_>,
        stored: &Stored,
        notes: &mut Vec<String>,
    ) -> Result<Vec<PathBuf>, GitError> {
        let mut places = Vec::new();
        for place in scope_places(drive, stored) {
            if place.starts_with(self.committer.root()) {
                if self.committer.is_ignored(&place)? {
                    notes.push(format!("git ignores files in {}: left out", place.display()));
                }
                places.push(place);
            } else {
                notes.push(format!("{} is outside the repository: left out", place.display()));
            }
        }
        Ok(places)
    }
}

impl Drive<'_, '_> {
    /// Returns what is known about the commit before it is made.
    pub(super) fn commit_document(&self, status: FinalStatus) -> CommitDocument {
        let options = &self.request.options;
        CommitDocument {
            requested: options.commit_on_resolve,
            enabled: options.commit_on_resolve && status == FinalStatus::Resolved,
            remote: options.remote.clone(),
            branch: self.publishing.as_ref().map(|publishing| publishing.branch.clone()).or(options.branch.clone()),
            scope: options.commit_scope.as_str().to_owned(),
            push: PushDocument { requested: options.push_on_resolve, ..PushDocument::default() },
            ..CommitDocument::default()
        }
    }
}

/// Returns the directories of the scope, including the former location of an archived incident, from which it was
/// removed.
fn scope_places(drive: &Drive<'_, '_>, stored: &Stored) -> Vec<PathBuf> {
    let root = drive.context.incidents.root();
    let directory = |part: Part| root.join(part.directory().unwrap_or_default()).join(drive.id.as_str());
    match drive.request.options.commit_scope {
        CommitScope::Plan => vec![directory(Part::Plan)],
        CommitScope::Run => vec![directory(Part::Run)],
        CommitScope::Incident => {
            let mut places = vec![root.join(stored.path())];
            if stored.shelf != IncidentDir::Inbox {
                places.push(root.join(IncidentDir::Inbox.path_of(drive.id)));
            }
            places
        }
    }
}

fn message(options: &LoopOptions, id: &str) -> String {
    let template = options.commit_message.as_deref().unwrap_or("Resolve incident {incident_id}");
    template.replace(ID, id)
}

/// Validates the options.
fn check(options: &LoopOptions) -> Result<(), IncidentError> {
    let wrong = |message: String| Err(IncidentError::Invalid(message));
    if options.push_on_resolve && !options.commit_on_resolve {
        return wrong("a push needs a commit: ask for both".to_owned());
    }
    if !is_name(&options.remote) {
        return wrong(format!("`{}` is not a name of a remote", options.remote));
    }
    if let Some(branch) = options.branch.as_ref().filter(|branch| !is_name(branch)) {
        return wrong(format!("`{branch}` is not a name of a branch"));
    }
    match &options.commit_message {
        Some(message) if message.trim().is_empty() || message.len() > MESSAGE_BYTES || message.contains('\0') => {
            wrong(format!("a commit's message is a text of at most {MESSAGE_BYTES} bytes"))
        }
        _ => Ok(()),
    }
}
