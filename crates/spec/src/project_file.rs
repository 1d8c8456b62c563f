//! Project files whose individual values are protected: JSON, TOML and makefiles, each as one tree, so that a
//! pointer addresses a part.

use referee_syntax::{json, toml};
use serde_json::Value;

pub mod makefile;

use self::makefile::Makefile;

/// Syntax of a project file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Syntax {
    Json,
    /// TOML 1.1.
    Toml,
    Makefile,
}

impl Syntax {
    /// Determines the syntax from a path or a glob pattern. None: values of such a file cannot be addressed.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        match name.rsplit_once('.') {
            Some((_, "json")) => Some(Self::Json),
            Some((_, "toml")) => Some(Self::Toml),
            Some((_, "mk")) => Some(Self::Makefile),
            _ => makefile::FILES.contains(&name).then_some(Self::Makefile),
        }
    }
}

/// Parses a file into one tree. A file of unknown syntax is parsed as JSON.
///
/// # Errors
/// Fails if the file does not have the syntax of its name. A makefile always parses: lines that are not
/// understood are under `other`.
pub fn document(path: &str, content: &[u8]) -> Result<Value, String> {
    match Syntax::of(path) {
        Some(Syntax::Toml) => {
            let text = std::str::from_utf8(content).map_err(|_| "it is not TOML (it is not valid UTF-8)".to_owned())?;
            let root = toml::read(text).map_err(|what| format!("it is not TOML ({what})"))?;
            Ok(json::value(&root, &mut Vec::new()))
        }
        Some(Syntax::Makefile) => serde_json::to_value(Makefile::read(&String::from_utf8_lossy(content)))
            .map_err(|error| format!("it is not a makefile ({error})")),
        Some(Syntax::Json) | None => {
            serde_json::from_slice(content).map_err(|error| format!("it is not JSON ({error})"))
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn values_are_read_whatever_they_are_written_in() {
        let toml = "[tool.pytest.ini_options]\naddopts = '-q'\nmade = 2026-11-26\nrate = nan\n[[test]]\nname = 'a'\n";
        let read = document("a/pyproject.toml", toml.as_bytes()).unwrap();
        assert_eq!(read.pointer("/tool/pytest/ini_options/addopts"), Some(&json!("-q")));
        assert_eq!(read.pointer("/test/0/name"), Some(&json!("a")));
        let other = document("pyproject.toml", toml.replace("2026-11-26", "2026-11-27").as_bytes()).unwrap();
        assert_ne!(read, other, "a date is a value");
        assert_eq!(document("package.json", b"{ \"a\": 1 }").unwrap(), json!({ "a": 1 }));
        let made = document("Makefile", b"test:\n\tpytest\n").unwrap();
        assert_eq!(made.pointer("/targets/test/recipe/0"), Some(&json!("pytest")));
    }

    #[test]
    fn junk_is_an_error_and_never_an_empty_tree() {
        for (path, content) in [
            ("pyproject.toml", &b"[tool"[..]),
            ("pyproject.toml", b"a = 1\na = 2\n"),
            ("pyproject.toml", b"a = \"\xff\"\n"),
            ("package.json", b""),
            ("package.json", b"{ \"a\": 1 "),
        ] {
            let why = document(path, content).unwrap_err();
            assert!(why.starts_with("it is not "), "{why}");
        }
        let deep = format!("a = {}1{}", "[".repeat(100_000), "]".repeat(100_000));
        assert!(document("a.toml", deep.as_bytes()).is_err());
        assert!(document("Makefile", b"\xff\x00\tx:=:=\n\tdefine\nifeq\nelse\n").is_ok());
    }
}
