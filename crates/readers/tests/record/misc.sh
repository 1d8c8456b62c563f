#!/usr/bin/env bash
# Records what linters and test runners of PHP, Ruby and the shell print: `misc.sh DIRECTORY`.
#
# Wants on the path, in the versions of Debian 12: php 8.2, phpunit 9.6.7, phpcs 3.7.1, ruby 3.1, rspec 3.12, minitest 5.17,
# test-unit 3.5.7, rubocop 1.39, shellcheck 0.9.0, bats 1.8.2, puppet-lint 3.0.1. What a tool prints goes to
# DIRECTORY/<tool>/<case>.stdout.txt and .stderr.txt.
set -uo pipefail

out=$(mkdir -p "$1" && cd "$1" && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1

# record TOOL CASE COMMAND…: one run; the directory it ran in becomes /project.
record() {
    local directory="$out/$1" name=$2
    mkdir -p "$directory"
    "${@:3}" >"$directory/$name.stdout.txt" 2>"$directory/$name.stderr.txt"
    sed -i "s|$work|/project|g; s|${work//\//\\\\/}|/project|g" "$directory/$name.stdout.txt" "$directory/$name.stderr.txt"
    find "$directory" -name "$name.*" -empty -delete
}

php_project() {
    mkdir -p tests quiet
    cat >tests/CalcTest.php <<'PHP'
<?php
use PHPUnit\Framework\TestCase;

final class CalcTest extends TestCase
{
    public function testAdd(): void { $this->assertSame(3, 1 + 2); }
    public function testWrong(): void
    {
        $this->assertSame(4, 1 + 2, 'sum');
    }
    public function testThrows(): void
    {
        throw new RuntimeException("boom\n\nmore");
    }
    public function testSkipped(): void { $this->markTestSkipped('no network'); }
    public function testIncomplete(): void { $this->markTestIncomplete('later'); }
    public function testRisky(): void { }
    public function testWarning(): void { $this->assertEquals(['a' => 1, 'b' => 2], ['a' => 1, 'b' => 3]); }
    /** @dataProvider pairs */
    public function testPairs(int $a, int $b): void { $this->assertSame($a, $b); }
    public function pairs(): array { return [[1, 1], 'named' => [1, 2]]; }
    public function testPrints(): void { echo "\nOK (7 tests, 7 assertions)\n\n"; $this->assertTrue(true); }
}
PHP
    cat >quiet/QuietTest.php <<'PHP'
<?php
use PHPUnit\Framework\TestCase;

final class QuietTest extends TestCase
{
    public function testAdd(): void { $this->assertSame(3, 1 + 2); }
    public function testSkipped(): void { $this->markTestSkipped('no network'); }
}
PHP
    cat >style.php <<'PHP'
<?php
class foo_bar {
    var $x=1;
    function GetIt( $a,$b ) {
        if($a==$b) return TRUE;
        return 'a very long line a very long line a very long line a very long line a very long line a very long line a very long line';
    }
}
PHP
    printf '<?php\n\ndeclare(strict_types=1);\n\nnamespace App;\n\nclass Clean\n{\n}\n' >clean.php
    printf '<?php\nfunction f(int $x) { return $x; }\necho $missing;\nf("a");\n' >warn.php
    printf '<?php\n$a = [1, 2;\necho $a\n' >broken.php
    printf '<?php\necho "fine";\n' >fine.php
    printf '<?php\ntrigger_error("old", E_USER_DEPRECATED);\ntrigger_error("mind", E_USER_NOTICE);\nundefined_function();\n' >other.php
}

php_project
record phpunit mixed phpunit --do-not-cache-result tests
record phpunit mixed-coloured phpunit --do-not-cache-result --colors=always tests
record phpunit verbose phpunit --do-not-cache-result -v tests
record phpunit testdox phpunit --do-not-cache-result --testdox tests
record phpunit testdox-coloured phpunit --do-not-cache-result --testdox --colors=always tests
record phpunit pass phpunit --do-not-cache-result --filter 'testAdd' quiet
record phpunit skipped phpunit --do-not-cache-result quiet
record phpunit no-tests phpunit --do-not-cache-result --filter nothing quiet
record phpunit stop phpunit --do-not-cache-result --stop-on-failure tests
record phpunit debug phpunit --do-not-cache-result --debug tests
for report in full emacs json summary csv source; do
    record phpcs "$report" phpcs --standard=PSR12 --report="$report" style.php clean.php
done
record phpcs full-codes phpcs --standard=PSR12 -s --report-width=200 style.php
record phpcs full-wide phpcs --standard=PSR12 -s --report-width=60 --colors style.php
record phpcs progress phpcs --standard=PSR12 -p style.php clean.php
record php warnings php -d display_errors=1 -d html_errors=0 -d log_errors=1 -d error_log=/dev/stderr warn.php
record php display php -d display_errors=1 -d html_errors=0 -d log_errors=0 other.php
record php syntax php -d display_errors=1 -d log_errors=0 -l broken.php
record php syntax-fine php -l fine.php

ruby_project() {
    mkdir -p lib spec test
    printf 'class Calc\n  def add(a, b)\n    a + b\n  end\n  def div(a,b)\n    unused = 1\n    return a / b\n  end\nend\n' >lib/calc.rb
    printf 'def f(\n  puts "a"\nend\n' >broken.rb
    printf 'def g\n  raise ArgumentError, "bad thing"\nend\n\ndef f\n  g\nend\n\nf\n' >raises.rb
    printf '# frozen_string_literal: true\n\nputs(1)\n' >clean.rb
    cat >spec/calc_spec.rb <<'RUBY'
require_relative "../lib/calc"

RSpec.describe Calc do
  subject(:calc) { Calc.new }
  describe "#add" do
    it "adds" do
      expect(calc.add(1, 2)).to eq(3)
    end
    it "adds wrongly" do
      expect(calc.add(1, 2)).to eq(4)
    end
    it("prints") { puts "3 examples, 0 failures" }
  end
  it "raises" do
    calc.div(1, 0)
  end
  it "is pending"
  it("is skipped", skip: "not now") { raise }
  it "is fixed" do
    pending
    expect(1).to eq(1)
  end
  it "fails twice" do
    aggregate_failures do
      expect(1).to eq(2)
      expect(3).to eq(4)
    end
  end
end
RUBY
    printf 'RSpec.describe("pass") { it("a") { }; it("b") { } }\n' >spec/pass_spec.rb
    printf 'RSpec.describe("x") { no_such_method }\n' >spec/load_error.rb
    printf 'RSpec.describe("h") { before(:all) { raise "x" }; it("a") {}; it("b") {}; after(:all) { raise "after" } }\n' >spec/h_spec.rb
    cat >test/calc_test.rb <<'RUBY'
require "minitest/autorun"
require_relative "../lib/calc"

class CalcTest < Minitest::Test
  def test_add
    assert_equal 3, Calc.new.add(1, 2)
  end

  def test_wrong
    assert_equal 4, Calc.new.add(1, 2), "sum"
  end

  def test_diff
    assert_equal "a\nb\nc", "a\nx\nc"
  end

  def test_error
    Calc.new.div(1, 0)
  end

  def test_skip
    skip "later"
  end
end

describe "a spec" do
  it "works with spaces" do
    _(1).must_equal 2
  end
end
RUBY
    sed -e 's/minitest\/autorun/test\/unit/; s/Minitest::Test/Test::Unit::TestCase/; s/skip "later"/omit "later"/; /^describe/,$d' test/calc_test.rb >test/unit_test.rb
    printf 'require "test/unit"\nclass PassTest < Test::Unit::TestCase\n  def test_a\n    assert true\n  end\nend\n' >test/pass_unit.rb
    printf 'require "minitest/autorun"\nclass PassTest < Minitest::Test\n  def test_a\n    assert true\n  end\nend\n' >test/pass_mini.rb
}

ruby_project
record rspec progress rspec --seed 1 spec/calc_spec.rb spec/pass_spec.rb
record rspec documentation rspec --order defined --format documentation spec/calc_spec.rb spec/pass_spec.rb
record rspec coloured rspec --seed 1 --force-color spec/calc_spec.rb
record rspec pass rspec spec/pass_spec.rb
record rspec load-error rspec spec/load_error.rb spec/pass_spec.rb
record rspec json rspec --seed 1 --format json spec/calc_spec.rb
record rspec json-load-error rspec --format json spec/load_error.rb
record rspec fail-fast rspec --order defined --fail-fast spec/calc_spec.rb
record rspec hooks rspec --order defined spec/h_spec.rb
record minitest mixed ruby test/calc_test.rb --seed 1
record minitest verbose ruby test/calc_test.rb --seed 1 --verbose
record minitest pass ruby test/pass_mini.rb
record test-unit mixed ruby test/unit_test.rb
record test-unit verbose ruby test/unit_test.rb --verbose=verbose
record test-unit pass ruby test/pass_unit.rb
record test-unit late ruby test/unit_test.rb -v --no-show-detail-immediately
record ruby syntax ruby -c broken.rb
record ruby raises ruby raises.rb
record ruby warnings ruby -wc lib/calc.rb
for format in progress simple clang emacs json fuubar; do
    record rubocop "$format" rubocop --cache false --format "$format" lib broken.rb clean.rb
done
record rubocop clean rubocop --cache false clean.rb
record rubocop without-names rubocop --cache false --no-display-cop-names lib
record rubocop display rubocop --cache false --format simple --extra-details --display-style-guide lib
record rubocop autocorrect rubocop --cache false -a lib

shell_project() {
    printf '#!/bin/bash\nfoo=$1\necho $foo\ncd "$2"\nfor f in $(ls *.txt); do\n  rm $f\ndone\n[ $foo == 1 ]\nread x\n' >deploy.sh
    printf '#!/bin/bash\nif [ 1 ]; then\n  echo "a\n' >cut.sh
    printf '#!/bin/bash\necho fine\n' >clean.sh
    printf '#!/bin/bash\n\tif [ $x ]; then\n\t\techo $y "ü" $z\n\tfi\n' >tab.sh
    cat >t.bats <<'BATS'
@test "passes" { true; }
@test "fails on status" {
  run false
  [ "$status" -eq 0 ]
}
@test "skipped" { skip "no network"; }
@test "fails with output" {
  echo "debug info"
  [ "a" = "b" ]
}
BATS
    printf '@test "a" { true; }\n@test "b" { true; }\n' >pass.bats
    printf '@test "broken" {\n  foo(\n}\n' >broken.bats
    mkdir -p manifests
    printf 'class foo {\n  file { "/tmp/x":\n    ensure => present,\n    mode => 0644,\n  }\n}   \n' >manifests/init.pp
}

shell_project
for format in tty gcc json json1; do
    record shellcheck "$format" shellcheck -f "$format" deploy.sh cut.sh clean.sh
done
record shellcheck coloured shellcheck --color=always deploy.sh
record shellcheck clean shellcheck clean.sh
record shellcheck tabs shellcheck tab.sh
record bats tap bats t.bats
record bats tap13 bats --formatter tap13 t.bats
record bats pretty bats --pretty t.bats pass.bats
record bats pretty-timing bats --pretty --timing t.bats
record bats pass bats --pretty pass.bats
record bats broken bats --pretty broken.bats pass.bats
record puppet-lint default puppet-lint manifests
record puppet-lint format puppet-lint --log-format '%{path}:%{line}:%{column}:%{KIND}: %{message} [%{check}]' manifests
record puppet-lint json puppet-lint --json manifests

# Further tools, where they are on the path: actionlint 1.7.7, shfmt 3.10, hadolint 2.12, proselint 0.13, and of npm alex 11,
# write-good 1, cspell 8, jsonlint 1.
config_project() {
    mkdir -p .github/workflows
    printf 'name: x\non:\n  push:\n    branch: main\njobs:\n  a:\n    runs-on: ubuntu-latest\n    needs: b\n    steps:\n      - run: echo ${{ matrix.os }}\n' >.github/workflows/test.yml
    printf 'FROM debian\nRUN apt-get install x\nRUN cd /tmp && echo $foo\nMAINTAINER me\n' >Dockerfile
    printf 'FROM debian\nRUM x\n' >Dockerfile.broken
    printf 'if true\nthen echo  a\nfi\n' >unformatted.sh
    printf 'if true; then\n' >cut2.sh
    printf 'So this is very good. It is very unique... "quoted"\nThe boogeyman fell. He was obviously going to to it.\n' >text.md
    printf 'const helllo = wrold;\n' >typos.js
    printf '{\n  "a": 1,\n}\n' >bad.json
}

config_project
have() { command -v "$1" >/dev/null; }
if have actionlint; then
    record actionlint default actionlint -no-color -shellcheck= .github/workflows/test.yml
    record actionlint oneline actionlint -oneline -shellcheck= .github/workflows/test.yml
    record actionlint json actionlint -format '{{json .}}' -shellcheck= .github/workflows/test.yml
fi
if have hadolint; then
    record hadolint tty hadolint --no-color Dockerfile
    record hadolint broken hadolint --no-color Dockerfile.broken
    record hadolint json hadolint -f json Dockerfile
fi
have shfmt && record shfmt diff shfmt -d unformatted.sh
have proselint && record proselint text proselint text.md
have alex && record alex text alex text.md
have write-good && record write-good text write-good text.md
have cspell && record cspell text cspell --no-color --show-suggestions lint typos.js
have jsonlint && record jsonlint text jsonlint bad.json
have jsonlint && record jsonlint compact jsonlint --compact bad.json
true
