//! The words that are added to a command of docker or podman, and those that are asked of it afterwards.

use std::path::Path;

use referee_model::plan::{Container, ContainerOperation};

/// Label of a container with the id of the run that started it.
pub(super) const RUN: &str = "referee.run";

/// Label of a container with the digest of the task that it was started for, which is the same in each run.
pub(super) const TASK: &str = "referee.task";

/// Options of `compose` before its subcommand that take a value.
const COMPOSE_VALUES: [&str; 14] = [
    "-f",
    "--file",
    "-p",
    "--project-name",
    "--profile",
    "--env-file",
    "--project-directory",
    "--workdir",
    "--ansi",
    "--progress",
    "--parallel",
    "-H",
    "-c",
    "--podman-run-args",
];

/// What a command of docker or podman starts that may outlive it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Starts {
    /// Nothing.
    Nothing,
    /// One container, whose id is written to a file.
    One,
    /// Containers that can be found by their label only.
    Labelled,
    /// The containers of a project, which take no labels; with the options of `compose` before its subcommand.
    Project { options: Vec<String> },
}

/// The two labels of a container that a run starts.
#[derive(Debug, Clone)]
pub(super) struct Labels {
    pub(super) run: String,
    pub(super) task: String,
}

impl Labels {
    fn options(&self) -> [String; 4] {
        let label = "--label".to_owned();
        [label.clone(), format!("{RUN}={}", self.run), label, format!("{TASK}={}", self.task)]
    }
}

/// Determines what a command starts.
pub(super) fn starts(container: &Container) -> Starts {
    match container.operation {
        ContainerOperation::Run => Starts::One,
        ContainerOperation::Compose => {
            let Some(at) = compose_subcommand(&container.arguments) else { return Starts::Nothing };
            match container.arguments[at].as_str() {
                "run" => Starts::Labelled,
                "up" => Starts::Project { options: container.arguments[..at].to_vec() },
                _ => Starts::Nothing,
            }
        }
        // The label of an image is that of every container that is ever made of it, whoever makes it.
        ContainerOperation::Build
        | ContainerOperation::Exec
        | ContainerOperation::Ps
        | ContainerOperation::Logs
        | ContainerOperation::Inspect => Starts::Nothing,
    }
}

/// Returns the arguments of a command with the labels, and with the file for the container's id where there is one.
pub(super) fn marked(container: &Container, labels: &Labels, id_file: Option<&Path>) -> Vec<String> {
    let mut arguments = container.arguments.clone();
    match starts(container) {
        Starts::Nothing | Starts::Project { .. } => {}
        Starts::One => {
            let id_file = id_file.map(|file| ["--cidfile".to_owned(), file.to_string_lossy().into_owned()]);
            arguments.splice(0..0, labels.options().into_iter().chain(id_file.into_iter().flatten()));
        }
        Starts::Labelled => {
            let at = compose_subcommand(&arguments).map_or(arguments.len(), |at| at + 1);
            arguments.splice(at..at, labels.options());
        }
    }
    arguments
}

/// Whether the author has the container removed as soon as it ends.
pub(super) fn removes_itself(container: &Container) -> bool {
    container.arguments.iter().any(|argument| argument == "--rm" || argument == "--rm=true")
}

/// Returns the place of the subcommand among the arguments of `compose`. None: there is none.
fn compose_subcommand(arguments: &[String]) -> Option<usize> {
    let mut at = 0;
    while let Some(argument) = arguments.get(at) {
        if !argument.starts_with('-') {
            return Some(at);
        }
        at += if COMPOSE_VALUES.contains(&argument.as_str()) { 2 } else { 1 };
    }
    None
}

#[cfg(test)]
mod tests {
    use referee_model::plan::ContainerProgram;

    use super::*;

    fn container(line: &str) -> Container {
        let mut words = line.split(' ').map(str::to_owned);
        let word = words.next().unwrap();
        Container {
            program: ContainerProgram::Any,
            global_options: Vec::new(),
            operation: ContainerOperation::parse(&word).unwrap(),
            arguments: words.collect(),
            detached: false,
        }
    }

    #[test]
    fn what_starts_containers_gets_labels_after_its_subcommand_and_all_else_stays_as_it_is() {
        let labels = Labels { run: "r".to_owned(), task: "t".to_owned() };
        let added = "--label referee.run=r --label referee.task=t";
        for (given, expected) in [
            ("run busybox run", format!("{added} --cidfile /i busybox run")),
            ("compose run web", format!("run {added} web")),
            ("compose -f up --profile run run web up", format!("-f up --profile run run {added} web up")),
            ("compose --file=a.yaml run web", format!("--file=a.yaml run {added} web")),
            ("compose -f a.yaml up -d", "-f a.yaml up -d".to_owned()),
            ("compose -f run", "-f run".to_owned()),
            ("build .", ".".to_owned()),
            ("exec web run", "web run".to_owned()),
            ("ps -a", "-a".to_owned()),
        ] {
            assert_eq!(marked(&container(given), &labels, Some(Path::new("/i"))).join(" "), expected, "{given}");
        }
    }

    #[test]
    fn a_project_keeps_the_options_by_which_it_is_found_again() {
        let options = ["-f", "a.yaml"].map(str::to_owned).to_vec();
        assert_eq!(starts(&container("compose -f a.yaml up -d")), Starts::Project { options });
        assert_eq!(starts(&container("compose down")), Starts::Nothing);
    }
}
