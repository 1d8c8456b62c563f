//! Languages in which defects are planted.

use serde::{Deserialize, Serialize};

/// A programming language, as far as its grammar differs from the others.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    /// `.c`.
    C,
    /// `.cs`.
    CSharp,
    /// `.cpp`, `.h` and the like.
    Cpp,
    /// `.go`.
    Go,
    /// `.java`.
    Java,
    /// `.js`, `.jsx`, `.mjs`, `.cjs`.
    JavaScript,
    /// `.php`.
    Php,
    /// `.py`.
    Python,
    /// `.rb`.
    Ruby,
    /// `.rs`.
    Rust,
    /// `.tsx`.
    Tsx,
    /// `.ts`, `.mts`, `.cts`.
    TypeScript,
}

impl Language {
    /// All languages.
    pub const ALL: [Self; 12] = [
        Self::C,
        Self::CSharp,
        Self::Cpp,
        Self::Go,
        Self::Java,
        Self::JavaScript,
        Self::Php,
        Self::Python,
        Self::Ruby,
        Self::Rust,
        Self::Tsx,
        Self::TypeScript,
    ];

    /// Returns the language of a file by its name. A header (`.h`) is parsed as C++, whose grammar also covers C.
    pub fn of(path: &str) -> Option<Self> {
        let name = path.rsplit('/').next().unwrap_or(path);
        Some(match name.rsplit_once('.')?.1.to_ascii_lowercase().as_str() {
            "c" => Self::C,
            "cs" => Self::CSharp,
            "cc" | "cpp" | "cxx" | "h" | "hh" | "hpp" | "hxx" => Self::Cpp,
            "go" => Self::Go,
            "java" => Self::Java,
            "js" | "jsx" | "mjs" | "cjs" => Self::JavaScript,
            "php" => Self::Php,
            "py" => Self::Python,
            "rb" => Self::Ruby,
            "rs" => Self::Rust,
            "tsx" => Self::Tsx,
            "ts" | "mts" | "cts" => Self::TypeScript,
            _ => return None,
        })
    }

    /// Returns the text with an additional empty comment, at the end where the language allows it: an edit that
    /// changes nothing.
    pub fn with_comment(self, text: &str) -> String {
        let line = if text.is_empty() || text.ends_with('\n') { "" } else { "\n" };
        match self {
            Self::Php => text.replacen("<?php", "<?php /* */", 1),
            Self::Python | Self::Ruby => format!("{text}{line}#\n"),
            _ => format!("{text}{line}//\n"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_comment_more_is_another_text_of_the_same_program() {
        for (language, text, expected) in [
            (Language::Python, "a = 1", "a = 1\n#\n"),
            (Language::Go, "package a\n", "package a\n//\n"),
            (
                Language::Php,
                "<?php declare(strict_types=1); ?>\n<p>\n",
                "<?php /* */ declare(strict_types=1); ?>\n<p>\n",
            ),
        ] {
            assert_eq!(language.with_comment(text), expected);
        }
    }

    #[test]
    fn names_of_files_tell_the_language() {
        for (path, language) in [
            ("src/cart.py", Some(Language::Python)),
            ("a.test.tsx", Some(Language::Tsx)),
            ("A.MJS", Some(Language::JavaScript)),
            ("include/a.h", Some(Language::Cpp)),
            (".py/a", None),
            ("Makefile", None),
            ("a.vue", None),
        ] {
            assert_eq!(Language::of(path), language, "{path}");
        }
    }
}
