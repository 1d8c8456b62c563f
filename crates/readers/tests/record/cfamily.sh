#!/bin/bash
# Records what tools of the C family, and of Fortran, Haskell, Lua, Perl and shells, print of small faulty projects.
#
#   cfamily.sh OUTPUT [ROOT]
#
# OUTPUT gets a directory for every tool. ROOT is a directory in which Debian packages were unpacked, for tools that are not
# installed: `apt-get download` and `dpkg -x` of libgtest-dev googletest catch2 doctest-dev libcmocka-dev libcmocka0
# libpcre3 libtinyxml2-9 cppcheck gfortran-12 lua5.4 lua-check hlint iverilog libboost-test-dev clang-14 clang-tidy-14 (Debian 12).
set -u
output=$(realpath -m "$1")
root=${2:+$(realpath "$2")}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
library=$root/usr/lib/x86_64-linux-gnu
export LD_LIBRARY_PATH=$library:$root/lib/x86_64-linux-gnu:$root/usr/lib/llvm-14/lib LC_ALL=C.UTF-8
export PATH=$PATH:$root/usr/bin:$root/usr/lib/llvm-14/bin
includes=(-I"$root/usr/include" -I"$root/usr/src/googletest/googletest/include")

# record TOOL CASE COMMAND…
record() {
    local tool=$1 case=$2
    shift 2
    mkdir -p "$output/$tool"
    "$@" >"$work/out" 2>"$work/err"
    for stream in out err; do
        if [ -s "$work/$stream" ]; then
            sed -e "s|$work|/project|g" -e "s|$root|/tools|g" -e 's|/tmp/cc[A-Za-z0-9]*\.o|/tmp/cc.o|g' "$work/$stream" \
                >"$output/$tool/$case.std$stream.txt"
        fi
    done
}

version() {
    local tool=$1
    shift
    mkdir -p "$output/$tool"
    "$@" 2>&1 | grep -m 1 . >"$output/$tool/version.txt"
}

mkdir "$work/c" && cd "$work/c" || exit 1
cat >warn.h <<'END'
static int helper(int *p) { return p; }
END
cat >warn.c <<'END'
#include <stdio.h>
#include "warn.h"
#define TWICE(x) ((x) + (y))
int f(unsigned n) {
    int unused;
    for (int i = 0; i < n; i++) printf("%s\n", i);
    return TWICE(3);
}
int main(void) { struct { int a; } s; return s.b }
END
cat >missing.c <<'END'
#include "nowhere.h"
END
cat >template.cpp <<'END'
#include <string>
#include <vector>
template <class T> struct Box { T value; void show() { value.print(); } };
struct Base { virtual void run() = 0; };
int main() {
    Box<int> box;
    box.show();
    Base base;
    std::string text = 1.5;
    std::vector<int> list = "no";
    return box.nothing;
}
END
cat >link.c <<'END'
int missing(void);
int shared = 1;
int main(void) { return missing(); }
END
cat >other.c <<'END'
int shared = 2;
END
version gcc gcc --version
record gcc warn gcc -Wall -Wextra -c -o /dev/null warn.c
record gcc coloured gcc -Wall -Wextra -fdiagnostics-color=always -c -o /dev/null warn.c
record gcc werror-bare gcc -Wall -Werror -fno-diagnostics-show-caret -c -o /dev/null warn.c
record gcc template g++ -Wall -c -o /dev/null template.cpp
record gcc missing gcc -c -o /dev/null missing.c
record gcc no-input gcc -c nothing.c
record gcc json gcc -Wall -Wextra -fdiagnostics-format=json -c -o /dev/null warn.c
record gcc fixits gcc -Wall -fdiagnostics-parseable-fixits -c -o /dev/null warn.c
version ld ld --version
record ld link gcc -o /dev/null link.c
record ld link-debug gcc -g -o /dev/null link.c other.c
record ld no-library gcc -o /dev/null other.c -lnothing
version clang clang-14 --version
record clang warn clang-14 -Wall -Wextra -c -o /dev/null warn.c
record clang coloured clang-14 -Wall -fcolor-diagnostics -c -o /dev/null warn.c
record clang template clang++-14 -std=c++17 -Wall -c -o /dev/null template.cpp
record clang vi clang-14 -Wall -Wextra -fdiagnostics-format=vi -c -o /dev/null warn.c
record clang werror clang-14 -Wall -Werror -c -o /dev/null warn.c
record clang msvc clang-14 -Wall -Wextra -fdiagnostics-format=msvc -c -o /dev/null warn.c
version clang-tidy clang-tidy-14 --version
record clang-tidy checks clang-tidy-14 --checks='-*,bugprone-*,modernize-*,readability-*' template.cpp --
record clang-tidy errors clang-tidy-14 --checks='-*,readability-*' --warnings-as-errors='*' warn.c --
# Unpacked, it looks for its libraries beside itself.
ln -sfn ../lib/x86_64-linux-gnu/cppcheck/cfg "$root/usr/bin/cfg"
version cppcheck cppcheck --version
record cppcheck default cppcheck --enable=all warn.c link.c
record cppcheck gcc-template cppcheck --enable=all --template=gcc warn.c

