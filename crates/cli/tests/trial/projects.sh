# The projects of the trial; read by run.sh.

# file NAME: writes standard input to a file, with its directory.
file() { mkdir -p "$(dirname "$1")"; cat >"$1"; }
# clone OWNER/NAME: a public repository, from DIRECTORY/mirror/OWNER+NAME where somebody put it, else from GitHub.
clone() {
    local local="$directory/mirror/${1/\//+}/repo"
    if [ -e "$local" ]; then git -c safe.directory='*' clone -q "$local" .; else git clone -q --depth 1 "https://github.com/$1" .; fi
}
npm_test='npm test'
sum_js() { file sum.js <<<'module.exports = (a, b) => a + b;'; }
sum_mjs() { file sum.js <<<'export const sum = (a, b) => a + b;'; }

# Node: vite's templates.
for template in vanilla vanilla-ts react react-ts vue vue-ts svelte svelte-ts preact-ts lit-ts solid-ts qwik-ts; do
    project "vite-$template" npm \
        "npm create vite@latest . -- --template $template --no-interactive && npm install" \
        'npm run build && npm run --if-present lint && npm run --if-present check'
done
project create-vue npm 'npm create vue@latest . -- --ts --vitest --eslint --prettier --force --bare && npm install && npm run format --if-present' 'npm run build && npx vitest run'
project next npm 'npx create-next-app@latest . --ts --eslint --app --no-tailwind --no-src-dir --use-npm --yes' 'npm run build && npm run lint'
project next-js npm 'npx create-next-app@latest . --js --eslint --app --no-tailwind --no-src-dir --use-npm --yes' 'npm run build && npm run lint'
project nest npm 'npx @nestjs/cli@latest new app --directory . --package-manager npm --skip-git' 'npm run build && npm test && npm run test:e2e'
project angular npm 'npx @angular/cli@latest new app --directory . --defaults --skip-git' 'npm run build && npx ng test --watch=false'
project express-generator npm 'npx express-generator@latest . --no-view --force && npm install' 'node -e "require(\"./app\")"'
project sveltekit npm 'npx sv@latest create . --template minimal --types ts --no-add-ons --install npm' 'npm run build && npm run check'
project sveltekit-addons npm 'npx sv@latest create . --template minimal --types ts --add eslint prettier vitest="usages:unit" --install npm && npm run format' 'npm run build && npm run lint && npm run check'
project astro npm 'npm create astro@latest . -- --template minimal --install --no-git --skip-houston --yes' 'npm run build'
project react-router npm 'npx create-react-router@latest . --yes --no-git-init --install' 'npm run build && npm run typecheck'
project hono npm 'npm create hono@latest . -- --template nodejs --install --pm npm' 'npm run build'
project fastify npm 'npx fastify-cli generate . --esm --lang=js && npm install' 'npm test'
project preact-cli npm 'npm create preact@latest app </dev/null; [ -d app ] && cp -r app/. . && npm install' 'npm run build'
project tsdown npm 'npx create-tsdown@latest . --template default </dev/null; [ -e package.json ] && npm install' 'npm run build && npm test'

