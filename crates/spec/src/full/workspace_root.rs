//! Location of the workspace, and of paths in it (ruling 3).

use std::path::PathBuf;

use referee_model::id::WorkspacePath;
use referee_model::plan::FileRoot;
use referee_syntax::span::Span;
use referee_syntax::tree::{Member, Node};

use super::filler::{Filled, Filler};
use super::{Context, Reader};
use crate::complaint::{Code, Finding, Findings};
use crate::source::quote;
use crate::variables::Variables;

pub(super) struct WorkspaceRoot {
    pub(super) workspace: PathBuf,
    /// Whether it is on this machine.
    pub(super) is_here: bool,
    /// Directory as the document names it: paths that begin with it are relative to the workspace, wherever that is.
    declared: Option<String>,
    /// Whether the document was written on Windows, where backslashes separate paths.
    windows: bool,
    /// Absolute directories outside the workspace whose files may be checked, with slashes.
    listed: Vec<String>,
}

/// Determines the workspace: the one given by the caller, else that of the document, else the document's
/// directory. Also returns the value of `${WORKSPACE_ROOT}` for the rest of the document.
pub(super) fn find(
    context: Context<'_>,
    root: Member<'_>,
    filler: &mut Filler<'_>,
    findings: &mut Findings,
) -> (WorkspaceRoot, String) {
    let base = context.given.unwrap_or(context.directory);
    let shown = base.to_string_lossy().into_owned();
    let built_in = Variables::built_in(&shown);
    let named = root.text_node().and_then(|(node, text)| {
        let filled = filler.fill(text, node.span, &built_in, findings)?;
        Some((node, text.contains("${WORKSPACE_ROOT}"), filled))
    });
    let Some((node, by_base, Filled { text, complete })) = named else {
        return (WorkspaceRoot::here(base.to_owned(), None), shown);
    };
    let declared = Some(text.clone());
    if context.given.is_some() {
        return (WorkspaceRoot::here(base.to_owned(), declared), shown);
    }
    let directory =
        if is_windows(&text) { on_this_machine(&slashes(&text, true)) } else { context.directory.join(&text) };
    match directory.canonicalize() {
        Ok(workspace) if workspace.is_dir() => {
            let root = if by_base { shown } else { workspace.to_string_lossy().into_owned() };
            (WorkspaceRoot::here(workspace, declared), root)
        }
        _ => {
            if complete {
                let message = format!(
                    "the workspace {} is not on this machine; name the workspace with --workspace",
                    quote(&text)
                );
                filler.problem("workspace", Finding::warning(Code::NoWorkspace, node.span, message), findings);
            }
            let root = if is_windows(&text) { text } else { directory.to_string_lossy().into_owned() };
            (WorkspaceRoot { is_here: false, ..WorkspaceRoot::here(directory, declared) }, root)
        }
    }
}

pub(super) enum Located {
    Inside(WorkspacePath),
    /// Inside a listed directory outside of it.
    Listed(PathBuf, WorkspacePath),
    Outside,
}

impl WorkspaceRoot {
    fn here(workspace: PathBuf, declared: Option<String>) -> Self {
        let windows = declared.as_deref().is_some_and(is_windows);
        let declared = declared.map(|text| slashes(&text, windows)).filter(|text| is_absolute(text));
        Self { workspace, is_here: true, declared, windows, listed: Vec::new() }
    }

    /// Adds directories outside of the workspace; those inside need not be listed.
    pub(super) fn list(&mut self, directory: &str) {
        let text = slashes(directory, self.windows || is_windows(directory));
        if let Located::Outside = self.locate(&text) {
            self.listed.extend(self.absolute(&text));
        }
    }

    /// Returns where a path leads.
    pub(super) fn locate(&self, text: &str) -> Located {
        let text = slashes(text, self.windows || is_windows(text));
        let workspace = self.root();
        let roots = self.declared.iter().map(String::as_str).chain([workspace.as_str()]);
        let inner = roots.filter(|root| is_absolute(root)).find_map(|root| below(&text, root));
        let relative = if is_absolute(&text) { inner } else { Some(text.as_str()) };
        if let Some(path) = relative.and_then(|relative| WorkspacePath::parse(relative).ok()) {
            return Located::Inside(path);
        }
        let Some(absolute) = self.absolute(&text) else { return Located::Outside };
        let found = self.listed.iter().find_map(|directory| {
            let inner = below(&absolute, directory).map(WorkspacePath::parse)?.ok()?;
            Some(Located::Listed(on_this_machine(directory), inner))
        });
        found.unwrap_or(Located::Outside)
    }

    /// Returns the workspace for comparison with paths: by its name on its machine.
    fn root(&self) -> String {
        match &self.declared {
            Some(declared) if self.windows && !self.is_here => declared.clone(),
            _ => slashes(&self.workspace.to_string_lossy(), self.windows),
        }
    }

    /// Returns a path as an absolute one, without `.` and `..`. None: it leads nowhere.
    fn absolute(&self, text: &str) -> Option<String> {
        let workspace = self.root();
        let joined = if is_absolute(text) { text.to_owned() } else { format!("{workspace}/{text}") };
        let (drive, rest) = if is_windows(&joined) { joined.split_at(2) } else { ("", joined.as_str()) };
        let mut parts: Vec<&str> = Vec::new();
        for part in rest.split('/') {
            match part {
                "" | "." => {}
                ".." => drop(parts.pop()?),
                name => parts.push(name),
            }
        }
        Some(format!("{drive}/{}", parts.join("/")))
    }
}

