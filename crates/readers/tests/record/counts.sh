#!/usr/bin/env bash
# Records what sums up in other words than most: `counts.sh OUTPUT-DIRECTORY`. node-tap 16 to 21, AVA, ESLint 4 and 9, scripts
# that run unittest, and Go's linters on a package that does not compile. It makes its projects itself. Needs node 20 with npm,
# Python, Go 1.26, and on the path staticcheck (honnef.co/go/tools/cmd/staticcheck@v0.8.2) and golangci-lint
# (github.com/golangci/golangci-lint/v2/cmd/golangci-lint@v2.15.0).
set -u
output=$(realpath -m "${1:?the directory for the output}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work" || exit 1
export CI=1 NO_COLOR=1 NODE_DISABLE_COLORS=1 GOFLAGS=-mod=mod GOPROXY=off

# install DIRECTORY PACKAGE…
install() {
    mkdir -p "$1" && echo '{"private":true}' >"$1/package.json"
    (cd "$1" && npm install --no-audit --no-fund "${@:2}" >&2)
}
install tap16 tap@16.3.10
install tap18 tap@18.8.0
install tap21 tap@21.8.0
install ava ava@6.4.1
install eslint4 eslint@4.19.1
install eslint9 eslint@9.39.5 @eslint/js@9

# record DIRECTORY TOOL CASE COMMAND…: keeps both streams, without the place where the project stood.
record() {
    local directory=$1 tool=$2 case=$3 stream
    shift 3
    mkdir -p "$output/$tool"
    (cd "$directory" && timeout 120 "$@" >"$work/stdout" 2>"$work/stderr"; echo "$tool/$case: exit $?")
    for stream in stdout stderr; do
        sed -E "s#$work/[a-z0-9]+#/project#g; /^npm (warn|notice)/d" "$work/$stream" >"$work/clean"
        [ -s "$work/clean" ] && cp "$work/clean" "$output/$tool/$case.$stream.txt"
    done
}

for version in 16 18 21; do
    mkdir -p tap$version/test
    cat >tap$version/test/calc.js <<'END'
const t = require('tap')
t.test('adds', t => {
  t.equal(1 + 2, 3)
  t.equal(2 + 2, 4, 'two and two')
  t.end()
})
t.test('is wrong', t => {
  t.equal(1 + 2, 4, 'sum')
  t.end()
})
t.test('later', { todo: true }, t => t.end())
t.test('not here', { skip: 'no net' }, t => t.end())
END
    printf "const t = require('tap')\nt.pass('fine')\nt.same({ a: 1 }, { a: 1 })\n" >tap$version/test/ok.js
done
tests=(test/calc.js test/ok.js)
record tap16 tap node-tap-16 npx tap --no-coverage -R tap "${tests[@]}"
record tap16 tap node-tap-16-base npx tap --no-coverage -R base "${tests[@]}"
record tap18 tap node-tap-18 npx tap --allow-incomplete-coverage -R tap "${tests[@]}"
record tap18 tap node-tap-18-terse env -u CI npx tap --allow-incomplete-coverage -R terse "${tests[@]}"
record tap21 tap node-tap-21-base npx tap --allow-incomplete-coverage -R base "${tests[@]}"
record tap21 tap node-tap-21-clean npx tap --allow-empty-coverage -R terse test/ok.js

cat >ava/test.mjs <<'END'
import test from 'ava';
test('adds', t => { t.is(1 + 2, 3); });
test('is wrong', t => { t.is(1 + 2, 4); });
test.skip('not here', t => { t.pass(); });
test.todo('later');
test.failing('known', t => { t.fail(); });
END
cat >ava/pass.mjs <<'END'
import test from 'ava';
test('one', t => { t.pass(); });
test('two', t => { t.pass(); });
test.skip('three', t => { t.pass(); });
END
cat >ava/boom.mjs <<'END'
import test from 'ava';
test('fine', t => { t.pass(); });
test('later boom', async t => { setTimeout(() => { throw new Error('boom outside'); }, 10); await new Promise(r => setTimeout(r, 200)); t.pass(); });
END
record ava ava exception npx ava test.mjs pass.mjs boom.mjs
record ava ava skipped npx ava pass.mjs

printf 'let x = 1;\nvar y = 2;;\nif (x == y) { undefinedName(); }\nexport default x;\n' | tee eslint4/a.js >eslint9/a.js
rules='{"prefer-const":"error","no-extra-semi":"error","no-var":"warn","eqeqeq":"warn"}'
echo "{\"root\":true,\"parserOptions\":{\"ecmaVersion\":2015,\"sourceType\":\"module\"},\"rules\":$rules}" >eslint4/.eslintrc.json
echo "import js from '@eslint/js'; export default [js.configs.recommended, { rules: $rules }];" >eslint9/eslint.config.mjs
record eslint4 eslint stylish-4 npx eslint a.js
record eslint9 eslint stylish-9 npx eslint a.js

mkdir python
cat >python/test_fails.py <<'END'
import sys
import unittest


class Calc(unittest.TestCase):
    def test_adds(self):
        print("adding on stdout")
        self.assertEqual(1 + 2, 4)

    def test_also(self):
        sys.stderr.write("a warning on stderr\n")
        self.assertTrue(True)

    @unittest.skip("not here")
    def test_skipped(self):
        pass

    def test_last(self):
        self.assertIn(1, [1, 2])
END
cat >python/run_all.py <<'END'
import sys, unittest
print("preparing")
suite = unittest.defaultTestLoader.loadTestsFromName("test_fails")
result = unittest.TextTestRunner(stream=sys.stdout, verbosity=1).run(suite)
print("coverage: 81 %")
sys.exit(not result.wasSuccessful())
END
cat >python/both.py <<'END'
import io, sys, unittest
suite = unittest.defaultTestLoader.loadTestsFromName("test_fails")
out = io.StringIO()
result = unittest.TextTestRunner(stream=out).run(suite)
sys.stderr.write(out.getvalue()); sys.stdout.write(out.getvalue())
sys.exit(not result.wasSuccessful())
END
record python unittest both python3 both.py
record python unittest script python3 run_all.py

mkdir -p go/{vetted,clean,clean2,nothing,broken,syn,smell}
printf 'module example.com/demo\n\ngo 1.26\n' >go/go.mod
printf 'package vetted\n\nimport "fmt"\n\nfunc Print() int {\n\tif true {\n\t\treturn 1\n\t\tfmt.Println("never")\n\t}\n\tfmt.Printf("%%d\\n", "text")\n\treturn 2\n}\n' >go/vetted/vetted.go
printf 'package clean\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n' >go/clean/clean_test.go
printf 'package clean\n\nfunc A() int { return 1 }\n' >go/clean/clean.go
printf 'package clean2\n\nimport "testing"\n\nfunc TestA(t *testing.T) {}\n' >go/clean2/c_test.go
echo 'package nothing' >go/nothing/n.go
printf 'package broken\n\nfunc A() int { return missing() }\n\nfunc B() string { return 1 }\n' >go/broken/broken.go
printf 'package syn\n\nfunc A( {\n' >go/syn/a.go
printf 'package smell\n\nimport "fmt"\n\nfunc A(x int) []int {\n\tif x == 1 {\n\t}\n\tvar y []int\n\tfor _, v := range []int{1, 2} {\n\t\ty = append(y, v)\n\t}\n\tfmt.Sprintf("%%d", x)\n\treturn y\n}\n\nfunc unused() {}\n' >go/smell/smell.go
record go go-test packages go test -cover ./clean ./clean2 ./nothing
record go govet broken go vet ./vetted ./broken
record go staticcheck smell staticcheck ./smell
record go staticcheck broken staticcheck ./broken ./smell
record go staticcheck stylish staticcheck -f stylish ./broken ./smell
record go staticcheck broken-json staticcheck -f json ./broken ./smell
record go golangci-lint run golangci-lint run ./smell ./vetted
record go golangci-lint broken golangci-lint run ./broken ./syn ./smell
record go golangci-lint broken-tab golangci-lint run --output.tab.path stdout ./broken ./smell
