//! Scripts of packages, by name.

use referee_model::run_context::protection::Mode;
use referee_syntax::pointer::step;
use serde_json::Value;

use super::{NAMES, Origin, Reach, Step, is_named, parent_directory};
use crate::expand::{self, Packages, Target};

impl Reach<'_, '_> {
    /// Follows a command that runs scripts of packages.
    pub(super) fn packages(&mut self, origin: &Origin<'_>, program: &str, words: &[&str]) {
        if NAMES.holds("programs.many-scripts", program) {
            return self.all_scripts(origin);
        }
        let words: Vec<String> = words.iter().map(|word| (*word).to_owned()).collect();
        let Some(Target::Script(call)) = expand::target(&words) else { return };
        let inner = call.directory.as_deref().unwrap_or_default();
        match call.packages {
            Packages::Own => {
                if let Some(package) = self.package_around(origin, inner) {
                    self.reach(Step::Script { package, name: call.name }, origin.by);
                }
            }
            Packages::All | Packages::Named(_) => {
                let packages = self.files.iter().filter(|path| is_package(path));
                for package in packages.map(|path| (*path).to_owned()).collect::<Vec<_>>() {
                    self.reach(Step::Script { package, name: call.name.clone() }, origin.by);
                }
            }
        }
    }

    /// Returns the `package.json` of a directory, or of the nearest one above it.
    fn package_around(&self, origin: &Origin<'_>, inner: &str) -> Option<String> {
        let mut directory = super::imports::joined(origin.directory, inner)?;
        loop {
            let path =
                if directory.is_empty() { "package.json".to_owned() } else { format!("{directory}/package.json") };
            if self.files.contains(path.as_str()) {
                return Some(path);
            }
            if directory.is_empty() {
                return None;
            }
            directory = parent_directory(&directory).to_owned();
        }
    }

    /// Protects all scripts if the selected ones are unknown, and follows those of the root package.
    fn all_scripts(&mut self, origin: &Origin<'_>) {
        for package in self.files.iter().copied().filter(|path| is_package(path)) {
            self.protect(package, Some("/scripts".to_owned()), Mode::Frozen, origin.by);
            for name in self.scripts_of(package).unwrap_or_default().keys() {
                self.reach(Step::Script { package: package.to_owned(), name: name.clone() }, origin.by);
            }
        }
    }

    fn scripts_of(&mut self, package: &str) -> Option<serde_json::Map<String, Value>> {
        let text = self.read(package)?;
        let document: Value = serde_json::from_str(text.trim_start_matches('\u{feff}')).ok()?;
        document.get("scripts")?.as_object().cloned()
    }

    /// Protects a script with its pre and post scripts, and follows their lines.
    pub(super) fn script(&mut self, package: &str, name: &str, by: &str) {
        let scripts = self.scripts_of(package).unwrap_or_default();
        for name in [format!("pre{name}"), name.to_owned(), format!("post{name}")] {
            self.protect(package, Some(format!("/scripts{}", step(&name))), Mode::Frozen, by);
            if let Some(line) = scripts.get(&name).and_then(Value::as_str) {
                let directory = parent_directory(package).to_owned();
                self.reach(Step::Lines { directory, text: line.to_owned(), script: None }, package);
            }
        }
    }
}

fn is_package(path: &str) -> bool {
    is_named(path, "package.json")
}
