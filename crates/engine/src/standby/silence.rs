//! Which loops are silent: their last checkpoint has stayed the same for a while, as seen by this machine.

use std::collections::BTreeMap;
use std::time::{Duration, Instant};

use referee_model::depot::CheckpointVersion;
use referee_model::id::ExecutionId;

/// The loops of a project, as this machine saw them last.
pub(super) struct LoopWatch {
    silence: Duration,
    loops: BTreeMap<ExecutionId, Watched>,
}

struct Watched {
    version: String,
    since: Instant,
    /// Whether nothing is to be done about this version.
    is_settled: bool,
}

impl LoopWatch {
    /// Begins to watch. A loop is silent after this time.
    pub(super) fn new(silence: Duration) -> Self {
        Self { silence, loops: BTreeMap::new() }
    }

    /// Takes in what the depot has now.
    pub(super) fn see(&mut self, found: Vec<CheckpointVersion>, now: Instant) {
        let mut before = std::mem::take(&mut self.loops);
        self.loops = found
            .into_iter()
            .map(|CheckpointVersion { run, version }| {
                let known = before.remove(&run).filter(|known| known.version == version);
                (run, known.unwrap_or(Watched { version, since: now, is_settled: false }))
            })
            .collect();
    }

    /// Takes in that the depot does not answer: no machine can renew a checkpoint meanwhile.
    pub(super) fn see_nothing(&mut self, now: Instant) {
        for watched in self.loops.values_mut() {
            watched.since = now;
        }
    }

    /// Returns the loops that are silent, and not settled.
    pub(super) fn silent(&self, now: Instant) -> Vec<CheckpointVersion> {
        let is_silent = |watched: &Watched| !watched.is_settled && self.silence <= now.duration_since(watched.since);
        let silent = self.loops.iter().filter(|(_, watched)| is_silent(watched));
        silent.map(|(run, watched)| CheckpointVersion { run: run.clone(), version: watched.version.clone() }).collect()
    }

    /// Leaves a loop alone until it has been silent for the time once more.
    pub(super) fn wait_again(&mut self, run: &ExecutionId, now: Instant) {
        if let Some(watched) = self.loops.get_mut(run) {
            watched.since = now;
        }
    }

    /// Leaves a loop alone until its checkpoint is another one.
    pub(super) fn settle(&mut self, settled: &CheckpointVersion) {
        if let Some(watched) = self.loops.get_mut(&settled.run).filter(|watched| watched.version == settled.version) {
            watched.is_settled = true;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn version(run: &str, version: &str) -> CheckpointVersion {
        CheckpointVersion { run: ExecutionId::parse(format!("exec-{run}")).unwrap(), version: version.to_owned() }
    }

    #[test]
    fn a_loop_is_silent_once_its_checkpoint_was_seen_unchanged_for_the_time() {
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut watch = LoopWatch::new(Duration::from_mins(1));
        assert!(watch.silent(at(100)).is_empty());
        watch.see(vec![version("lives", "1"), version("dies", "1")], at(0));
        watch.see(vec![version("lives", "2"), version("dies", "1")], at(30));
        assert!(watch.silent(at(59)).is_empty());
        assert_eq!(watch.silent(at(60)), [version("dies", "1")]);
        watch.see(vec![version("lives", "3")], at(61));
        assert!(watch.silent(at(120)).is_empty(), "it was removed");
        watch.see(vec![version("dies", "1")], at(121));
        assert!(watch.silent(at(180)).is_empty(), "it is a new one");
    }

    #[test]
    fn while_the_depot_does_not_answer_nobody_is_silent() {
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut watch = LoopWatch::new(Duration::from_mins(1));
        watch.see(vec![version("a", "1")], at(0));
        watch.see_nothing(at(50));
        assert!(watch.silent(at(109)).is_empty());
        assert_eq!(watch.silent(at(110)), [version("a", "1")]);
        watch.wait_again(&version("a", "1").run, at(111));
        assert!(watch.silent(at(170)).is_empty());
        assert_eq!(watch.silent(at(171)), [version("a", "1")]);
    }

    #[test]
    fn what_is_settled_stays_so_until_its_checkpoint_is_another_one() {
        let begin = Instant::now();
        let at = |seconds: u64| begin + Duration::from_secs(seconds);
        let mut watch = LoopWatch::new(Duration::from_mins(1));
        watch.see(vec![version("a", "1")], at(0));
        watch.settle(&version("a", "0"));
        assert_eq!(watch.silent(at(60)), [version("a", "1")], "another version was settled");
        watch.settle(&version("a", "1"));
        watch.see(vec![version("a", "1")], at(61));
        assert!(watch.silent(at(500)).is_empty());
        watch.see(vec![version("a", "2")], at(501));
        assert_eq!(watch.silent(at(561)), [version("a", "2")]);
    }
}
