//! The origin of a lock: who replaced the locks before it, and whether a person has reviewed it since.

use referee_ledger::locks::history::{LockAuthor, LockEntry, LockHistory};
use referee_model::id::Digest;
use referee_syntax::count::count;

/// Returns a sentence if no person vouches for a lock. `None` if one does, or if its author is unknown.
///
/// | the lock, or one before it that it replaced without a difference | result |
/// |---|---|
/// | was written at a terminal | a person vouches for it |
/// | was the first one, written in an agent's shell | an agent wrote it |
/// | accepted differences, in an agent's shell or without a terminal | reported, with what it accepted |
pub fn doubt(history: &LockHistory, digest: Digest) -> Option<String> {
    let mut entries = history.locks.iter().rev().skip_while(|lock| lock.digest != digest);
    let mut wanted = Some(digest);
    while let Some(digest) = wanted {
        let entry = entries.find(|lock| lock.digest == digest)?;
        match entry.by {
            LockAuthor::Terminal => return None,
            LockAuthor::Agent | LockAuthor::Script if entry.accepted > 0 => return Some(replaced(entry)),
            LockAuthor::Agent if entry.previous.is_none() => return Some(first(entry)),
            LockAuthor::Agent | LockAuthor::Script => wanted = entry.previous,
        }
    }
    None
}

const REMEDY: &str = "a person looks at it (`referee lock explain`), and stands for it by `referee lock` at a terminal";

fn first(entry: &LockEntry) -> String {
    format!("the lock was made on {} in {}, and by no person since: {REMEDY}", entry.at, place(entry))
}

fn replaced(entry: &LockEntry) -> String {
    let differences = count(entry.accepted, "difference");
    format!(
        "the lock was replaced on {} in {}, which accepted {differences} ({}), and by no person since: {REMEDY}",
        entry.at,
        place(entry),
        entry.paths.join(", ")
    )
}

fn place(entry: &LockEntry) -> String {
    match (&entry.by, &entry.agent) {
        (LockAuthor::Agent, Some(agent)) => format!("a shell of {agent}"),
        (LockAuthor::Agent, None) => "a shell of an agent".to_owned(),
        (LockAuthor::Script, _) => "a script, without a terminal".to_owned(),
        (LockAuthor::Terminal, _) => "a terminal".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use referee_model::time::Timestamp;

    use super::*;

    const PERSON: (LockAuthor, u32) = (LockAuthor::Terminal, 3);
    const SAME_BY_AGENT: (LockAuthor, u32) = (LockAuthor::Agent, 0);
    const SAME_BY_SCRIPT: (LockAuthor, u32) = (LockAuthor::Script, 0);
    const BY_SCRIPT: (LockAuthor, u32) = (LockAuthor::Script, 2);
    const BY_AGENT: (LockAuthor, u32) = (LockAuthor::Agent, 1);

    fn digest(number: usize) -> Digest {
        Digest::from_bytes([u8::try_from(number).unwrap(); 32])
    }

    /// Author of a lock, and the number of differences that it accepted.
    type Made = (LockAuthor, u32);

    fn history(locks: &[Made]) -> LockHistory {
        let mut history = LockHistory::new("/work".to_owned());
        for (number, &(by, accepted)) in locks.iter().enumerate() {
            history.push(LockEntry {
                digest: digest(number + 1),
                previous: (number > 0).then(|| digest(number)),
                at: Timestamp::from_millisecond(0),
                by,
                agent: (by == LockAuthor::Agent).then(|| "codex".to_owned()),
                accepted,
                paths: vec!["referee.yaml".to_owned()],
            });
        }
        history
    }

    #[test]
    fn a_person_stands_for_a_lock_or_it_is_said_who_replaced_it() {
        let cases: [(&[Made], Option<&str>); 9] = [
            (&[], None),
            (&[PERSON], None),
            (&[SAME_BY_SCRIPT], None),
            (&[SAME_BY_AGENT], Some("made on")),
            (&[SAME_BY_AGENT, SAME_BY_SCRIPT, SAME_BY_AGENT], Some("made on")),
            (&[PERSON, SAME_BY_AGENT, SAME_BY_SCRIPT], None),
            (
                &[PERSON, BY_SCRIPT, SAME_BY_AGENT],
                Some("in a script, without a terminal, which accepted 2 differences"),
            ),
            (&[PERSON, BY_AGENT], Some("in a shell of codex, which accepted 1 difference (referee.yaml)")),
            (&[BY_SCRIPT, PERSON], None),
        ];
        for (locks, part) in cases {
            let found = doubt(&history(locks), digest(locks.len()));
            assert_eq!(found.is_some(), part.is_some(), "{locks:?}: {found:?}");
            assert!(found.unwrap_or_default().contains(part.unwrap_or_default()), "{locks:?}");
        }
        assert_eq!(doubt(&history(&[BY_SCRIPT]), digest(9)), None, "of a lock that is not remembered nothing is known");
    }
}
