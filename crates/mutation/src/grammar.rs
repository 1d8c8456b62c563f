//! Grammars of the languages, and other differences between them.

use referee_model::mutant::Language;

pub(crate) fn grammar(language: Language) -> tree_sitter::Language {
    match language {
        Language::C => tree_sitter_c::LANGUAGE,
        Language::CSharp => tree_sitter_c_sharp::LANGUAGE,
        Language::Cpp => tree_sitter_cpp::LANGUAGE,
        Language::Go => tree_sitter_go::LANGUAGE,
        Language::Java => tree_sitter_java::LANGUAGE,
        Language::JavaScript => tree_sitter_javascript::LANGUAGE,
        Language::Php => tree_sitter_php::LANGUAGE_PHP,
        Language::Python => tree_sitter_python::LANGUAGE,
        Language::Ruby => tree_sitter_ruby::LANGUAGE,
        Language::Rust => tree_sitter_rust::LANGUAGE,
        Language::Tsx => tree_sitter_typescript::LANGUAGE_TSX,
        Language::TypeScript => tree_sitter_typescript::LANGUAGE_TYPESCRIPT,
    }
    .into()
}

pub(crate) fn is_dynamic(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::Php | Language::Python | Language::Ruby)
}

pub(crate) fn is_script(language: Language) -> bool {
    matches!(language, Language::JavaScript | Language::Tsx | Language::TypeScript)
}
