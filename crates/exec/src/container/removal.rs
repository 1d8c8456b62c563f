//! The end of containers: each is stopped, its output stored where it was to stay, and removed.

use std::sync::Arc;
use std::time::{Duration, Instant};

use referee_model::id::ActionId;
use referee_model::limit;
use referee_model::record::{Ending, LeakedProcess, Log, Notice, ServiceRecord, Span};
use referee_model::time::Timestamp;

use super::client::{Client, NoAnswer};
use super::{Containers, Started, What, inspect, kill_and_remove, listed, notice, remove, short, stop, words};
use crate::attempt::ExecError;
use crate::capture::Sink;
use crate::launch::Launcher;

/// Time in which the whole output of a container is handed over.
const OUTPUT: Duration = Duration::from_mins(2);

/// Time in which a project ends, beside its grace period.
const PROJECT: Duration = Duration::from_mins(1);

/// How containers are to end.
#[derive(Clone, Copy)]
pub(crate) struct Farewell<'run> {
    pub(crate) sink: &'run dyn Sink,
    /// When cleanup began. None: it has not.
    pub(crate) cleanup: Option<Instant>,
    /// Whether nothing may take time, because the run was asked twice to stop.
    pub(crate) at_once: bool,
}

/// What became of a container.
#[derive(Default)]
struct ContainerEnd {
    ending: Option<Ending>,
    finished: Option<Timestamp>,
    log: Option<Log>,
    leaked: Vec<LeakedProcess>,
    notices: Vec<Notice>,
}

impl Containers {
    /// Ends all containers of the run, the last one first, and returns what became of those that were to stay.
    ///
    /// # Errors
    /// Fails where output cannot be stored, with the first failure; all containers are ended nevertheless.
    pub(crate) fn end(
        &self,
        launcher: &Launcher<'_>,
        farewell: &Farewell<'_>,
    ) -> (Vec<ServiceRecord>, Result<(), ExecError>) {
        let started = std::mem::take(&mut self.state().started);
        let (mut records, mut failure) = (Vec::new(), Ok(()));
        for started in started.into_iter().rev() {
            let (record, ended) = end_one(started, launcher, farewell);
            records.extend(record);
            failure = failure.and(ended);
        }
        records.extend(std::mem::take(&mut self.state().records));
        for (client, notice) in self.end_unfound(launcher) {
            tell(&mut records, &client, notice, farewell, launcher);
        }
        self.remove_files();
        (records, failure)
    }

    /// Ends what the earlier attempts of an action started.
    pub(super) fn end_earlier_attempts(
        &self,
        action: &ActionId,
        launcher: &Launcher<'_>,
        sink: &dyn Sink,
        notices: &mut Vec<Notice>,
    ) -> Result<(), ExecError> {
        let of_action: Vec<Started> = {
            let mut state = self.state();
            let all = std::mem::take(&mut state.started);
            let (of_action, others) = all.into_iter().partition(|started| &started.action.id == action);
            state.started = others;
            of_action
        };
        for started in of_action {
            let (record, ended) = end_one(started, launcher, &Farewell { sink, cleanup: None, at_once: false });
            if let Some(record) = record {
                notices.extend(record.notices.iter().cloned());
                self.state().records.push(record);
            }
            ended?;
        }
        Ok(())
    }

    /// Removes containers with the label of this run that did not tell their id.
    fn end_unfound(&self, launcher: &Launcher<'_>) -> Vec<(Arc<Client>, Notice)> {
        let clients: Vec<Arc<Client>> =
            self.state().programs.values().filter_map(|program| program.client.clone()).collect();
        let filter = format!("label={}={}", words::RUN, self.labels.run);
        let mut notices = Vec::new();
        for client in clients {
            let Ok(found) = listed(&client, &filter, launcher) else { continue };
            let is_ours = |id: &&String| {
                inspect(&client, id, launcher)
                    .is_ok_and(|inspected| inspected.label(words::RUN) == Some(self.labels.run.as_str()))
            };
            let ours: Vec<&str> = found.iter().filter(is_ours).map(String::as_str).collect();
            if !ours.is_empty()
                && let Err(error) = kill_and_remove(&client, &ours, launcher)
            {
                let message = format!("{} containers of the run could not be removed: {error}", ours.len());
                notices.push((client, notice(message)));
            }
        }
        notices
    }

    fn remove_files(&self) {
        let (files, directory) = {
            let mut state = self.state();
            (std::mem::take(&mut state.id_files), state.directory.take())
        };
        // Files that are not there were not written, and a directory with anything else in it is left.
        for file in files {
            let _ = rustix::fs::unlink(&file);
        }
        if let Some(directory) = directory {
            let _ = rustix::fs::rmdir(&directory);
        }
    }
}

/// Adds a notice about an action's containers to its record, or to a record of its own.
fn tell(
    records: &mut Vec<ServiceRecord>,
    client: &Client,
    notice: Notice,
    farewell: &Farewell<'_>,
    launcher: &Launcher<'_>,
) {
    if let Some(record) = records.iter_mut().find(|record| record.action == client.action) {
        record.notices.push(notice);
        return;
    }
    let now = launcher.now();
    records.push(ServiceRecord {
        action: client.action.clone(),
        attempt: 1,
        span: Span { started: now, ended: now, duration_ms: 0 },
        ending: Ending::Interrupted { killed: false },
        in_cleanup: farewell.cleanup.is_some(),
        log: None,
        leaked: Vec::new(),
        notices: vec![notice],
    });
}

