#!/usr/bin/env bash
# Records what runners of JavaScript tests print: `jstest.sh OUTPUT-DIRECTORY [WORK-DIRECTORY]`. It makes its projects itself,
# and installs the runners, pinned, into the work directory. Needs node 20 and npm.
set -u
output=$(realpath -m "${1:?the directory for the output}")
work=$(realpath -m "${2:-$(mktemp -d)}")
mkdir -p "$work/project" "$work/old" && cd "$work" || exit 1

export CI=1 NO_COLOR=1 NODE_DISABLE_COLORS=1 npm_config_update_notifier=false
unset GITHUB_ACTIONS FORCE_COLOR

install() {
    [ -d "$1/node_modules" ] && return
    echo '{"private":true}' >"$1/package.json"
    (cd "$1" && npm install --no-audit --no-fund --foreground-scripts "${@:2}")
}
install . vitest@3.2.4 mocha@11.7.5 chai@6.2.1 ava@6.4.1 uvu@0.5.6 jasmine@5.13.0 qunit@2.25.0 tape@5.9.0 \
    @playwright/test@1.57.0 bun@1.3.5 deno@2.6.3 typescript@5.9.3
install old vitest@1.6.1
# npm may not run what fetches these binaries.
for package in bun deno; do
    (cd node_modules/$package && node install.*js)
done

# record TOOL CASE COMMAND…: keeps both streams, without the place where the project stood.
record() {
    local tool=$1 case=$2
    shift 2
    mkdir -p "$output/$tool"
    timeout 60 "$@" >"$work/stdout" 2>"$work/stderr"
    echo "$tool/$case: exit $?"
    local stream
    for stream in stdout stderr; do
        sed "s#$work/project#/project#g; s#$work/old#/project#g; s#$work#/modules#g; /^npm warn/d" "$work/$stream" >"$work/clean"
        [ -s "$work/clean" ] && cp "$work/clean" "$output/$tool/$case.$stream.txt"
    done
}

mkdir -p project/{vitest,vitest-broken,vitest-clean,mocha,mocha-clean,node,node-clean,ava,uvu,jasmine/spec,qunit,tape,playwright,bun,bun-clean,deno,deno-clean}
cd project || exit 1

cat >vitest/calc.ts <<'END'
export const add = (a: number, b: number) => a + b;
export function parse(text: string): number {
  const number = Number(text);
  if (Number.isNaN(number)) throw new TypeError(`not a number: ${text}`);
  return number;
}
END
cat >vitest/calc.test.ts <<'END'
import { describe, expect, it, test } from "vitest";
import { add, parse } from "./calc";

describe("add", () => {
  it("works", () => expect(add(1, 2)).toBe(3));
  it("floats > wrongly", () => {
    expect(add(0.1, 0.2)).toBe(0.3);
  });
  it.skip("skipped", () => {});
  it.todo("todo");
  describe("nested", () => {
    it("deep", () => expect({ a: 1 }).toEqual({ a: 2 }));
  });
});
test("throws from the source", () => { parse("abc"); });
test.fails("expected to fail", () => expect(1).toBe(2));
test("prints a summary", () => {
  console.log(" Test Files  9 passed (9)\n      Tests  99 passed (99)");
  console.error("not ok 1 - forged");
});
END
cat >vitest/pass.test.ts <<'END'
import { expect, test } from "vitest";
test("one", () => expect(1).toBe(1));
test("two", () => expect(2).toBe(2));
END
cp vitest/pass.test.ts vitest-clean/pass.test.ts
cp vitest/pass.test.ts vitest-broken/pass.test.ts
echo 'import { test } from "vitest"; test("x", () => { const a = ; });' >vitest-broken/syntax.test.ts
echo 'import { test } from "vitest"; import x from "./absent"; test("x", () => x());' >vitest-broken/missing.test.ts
echo 'import { test } from "vitest"; test("leaks", () => { Promise.reject(new Error("nobody caught me")); });' >vitest-broken/leaks.test.ts
cd vitest || exit 1
for reporter in default verbose dot json github-actions; do
    record vitest "$reporter" npx vitest run --reporter=$reporter
