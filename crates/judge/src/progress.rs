//! Measures whether trying again makes progress: the counters of a repair loop (ruling 24; seed 3, `execution
//! loop`; seed 4, supervisor limits).

use referee_model::diagnostic_log::Finding;
use referee_model::progress::{Progress, Snapshot};
use referee_model::report::Report;
use referee_model::verdict::Decision;

/// Takes a snapshot of a judged run. Its failures are the blocking ones of the log, and those of blocking actions.
pub fn snapshot(report: &Report) -> Snapshot {
    let blocking: Vec<&Finding> = report.diagnostics.entries.iter().filter(|entry| entry.blocking).collect();
    let first = report.verdict.blocking.first();
    let of_first = blocking.iter().find(|entry| Some(&entry.action) == first).or(blocking.first());
    let place = first.and_then(|first| report.actions.iter().position(|action| action.action.id == *first));
    Snapshot {
        passed: report.verdict.decision == Decision::Pass,
        first_failure: of_first.map(|entry| entry.fingerprint),
        failures: blocking.iter().map(|entry| entry.fingerprint).collect(),
        reached: place.unwrap_or(report.actions.len()),
    }
}

/// Adds a run to the counters.
///
/// | the run                                              | `same_error_repeats` | `no_progress_streak` | `equal_snapshots` |
/// |------------------------------------------------------|----------------------|----------------------|-------------------|
/// | passed                                               | 0                    | 0                    | 0                 |
/// | failed, the first one or after a pass                | 1                    | 1                    | 1                 |
/// | first failure as before                              | + 1                  |                      |                   |
/// | another first failure                                | 1                    |                      |                   |
/// | got further, or as far and an old failure vanished   |                      | 0                    |                   |
/// | any other                                            |                      | + 1                  |                   |
/// | all as before                                        |                      |                      | + 1               |
/// | something differs                                    |                      |                      | 1                 |
///
/// A failure that the run did not reach again has not vanished. Runs without a named failure (nothing could be
/// judged) count as the same error: an unknown result is not progress.
#[must_use]
pub fn after(progress: &Progress, run: Snapshot) -> Progress {
    if run.passed {
        return Progress { last: Some(run), ..Progress::default() };
    }
    let Some(before) = progress.last.as_ref().filter(|before| !before.passed) else {
        return Progress { same_error_repeats: 1, no_progress_streak: 1, equal_snapshots: 1, last: Some(run) };
    };
    let is_further = run.reached > before.reached;
    let has_mended = run.reached == before.reached && !before.failures.is_subset(&run.failures);
    let counted = |count: u32, goes_on: bool, first: u32| if goes_on { count.saturating_add(1) } else { first };
    Progress {
        same_error_repeats: counted(progress.same_error_repeats, run.first_failure == before.first_failure, 1),
        no_progress_streak: counted(progress.no_progress_streak, !is_further && !has_mended, 0),
        equal_snapshots: counted(progress.equal_snapshots, run == *before, 1),
        last: Some(run),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::fingerprint::Fingerprint;
    use referee_model::id::Digest;

    use super::*;

    /// Number of actions reached by a run, and its failures.
    type Row<'a> = (usize, &'a [u8]);

    /// Returns a run with these blocking failures, in order; without any, it passed.
    fn run(reached: usize, failures: &[u8]) -> Snapshot {
        let print = |byte: &u8| Fingerprint::version_1(Digest::from_bytes([*byte; 32]));
        Snapshot {
            passed: failures.is_empty(),
            first_failure: failures.first().map(print),
            failures: failures.iter().map(print).collect(),
            reached,
        }
    }

    fn folded(runs: &[Row<'_>]) -> Progress {
        runs.iter().fold(Progress::default(), |progress, (reached, failures)| after(&progress, run(*reached, failures)))
    }

    #[test]
    fn counters_follow_the_runs() {
        let rows: [(&str, &[Row<'_>], [u32; 3]); 11] = [
            ("nothing ran yet", &[], [0, 0, 0]),
            ("passed at once", &[(3, &[])], [0, 0, 0]),
            ("failed once", &[(0, &[1])], [1, 1, 1]),
            ("the same failure twice", &[(0, &[1]), (0, &[1])], [2, 2, 2]),
            ("the same failure three times", &[(0, &[1]), (0, &[1]), (0, &[1])], [3, 3, 3]),
            ("failures that alternate are no repeats", &[(0, &[1]), (0, &[2]), (0, &[1]), (0, &[2])], [1, 0, 1]),
            ("another first failure, and nothing fixed", &[(0, &[1]), (0, &[2, 1])], [1, 2, 1]),
            ("the same first failure, and another fixed", &[(0, &[1, 2]), (0, &[1])], [2, 0, 1]),
            ("it came further", &[(0, &[1]), (0, &[1]), (1, &[2])], [1, 0, 1]),
            ("it did not come as far: nothing is fixed", &[(2, &[1]), (0, &[2])], [1, 2, 1]),
            ("a pass begins again", &[(0, &[1]), (0, &[1]), (3, &[]), (0, &[1])], [1, 1, 1]),
        ];
        for (row, runs, expected) in rows {
            let progress = folded(runs);
            let counters = [progress.same_error_repeats, progress.no_progress_streak, progress.equal_snapshots];
            assert_eq!(counters, expected, "{row}");
        }
    }

    #[test]
    fn three_equal_snapshots_are_stuck_and_two_are_not() {
        let same: Row<'_> = (1, &[1, 2]);
        assert!(!folded(&[same, same]).is_stuck());
        assert!(folded(&[same, same, same]).is_stuck());
        assert!(!folded(&[same, same, (1, &[1, 3]), same]).is_stuck());
        assert!(folded(&[same, same]).is_without_progress() && !folded(&[same]).is_without_progress());
        assert!(folded(&[same, same, same]).is_repeating() && !folded(&[same, same]).is_repeating());
    }

    #[test]
    fn a_run_that_names_no_failure_is_no_progress() {
        let blind = || Snapshot { passed: false, ..run(0, &[]) };
        let twice = after(&after(&Progress::default(), blind()), blind());
        assert_eq!((twice.same_error_repeats, twice.no_progress_streak), (2, 2));
        let lost = after(&folded(&[(2, &[1])]), blind());
        assert_eq!(lost.no_progress_streak, 2);
    }
}