/// Ends what an attempt started. The record is of what was to stay, and of what could not be ended.
fn end_one(
    started: Started,
    launcher: &Launcher<'_>,
    farewell: &Farewell<'_>,
) -> (Option<ServiceRecord>, Result<(), ExecError>) {
    let mut end = ContainerEnd::default();
    let result = match &started.what {
        What::Container { id, .. } => started.end_container(id, launcher, farewell, &mut end),
        What::Unknown { .. } => Ok(()),
        What::Project { options, .. } => started.end_project(options, launcher, farewell, &mut end),
    };
    let Started { action, attempt, what, stays, at, began, group, .. } = started;
    let stays = stays && !matches!(what, What::Unknown { .. });
    let (What::Container { held, .. } | What::Unknown { held } | What::Project { held, .. }) = what;
    end.leaked = held.end();
    // Kills whatever is left in it.
    group.into_iter().for_each(drop);
    let now = launcher.now();
    let ended = end.finished.map_or(now, |finished| finished.clamp(at.min(now), now));
    let since = farewell.cleanup.map(|cleanup| millis(cleanup.elapsed()));
    let in_cleanup = since.is_some_and(|since| now.milliseconds_since(ended) <= since);
    let is_told = stays || !end.notices.is_empty() || !end.leaked.is_empty();
    let record = is_told.then(|| ServiceRecord {
        action: action.id,
        attempt,
        span: Span {
            started: at,
            ended,
            duration_ms: millis(began.elapsed()).saturating_sub(now.milliseconds_since(ended)),
        },
        ending: end.ending.unwrap_or(Ending::Interrupted { killed: false }),
        in_cleanup,
        log: end.log,
        leaked: end.leaked,
        notices: end.notices,
    });
    (record, result)
}

impl Started {
    fn end_container(
        &self,
        id: &str,
        launcher: &Launcher<'_>,
        farewell: &Farewell<'_>,
        end: &mut ContainerEnd,
    ) -> Result<(), ExecError> {
        let mut stored = Ok(());
        if self.stays {
            stored = match inspect(&self.client, id, launcher) {
                Ok(inspected) if inspected.is_over() => {
                    end.finished = inspected.finished();
                    end.ending = inspected.exit_code().map(|code| Ending::Exited { code });
                    self.store_output(id, launcher, farewell, end)
                }
                Ok(inspected) if inspected.removes_itself() => {
                    let stored = self.store_output(id, launcher, farewell, end);
                    self.stop(id, launcher, farewell, end);
                    stored
                }
                Ok(_) => {
                    self.stop(id, launcher, farewell, end);
                    let killed = inspect(&self.client, id, launcher).is_ok_and(|now| now.exit_code() == Some(KILLED));
                    end.ending = Some(Ending::Interrupted { killed });
                    self.store_output(id, launcher, farewell, end)
                }
                Err(error) => {
                    let message =
                        format!("what the container {} printed and how it ended is not known: {error}", short(id));
                    end.notices.push(notice(message));
                    Ok(())
                }
            };
        }
        if let Err(error) = remove(&self.client, &[id], launcher)
            && !error.is_missing()
        {
            end.notices.push(notice(format!("the container {} could not be removed: {error}", short(id))));
        }
        stored
    }

    fn stop(&self, id: &str, launcher: &Launcher<'_>, farewell: &Farewell<'_>, end: &mut ContainerEnd) {
        if let Err(error) = stop(&self.client, id, self.grace(farewell), launcher) {
            end.notices.push(notice(format!("the container {} could not be stopped: {error}", short(id))));
        }
    }

    fn end_project(
        &self,
        options: &[String],
        launcher: &Launcher<'_>,
        farewell: &Farewell<'_>,
        end: &mut ContainerEnd,
    ) -> Result<(), ExecError> {
        let words = |rest: &[&'static str]| -> Vec<String> {
            let begin = ["compose".to_owned()].into_iter().chain(options.iter().cloned());
            begin.chain(rest.iter().map(|word| (*word).to_owned())).collect()
        };
        let mut stored = Ok(());
        if self.stays {
            stored = self.store(&words(&["logs", "--no-color"]), launcher, farewell, end);
        }
        let grace = self.grace(farewell);
        let mut down = words(&["down", "--timeout"]);
        down.push(grace.as_millis().div_ceil(1_000).to_string());
        let down: Vec<&str> = down.iter().map(String::as_str).collect();
        if let Err(error) = self.client.ask(launcher, &down, grace + PROJECT) {
            end.notices.push(notice(format!("the containers of the project could not be removed: {error}")));
        }
        stored
    }

    fn store_output(
        &self,
        id: &str,
        launcher: &Launcher<'_>,
        farewell: &Farewell<'_>,
        end: &mut ContainerEnd,
    ) -> Result<(), ExecError> {
        self.store(&["logs".to_owned(), id.to_owned()], launcher, farewell, end)
    }

    /// Stores what these words print as the output of the container.
    fn store(
        &self,
        words: &[String],
        launcher: &Launcher<'_>,
        farewell: &Farewell<'_>,
        end: &mut ContainerEnd,
    ) -> Result<(), ExecError> {
        let capture = farewell.sink.begin_container(&self.action, self.attempt)?;
        let words: Vec<&str> = words.iter().map(String::as_str).collect();
        let (log, incomplete) = self.client.store(launcher, &words, OUTPUT, self.action.evidence, capture)?;
        end.log = Some(log);
        let message = |error: NoAnswer| notice(format!("the output of the container is incomplete: {error}"));
        end.notices.extend(incomplete.map(message));
        Ok(())
    }

    fn grace(&self, farewell: &Farewell<'_>) -> Duration {
        if farewell.at_once {
            Duration::ZERO
        } else {
            Duration::from_millis(self.action.grace_ms.min(limit::GRACE_MS_MAX))
        }
    }
}

/// Exit code of a container that was killed (128 + SIGKILL).
const KILLED: i32 = 137;

fn millis(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}