# Node: test runners.
project npm-init npm 'npm init -y && sum_js' 'true'
project jest npm 'npm init -y && npm pkg set scripts.test=jest && npm i -D jest && sum_js && file sum.test.js <<<"test(\"sum\", () => expect(require(\"./sum\")(1, 2)).toBe(3));"' 'npm test'
project ts-jest npm 'npm init -y && npm pkg set scripts.test=jest scripts.build=tsc && npm i -D jest@29 ts-jest@29 typescript@5 @types/jest@29 && npx tsc --init --outDir dist --rootDir src --types jest && npx ts-jest config:init && file src/sum.ts <<<"export const sum = (a: number, b: number) => a + b;" && file src/sum.test.ts <<<"import { sum } from \"./sum\"; test(\"sum\", () => { expect(sum(1, 2)).toBe(3); });"' 'npm test && npm run build'
project vitest npm 'npm init -y && npm pkg set scripts.test=vitest type=module && npm i -D vitest && sum_mjs && file sum.test.js <<<"import { expect, test } from \"vitest\"; import { sum } from \"./sum.js\"; test(\"sum\", () => { expect(sum(1, 2)).toBe(3); });"' 'npm test'
project mocha npm 'npm init -y && npm pkg set scripts.test=mocha && npm i -D mocha chai@4 && sum_js && file test/sum.js <<<"const { expect } = require(\"chai\"); describe(\"sum\", () => it(\"adds\", () => expect(require(\"../sum\")(1, 2)).to.equal(3)));"' 'npm test'
project node-test npm 'npm init -y && npm pkg set scripts.test="node --test" && sum_js && file test/sum.test.js <<<"require(\"node:test\")(\"sum\", () => require(\"node:assert\").equal(require(\"../sum\")(1, 2), 3));"' 'npm test'
project ava npm 'npm init -y && npm pkg set scripts.test=ava type=module && npm i -D ava && sum_mjs && file test.js <<<"import test from \"ava\"; import { sum } from \"./sum.js\"; test(\"sum\", t => t.is(sum(1, 2), 3));"' 'npm test'
project tap npm 'npm init -y && npm pkg set scripts.test="tape test/*.js" && npm i -D tape && sum_js && file test/sum.js <<<"require(\"tape\")(\"sum\", t => { t.equal(require(\"../sum\")(1, 2), 3); t.end(); });"' 'npm test'
project eslint-standard npm 'npm init -y && npm pkg set scripts.test="standard && node --test" && npm i -D standard && file index.js <<<"module.exports = (a, b) => a + b" && file test/index.test.js <<<"const test = require(\"node:test\")
const assert = require(\"node:assert\")
const sum = require(\"..\")

test(\"sum\", () => assert.equal(sum(1, 2), 3))"' 'npm test'
project eslint-warnings npm 'npm init -y && npm pkg set scripts.lint="eslint ." scripts.test="node --test" type=module && npm i -D eslint @eslint/js && file eslint.config.js <<<"import js from \"@eslint/js\"; export default [js.configs.recommended, { rules: { \"no-unused-vars\": \"warn\" } }];" && file index.js <<<"export const one = () => { const two = 2; };" && file index.test.js <<<"import test from \"node:test\"; test(\"nothing\", () => {});"' 'npm run lint && npm test'
project biome npm 'npm init -y && npm pkg set scripts.check="biome check" scripts.test="node --test" && npm i -D @biomejs/biome && npx biome init && file index.test.js <<<"require(\"node:test\")(\"nothing\", () => {});" && npx biome check --write' 'npm run check && npm test'
project prettier npm 'npm init -y && npm pkg set scripts.format="prettier --write ." scripts.format:check="prettier --check ." scripts.test="node --test" && npm i -D prettier && file .prettierrc <<<"{}" && file .prettierignore <<<"evidence" && file index.test.js <<<"require(\"node:test\")(\"nothing\", () => {});" && npm run format' 'npm run format:check && npm test'
project prettier-unformatted npm 'npm init -y && npm pkg set scripts.test="node --test" && npm i -D prettier && file .prettierrc <<<"{}" && file index.test.js <<<"require( \"node:test\" )(\"nothing\", () => {})"' 'npm test'

# Node: package managers and workspaces.
project pnpm-workspace pnpm 'file package.json <<<"{\"name\":\"root\",\"private\":true,\"scripts\":{\"test\":\"pnpm -r test\"}}" && file pnpm-workspace.yaml <<<"packages: [\"packages/*\"]" && for each in a b; do file packages/$each/package.json <<<"{\"name\":\"$each\",\"scripts\":{\"test\":\"node --test\"}}"; file packages/$each/$each.test.js <<<"require(\"node:test\")(\"$each\", () => {});"; done && pnpm install' 'pnpm test'
project npm-workspaces npm 'file package.json <<<"{\"name\":\"root\",\"private\":true,\"workspaces\":[\"packages/*\"]}" && for each in a b; do file packages/$each/package.json <<<"{\"name\":\"$each\",\"version\":\"1.0.0\",\"scripts\":{\"test\":\"node --test\"}}"; file packages/$each/$each.test.js <<<"require(\"node:test\")(\"$each\", () => {});"; done && npm install' 'npm test --workspaces'
project yarn-jest yarn 'npm init -y && npm pkg set scripts.test=jest && yarn add -D jest && sum_js && file sum.test.js <<<"test(\"sum\", () => expect(require(\"./sum\")(1, 2)).toBe(3));"' 'yarn test'
project bun-init bun 'bun init -y && file index.test.ts <<<"import { test, expect } from \"bun:test\"; test(\"sum\", () => { expect(1 + 2).toBe(3); });"' 'bun test && bunx tsc --noEmit'
project turbo npm 'npx create-turbo@latest . -m npm </dev/null' 'npm run build && npm run lint && npm run check-types'

# Python.
project python-pytest python3 'python3 -m venv .venv && .venv/bin/pip install pytest && file requirements.txt <<<pytest && file app.py <<<"def add(a, b): return a + b" && file test_app.py <<<"from app import add
def test_add(): assert add(1, 2) == 3"' '.venv/bin/python -m pytest'
project python-pytest-bare 'python3 pytest' 'file requirements.txt <<<pytest && file test_app.py <<<"def test_add(): assert 1 + 2 == 3"' 'pytest'
project python-unittest python3 'file app.py <<<"def add(a, b): return a + b" && file test_app.py <<<"import unittest
from app import add
class T(unittest.TestCase):
    def test_add(self): self.assertEqual(add(1, 2), 3)"' 'python3 -m unittest'
project uv-init uv 'uv init --no-workspace . && uv add --dev pytest && file test_main.py <<<"from main import main
def test_main(): main()"' 'uv run pytest'
project uv-lib uv 'uv init --lib --no-workspace --name demo . && uv add --dev pytest ruff mypy && file tests/test_demo.py <<<"from demo import hello
def test_hello() -> None: assert hello()" && printf "[tool.ruff]\nline-length = 100\n[tool.mypy]\nstrict = true\n" >>pyproject.toml' 'uv run pytest && uv run ruff check && uv run mypy src'
project uv-plain uv 'uv init --no-workspace .' 'uv run main.py'
project poetry-new poetry 'poetry config virtualenvs.in-project true --local; poetry new --name demo . && poetry add --group dev pytest && file tests/test_demo.py <<<"def test_demo(): assert True"' 'poetry run pytest'
project hatch-new 'hatch uv' 'hatch new demo tmp && cp -r tmp/. . && rm -rf tmp && file tests/test_demo.py <<<"def test_demo(): assert True"' 'hatch test'
project pdm-init pdm 'pdm init -n --lib && pdm add -d pytest && file tests/test_demo.py <<<"def test_demo(): assert True"' 'pdm run pytest'
project django 'python3' 'python3 -m venv .venv && .venv/bin/pip install django && .venv/bin/django-admin startproject demo . && .venv/bin/python manage.py startapp polls && .venv/bin/pip freeze >requirements.txt && file polls/tests.py <<<"from django.test import SimpleTestCase
class T(SimpleTestCase):
    def test_one(self): self.assertEqual(1, 1)"' '.venv/bin/python manage.py test && .venv/bin/python manage.py check'
project tox tox 'file pyproject.toml <<<"[project]
name = \"demo\"
version = \"1\"
[build-system]
requires = [\"setuptools\"]
build-backend = \"setuptools.build_meta\"
[tool.setuptools]
py-modules = [\"demo\"]" && file demo.py <<<"X = 1" && file tests/test_demo.py <<<"import demo
def test_x(): assert demo.X == 1" && file tox.ini <<<"[tox]
envlist = py3
[testenv]
deps = pytest
commands = pytest"' 'tox'
project setup-cfg-flake8 python3 'python3 -m venv .venv && .venv/bin/pip install pytest flake8 && file setup.cfg <<<"[flake8]
max-line-length = 100
[tool:pytest]
testpaths = tests" && file tests/test_demo.py <<<"def test_x():
    assert True"' '.venv/bin/pytest && .venv/bin/flake8 tests'

# Rust.
project cargo-bin cargo 'cargo init --name demo --vcs none' 'cargo test && cargo build'
project cargo-lib cargo 'cargo init --lib --name demo --vcs none' 'cargo test'
project cargo-unformatted cargo 'cargo init --lib --name demo --vcs none && printf "pub fn  one( )->u8{1}\n" >>src/lib.rs' 'cargo test'
project cargo-warnings cargo 'cargo init --lib --name demo --vcs none && printf "fn unused() {}\n" >>src/lib.rs' 'cargo test'
project cargo-workspace cargo 'printf "[workspace]\nmembers = [\"a\", \"b\"]\nresolver = \"2\"\n" >Cargo.toml && cargo new --lib a --vcs none && cargo new b --vcs none' 'cargo test --workspace'
project cargo-ci cargo 'cargo init --lib --name demo --vcs none && file .github/workflows/ci.yml <<<"on: push
jobs:
  test:
    runs-on: ubuntu-latest
    steps:
      - uses: actions/checkout@v4
      - run: cargo fmt --all -- --check
      - run: cargo clippy --all-targets -- -D warnings
      - run: cargo test"' 'cargo test && cargo clippy --all-targets -- -D warnings && cargo fmt --check'

# Go.
project go-lib go 'go mod init example.com/demo && file demo.go <<<"package demo

func Add(a, b int) int { return a + b }" && file demo_test.go <<<"package demo

import \"testing\"

func TestAdd(t *testing.T) {
	if Add(1, 2) != 3 {
		t.Fatal()
	}
}"' 'go test ./... && go vet ./...'
project go-cmd go 'go mod init example.com/demo && file main.go <<<"package main

import \"fmt\"

func main() { fmt.Println(1) }"' 'go build ./...'
project go-unformatted go 'go mod init example.com/demo && file demo.go <<<"package demo
func Add(a,b int) int {return a+b}" && file sub/sub_test.go <<<"package sub
import \"testing\"
func TestX(t *testing.T) {}"' 'go test ./...'

# Java.
project maven-quickstart mvn 'mvn -q -B archetype:generate -DgroupId=com.example -DartifactId=demo -DarchetypeGroupId=org.apache.maven.archetypes -DarchetypeArtifactId=maven-archetype-quickstart -DarchetypeVersion=1.5 -DinteractiveMode=false && cp -r demo/. . && rm -rf demo' 'mvn -q -B test'
project gradle-init gradle 'gradle init --type java-library --dsl kotlin --test-framework junit-jupiter --package demo --project-name demo --no-incubating' './gradlew build'

# C and C++.
project make-c 'make gcc' 'file Makefile <<<"all: demo
demo: demo.c
	cc -Wall -o demo demo.c
test: demo
	./demo
.PHONY: all test clean
clean:
	rm -f demo" && file demo.c <<<"int main(void) { return 0; }"' 'make && make test'
project cmake-ctest 'cmake gcc' 'file CMakeLists.txt <<<"cmake_minimum_required(VERSION 3.16)
project(demo C)
enable_testing()
add_executable(demo demo.c)
add_test(NAME demo COMMAND demo)" && file demo.c <<<"int main(void) { return 0; }"' 'cmake -S . -B build && cmake --build build && ctest --test-dir build'
project cmake-presets 'cmake gcc ninja' 'file CMakeLists.txt <<<"cmake_minimum_required(VERSION 3.21)
project(demo CXX)
enable_testing()
add_executable(demo demo.cc)
add_test(NAME demo COMMAND demo)" && file demo.cc <<<"int main() { return 0; }" && file CMakePresets.json <<<"{\"version\":3,\"configurePresets\":[{\"name\":\"dev\",\"generator\":\"Ninja\",\"binaryDir\":\"\${sourceDir}/out\"}],\"buildPresets\":[{\"name\":\"dev\",\"configurePreset\":\"dev\"}],\"testPresets\":[{\"name\":\"dev\",\"configurePreset\":\"dev\"}]}"' 'cmake --preset dev && cmake --build --preset dev && ctest --preset dev'
project meson-c 'meson ninja' 'meson init --name demo --language c --type executable && meson setup --reconfigure build 2>/dev/null || true; sed -i "s/^exe = /exe = /" meson.build' 'meson setup build --wipe 2>/dev/null || meson setup build; meson compile -C build && meson test -C build'

# Ruby, PHP, shell.
project ruby-minitest 'ruby rake' 'file Rakefile <<<"require \"rake/testtask\"
Rake::TestTask.new { |t| t.pattern = \"test/**/*_test.rb\" }
task default: :test" && file test/demo_test.rb <<<"require \"minitest/autorun\"
class DemoTest < Minitest::Test
  def test_one = assert(true)
end"' 'rake test'
project ruby-rspec 'ruby rspec' 'file .rspec <<<"--require spec_helper" && file spec/spec_helper.rb <<<"" && file spec/demo_spec.rb <<<"RSpec.describe(\"demo\") { it(\"works\") { expect(1).to eq(1) } }"' 'rspec'
project php-phpunit 'php composer' 'file composer.json <<<"{\"require-dev\":{\"phpunit/phpunit\":\"*\"},\"scripts\":{\"test\":\"phpunit\"}}" && composer install && file tests/DemoTest.php <<<"<?php class DemoTest extends PHPUnit\\Framework\\TestCase { public function testOne() { \$this->assertTrue(true); } }" && file phpunit.xml <<<"<phpunit><testsuites><testsuite name=\"a\"><directory>tests</directory></testsuite></testsuites></phpunit>"' 'vendor/bin/phpunit'
project dotnet-xunit dotnet 'dotnet new sln && dotnet new classlib -o lib && dotnet new xunit -o tests && dotnet sln add lib tests' 'dotnet test'
project bats bats 'file test/demo.bats <<<"@test \"one\" {
  [ 1 -eq 1 ]
}"' 'bats test'

# Several at once.
project node-and-python 'npm python3' 'mkdir web api && (cd web && npm init -y && npm pkg set scripts.test="node --test" && file a.test.js <<<"require(\"node:test\")(\"a\", () => {});") && (cd api && python3 -m venv .venv && .venv/bin/pip install pytest && file requirements.txt <<<pytest && file test_a.py <<<"def test_a(): pass")' '(cd web && npm test) && (cd api && .venv/bin/python -m pytest)'

# Public repositories.
project cors 'npm git' 'clone expressjs/cors && npm install' 'npm test && npm run lint'
project slugify 'npm git' 'clone sindresorhus/slugify && npm install' 'npm test'
project itoa 'cargo git' 'clone dtolnay/itoa' 'cargo test'
project uuid 'go git' 'clone google/uuid' 'go test ./...'
project itsdangerous 'uv git' 'clone pallets/itsdangerous && uv sync' 'uv run pytest'
project cjson 'cmake git' 'clone DaveGamble/cJSON' 'cmake -S . -B build && cmake --build build && ctest --test-dir build'
project mux 'go git' 'clone gorilla/mux' 'go test ./...'
project pflag 'go git' 'clone spf13/pflag' 'go test ./...'
project semver 'npm git' 'clone npm/node-semver && npm install' 'npx tap'
project is-plain-obj 'npm git' 'clone sindresorhus/is-plain-obj && npm install' 'npm test'
project semver-rust 'cargo git' 'clone dtolnay/semver' 'cargo test'
project click 'uv git' 'clone pallets/click && uv sync' 'uv run pytest'
project commons-csv 'mvn git' 'clone apache/commons-csv' 'mvn -q -B test'
project fastify-cors 'npm git' 'clone fastify/fastify-cors && npm install' 'npm test'
