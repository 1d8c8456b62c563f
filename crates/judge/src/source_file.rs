//! Recognizes sources and tests by file name: files that tests depend on, and that no tool writes while tests run.

/// File name suffixes of sources.
const ENDINGS: [&str; 54] = [
    "js", "jsx", "mjs", "cjs", "ts", "tsx", "mts", "cts", "vue", "svelte", "astro", "py", "pyx", "rb", "rs", "go",
    "java", "kt", "kts", "scala", "groovy", "c", "h", "cc", "cpp", "cxx", "hh", "hpp", "hxx", "m", "mm", "cu", "cs",
    "fs", "vb", "php", "swift", "dart", "ex", "exs", "erl", "clj", "cljs", "hs", "ml", "lua", "pl", "pm", "r", "jl",
    "nim", "zig", "sh", "bash",
];

/// Directories of data that tests compare with or write, and of generated files.
const DATA_DIRECTORIES: [&str; 13] = [
    "fixtures",
    "fixture",
    "__fixtures__",
    "snapshots",
    "__snapshots__",
    "testdata",
    "test-data",
    "test_data",
    "golden",
    "goldens",
    "generated",
    "__generated__",
    "dist",
];

/// Parts of file names that mark generated files.
const GENERATED_NAMES: [&str; 8] =
    [".generated.", ".gen.", "_generated.", ".pb.", "_pb2.", "_pb2_grpc.", ".g.", ".freezed."];

/// Returns whether a file is a source or a test by its name, and neither test data nor generated.
pub fn is_source(path: &str) -> bool {
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", path));
    let ending = name.rsplit_once('.').map(|(_, ending)| ending.to_ascii_lowercase());
    ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()))
        && !directories.split('/').any(|directory| DATA_DIRECTORIES.contains(&directory))
        && !GENERATED_NAMES.iter().any(|mark| name.contains(mark))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sources_and_tests_are_told_by_their_names() {
        for path in
            ["sum.js", "src/lib.rs", "tests/test_a.py", "test/sum.test.ts", "A.JAVA", "scripts/run.sh", "src/gen.go"]
        {
            assert!(is_source(path), "{path}");
        }
        for path in [
            "package-lock.json",
            "Cargo.lock",
            "README.md",
            "Makefile",
            "tests/fixtures/a.py",
            "src/__snapshots__/a.test.js",
            "pkg/testdata/a.go",
            "api/user.pb.go",
            "api/user_pb2.py",
            "src/routes.gen.ts",
            "src/generated/types.ts",
            "dist/index.js",
        ] {
            assert!(!is_source(path), "{path}");
        }
    }
}