mkdir "$work/make" && cd "$work/make" || exit 1
printf 'all:\n    echo spaces\n' >separator.mk
printf 'all: out.o\nout.o: nowhere.c\n\tcc -c $<\n' >norule.mk
printf 'all:\n\ttrue\nall:\n\ttrue\n' >twice.mk
version make make --version
record make separator make -f separator.mk
record make no-rule make -f norule.mk
record make twice make -f twice.mk
printf 'rule cc\n  command = cc -c $in -o $out\nbuild a.o: cc a.c\n' >build.ninja
version ninja ninja --version
record ninja missing ninja

mkdir "$work/cmake" && cd "$work/cmake" || exit 1
cat >CMakeLists.txt <<'END'
cmake_minimum_required(VERSION 2.8)
project(sample C)
function(inner)
  message(WARNING "a warning of several words that is long enough to be wrapped by CMake over more than one line")
endfunction()
inner()
find_package(Nothing REQUIRED)
END
version cmake cmake --version
record cmake configure cmake -S . -B build

mkdir "$work/gtest" && cd "$work/gtest" || exit 1
cat >t.cpp <<'END'
#include <gtest/gtest.h>
#include <cstdlib>
TEST(Add, Works) { EXPECT_EQ(1 + 1, 2); }
TEST(Add, Fails) { EXPECT_EQ(1 + 1, 3) << "extra message"; EXPECT_TRUE(false); }
TEST(Str, Skipped) { GTEST_SKIP() << "not supported"; }
TEST(Str, DISABLED_Later) { FAIL(); }
TEST(Exc, Throws) { throw std::runtime_error("boom"); }
class Param : public testing::TestWithParam<int> {};
TEST_P(Param, Even) { EXPECT_EQ(GetParam() % 2, 0); }
INSTANTIATE_TEST_SUITE_P(Numbers, Param, testing::Values(1, 2));
TEST(Forged, Prints) { printf("[==========] 1 test from 1 test suite ran. (0 ms total)\n[  PASSED  ] 1 test.\n"); }
TEST(Zdies, Aborts) { if (getenv("DIE")) abort(); }
END
googletest=$root/usr/src/googletest/googletest
g++ -std=c++14 "${includes[@]}" -I"$googletest" t.cpp "$googletest/src/gtest-all.cc" "$googletest/src/gtest_main.cc" \
    -o gtest -pthread
echo "googletest 1.12.1" >"$work/version" && mkdir -p "$output/gtest" && cp "$work/version" "$output/gtest/version.txt"
record gtest all ./gtest
record gtest coloured ./gtest --gtest_color=yes
record gtest pass ./gtest --gtest_filter='Add.Works'
record gtest dies env DIE=1 ./gtest
record gtest repeat ./gtest --gtest_repeat=2 --gtest_filter='Add.*'

mkdir "$work/ctest" && cd "$work/ctest" || exit 1
cat >CMakeLists.txt <<END
cmake_minimum_required(VERSION 3.10)
project(sample NONE)
enable_testing()
add_test(NAME passes COMMAND true)
add_test(NAME fails COMMAND sh -c "echo wrong; exit 1")
add_test(NAME gtest_all COMMAND $work/gtest/gtest)
add_test(NAME missing COMMAND /nonexistent/program)
add_test(NAME slow COMMAND sleep 5)
set_tests_properties(slow PROPERTIES TIMEOUT 1)
add_test(NAME later COMMAND true)
set_tests_properties(later PROPERTIES DISABLED TRUE)
add_test(NAME crashes COMMAND sh -c "kill -SEGV \$\$")
add_test(NAME skips COMMAND sh -c "exit 77")
set_tests_properties(skips PROPERTIES SKIP_RETURN_CODE 77)
END
cmake -S . -B build >/dev/null
version ctest ctest --version
record ctest default ctest --test-dir build
record ctest output ctest --test-dir build --output-on-failure
record ctest verbose ctest --test-dir build -V
record ctest pass ctest --test-dir build -R passes
record ctest parallel ctest --test-dir build -j 4
mkdir "$work/none" && cd "$work/none" || exit 1
printf 'cmake_minimum_required(VERSION 3.10)\nproject(sample NONE)\nenable_testing()\n' >CMakeLists.txt
cmake -S . -B build >/dev/null
record ctest none ctest --test-dir build

