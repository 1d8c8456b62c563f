//! The work of an action in words for people.

use referee_model::plan::service::{Port, Probe};
use referee_model::plan::{FileCheck, FileRoot, HttpRequest, Interaction, Invocation, Service, Work};

/// Returns the work of an action as a prefix and a text: `$` and a command, `GET` and a URL.
pub(crate) fn work(work: &Work) -> (String, String) {
    match work {
        Work::Command(command) => ("$".to_owned(), command_line(&command.invocation)),
        Work::File(check) => (if check.glob { "files" } else { "file" }.to_owned(), path(check)),
        Work::Http(request) => http(request),
        Work::Service(service) => self::service(service),
        Work::Interaction(interaction) => (interacts(interaction).to_owned(), interaction.as_line()),
    }
}

/// Returns the word before what is asked.
fn interacts(interaction: &Interaction) -> &'static str {
    match interaction {
        Interaction::Query(_) => "query",
        Interaction::Browser(_) => "browser",
    }
}

fn http(request: &HttpRequest) -> (String, String) {
    (request.method.as_str().to_owned(), request.url.to_string())
}

fn service(service: &Service) -> (String, String) {
    match &service.command {
        Some(command) => ("$".to_owned(), command_line(&command.invocation)),
        None => ("service".to_owned(), service.kind.as_str().to_owned()),
    }
}

/// Returns the path of a file check, with its base directory where that is not the workspace.
fn path(check: &FileCheck) -> String {
    match &check.root {
        FileRoot::Workspace => check.path.to_string(),
        FileRoot::Listed(directory) => directory.join(check.path.as_str()).display().to_string(),
    }
}

/// Returns the text of a sign of readiness.
pub(crate) fn probe(probe: &Probe) -> String {
    match probe {
        Probe::Url { url, verify_tls } => {
            let unchecked = if *verify_tls { "" } else { ", certificates unchecked" };
            format!("{url} answers{unchecked}")
        }
        Probe::Port(port) => format!("{} accepts connections", self::port(port)),
        Probe::Address { host, port } => format!("{host}:{port} accepts connections"),
        Probe::Output(pattern) => format!("its output matches /{pattern}/"),
    }
}

/// Returns the text of a service's port.
pub(crate) fn port(port: &Port) -> String {
    match port {
        Port::Fixed(number) => format!("port {number}"),
        Port::Auto(name) => format!("a free port, known as ${{{name}}}"),
    }
}

/// Returns a command as a person would type it.
pub(crate) fn command_line(invocation: &Invocation) -> String {
    invocation.as_line()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn arguments_are_quoted_where_a_shell_would_split_or_expand_them() {
        let argv =
            ["npx", "jest", "--testNamePattern=a b", "", "it's", "$HOME", "src/*.ts"].map(str::to_owned).to_vec();
        assert_eq!(
            command_line(&Invocation::Argv(argv)),
            r"npx jest '--testNamePattern=a b' '' 'it'\''s' '$HOME' 'src/*.ts'"
        );
    }
}
