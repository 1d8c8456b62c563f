//! The languages that are understood.

use serde::{Deserialize, Serialize};

/// A programming language, as far as its grammar differs from the others'.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Language {
    C,
    CSharp,
    Cpp,
    Go,
    Java,
    JavaScript,
    Php,
    Python,
    Ruby,
    Rust,
    Tsx,
    TypeScript,
}

impl Language {
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

    /// Tells the language of a file by its name. A header (`.h`) is read as C++, whose grammar reads C, too.
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

    pub(crate) fn grammar(self) -> tree_sitter::Language {
        match self {
            Self::C => tree_sitter_c::LANGUAGE,
            Self::CSharp => tree_sitter_c_sharp::LANGUAGE,
            Self::Cpp => tree_sitter_cpp::LANGUAGE,
            Self::Go => tree_sitter_go::LANGUAGE,
            Self::Java => tree_sitter_java::LANGUAGE,
            Self::JavaScript => tree_sitter_javascript::LANGUAGE,
            Self::Php => tree_sitter_php::LANGUAGE_PHP,
            Self::Python => tree_sitter_python::LANGUAGE,
            Self::Ruby => tree_sitter_ruby::LANGUAGE,
            Self::Rust => tree_sitter_rust::LANGUAGE,
            Self::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
            Self::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
        }
        .into()
    }

    /// Whether a variable may hold a value of any type.
    pub(crate) fn is_dynamic(self) -> bool {
        matches!(self, Self::JavaScript | Self::Php | Self::Python | Self::Ruby)
    }

    pub(crate) fn is_script(self) -> bool {
        matches!(self, Self::JavaScript | Self::Tsx | Self::TypeScript)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

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
