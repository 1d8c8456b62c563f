//! A detected project, with the proposals for it.

mod names;

use std::collections::BTreeSet;

use referee_model::plan::{Role, Strategy};
use referee_model::selection::Level;

use super::ci::{Ci, Line};

referee_model::words! {
    /// A language with its tools.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Ecosystem {
        /// Node and related runtimes: npm, yarn, pnpm, bun.
        Node = "node",
        Python = "python",
        Rust = "rust",
        Go = "go",
        /// Java and Kotlin, with Maven or Gradle.
        Java = "java",
        Dotnet = "dotnet",
        Php = "php",
        Ruby = "ruby",
        Shell = "shell",
        /// C, C++ and other languages built by make, CMake or Meson.
        Native = "native",
    }
}

/// A proposed check, or a step before the checks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Proposal {
    /// Unique name.
    pub name: String,
    pub line: String,
    /// Working directory, relative to the root; empty for the root.
    pub directory: String,
    /// Smallest profile in which the check runs.
    pub level: Level,
    /// Role, if the line does not reveal it.
    pub role: Option<Role>,
    /// Names of checks and services that must pass first.
    pub needs: Vec<String>,
    /// Whether its runner is known to print no summary, so that the exit code alone decides.
    pub exit_code_only: bool,
    /// Reason for proposing it, or for leaving it to people.
    pub because: String,
}

/// A proposed service.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ServiceProposal {
    pub name: String,
    /// Command line that starts the service.
    pub line: String,
    /// Directory in which the service runs; empty for the root.
    pub directory: String,
    /// Sign of readiness.
    pub ready: ReadySign,
    /// Whether a proposed check needs it. Otherwise it is left to people.
    pub needed: bool,
    pub because: String,
}

/// Sign that a service is ready.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum ReadySign {
    Url(String),
    /// The service listens on this port of this machine.
    Port(u16),
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PolicyChoice {
    BlockOn(Strategy),
    /// Number of allowed warnings, where errors block.
    MaxWarnings(u64),
}

/// Files that checks create, to be excluded from the inputs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OutputProposal {
    /// Path or glob pattern, relative to the root.
    pub path: String,
    pub because: String,
}

/// A proposed policy.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PolicyProposal {
    /// Tool or category.
    pub tool: String,
    pub wanted: PolicyChoice,
    pub because: String,
}

/// A project detected in a directory, without its proposals.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    pub ecosystem: Ecosystem,
    /// Directory relative to the root; empty for the root.
    pub directory: String,
    /// Signs by which it was detected, and further observations (`npm, by package-lock.json`).
    pub signs: Vec<String>,
}

/// Everything detected in a tree.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Project {
    /// Title for people. None: none was found.
    pub title: Option<String>,
    pub parts: Vec<Part>,
    /// CI files whose commands were read.
    pub workflows: Vec<String>,
    /// Prerequisites of the checks.
    pub prerequisites: Vec<Proposal>,
    /// Servers that checks need, or may need.
    pub services: Vec<ServiceProposal>,
    pub checks: Vec<Proposal>,
    pub policies: Vec<PolicyProposal>,
    /// Checks that were detected and are left to people, with the reason.
    pub left_to_people: Vec<Proposal>,
    /// Checks that were tried and do not work here, with the reason. Written as comments.
    pub not_working: Vec<Proposal>,
    /// Files and directories that checks create, with the reason.
    pub outputs: Vec<OutputProposal>,
    /// Header of the project's files, line by line, without comment markers.
    pub header: Vec<String>,
    /// Notes on what was ignored, and other remarks.
    pub notes: Vec<String>,
}

/// Result of one detector for one directory.
#[derive(Debug)]
pub(super) struct Draft {
    pub(super) ecosystem: Ecosystem,
    pub(super) directory: String,
    pub(super) title: Option<String>,
    pub(super) signs: Vec<String>,
    pub(super) prerequisites: Vec<Proposal>,
    pub(super) services: Vec<ServiceProposal>,
    pub(super) checks: Vec<Proposal>,
    pub(super) policies: Vec<PolicyProposal>,
    pub(super) left_to_people: Vec<Proposal>,
    pub(super) notes: Vec<String>,
}

impl Draft {
    pub(super) fn new(ecosystem: Ecosystem, directory: &str, sign: impl Into<String>) -> Self {
        Self {
            ecosystem,
            directory: directory.to_owned(),
            title: None,
            signs: vec![sign.into()],
            prerequisites: Vec::new(),
            services: Vec::new(),
            checks: Vec::new(),
            policies: Vec::new(),
            left_to_people: Vec::new(),
            notes: Vec::new(),
        }
    }

    /// Creates a proposal for this directory.
    pub(super) fn proposal(
        &self,
        name: &str,
        line: impl Into<String>,
        level: Level,
        because: impl Into<String>,
    ) -> Proposal {
        Proposal {
            name: name.to_owned(),
            line: line.into(),
            directory: self.directory.clone(),
            level,
            role: None,
            needs: Vec::new(),
            exit_code_only: false,
            because: because.into(),
        }
    }

    /// Proposes a check; a number makes its name unique.
    pub(super) fn check(
        &mut self,
        name: &str,
        line: impl Into<String>,
        level: Level,
        because: impl Into<String>,
    ) -> &mut Proposal {
        let name = names::numbered(name, |name| self.checks.iter().all(|check| check.name != *name));
        let proposal = self.proposal(&name, line, level, because);
        self.checks.push(proposal);
        let last = self.checks.len() - 1;
        &mut self.checks[last]
    }