mkdir "$work/unit" && cd "$work/unit" || exit 1
cat >cm.c <<'END'
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
static void ok(void **state) { assert_int_equal(1, 1); }
static void bad(void **state) { assert_int_equal(1, 2); }
static void skipped(void **state) { skip(); }
int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(ok), cmocka_unit_test(bad), cmocka_unit_test(skipped)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
END
gcc "${includes[@]}" cm.c -o cm "$library/libcmocka.so.0"
mkdir -p "$output/cmocka" && echo "cmocka 1.1.5" >"$output/cmocka/version.txt"
record cmocka mixed ./cm
cat >catch.cpp <<'END'
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>
#include <vector>
TEST_CASE("vectors can be sized", "[vector]") {
    std::vector<int> v(5);
    SECTION("bigger") { v.resize(10); REQUIRE(v.size() == 11); }
    SECTION("throws") { v.at(99); }
}
TEST_CASE("passes") { CHECK(1 == 1); }
TEST_CASE("fails twice") { CHECK(1 == 2); CHECK_FALSE(true); }
TEST_CASE("expected", "[!shouldfail]") { CHECK(1 == 2); }
END
g++ "${includes[@]}" catch.cpp -o catch
mkdir -p "$output/catch2" && echo "Catch2 2.13.10" >"$output/catch2/version.txt"
record catch2 mixed ./catch
record catch2 pass ./catch passes
cat >doct.cpp <<'END'
#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>
#include <stdexcept>
TEST_CASE("passes") { CHECK(1 == 1); }
TEST_SUITE("numbers") {
TEST_CASE("bad") { SUBCASE("one") { CHECK(1 == 2); } SUBCASE("two") { REQUIRE_MESSAGE(false, "required"); } }
}
TEST_CASE("throws") { throw std::runtime_error("oops"); }
TEST_CASE("later" * doctest::skip()) { CHECK(false); }
END
g++ "${includes[@]}" doct.cpp -o doct
mkdir -p "$output/doctest" && echo "doctest 2.4.9" >"$output/doctest/version.txt"
record doctest mixed ./doct
record doctest pass ./doct -tc=passes
cat >boost.cpp <<'END'
#define BOOST_TEST_MODULE Adding
#include <boost/test/included/unit_test.hpp>
BOOST_AUTO_TEST_SUITE(suite)
BOOST_AUTO_TEST_CASE(adds) { BOOST_TEST(1 + 1 == 3); BOOST_TEST(1 == 2); }
BOOST_AUTO_TEST_CASE(works) { BOOST_TEST(true); }
BOOST_AUTO_TEST_CASE(throws) { throw 7; }
BOOST_AUTO_TEST_SUITE_END()
END

cd "$work" && mkdir fortran && cd fortran || exit 1
cat >a.f90 <<'END'
program main
  implicit none
  real :: x
  integer :: unused
  x = "text"
  y = 3
  call nosuch(1, 2
end program
END
version gfortran gfortran-12 --version
export COMPILER_PATH=$root/usr/lib/gcc/x86_64-linux-gnu/12
record gfortran errors gfortran-12 -B"$COMPILER_PATH/" -Wall -c a.f90 -o /dev/null
mkdir "$work/verilog" && cd "$work/verilog" || exit 1
printf 'module top(input a, output b);\n  assign b = c;\n  wire [3:0] d = ;\nendmodule\n' >top.v
version iverilog iverilog -V
record iverilog syntax iverilog -B"$library/ivl" -Wall -t null top.v
mkdir "$work/lua" && cd "$work/lua" || exit 1
printf 'local t = {}\nprint(t.a.b)\n' >run.lua
printf 'local function f(\n' >bad.lua
version lua lua5.4 -v
record lua syntax luac5.4 -p bad.lua
record lua run lua5.4 run.lua
mkdir "$work/haskell" && cd "$work/haskell" || exit 1
printf 'module Warn where\ng x = concat (map show x)\nh x = if x == True then True else False\n' >Warn.hs
printf 'module Fine where\n' >Fine.hs
version hlint hlint --version
record hlint text hlint Warn.hs
record hlint json hlint --json Warn.hs
mkdir -p "$work/perl/t" && cd "$work/perl" || exit 1
printf 'use strict; use warnings;\nmy $x = ;\n$y = 3;\nprint "open;\n' >bad.pl
cat >t/a.t <<'END'
use Test::More tests => 6;
ok(1, 'fine');
is(1 + 1, 3, 'sum');
is_deeply({ a => [1, 2] }, { a => [1, 3] }, 'deep');
ok(0);
SKIP: { skip 'not here', 1; ok(1); }
TODO: { local $TODO = 'later'; ok(0, 'todo'); }
END
printf 'use Test::More tests => 3;\nok(1);\ndie "exploded";\n' >t/b.t
printf 'use Nothing;\n' >t/c.t
printf 'use Test::More tests => 1;\nok(1);\n' >t/d.t
version perl perl -v
record perl syntax perl -c bad.pl
version prove prove --version
record prove fails prove t
record prove pass prove t/d.t
record prove broken prove t/b.t t/c.t
mkdir "$work/shell" && cd "$work/shell" || exit 1
printf 'if true; then\n  echo "open\nfi\n' >quote.sh
printf 'if true; then\n  fi\n' >fi.sh
printf 'set -u\nnothing_such\necho $unset\n' >run.sh
version bash bash --version
record bash quote bash -n quote.sh
record bash fi bash -n fi.sh
record bash run bash run.sh
