//! Checks that run docker or podman, in the short form.

use crate::form::http::URL;
use crate::form::keys::fields;
use crate::form::shape::{Field, Shape};
use crate::form::terms::{ANY_MAPPING, ANY_TEXT, COMMAND_LINE, LINE, TEXTS, keyword, optional};

pub(super) const DOCKER: Field = optional(
    "docker",
    "A subcommand of docker or podman.",
    keyword(&["run", "exec", "build", "compose", "ps", "logs", "inspect"]),
);

fields!(pub(super) DOCKER_FIELDS: Docker {
    fields: &[
        image: optional("The image to `run` or `inspect`.", Shape::Text(LINE)),
        container: optional("The container to `exec` in, to `inspect`, or whose `logs` are read.", Shape::Text(LINE)),
        context: optional("The directory to `build` of. Default: the one that it runs in.", Shape::Text(LINE)),
        command: optional(
            "What is run in it, or the subcommand of `compose`. A text is split into words, and given to no shell.",
            Shape::Either(&[
                Shape::Text(COMMAND_LINE),
                Shape::List { item: &Shape::Text(ANY_TEXT), min: 1 },
            ]),
        ),
        arguments: optional("Further options of the subcommand, in order.", TEXTS),
        volumes: optional("Volumes to mount, as docker writes them.", TEXTS),
        ports: optional("Ports to publish, as docker writes them.", TEXTS),
        detached: optional("Whether it runs on until the end of the task. Default false.", Shape::Boolean),
        program: optional("The program. Default: docker, or else podman.", keyword(&["docker", "podman"])),
        docker_host: optional("URL of the daemon. Default: that of docker.", Shape::Text(URL)),
        registry_auth: optional("Only `authFile`, the path of a file with logins.", ANY_MAPPING),
    ],
    also: &[docker: DOCKER.name],
});
