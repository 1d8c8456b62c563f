#!/usr/bin/env bash
# Records what linters and bundlers of JavaScript and its neighbours print about a small faulty project.
#
#     jslint.sh <output directory> [<directory with node_modules>]
#
# Writes <output directory>/<tool>/<case>.{stdout,stderr}.txt and version.txt. Needs Node.js 20 or later.
set -euo pipefail

out=$(realpath -m "$1")
modules=${2:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkdir -p "$work/project" && cd "$work/project"

if [[ -z $modules ]]; then
  modules=$work/modules
  mkdir -p "$modules"
  (cd "$modules" && echo '{"private":true}' > package.json && npm install --no-audit --no-fund --legacy-peer-deps \
    @biomejs/biome@2.6.8 oxlint@1.94.0 stylelint@16.26.1 stylelint-config-standard@39 svelte@5 svelte-check@4 typescript@5 \
    esbuild@0.28.2 webpack@5.112.2 webpack-cli rollup@4.68.7 vite@8 standard@17.1.2 xo jshint@2.13.6 htmlhint@1.9.2 flow-bin \
    solhint@6.2.4 solc@0.8.37 markdownlint-cli markdownlint-cli2@0.22.1 deno @stoplight/spectral-cli >&2)
fi
ln -s "$modules/node_modules" node_modules
export PATH=$PWD/node_modules/.bin:$PATH NO_COLOR=1
version() { node -p "require('./node_modules/$1/package.json').version"; }

mkdir -p src contracts sv/src
printf '%s\n' 'var x = 1;' 'debugger;' 'function foo(a, a2) { if (x = 2) { eval("1") } }' 'const o = { p: 1, p: 2 };' \
  '	for (;;) { let unused = a == 1; break; }' > src/a.js
printf '%s\n' 'const y: number = "str";' 'export function f(a: any) { return a.lenght }' > src/b.ts
echo 'console.log(missing, nope;' > src/broken.js
echo 'export const a = 1;' > src/clean.js
printf '%s\n' 'import nope from "./nothere.js";' 'import p from "not-installed-pkg";' 'console.log(nope, p, -0 === x);' > src/ok.js
printf '%s\n' 'import {b} from "./clean.js";' 'console.log(b, typeof b == "sting");' > src/warn.js
printf '%s\n' 'a { color: #FFFFFF; colr: red; }' 'a { margin: 0px 0px }' 'a {}' > b.css
printf '%s\n' '<html>' '<head><title></title></head>' '<body>' "<DIV id='a' class='b'>x</DIV>" '<p id="a">' '</body>' '</html>' > index.html
printf '%s\n' '#Title' '* item' '+ other   ' '```' 'code' '```' > README.md
printf '%s\n' '# Fine' > fine.md
printf '%s\n' 'openapi: 3.0.0' 'info:' '  title: x' '  version: "1"' 'paths:' '  /pets:' '    get:' '      responses:' '        "200": {}' > openapi.yaml
printf '%s\n' 'pragma solidity ^0.8.0;' 'contract A {' '  uint X;' '  function () {}' '}' > contracts/A.sol
printf '%s\n' '// SPDX-License-Identifier: MIT' 'pragma solidity ^0.8.0;' 'contract W {' '  function f(uint a) public { uint u; }' '}' > contracts/W.sol
printf '%s\n' 'function f(a: any) { debugger; return a }' 'const x: number = "s"' > d.ts
printf '%s\n' '<script lang="ts">' '  let count: number = "zero";' '</script>' '<img src="x.png">' '<style>.unused { color: red; }</style>' > sv/src/App.svelte
echo 'export const a: number = "x";' > sv/src/lib.ts
echo '{"compilerOptions":{"strict":true,"skipLibCheck":true},"include":["src"]}' > sv/tsconfig.json
printf '%s\n' '// @flow' 'const s: string = 1;' 'const t: ?string = null; t.length;' > src/flow.js
echo '[options]' > .flowconfig
echo '{"private":true}' > package.json
echo '{"extends":"stylelint-config-standard"}' > .stylelintrc.json
echo '{"extends":"solhint:recommended"}' > .solhint.json
echo 'extends: ["spectral:oas"]' > .spectral.yaml

# record <tool> <case> <command…>: both streams, without the path of this machine.
record() {
  local tool=$1 name=$2 stream; shift 2
  mkdir -p "$out/$tool"
  "$@" > "$work/stdout" 2> "$work/stderr" || true
  for stream in stdout stderr; do
    [[ -s $work/$stream ]] && sed -e "s#$work/project#/project#g" -e "s#$modules#/project#g" "$work/$stream" > "$out/$tool/$name.$stream.txt"
  done
  return 0
}

for reporter in default concise json summary; do record biome "$reporter" biome check --reporter=$reporter src; done
record biome clean biome lint src/clean.js
record biome truncated biome lint --max-diagnostics=2 src
for format in default unix json stylish agent; do record oxlint $format oxlint -f $format src; done
record oxlint clean oxlint src/clean.js
for format in string compact unix verbose json; do record stylelint $format stylelint -f $format b.css; done
for format in human human-verbose machine machine-verbose; do record svelte-check $format svelte-check --workspace sv --output $format; done
for module in ok broken warn clean; do
  record esbuild $module esbuild --bundle src/$module.js --outfile="$work/o.js"
  record webpack $module webpack --mode development --entry ./src/$module.js -o "$work/webpack"
  record rollup $module rollup src/$module.js -o "$work/r.js"
  echo "<html><body><script type=module src=/src/$module.js></script></body></html>" > page.html
  echo 'export default { build: { rollupOptions: { input: "page.html" }, outDir: "dist" } }' > vite.config.mjs
  record rollup vite-$module vite build
done
rm vite.config.mjs
for format in default compact unix json; do record htmlhint $format htmlhint -f $format index.html; done
record jshint default jshint src/a.js src/broken.js
record jshint verbose jshint --verbose src/a.js src/broken.js
record jshint unix-verbose jshint --reporter=unix --verbose src/a.js
record standard default standard src/a.js src/broken.js
record xo default xo src/a.js
record flow check flow check --color never
record flow json flow check --json
for format in stylish unix compact json; do record solhint $format solhint -f $format 'contracts/*.sol'; done
record solc error solcjs --abi contracts/A.sol -o "$work/solc"
record solc warning solcjs --abi contracts/W.sol -o "$work/solc"
record markdownlint cli markdownlint README.md
record markdownlint cli-json markdownlint -j README.md
record markdownlint cli2 markdownlint-cli2 README.md
record markdownlint cli2-clean markdownlint-cli2 fine.md
record deno lint deno lint d.ts src/broken.js
record deno compact deno lint --compact d.ts
record deno json deno lint --json d.ts
record deno check deno check d.ts src/b.ts
record deno fmt deno fmt --check d.ts
for format in stylish text json; do record spectral $format spectral lint -f $format openapi.yaml; done

while read -r tool package; do
  echo "$tool $(version "$package"), recorded by tests/record/jslint.sh" > "$out/$tool/version.txt"
done <<'TOOLS'
biome @biomejs/biome
oxlint oxlint
stylelint stylelint
svelte-check svelte-check
esbuild esbuild
webpack webpack
rollup rollup
htmlhint htmlhint
jshint jshint
standard standard
xo xo
flow flow-bin
solhint solhint
solc solc
markdownlint markdownlint-cli2
deno deno
spectral @stoplight/spectral-cli
TOOLS
echo "rollup $(version rollup) and vite $(version vite), recorded by tests/record/jslint.sh" > "$out/rollup/version.txt"
