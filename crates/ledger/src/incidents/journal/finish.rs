//! Completes changes that are certain. Each step can be repeated after an interruption.

use referee_model::incident::id::IncidentId;
use rustix::fs::AtFlags;
use rustix::io::Errno;

use super::{INTENT, IntentFile, Part, Pending};
use crate::directory::Directory;
use crate::error::LedgerError;
use crate::fault;
use crate::incidents::events::Events;
use crate::incidents::incident_dir::IncidentDir;
use crate::incidents::incident_root::IncidentRoot;

/// Carries out an intent, appends its event, and removes the intent.
pub(super) fn finish(ground: &IncidentRoot, pending: &Pending) -> Result<(), LedgerError> {
    let intent = &pending.intent;
    let (id, to) = (&intent.incident_id, IncidentDir::from(intent.to));
    // The incident itself comes last: a reader that sees it sees everything else.
    for part in Part::ALL.into_iter().rev() {
        let directory = match part.directory() {
            Some(name) if concerns(pending, part) => ground.make(&[name, id.as_str()])?,
            Some(_) => continue,
            None => own(ground, pending, id, to)?,
        };
        move_files(pending, part, &directory)?;
    }
    shelve(ground, id, to)?;
    Events::of(ground).tell(&intent.event, intent.after_sequence)?;
    fault::point().map_err(LedgerError::io("remove", pending.directory.path()))?;
    pending.directory.discard(INTENT)
}

fn concerns(pending: &Pending, part: Part) -> bool {
    pending.intent.files.iter().chain(&pending.intent.removed).any(|file| file.part == part)
}

/// Returns the incident's own directory. If the incident is new, or its directory was removed, the staged
/// directory takes its place.
fn own(ground: &IncidentRoot, pending: &Pending, id: &IncidentId, to: IncidentDir) -> Result<Directory, LedgerError> {
    if let Some((_, directory)) = ground.own(id)? {
        return Ok(directory);
    }
    let shelf = ground.make(to.directories())?;
    pending.directory.move_to(Part::Incident.as_str(), &shelf, id.as_str())?;
    let missing = || LedgerError::io("open the directory", &shelf.path().join(id.as_str()))(Errno::NOENT);
    shelf.child(id.as_str())?.ok_or_else(missing)
}

/// Moves the files of one part to their destination, and removes those that are to go. A file that is no longer
/// staged was moved already.
fn move_files(pending: &Pending, part: Part, directory: &Directory) -> Result<(), LedgerError> {
    let of_part = |file: &&IntentFile| file.part == part;
    if let Some(staged) = pending.directory.child(part.as_str())? {
        for file in pending.intent.files.iter().filter(of_part) {
            let path = directory.path().join(&file.name);
            fault::point().map_err(LedgerError::io("write", &path))?;
            match rustix::fs::renameat(&staged, &file.name, directory, &file.name) {
                Ok(()) | Err(Errno::NOENT) => {}
                Err(error) => return Err(LedgerError::io("write", &path)(error)),
            }
        }
    }
    for file in pending.intent.removed.iter().filter(of_part) {
        let path = directory.path().join(&file.name);
        fault::point().map_err(LedgerError::io("remove", &path))?;
        match rustix::fs::unlinkat(directory, &file.name, AtFlags::empty()) {
            Ok(()) | Err(Errno::NOENT) => {}
            Err(error) => return Err(LedgerError::io("remove", &path)(error)),
        }
    }
    Ok(())
}

/// Moves the incident's own directory to the inbox or the archive, whole.
fn shelve(ground: &IncidentRoot, id: &IncidentId, to: IncidentDir) -> Result<(), LedgerError> {
    let Some((lies, _)) = ground.own(id)? else { return Ok(()) };
    if lies == to {
        return Ok(());
    }
    let (source, target) = (ground.make(lies.directories())?, ground.make(to.directories())?);
    if !source.move_to(id.as_str(), &target, id.as_str())? {
        return Err(LedgerError::Unusable {
            path: target.path().join(id.as_str()),
            reason: "it stands where the incident is to be moved: move it away".to_owned(),
        });
    }
    Ok(())
}
