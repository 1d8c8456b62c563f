//! The Homebrew formula.

use super::{Archive, Processor, System};

const TEMPLATE: &str = include_str!("../../../install/referee.rb");

/// Returns the formula for these archives.
pub(super) fn formula(version: &str, base_url: &str, archives: &[Archive]) -> String {
    let systems = [(System::MacOs, "on_macos"), (System::Linux, "on_linux")];
    let blocks = systems.map(|(system, name)| {
        let of_system = archives.iter().filter(|archive| archive.platform.system == system);
        let blocks: Vec<String> = of_system.map(|archive| block(base_url, archive)).collect();
        if blocks.is_empty() { String::new() } else { format!("  {name} do\n{}  end\n", blocks.concat()) }
    });
    TEMPLATE.replace("@VERSION@", version).replace("@ARCHIVES@\n", &blocks.concat())
}

/// What is downloaded on a processor.
fn block(base_url: &str, archive: &Archive) -> String {
    let processor = match archive.platform.processor {
        Processor::Arm64 => "on_arm",
        Processor::X64 => "on_intel",
    };
    let (name, digest) = (&archive.name, archive.digest);
    format!("    {processor} do\n      url \"{base_url}/{name}\"\n      sha256 \"{digest}\"\n    end\n")
}

#[cfg(test)]
mod tests {
    use std::process::Command;

    use super::super::fixture::Release;
    use super::*;

    #[test]
    fn the_formula_names_each_archive_with_its_digest_and_is_ruby() {
        let release = Release::new("homebrew");
        let archives = super::super::archives(&release.dist, "1.2.3").unwrap();
        let formula = formula("1.2.3", "https://example.org/v1.2.3", &archives);
        assert!(!formula.contains('@'), "a word of the template is left: {formula}");
        assert!(formula.contains("  version \"1.2.3\"\n"), "{formula}");
        for archive in &archives {
            let block = format!(
                "      url \"https://example.org/v1.2.3/{}\"\n      sha256 \"{}\"\n",
                archive.name, archive.digest
            );
            assert_eq!(formula.matches(&block).count(), 1, "{formula}");
        }
        let opened = formula.lines().filter(|line| line.ends_with(" do") || line.starts_with("class "));
        let methods = formula.lines().filter(|line| line.trim_start().starts_with("def "));
        let ended = formula.lines().filter(|line| line.trim() == "end");
        assert_eq!(opened.count() + methods.count(), ended.count(), "{formula}");
        let path = release.dist.join("referee.rb");
        std::fs::write(&path, &formula).unwrap();
        // Where there is a ruby, it decides.
        if let Ok(read) = Command::new("ruby").arg("-c").arg(&path).output() {
            assert!(read.status.success(), "{}", String::from_utf8_lossy(&read.stderr));
        }
    }
}
