//! Names of the files of an agent run (seed 2, 1.4). Nothing here accesses a directory.

use std::fmt;

/// A file of an agent run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum RunFile {
    /// `run.json`: the run.
    Run,
    /// `agent-N.json`: the agent's result in turn N.
    Agent(u32),
    /// `verification-N.json`: the verification report of turn N.
    Verification(u32),
    /// `iteration-N.json`: the summary of turn N.
    Iteration(u32),
}

impl RunFile {
    /// Parses a file name. None: not a file of a run. Turn numbers begin at 1 and have no leading zeros, so that
    /// every file has exactly one name.
    pub fn parse(name: &str) -> Option<Self> {
        if name == "run.json" {
            return Some(Self::Run);
        }
        let (kind, number) = name.strip_suffix(".json")?.split_once('-')?;
        let digits = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
        let turn = number.parse().ok().filter(|_| digits && !number.starts_with('0'))?;
        match kind {
            "agent" => Some(Self::Agent(turn)),
            "verification" => Some(Self::Verification(turn)),
            "iteration" => Some(Self::Iteration(turn)),
            _ => None,
        }
    }

    /// Returns the number of the turn. None: the file belongs to the whole run.
    pub fn turn(self) -> Option<u32> {
        match self {
            Self::Run => None,
            Self::Agent(turn) | Self::Verification(turn) | Self::Iteration(turn) => Some(turn),
        }
    }

    /// Returns the files of a run among these names: the run's file first, then by kind and turn number; other
    /// files are ignored.
    pub fn listed<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<Self> {
        let mut files: Vec<Self> = names.into_iter().filter_map(Self::parse).collect();
        files.sort_unstable();
        files.dedup();
        files
    }
}

impl fmt::Display for RunFile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Run => formatter.write_str("run.json"),
            Self::Agent(turn) => write!(formatter, "agent-{turn}.json"),
            Self::Verification(turn) => write!(formatter, "verification-{turn}.json"),
            Self::Iteration(turn) => write!(formatter, "iteration-{turn}.json"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rp_01_each_document_of_a_run_has_its_name() {
        for (file, name) in [
            (RunFile::Run, "run.json"),
            (RunFile::Agent(1), "agent-1.json"),
            (RunFile::Verification(12), "verification-12.json"),
            (RunFile::Iteration(u32::MAX), "iteration-4294967295.json"),
        ] {
            assert_eq!(file.to_string(), name);
            assert_eq!(RunFile::parse(name), Some(file));
        }
        assert_eq!([RunFile::Run.turn(), RunFile::Agent(7).turn()], [None, Some(7)]);
    }

    #[test]
    fn rp_07_turns_are_in_the_order_of_numbers() {
        let names = ["agent-10.json", "agent-2.json", "iteration-1.json", "agent-1.json", "run.json", "agent-2.json"];
        let listed = RunFile::listed(names).iter().map(ToString::to_string).collect::<Vec<_>>();
        assert_eq!(listed, ["run.json", "agent-1.json", "agent-2.json", "agent-10.json", "iteration-1.json"]);
    }

    #[test]
    fn rp_08_files_of_others_are_passed_over() {
        for name in [
            "",
            "agent.json",
            "agent-.json",
            "agent-0.json",
            "agent-01.json",
            "agent-1.json.tmp",
            "agent-1.JSON",
            "agent-+1.json",
            "agent--1.json",
            "agent-4294967296.json",
            "agent-1x.json",
            "Agent-1.json",
            "../agent-1.json",
            "agent-1-2.json",
            "other-1.json",
            "agent-１.json",
            "run-1.json",
        ] {
            assert_eq!(RunFile::parse(name), None, "{name}");
        }
    }

    #[test]
    fn rp_09_a_run_without_files_lists_none() {
        assert_eq!(RunFile::listed([]), []);
        assert_eq!(RunFile::listed(["notes.txt"]), []);
    }
}
