//! Maven in CI: phases, profiles, and goals of plugins that only check.

use super::super::ProjectDirectory;
use super::super::ci::Line;

/// Phases that change only the build directory, in order.
const PHASES: &[&str] =
    &["validate", "compile", "test-compile", "test", "package", "integration-test", "verify", "install"];

/// Suffixes of goals that check the project.
const LOOKS: &[&str] = &[":check", ":cmp", ":javadoc", ":test-javadoc", ":lint", ":verify"];

/// Options whose value is the next word.
const VALUED: &[&str] = &["-pl", "--projects", "-s", "--settings", "-gs", "-T", "--threads", "-t", "-l", "-rf", "-b"];

/// Maximum number of proposed lines.
const LINES: usize = 4;

#[derive(Debug, Default, PartialEq, Eq)]
struct MavenCommand {
    /// Variables that are set for the command.
    variables: Vec<String>,
    /// Profiles and properties, as they are written.
    options: Vec<String>,
    goals: Vec<String>,
    /// Whether the tests are skipped.
    skips: bool,
}

pub(super) struct Run {
    pub(super) name: &'static str,
    pub(super) line: String,
    pub(super) because: String,
}

/// Returns the runs of CI, with this program. The first one runs the tests.
pub(super) fn runs(place: &ProjectDirectory<'_>, program: &str) -> Vec<Run> {
    let default = default_goals(place);
    let is_maven = |line: &&Line| line.is_of_ci && matches!(line.command.program(), "mvn" | "mvnw");
    let mut found: Vec<(MavenCommand, String)> = Vec::new();
    for (asked, line) in place.lines().filter(is_maven).filter_map(|line| Some((read(line, &default)?, line))) {
        if !line.is_conditional && found.iter().all(|(other, _)| *other != asked) {
            let because = format!("{} runs `{}`", line.file, asked.goals.join(" "));
            found.push((asked, because));
        }
    }
    if found.iter().all(|(asked, _)| rank(asked) == 0) && default.iter().any(|goal| phase(goal) >= phase("test")) {
        let because = format!("<defaultGoal> of pom.xml is `{}`", default.join(" "));
        found.insert(0, (MavenCommand { goals: default, ..MavenCommand::default() }, because));
    }
    found.sort_by_key(|(asked, _)| std::cmp::Reverse(rank(asked)));
    let mut kept: Vec<(MavenCommand, String)> = Vec::new();
    for (asked, because) in found {
        if kept.len() < LINES && !kept.iter().any(|(other, _)| holds(other, &asked)) {
            kept.push((asked, because));
        }
    }
    if kept.first().is_none_or(|(asked, _)| rank(asked) == 0) {
        kept.insert(
            0,
            (MavenCommand { goals: vec!["test".to_owned()], ..MavenCommand::default() }, "pom.xml".to_owned()),
        );
    }
    kept.into_iter().map(|(asked, because)| asked.run(program, because)).collect()
}

impl MavenCommand {
    fn define(&mut self, property: &str) {
        self.skips |= property.contains("skipTests") || property.contains("maven.test.skip");
        self.options.push(format!("-D{property}"));
    }

    fn run(self, program: &str, because: String) -> Run {
        let name = if rank(&self) > 0 { "test" } else { "verify" };
        let start = vec![program.to_owned(), "-B".to_owned(), "-ntp".to_owned()];
        Run { name, line: [self.variables, start, self.options, self.goals].concat().join(" "), because }
    }
}

fn phase(goal: &str) -> Option<usize> {
    PHASES.iter().position(|phase| *phase == goal)
}

/// Returns how many of the tests a command runs, as a rank; 0: none.
fn rank(asked: &MavenCommand) -> usize {
    let last = asked.goals.iter().filter_map(|goal| phase(goal)).max().filter(|last| Some(*last) >= phase("test"));
    last.map_or(0, |last| last + 1)
}

/// Returns whether one command includes all that another one does.
fn holds(one: &MavenCommand, other: &MavenCommand) -> bool {
    let last = one.goals.iter().filter_map(|goal| phase(goal)).max();
    let has = |goal: &String| one.goals.contains(goal) || phase(goal).is_some_and(|phase| Some(phase) <= last);
    one.variables == other.variables && one.options == other.options && other.goals.iter().all(has)
}

/// Parses a line. None: it checks nothing, or another project.
fn read(line: &Line, default: &[String]) -> Option<MavenCommand> {
    let variables = line.command.assignments().map(|word| word.spelled.clone()).collect();
    let mut asked = MavenCommand { variables, ..MavenCommand::default() };
    let mut names_goals = false;
    let mut words = line.command.words.iter().skip(1);
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-f" | "--file" => return None,
            "-P" | "--activate-profiles" => {
                let profiles = words.next().filter(|word| word.is_fixed());
                asked.options.extend(profiles.map(|word| format!("-P{}", word.spelled)));
            }
            "-D" | "--define" => {
                if let Some(property) = words.next().filter(|word| word.is_fixed()) {
                    asked.define(&property.spelled);
                }
            }
            option if VALUED.contains(&option) => drop(words.next()),
            _ if !word.is_fixed() => {}
            option if option.starts_with("-P") => asked.options.push(word.spelled.clone()),
            option if option.starts_with("-D") => asked.define(word.spelled.trim_start_matches("-D")),
            option if option.starts_with('-') => {}
            goal => {
                names_goals = true;
                asked.goals.extend(looking(goal));
            }
        }
    }
    if !names_goals {
        asked.goals = default.to_vec();
    }
    // Without the tests it only builds.
    if asked.skips {
        asked.goals.retain(|goal| phase(goal).is_none());
    }
    (!asked.goals.is_empty()).then_some(asked)
}

/// Returns the form of a goal that only checks.
fn looking(goal: &str) -> Option<String> {
    match goal {
        // Before installing into the local repository, Maven verifies.
        "install" => Some("verify".to_owned()),
        "spotless:apply" => Some("spotless:check".to_owned()),
        goal if PHASES.contains(&goal) || LOOKS.iter().any(|end| goal.ends_with(end)) => Some(goal.to_owned()),
        _ => None,
    }
}

fn default_goals(place: &ProjectDirectory<'_>) -> Vec<String> {
    let text = place.text("pom.xml").unwrap_or_default();
    let said = text.split_once("<defaultGoal>").and_then(|(_, rest)| rest.split_once("</defaultGoal>"));
    let plain =
        |goal: &&str| goal.chars().all(|character| character.is_ascii_alphanumeric() || "-:.".contains(character));
    said.map(|(goals, _)| goals.split_whitespace().filter(plain).filter_map(looking).collect()).unwrap_or_default()
}
