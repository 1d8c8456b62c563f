//! Checks that run docker or podman, in the short form.

use crate::form::http::URL;
use crate::form::keys::fields;
use crate::form::shape::{Field, Shape};
use crate::form::terms::{ANY_MAPPING, COMMAND, LINE, TEXTS, keyword, optional};

pub(super) const DOCKER: Field = optional(
    "docker",
    "A subcommand of docker or podman.",
    keyword(&["run", "exec", "build", "compose", "ps", "logs", "inspect"]),
);

fields! {
    pub(super) DOCKER_FIELDS: Docker {
        /// The image to `run` or `inspect`.
        image: optional(Shape::Text(LINE)),
        /// The container to `exec` in, to `inspect`, or whose `logs` are read.
        container: optional(Shape::Text(LINE)),
        /// The directory to `build` of. Default: the one that it runs in.
        context: optional(Shape::Text(LINE)),
        /// What is run in it, or the subcommand of `compose`. A text is split into words, and given to no shell.
        command: optional(COMMAND),
        /// Further options of the subcommand, in order.
        arguments: optional(TEXTS),
        /// Volumes to mount, as docker writes them.
        volumes: optional(TEXTS),
        /// Ports to publish, as docker writes them.
        ports: optional(TEXTS),
        /// Whether it runs on until the end of the task. Default false.
        detached: optional(Shape::Boolean),
        /// The program. Default: docker, or else podman.
        program: optional(keyword(&["docker", "podman"])),
        /// URL of the daemon. Default: that of docker.
        docker_host: optional(Shape::Text(URL)),
        /// Only `authFile`, the path of a file with logins.
        registry_auth: optional(ANY_MAPPING),
    } also { docker: DOCKER.name }
}
