//! Files loaded by configurations of tools. Configurations may be programs: names in their text are found,
//! computed ones are not.

use referee_syntax::quotation::quoted;

use super::{Kind, NAMES, Origin, Reach, Step, ends, parent_directory};

pub(super) fn is_known(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    NAMES.words("configurations.names").any(|start| name.starts_with(start))
}

impl Reach<'_, '_> {
    /// Searches a configuration that a tool finds by itself.
    pub(super) fn configuration(&mut self, path: &str) {
        let Some(text) = self.read(path) else { return };
        let name = path.rsplit('/').next().unwrap_or(path);
        match name {
            "package.json" => {
                let Ok(document) = serde_json::from_str::<serde_json::Value>(&text) else { return };
                for said in NAMES.words("configurations.of-package").filter_map(|key| document.get(key)) {
                    self.loads(path, &said.to_string());
                }
            }
            "conftest.py" => self.plugins(path, &text),
            "pytest.ini" | "tox.ini" | "setup.cfg" | "pyproject.toml" => self.options_of_pytest(path, &text),
            "noxfile.py" => self.imports_of_python(path, &text),
            _ => self.loads(path, &text),
        }
    }

    /// Follows files that a configuration, or a program loaded by one, names under a key or imports.
    pub(super) fn loads(&mut self, path: &str, text: &str) {
        let is_data = !super::imports::is_code(path);
        for key in NAMES.words("configurations.keys") {
            for value in values_of(text, key) {
                let written = quoted(value).into_iter().map(str::trim);
                let bare = value.split(|letter: char| letter.is_whitespace() || ",[]".contains(letter));
                let bare = bare.filter(|word| is_data && word.contains(['.', '/']) && !word.contains(['"', '\'']));
                for written in written.chain(bare) {
                    self.named(path, key, written);
                }
            }
        }
        if is_data && (ends(path, &["yml", "yaml", "just"]) || path.ends_with("justfile") || path.ends_with("Justfile"))
        {
            self.recipes(path, text);
        }
    }

    fn named(&mut self, path: &str, key: &str, written: &str) {
        let written = written.strip_prefix("<rootDir>/").unwrap_or(written);
        let is_import = matches!(key, "require" | "import" | "from");
        let is_program = super::imports::is_code(path);
        // A bare name is that of a package.
        if !written.contains(['.', '/']) || is_program && is_import && !written.starts_with('.') {
            return;
        }
        if let Some(found) = self.workspace.resolved(parent_directory(path), written).filter(|found| *found != path) {
            let is_loaded = !is_program || key.starts_with("setupFiles") || key.starts_with("global");
            self.load(found, if is_loaded { Kind::Loaded } else { Kind::Imported }, path);
        }
    }

    /// Follows lines of recipe files without a parser: every one that may be a command, and includes.
    fn recipes(&mut self, path: &str, text: &str) {
        let lines = text.lines().filter(|line| line.starts_with([' ', '\t'])).map(|line| {
            let line = line.trim().trim_start_matches("- ");
            let line = ["cmd:", "sh:"].iter().find_map(|key| line.strip_prefix(key)).unwrap_or(line).trim();
            line.trim_matches(['"', '\''])
        });
        let text = lines.collect::<Vec<_>>().join("\n");
        self.reach(Step::Lines { directory: parent_directory(path).to_owned(), text, script: None }, path);
    }

    /// Follows modules of the workspace that options of pytest name: `-p NAME`, `-c FILE`.
    fn options_of_pytest(&mut self, path: &str, text: &str) {
        let words: Vec<&str> = text
            .split(|letter: char| letter.is_whitespace() || "\"',[]=".contains(letter))
            .filter(|word| !word.is_empty())
            .collect();
        let origin = Origin { directory: parent_directory(path), script: None, is_specification: false, by: path };
        self.options(&origin, "pytest", &words);
        if path.ends_with("tox.ini") {
            self.recipes(path, text);
        }
    }

    /// Follows modules of the workspace that `pytest_plugins` names.
    fn plugins(&mut self, path: &str, text: &str) {
        for value in values_of(text, "pytest_plugins") {
            for module in quoted(value) {
                if let Some(found) = self.workspace.named_module(parent_directory(path), module) {
                    self.load(found, Kind::Loaded, path);
                }
            }
        }
    }
}

/// Returns the texts after a key: a list or an object to its end, else the line; in YAML the lines of a list below.
fn values_of<'t>(text: &'t str, key: &str) -> Vec<&'t str> {
    let is_of_word = |letter: char| letter.is_alphanumeric() || letter == '_';
    let mut found = Vec::new();
    for (at, _) in text.match_indices(key) {
        let after = &text[at + key.len()..];
        if text[..at].ends_with(is_of_word) || after.starts_with(is_of_word) {
            continue;
        }
        let after = after.trim_start_matches(['"', '\'']).trim_start_matches([' ', ':', '=', '(']);
        let end = match after.chars().next() {
            Some('[') => after.find(']').map(|at| at + 1),
            Some('{') => after.find('}').map(|at| at + 1),
            Some(quote @ ('"' | '\'' | '`')) => after[1..].find(quote).map(|at| at + 2),
            Some('\n' | '\r') => {
                let below = after.trim_start().lines().take_while(|line| line.trim_start().starts_with("- "));
                let length: usize = below.map(|line| line.len() + 1).sum();
                Some(after.len() - after.trim_start().len() + length)
            }
            _ => after.find(['\n', '}', ';']),
        };
        found.push(after.get(..end.unwrap_or(after.len())).unwrap_or(after));
    }
    found
}
