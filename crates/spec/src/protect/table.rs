//! Default protection: the rows of `defaults.toml`.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use referee_model::lock::Newcomers;
use referee_model::run_context::protection::Mode;
use referee_syntax::tree::Node;

use crate::detect::Ecosystem;
use referee_syntax::table::Table;

/// Files that identify the kind of a project: whole names, or suffixes.
const MARKERS: &[(Ecosystem, &[&str], &[&str])] = &[
    (Ecosystem::Node, &["package.json", "deno.json", "bunfig.toml"], &[]),
    (Ecosystem::Python, &["pyproject.toml", "setup.cfg", "Pipfile"], &[".py"]),
    (Ecosystem::Rust, &["Cargo.toml"], &[]),
    (Ecosystem::Go, &["go.mod"], &[]),
    (Ecosystem::Java, &["pom.xml", "build.gradle", "build.gradle.kts", "build.sbt"], &[]),
    (Ecosystem::Dotnet, &[], &[".csproj", ".fsproj", ".sln"]),
    (Ecosystem::Ruby, &["Gemfile", "Rakefile"], &[]),
    (Ecosystem::Php, &["composer.json"], &[]),
];

/// Determines the kinds of a project from the names of its files.
pub(super) fn kinds(files: &BTreeSet<&str>) -> BTreeSet<Ecosystem> {
    let name = |path: &&str| path.rsplit('/').next().unwrap_or_default().to_owned();
    let names: BTreeSet<String> = files.iter().map(name).collect();
    let is = |(_, whole, endings): &&(Ecosystem, &[&str], &[&str])| {
        whole.iter().any(|name| names.contains(*name))
            || endings.iter().any(|ending| names.iter().any(|name| name.ends_with(ending)))
    };
    MARKERS.iter().filter(is).map(|(ecosystem, ..)| *ecosystem).collect()
}

/// Files of one kind with the same protection, or values in files of one name.
pub(super) struct Default {
    /// Kind of project that it applies to. None: any.
    ecosystem: Option<Ecosystem>,
    /// Name of the files whose values are protected. None: files are protected as a whole.
    pub(super) name: Option<String>,
    pub(super) mode: Mode,
    pub(super) newcomers: Newcomers,
    /// Reason, as the end of a sentence that begins with the file.
    pub(super) reason: String,
    /// Patterns of files, or pointers to values.
    pub(super) subjects: Vec<String>,
}

static DEFAULTS: LazyLock<Vec<Default>> = LazyLock::new(|| {
    let table = Table::read(include_str!("defaults.toml"));
    table.rows("files").iter().map(Default::read).collect::<Option<_>>().expect("every row has its columns")
});

/// Returns the defaults for a project of these kinds; of two that match a file the stricter one wins.
pub(super) fn defaults(project: &BTreeSet<Ecosystem>) -> impl Iterator<Item = &'static Default> {
    DEFAULTS.iter().filter(|default| default.ecosystem.is_none_or(|of| project.contains(&of)))
}

impl Default {
    fn read(row: &Node) -> Option<Self> {
        let text = |key: &str| row.get(key).and_then(Node::text);
        Some(Self {
            ecosystem: match text("of") {
                Some(word) => Some(Ecosystem::parse(word)?),
                None => None,
            },
            name: text("name").map(str::to_owned),
            mode: Mode::parse(text("mode")?)?,
            newcomers: match text("newcomers") {
                None => Newcomers::Free,
                Some("refused") => Newcomers::Refused,
                Some("governing") => Newcomers::Governing,
                Some(_) => return None,
            },
            reason: text("reason")?.to_owned(),
            subjects: row
                .get("patterns")
                .or_else(|| row.get("pointers").filter(|_| text("name").is_some()))?
                .elements()
                .iter()
                .map(|subject| subject.text().map(str::to_owned))
                .collect::<Option<_>>()?,
        })
    }
}