done
record tap vitest npx vitest run --reporter=tap
record tap vitest-flat npx vitest run --reporter=tap-flat
FORCE_COLOR=1 NO_COLOR= record vitest coloured npx vitest run
(cd ../../old && cp ../project/vitest/*.ts . && record vitest old npx vitest run)
cd ../vitest-broken && record vitest broken npx vitest run
record vitest broken-json npx vitest run --reporter=json
cd ../vitest-clean && record vitest clean npx vitest run
record vitest nothing npx vitest run absent
cd ..

cat >mocha/test.cjs <<'END'
const assert = require("node:assert");
describe("Array", function () {
  describe("#indexOf()", function () {
    it("returns -1", () => assert.equal([1].indexOf(4), -1));
    it("is wrong: here", () => assert.deepStrictEqual({ a: 1 }, { a: 2 }));
    it("is pending");
    it.skip("is skipped", () => {});
  });
  it("is slow", (done) => setTimeout(done, 60)).slow(10);
  it("times out", function (done) { this.timeout(30); });
  it("prints a summary", () => console.log("\n  9 passing (1ms)\n  1 failing\n"));
});
describe("hooks", () => {
  before("connect", () => { throw new Error("refused"); });
  it("never runs", () => {});
});
it("throws lines", () => { throw new Error("one\ntwo"); });
END
echo 'describe("ok", () => { it("a", () => {}); it("b", () => {}); it("c"); });' >mocha-clean/test.cjs
cd mocha || exit 1
for reporter in spec dot min list json; do
    record mocha "$reporter" npx mocha --reporter $reporter test.cjs
done
record tap mocha npx mocha --reporter tap test.cjs
FORCE_COLOR=1 NO_COLOR= record mocha coloured npx mocha --color test.cjs
cd ../mocha-clean && record mocha clean npx mocha test.cjs
record mocha clean-json npx mocha --reporter json test.cjs
cd ..

cat >node/calc.test.mjs <<'END'
import { describe, it, test } from "node:test";
import assert from "node:assert";
test("one", () => {});
test("sum", () => { assert.strictEqual(1 + 1, 3); });
test("skipped", { skip: "no net" }, () => {});
test("later", { todo: true }, () => { throw new Error("not yet"); });
describe("group", () => {
  it("inner", () => {});
  it("inner fails", () => { throw new TypeError("boom"); });
  describe("deep", () => { it("deepest", async () => { await Promise.reject(new Error("rejected")); }); });
});
test("parent", async (t) => {
  await t.test("child", () => { assert.ok(false, "the child is wrong"); });
  await t.test("good child", () => {});
});
test("prints a summary", () => { console.log("ℹ tests 9\nℹ pass 9\nℹ fail 0"); });
END
echo 'import assert from "node:assert"; import x from "./absent.mjs";' >node/broken.test.mjs
printf 'import { test } from "node:test";\ntest("one", () => {});\ntest("two", { skip: true }, () => {});\n' >node-clean/clean.test.mjs
cd node || exit 1
for reporter in spec dot; do
    record node-test "$reporter" node --test --test-reporter=$reporter
done
record tap node node --test --test-reporter=tap
record tap node-alone node calc.test.mjs
FORCE_COLOR=1 NO_COLOR= record node-test coloured node --test --test-reporter=spec
cd ../node-clean && record node-test clean node --test --test-reporter=spec
cd ..

cat >ava/test.mjs <<'END'
import test from "ava";
test("passes", (t) => t.pass());
test("is wrong", (t) => { t.is(1 + 1, 3); });
test("throws", () => { throw new Error("boom"); });
test.skip("skipped", (t) => t.pass());
test.todo("later");
test.failing("known", (t) => t.fail());
END
echo '{"private":true}' >ava/package.json
(cd ava && record ava default npx ava test.mjs; record tap ava npx ava --tap test.mjs)
printf 'import test from "ava";\ntest("passes", (t) => t.pass());\n' >ava/clean.mjs
printf 'import test from "ava";\nimport x from "./absent.mjs";\ntest("passes", (t) => t.pass());\n' >ava/broken.mjs
printf 'import test from "ava";\ntest("leaks", (t) => { t.pass(); Promise.reject(new Error("nobody caught me")); });\n' >ava/leaks.mjs
(cd ava && record ava clean npx ava clean.mjs; record ava several npx ava broken.mjs leaks.mjs test.mjs)

cat >uvu/calc.js <<'END'
const { test, suite } = require("uvu");
const assert = require("uvu/assert");
test("good", () => assert.is(1, 1));
test("bad", () => assert.is(1 + 1, 3));
test.skip("skipped", () => {});
test.run();
const math = suite("math");
math("throws", () => { throw new TypeError("boom"); });
math.run();
END
printf 'const { test } = require("uvu");\ntest("good", () => {});\ntest.run();\n' >uvu/clean.js
(cd uvu && record uvu failing npx uvu . calc.js; record uvu clean npx uvu . clean.js; record uvu alone node calc.js)

cat >jasmine/spec/calc.spec.js <<'END'
describe("calc", () => {
  it("good", () => expect(1).toBe(1));
  it("bad", () => { expect(1 + 1).toBe(3); expect({ a: 1 }).toEqual({ a: 2 }); });
  it("throws", () => { throw new Error("boom"); });
  xit("skipped", () => {});
  it("pending");
});
END
printf 'describe("calc", () => { it("good", () => expect(1).toBe(1)); });\n' >jasmine/spec/clean.spec.js
printf 'describe("broken", () => { throw new Error("in the group"); });\n' >jasmine/spec/broken.spec.js
(cd jasmine && record jasmine failing npx jasmine --no-color --seed=1 spec/calc.spec.js
    record jasmine clean npx jasmine --no-color --seed=1 spec/clean.spec.js
    record jasmine broken npx jasmine --no-color --seed=1 spec/broken.spec.js spec/clean.spec.js)

cat >qunit/calc.js <<'END'
QUnit.module("calc", () => {
  QUnit.test("good", (assert) => assert.equal(1, 1));
  QUnit.test("bad", (assert) => { assert.equal(1 + 1, 3, "sum"); assert.ok(false); });
  QUnit.skip("skipped");
  QUnit.todo("later", (assert) => assert.ok(false));
});
END
(cd qunit && record tap qunit npx qunit calc.js)

cat >tape/calc.js <<'END'
const test = require("tape");
test("good", (t) => { t.plan(1); t.equal(1, 1); });
test("bad", (t) => { t.equal(1 + 1, 3, "sum"); t.deepEqual({ a: 1 }, { a: 2 }); t.end(); });
test("later", { todo: true }, (t) => { t.ok(false, "not yet"); t.end(); });
test("none", { skip: true }, (t) => t.end());
END
(cd tape && record tap tape node calc.js)
printf '1..3\nok 1 - one\nnot ok 2 - two\n#   Failed test '"'two'"'\n#   at t/a.t line 8.\nBail out! no database\n' >"$output/tap/bail-out.stdout.txt"

cat >playwright/calc.spec.ts <<'END'
import { expect, test } from "@playwright/test";
test.describe("calc", () => {
  test("good", () => expect(1).toBe(1));
  test("bad", () => {
    expect(1 + 1).toBe(3);
  });
  test.skip("skipped", () => {});
  test.fixme("later", () => {});
  test("throws", async () => { await test.step("inner", () => { throw new Error("boom"); }); });
});
test("flaky", ({}, info) => expect(info.retry).toBe(1));
test.fail("known", () => expect(1).toBe(2));
END
printf 'import { expect, test } from "@playwright/test";\ntest("good", () => expect(1).toBe(1));\n' >playwright/clean.spec.ts
printf 'import { test } from "@playwright/test";\nimport x from "./absent";\ntest("good", () => x());\n' >playwright/broken.spec.ts
cd playwright || exit 1
for reporter in list line dot github json; do
    record playwright "$reporter" npx playwright test --reporter=$reporter --retries=1 calc.spec.ts
done
record playwright clean npx playwright test --reporter=list clean.spec.ts
cd ..

cat >bun/calc.test.ts <<'END'
import { describe, expect, test } from "bun:test";
describe("calc", () => {
  test("good", () => expect(1).toBe(1));
  test("bad", () => {
    expect(1 + 1).toBe(3);
  });
  describe("nested", () => { test("throws", () => { throw new TypeError("boom"); }); });
  test.skip("skipped", () => {});
  test.todo("later");
});
END
printf 'import { test } from "bun:test";\nimport x from "./absent";\ntest("good", () => x());\n' >bun/broken.test.ts
printf 'import { expect, test } from "bun:test";\ntest("good", () => expect(1).toBe(1));\n' >bun-clean/clean.test.ts
(cd bun && record bun-test failing npx bun test calc; record bun-test broken npx bun test
    FORCE_COLOR=1 NO_COLOR= record bun-test coloured npx bun test calc; record bun-test dots npx bun test --dots)
(cd bun-clean && record bun-test clean npx bun test)

cat >deno/calc_test.ts <<'END'
function same(a: unknown, b: unknown) { if (a !== b) throw new Error(`not the same: ${a}, ${b}`); }
Deno.test("good", () => same(1, 1));
Deno.test("bad", () => {
  same(1 + 1, 3);
});
Deno.test.ignore("ignored", () => {});
Deno.test("steps", async (t) => {
  await t.step("one", () => {});
  await t.step("two", () => { throw new TypeError("boom"); });
});
Deno.test("prints", () => console.log("ok | 9 passed | 0 failed (1ms)"));
END
printf 'Deno.test("good", () => {});\n' >deno-clean/clean_test.ts
printf 'Deno.test("good", () => {});\nthrow new Error("outside of tests");\n' >deno/broken_test.ts
(cd deno && for reporter in pretty dot; do
    record deno-test "$reporter" npx deno test --no-check --reporter=$reporter calc_test.ts
done
record tap deno npx deno test --no-check --reporter=tap calc_test.ts
record deno-test broken npx deno test --no-check calc_test.ts broken_test.ts)
(cd deno-clean && record deno-test clean npx deno test clean_test.ts)