    /// Adds a check about which people have to decide.
    pub(super) fn leave(&mut self, name: &str, line: impl Into<String>, level: Level, because: impl Into<String>) {
        let proposal = self.proposal(name, line, level, because);
        self.left_to_people.push(proposal);
    }

    /// Proposes a check if it is run, else leaves it to people: a checker that is configured but never run says
    /// nothing about whether the project is green.
    pub(super) fn check_if_run(
        &mut self,
        name: &str,
        line: &str,
        level: Level,
        configured: &str,
        run_by: Option<&Line>,
    ) {
        match run_by {
            Some(run) => drop(self.check(name, line, level, format!("{configured}, and {} runs it", run.file))),
            None => self.leave(name, line, level, format!("{configured}, but neither a script nor CI runs it")),
        }
    }

    /// Proposes a policy, with its reason.
    pub(super) fn policy(&mut self, tool: &str, wanted: PolicyChoice, because: impl Into<String>) {
        self.policies.push(PolicyProposal { tool: tool.to_owned(), wanted, because: because.into() });
    }

    /// Lets warnings of a tool block, too, with the reason.
    pub(super) fn block_on_warnings(&mut self, tool: &str, because: impl Into<String>) {
        self.policy(tool, PolicyChoice::BlockOn(Strategy::ErrorsAndWarnings), because);
    }

    /// Lets the format block: this file checks it.
    pub(super) fn block_on_format(&mut self, file: &str) {
        self.block_on_warnings("formatting", format!("{file} checks the format"));
    }

    /// Leaves all proposals to people.
    pub(super) fn leave_to_people(&mut self, because: &str) {
        self.policies.clear();
        self.left_to_people.clear();
        self.prerequisites.clear();
        for service in &mut self.services {
            service.needed = false;
        }
        for mut check in std::mem::take(&mut self.checks) {
            check.because = format!("{}; {because}", check.because);
            self.left_to_people.push(check);
        }
    }

    /// Ensures that the smallest profile has something to run: if it would be empty, the build, else the tests,
    /// else the linter (seed 4, "diagnostic command").
    fn promote(&mut self) {
        promote(&mut self.checks);
    }
}

fn promote(checks: &mut [Proposal]) {
    if checks.iter().any(|check| check.level == Level::Smoke) {
        return;
    }
    let place = ["build", "test", "lint"].iter().find_map(|name| checks.iter().position(|check| check.name == *name));
    if let Some(check) = checks.get_mut(place.unwrap_or(0)) {
        check.level = Level::Smoke;
    }
}

impl Project {
    pub(super) fn new(notes: Vec<String>) -> Self {
        Self { notes, ..Self::default() }
    }

    /// Adds a draft, making names unique.
    pub(super) fn add(&mut self, mut draft: Draft) {
        draft.promote();
        let mut taken: BTreeSet<String> =
            self.checks.iter().chain(&self.prerequisites).map(|check| check.name.clone()).collect();
        taken.extend(self.services.iter().map(|service| service.name.clone()));
        let names: Vec<String> = draft
            .prerequisites
            .iter()
            .map(|check| check.name.clone())
            .chain(draft.services.iter().map(|service| service.name.clone()))
            .chain(draft.checks.iter().map(|check| check.name.clone()))
            .collect();
        let mut renamed: Vec<(String, String)> = Vec::new();
        for name in names {
            let free = names::free(&name, &draft, &taken);
            taken.insert(free.clone());
            renamed.push((name, free));
        }
        let new_name =
            |name: &str| renamed.iter().find(|(old, _)| old == name).map_or(name.to_owned(), |(_, new)| new.clone());
        for check in draft.prerequisites.iter_mut().chain(&mut draft.checks) {
            check.name = new_name(&check.name);
            check.needs = check.needs.iter().map(|need| new_name(need)).collect();
        }
        for service in &mut draft.services {
            service.name = new_name(&service.name);
        }
        if self.title.is_none() && draft.directory.is_empty() {
            self.title = draft.title.take();
        }
        self.parts.push(Part { ecosystem: draft.ecosystem, directory: draft.directory, signs: draft.signs });
        self.prerequisites.extend(draft.prerequisites);
        self.services.extend(draft.services);
        self.checks.extend(draft.checks);
        self.policies.extend(draft.policies);
        self.left_to_people.extend(draft.left_to_people);
        self.notes.extend(draft.notes);
    }

    /// Removes a check or prerequisite that does not work here; the reason, and how to make it work, become a
    /// comment.
    pub fn set_aside(&mut self, name: &str, because: String) {
        for list in [&mut self.prerequisites, &mut self.checks] {
            if let Some(place) = list.iter().position(|proposal| proposal.name == name) {
                self.not_working.push(Proposal { because, ..list.remove(place) });
                break;
            }
        }
        promote(&mut self.checks);
    }

    /// Completes what several parts have in common.
    pub(super) fn finish(&mut self, ci: &Ci) {
        self.workflows = ci.files();
        names::number(self);
        let policies = std::mem::take(&mut self.policies);
        for policy in &policies {
            if self.policies.iter().any(|other| other.tool == policy.tool) {
                continue;
            }
            if policies.iter().all(|other| other.tool != policy.tool || other.wanted == policy.wanted) {
                self.policies.push(policy.clone());
            } else {
                let note =
                    format!("the parts of this project want different policies of {}: none was written", policy.tool);
                if !self.notes.contains(&note) {
                    self.notes.push(note);
                }
            }
        }
    }
}
