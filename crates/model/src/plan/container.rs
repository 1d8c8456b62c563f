//! Containers (seed 1, `DOCKER_COMMAND`).

use serde::{Deserialize, Serialize};

/// A command of docker or podman.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Container {
    /// The program.
    pub program: ContainerProgram,
    /// Options before the subcommand, such as `--host URL`.
    pub global_options: Vec<String>,
    /// The subcommand.
    pub operation: ContainerOperation,
    /// Everything after the subcommand, in order.
    pub arguments: Vec<String>,
    /// Whether the container runs on until the end of the task.
    pub detached: bool,
}

impl Container {
    /// Returns program and arguments. An undetermined program is named `docker`.
    pub fn argv(&self) -> Vec<String> {
        let program = match self.program {
            ContainerProgram::Any | ContainerProgram::Docker => "docker",
            ContainerProgram::Podman => "podman",
        };
        let words = [program.to_owned()].into_iter().chain(self.global_options.iter().cloned());
        words.chain([self.operation.as_str().to_owned()]).chain(self.arguments.iter().cloned()).collect()
    }
}

/// The program that runs containers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum ContainerProgram {
    /// docker if available, else podman.
    Any,
    /// docker, or the command cannot start.
    Docker,
    /// podman, or the command cannot start.
    Podman,
}

document_words! {
    /// Subcommands (schema 2.0.0, `dockerCommand`).
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
    #[expect(missing_docs, reason = "they are the subcommands of docker")]
    pub enum ContainerOperation {
        Run = "run",
        Exec = "exec",
        Build = "build",
        Compose = "compose",
        Ps = "ps",
        Logs = "logs",
        Inspect = "inspect",
    }
}
