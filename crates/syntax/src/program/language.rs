//! The language of a file, by its name.

/// A language, as far as comments, string literals and suppressions differ.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// JavaScript, and languages without types that compile to it.
    JavaScript,
    /// TypeScript, and components of Vue, Svelte and Astro.
    TypeScript,
    /// CSS and related languages.
    Css,
    Html,
    Python,
    Ruby,
    Shell,
    Yaml,
    Dockerfile,
    Rust,
    Go,
    /// Java, Kotlin, Scala and Groovy.
    Java,
    /// C, C++, Objective-C.
    C,
    CSharp,
    Php,
    /// Configuration files of test runners and checkers, in TOML and similar formats.
    Settings,
}

/// Configuration files of test runners and checkers for Python and Rust.
const SETTINGS: [&str; 11] = [
    "Cargo.toml",
    "pyproject.toml",
    "pytest.ini",
    ".pytest.ini",
    "setup.cfg",
    "tox.ini",
    ".coveragerc",
    "mypy.ini",
    ".flake8",
    "ruff.toml",
    ".ruff.toml",
];

impl Language {
    /// Returns the language of a file. `None` if nothing is looked for in it, as in documents.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        if name == "Dockerfile" || name.starts_with("Dockerfile.") || name.ends_with(".dockerfile") {
            return Some(Self::Dockerfile);
        }
        if matches!(name, "Rakefile" | "Gemfile") {
            return Some(Self::Ruby);
        }
        if SETTINGS.contains(&name) {
            return Some(Self::Settings);
        }
        Some(match name.rsplit_once('.')?.1 {
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "ts" | "tsx" | "mts" | "cts" | "vue" | "svelte" | "astro" => Self::TypeScript,
            "css" | "scss" | "sass" | "less" => Self::Css,
            "html" | "htm" => Self::Html,
            "py" | "pyi" => Self::Python,
            "rb" | "rake" => Self::Ruby,
            "sh" | "bash" | "zsh" | "ksh" => Self::Shell,
            "yml" | "yaml" => Self::Yaml,
            "rs" => Self::Rust,
            "go" => Self::Go,
            "java" | "kt" | "kts" | "scala" | "groovy" => Self::Java,
            "c" | "h" | "cc" | "cpp" | "cxx" | "hh" | "hpp" | "hxx" | "m" | "mm" | "cu" => Self::C,
            "cs" => Self::CSharp,
            "php" => Self::Php,
            _ => return None,
        })
    }

    /// Returns the tokens that begin a comment up to the end of the line.
    pub fn line_comments(self) -> &'static [&'static str] {
        match self {
            Self::Python | Self::Ruby | Self::Shell | Self::Yaml | Self::Dockerfile | Self::Settings => &["#"],
            Self::Php => &["//", "#"],
            Self::Html => &[],
            _ => &["//"],
        }
    }

    /// Returns the tokens that begin and end a comment over several lines.
    pub fn block_comments(self) -> &'static [(&'static str, &'static str)] {
        match self {
            Self::Python | Self::Shell | Self::Yaml | Self::Dockerfile | Self::Ruby | Self::Settings => &[],
            Self::Html => &[("<!--", "-->"), ("/*", "*/")],
            Self::TypeScript | Self::JavaScript => &[("/*", "*/"), ("<!--", "-->")],
            _ => &[("/*", "*/")],
        }
    }

    /// Whether three quotes begin a string literal over several lines.
    pub fn has_triple_quotes(self) -> bool {
        matches!(self, Self::Python | Self::Java | Self::CSharp)
    }

    /// Whether a backtick begins a string literal over several lines.
    pub fn has_backticks(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript | Self::Go)
    }

    /// Whether it is a language of programs that tests call, as opposed to documents, settings or shell scripts.
    pub fn is_program(self) -> bool {
        match self {
            Self::Css | Self::Html | Self::Shell | Self::Yaml | Self::Dockerfile | Self::Settings => false,
            Self::JavaScript
            | Self::TypeScript
            | Self::Python
            | Self::Ruby
            | Self::Rust
            | Self::Go
            | Self::Java
            | Self::C
            | Self::CSharp
            | Self::Php => true,
        }
    }

    /// Whether it is JavaScript or TypeScript.
    pub fn is_script(self) -> bool {
        matches!(self, Self::JavaScript | Self::TypeScript)
    }

    /// Whether a comment can only begin at the start of a word.
    pub fn comments_at_words(self) -> bool {
        matches!(self, Self::Shell | Self::Yaml | Self::Dockerfile)
    }
}
