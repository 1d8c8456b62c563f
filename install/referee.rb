# Made by `cargo xtask packages`.
class Referee < Formula
  desc "Impartial gate between a coding agent and the word done"
  homepage "https://referee.dev"
  version "@VERSION@"
  license any_of: ["MIT", "Apache-2.0"]

@ARCHIVES@

  def install
    # `referee` starts the others, and looks for them beside itself.
    bin.install Dir["referee", "referee-*"]
    man1.install Dir["man/man1/*.1"]
    bash_completion.install "completions/referee.bash" => "referee"
    zsh_completion.install "completions/_referee"
    fish_completion.install "completions/referee.fish"
    pwsh_completion.install "completions/_referee.ps1"
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/referee --version")
    (testpath/"referee.yaml").write "checks: { gone: { file: nothing.txt } }\n"
    shell_output("#{bin}/referee run --quiet", 1)
  end
end
