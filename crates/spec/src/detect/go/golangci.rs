//! Checks of golangci-lint by its configuration, if CI runs it: `go vet` and gofmt are available even without it.

use referee_syntax::tree::Node;

use super::super::ProjectDirectory;
use super::super::manifest_document;
use super::super::text::has_extension;

pub(super) const CONFIGS: &[&str] = &[".golangci.yml", ".golangci.yaml", ".golangci.toml", ".golangci.json"];

/// golangci-lint, as CI runs it.
pub(super) struct Golangci {
    pub(super) workflow: String,
    name: String,
    /// Configuration. None: there is none, so all defaults apply.
    config: Option<Node>,
}

/// Whether one of its tools is used.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum LinterUse {
    /// With the default settings of the tool.
    So,
    /// With settings or exceptions that the tool alone does not know.
    Otherwise,
    No,
}

impl Golangci {
    /// Reads the use of golangci-lint. None: CI does not run it, or its configuration cannot be read.
    pub(super) fn read(place: &ProjectDirectory<'_>) -> Option<Self> {
        let run = place.lines().find(|line| line.is_of_ci && line.command.runs("golangci-lint run"));
        let workflow = match run {
            Some(run) => run.file.clone(),
            None => place.ci.uses("golangci-lint-action")?.to_owned(),
        };
        let file = place.first(CONFIGS);
        let config = match file {
            Some(file) if !has_extension(file, "toml") => {
                let text = place.text(file)?;
                // An empty file has no settings.
                if text.trim().is_empty() { None } else { Some(manifest_document::tree(text)?) }
            }
            Some(_) => return None,
            None => None,
        };
        Some(Self { workflow, name: file.unwrap_or("golangci-lint").to_owned(), config })
    }

    /// Returns the reason for a proposal.
    pub(super) fn because(&self, what: &str) -> String {
        format!("{} {what}, and {} runs golangci-lint", self.name, self.workflow)
    }

    /// Returns the use of `govet`, which is enabled by default.
    pub(super) fn vet(&self) -> LinterUse {
        let Some(config) = &self.config else { return LinterUse::So };
        let linters = config.get("linters");
        let names = |key: &str| holds(linters.and_then(|linters| linters.get(key)), "govet");
        let are_off = linters.is_some_and(|linters| {
            linters.get("default").and_then(Node::text) == Some("none")
                || linters.get("disable-all").and_then(Node::boolean) == Some(true)
        });
        if names("disable") || are_off && !names("enable") {
            return LinterUse::No;
        }
        let settings = [at(config, &["linters", "settings", "govet"]), at(config, &["linters-settings", "govet"])];
        let exceptions = [
            at(config, &["linters", "exclusions"]),
            at(config, &["issues", "exclude-rules"]),
            at(config, &["issues", "exclude-dirs"]),
        ];
        let concerns = |node: &Node| mentions(node, "govet") || node.get("paths").is_some();
        let is_excepted = exceptions.into_iter().flatten().any(concerns);
        if settings.iter().any(Option::is_some) || is_excepted { LinterUse::Otherwise } else { LinterUse::So }
    }

    pub(super) fn gofmt(&self) -> LinterUse {
        let Some(config) = &self.config else { return LinterUse::No };
        let enabled = [at(config, &["formatters", "enable"]), at(config, &["linters", "enable"])];
        if !enabled.into_iter().any(|names| holds(names, "gofmt")) {
            return LinterUse::No;
        }
        let excluded = at(config, &["formatters", "exclusions", "paths"]).is_some()
            || at(config, &["issues", "exclude-dirs"]).is_some();
        if excluded { LinterUse::Otherwise } else { LinterUse::So }
    }

    /// Returns whether gofmt simplifies code, which is the default.
    pub(super) fn simplifies(&self) -> bool {
        let config = self.config.as_ref();
        let said = |keys: &[&str]| config.and_then(|config| at(config, keys)?.get("simplify")?.boolean());
        said(&["formatters", "settings", "gofmt"]).or(said(&["linters-settings", "gofmt"])) != Some(false)
    }
}

fn at<'a>(node: &'a Node, keys: &[&str]) -> Option<&'a Node> {
    keys.iter().try_fold(node, |node, key| node.get(key))
}

fn holds(list: Option<&Node>, name: &str) -> bool {
    list.is_some_and(|list| list.elements().iter().any(|element| element.text() == Some(name)))
}

/// Returns whether a text anywhere below is this word.
fn mentions(node: &Node, word: &str) -> bool {
    node.text() == Some(word)
        || node.elements().iter().any(|element| mentions(element, word))
        || node.entries().iter().any(|entry| mentions(&entry.value, word))
}