impl Reader<'_> {
    /// Reads a path that must stay in the workspace.
    pub(super) fn workspace_path(&mut self, node: &Node, variables: &Variables<'_>) -> Option<WorkspacePath> {
        let Filled { text, complete } = self.filler.fill(node.text()?, node.span, variables, self.findings)?;
        self.inside(&text, complete, node.span)
    }

    /// Checks a path that must stay in the workspace. An incomplete one has its own problem, and is not checked.
    pub(super) fn inside(&mut self, text: &str, complete: bool, span: Span) -> Option<WorkspacePath> {
        match self.place.locate(text) {
            Located::Inside(path) => Some(path),
            _ if !complete => Some(WorkspacePath::root()),
            Located::Listed(..) | Located::Outside => {
                let message = format!("the path {} is outside the workspace: use a path inside it", quote(text));
                self.findings.push(Finding::error(Code::LeavesWorkspace, span, message));
                None
            }
        }
    }

    /// Reads the path of a file to check, which may be in a listed directory.
    pub(super) fn file_path(
        &mut self,
        node: &Node,
        variables: &Variables<'_>,
    ) -> Option<(FileRoot, WorkspacePath, bool)> {
        let Filled { text, complete } = self.filler.fill(node.text()?, node.span, variables, self.findings)?;
        match self.place.locate(&text) {
            Located::Inside(path) => Some((FileRoot::Workspace, path, complete)),
            Located::Listed(directory, path) => Some((FileRoot::Listed(directory), path, complete)),
            Located::Outside if !complete => Some((FileRoot::Workspace, WorkspacePath::root(), false)),
            Located::Outside => {
                let message = format!("the path {} is outside the workspace", quote(&text));
                let help = if self.is_short() {
                    "use a path inside it"
                } else {
                    "use a path inside it, or list its directory in \
                     `executorConfigurations.FILE_VALIDATION.allowedDirectories`"
                };
                self.findings.push(Finding::error(Code::LeavesWorkspace, node.span, message).help(help));
                None
            }
        }
    }
}

/// Returns whether a text is an absolute Windows path.
fn is_windows(text: &str) -> bool {
    let mut characters = text.chars();
    let drive = characters.next().is_some_and(|first| first.is_ascii_alphabetic());
    (drive && characters.next() == Some(':') && matches!(characters.next(), None | Some('/' | '\\')))
        || text.starts_with(r"\\")
}

/// Returns the path of an absolute directory on this machine. A Windows directory does not exist here, but gets
/// an absolute name, so that a plan that names it can be stored and read.
fn on_this_machine(directory: &str) -> PathBuf {
    if is_windows(directory) { PathBuf::from(format!("/{directory}")) } else { PathBuf::from(directory) }
}

pub(super) fn is_absolute(text: &str) -> bool {
    text.starts_with('/') || is_windows(text)
}

fn slashes(text: &str, windows: bool) -> String {
    if windows { text.replace('\\', "/") } else { text.to_owned() }
}

/// Returns a path relative to a directory. Drives and directories of Windows are compared case-insensitively.
fn below<'a>(path: &'a str, directory: &str) -> Option<&'a str> {
    let directory = directory.trim_end_matches('/');
    let head = path.get(..directory.len())?;
    let same = if is_windows(directory) { head.eq_ignore_ascii_case(directory) } else { head == directory };
    let rest = &path[directory.len()..];
    (same && (rest.is_empty() || rest.starts_with('/'))).then(|| rest.trim_start_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(located: Located) -> String {
        match located {
            Located::Inside(path) => path.to_string(),
            Located::Listed(directory, path) => format!("{} {path}", directory.display()),
            Located::Outside => "outside".to_owned(),
        }
    }

    #[test]
    fn paths_lead_into_the_workspace_by_whichever_name_it_has() {
        let table: &[(&str, &[(&str, &str)])] = &[
            (
                "D:/x",
                &[
                    ("D:/x/packages/web", "packages/web"),
                    (r"d:\X\packages\web", "packages/web"),
                    (r"packages\web", "packages/web"),
                    ("D:/x", "."),
                    ("D:/x/", "."),
                    ("D:/xy", "outside"),
                    ("D:/x/../y", "outside"),
                    ("C:/x/a", "outside"),
                    ("/w/a", "a"),
                    ("/etc/passwd", "outside"),
                    ("a/../..", "outside"),
                    (r"\\server\share", "outside"),
                ],
            ),
            ("/home/me/project/", &[("/home/me/project/a", "a"), ("/home/me/projects", "outside"), (r"a\b", r"a\b")]),
            ("sub", &[("a", "a"), ("sub/a", "sub/a"), ("/w/sub", "sub")]),
        ];
        for (declared, rows) in table {
            let place = WorkspaceRoot::here(PathBuf::from("/w"), Some((*declared).to_owned()));
            for (text, expected) in *rows {
                assert_eq!(shown(place.locate(text)), *expected, "{declared} {text}");
            }
        }
    }

    #[test]
    fn directories_outside_are_found_where_they_are_listed() {
        let mut place = WorkspaceRoot::here(PathBuf::from("/w/a"), None);
        for directory in ["/opt/tools", "../shared", "inner"] {
            place.list(directory);
        }
        for (text, expected) in [
            ("/opt/tools/x", "/opt/tools x"),
            ("/opt/tools", "/opt/tools ."),
            ("/opt/tools/../x", "outside"),
            ("/opt/tool", "outside"),
            ("../shared/x", "/w/shared x"),
            ("../other", "outside"),
            ("inner/x", "inner/x"),
            ("/../x", "outside"),
        ] {
            assert_eq!(shown(place.locate(text)), expected, "{text}");
        }
    }
}
