#!/usr/bin/env bash
# Records what the tools of the Java virtual machine, and Mono's compiler, print of small faulty projects.
#
#     tests/record/jvmnet.sh <output directory>
#
# Needs JDK 17, Maven 3 and mono-mcs; everything else is fetched from Maven Central in the versions below. Writes
# <tool>/<case>.stdout.txt, .stderr.txt and <tool>/version.txt.
set -u
out=$(realpath -m "$1")
work=$out/.work
mkdir -p "$work"
cd "$work" || exit 1

# classpath NAME GROUP:ARTIFACT:VERSION…: prints the class path of artifacts with all they need.
classpath() {
    local name=$1 artifact group id version
    shift
    mkdir -p "cp/$name"
    if [ ! -s "cp/$name/cp.txt" ]; then
        {
            echo '<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>'
            echo "<groupId>x</groupId><artifactId>x</artifactId><version>1</version><dependencies>"
            for artifact in "$@"; do
                IFS=: read -r group id version <<<"$artifact"
                echo "<dependency><groupId>$group</groupId><artifactId>$id</artifactId><version>$version</version></dependency>"
            done
            echo '</dependencies></project>'
        } >"cp/$name/pom.xml"
        (cd "cp/$name" && mvn -B -q org.apache.maven.plugins:maven-dependency-plugin:3.6.1:build-classpath -Dmdep.outputFile=cp.txt) >&2
    fi
    cat "cp/$name/cp.txt"
}

# record TOOL CASE COMMAND…: runs a command and keeps both of its streams, where they are not empty.
record() {
    local tool=$1 case=$2
    shift 2
    mkdir -p "$out/$tool"
    "$@" >"$out/$tool/$case.stdout.txt" 2>"$out/$tool/$case.stderr.txt"
    find "$out/$tool" -name '*.txt' -empty -delete
}

version() {
    mkdir -p "$out/$1"
    echo "$2" >"$out/$1/version.txt"
}

sources() {
    mkdir -p src/demo
    cat >src/demo/App.java <<'JAVA'
package demo;
import com.missing.Lib;
import java.util.*;
public class App implements Runnable {
    List raw = new ArrayList();
    int f(String s) { int x = "a"; undefined(3); s.foo(); return s; }
    void g() { f(1, 2); new Date().getYear(); }
}
JAVA
    cat >src/demo/Warn.java <<'JAVA'
package demo;
import java.util.*;
/** Warns. */
public class Warn {
    List raw = new ArrayList();
    int f(Object o) { if (1 == 2) { throw new RuntimeException(); } new Exception(); int unused = 3; return "x y".split(" ").length; }
    @Deprecated public void old(String a) { raw.add(a); Object n = null; n.toString(); }
}
JAVA
    cat >src/demo/Boom.java <<'JAVA'
package demo;
public class Boom {
    static int inner(String s) { return s.length(); }
    public static void main(String[] a) {
        try { inner(null); } catch (Exception e) { throw new IllegalStateException("wrapped", e); }
    }
}
JAVA
    printf 'package demo;\npublic class Syntax {\n    void f( { }\n    int x = ;\n' >src/demo/Syntax.java
    for i in $(seq 110); do echo "    int a$i = \"x\";"; done | (echo 'class Many {'; cat; echo '}') >src/Many.java
    cat >a.kt <<'KOTLIN'
import java.util.Missing
class A(val x: Int) {
    fun f(a: Int): String { return a }
    fun g(s: String?) = s.length
}
fun main() {
    val a = A("text")
    undefined()
}
KOTLIN
    printf 'fun main() {\n\n\n    val unused = 42\n  println("a")\n}\nfun empty() {}\n' >b.kt
    cat >a.scala <<'SCALA'
import scala.collection.mutable.Missing
class A {
  def f(a: Int): String = a
  val q: Int = "text"
  undefinedFn(3)
}
SCALA
    printf 'class W { def g(x: Option[Int]) = x match { case Some(1) => 1 } }\n' >w.scala
    printf 'using System;\nclass P {\n  static void Main() {\n    int unused;\n    string s = 3;\n    undefined();\n  }\n  void A() {}\n  void A() {}\n}\n' >a.cs
    printf 'class C { static void Main() { int unused; } }\n' >w.cs
}

# pom SUREFIRE: a project for Maven with its tests.
pom() {
    cat >pom.xml <<XML
<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>demo</groupId><artifactId>demo</artifactId><version>1.0</version>
<properties><maven.compiler.source>17</maven.compiler.source><maven.compiler.target>17</maven.compiler.target>
<project.build.sourceEncoding>UTF-8</project.build.sourceEncoding></properties>
<dependencies><dependency><groupId>org.junit.jupiter</groupId><artifactId>junit-jupiter</artifactId><version>5.11.4</version><scope>test</scope></dependency></dependencies>
<build><plugins>
<plugin><artifactId>maven-compiler-plugin</artifactId><version>3.13.0</version></plugin>
<plugin><artifactId>maven-surefire-plugin</artifactId><version>$1</version></plugin>
</plugins></build></project>
XML
}

tests() {
    mkdir -p src/main/java/demo src/test/java/demo
    printf 'package demo;\npublic class Calc {\n    static int add(int a, int b) { return a + b; }\n    static int div(int a, int b) { return a / b; }\n}\n' >src/main/java/demo/Calc.java
    cat >src/test/java/demo/CalcTest.java <<'JAVA'
package demo;
import static org.junit.jupiter.api.Assertions.*;
import org.junit.jupiter.api.*;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
class CalcTest {
    @Test void adds() { assertEquals(3, Calc.add(1, 2)); }
    @Test void addsWrong() {
        System.out.println("Tests run: 99, Failures: 0, Errors: 0, Skipped: 0");
        assertEquals(4, Calc.add(1, 2), "sum");
    }
    @Test void divides() { assertEquals(1, Calc.div(1, 0)); }
    @Test @Disabled("not ready") void skipped() {}
    @ParameterizedTest @ValueSource(ints = {1, 2}) void isOdd(int a) { assertTrue(a % 2 == 1); }
    @Nested class Inner { @Test void fails() { fail("inner\nlines"); } }
}
JAVA
    printf 'package demo;\nimport org.junit.jupiter.api.*;\nclass BrokenTest {\n    @BeforeAll static void up() { throw new IllegalStateException("no database"); }\n    @Test void never() {}\n}\n' >src/test/java/demo/BrokenTest.java
}

sources

version javac "javac 17.0.15"
record javac errors javac -d none -Xlint:all src/demo/App.java
record javac werror javac -d none -Xlint:all -Werror src/demo/Warn.java
record javac many javac -d none src/Many.java
record javac syntax javac -d none src/demo/Syntax.java
record javac no-file javac Nowhere.java
version javadoc "javadoc 17.0.15"
record javadoc doclint javadoc -Xdoclint:all -d none/doc src/demo/Warn.java
version java "OpenJDK 17.0.15"
record java uncaught java src/demo/Boom.java
record java no-class java -cp . Nowhere
record java does-not-compile java src/demo/Syntax.java

version errorprone "Error Prone 2.31.0, javac 17.0.15"
exports=()
for package in api file main model parser processing tree util; do exports+=("-J--add-exports=jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED"); done
for package in code comp; do exports+=("-J--add-opens=jdk.compiler/com.sun.tools.javac.$package=ALL-UNNAMED"); done
record errorprone findings javac "${exports[@]}" -XDcompilePolicy=simple -processorpath "$(classpath errorprone com.google.errorprone:error_prone_core:2.31.0)" '-Xplugin:ErrorProne' -d none src/demo/Warn.java

version ecj "ecj 3.33.0"
record ecj findings java -jar "$(classpath ecj org.eclipse.jdt:ecj:3.33.0)" -17 -d none src/demo/App.java src/demo/Warn.java

version ant-javac "Ant 1.10.15, javac 17.0.15"
echo '<project default="compile"><target name="compile"><mkdir dir="none"/><javac srcdir="src" destdir="none" includeantruntime="false" includes="demo/App.java"><compilerarg value="-Xlint:all"/></javac></target></project>' >build.xml
record ant-javac errors java -cp "$(classpath ant org.apache.ant:ant:1.10.15)" org.apache.tools.ant.Main

version kotlinc "kotlinc 2.1.0, and 1.6.21 in one"
kotlin2=$(classpath kotlinc2 org.jetbrains.kotlin:kotlin-compiler-embeddable:2.1.0)
kotlin1=$(classpath kotlinc1 org.jetbrains.kotlin:kotlin-compiler-embeddable:1.6.21)
library() { tr ':' '\n' <<<"$1" | grep -m1 'kotlin-stdlib-[0-9]'; }
record kotlinc errors java -cp "$kotlin2" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -cp "$(library "$kotlin2")" a.kt -d none
record kotlinc warnings java -cp "$kotlin2" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -cp "$(library "$kotlin2")" b.kt -d none
record kotlinc errors-1 java -cp "$kotlin1" org.jetbrains.kotlin.cli.jvm.K2JVMCompiler -no-stdlib -no-reflect -cp "$(library "$kotlin1")" a.kt -d none

version scalac "scalac 2.13.15, and 3.5.2 in scala3"
scala2=$(classpath scala2 org.scala-lang:scala-compiler:2.13.15)
scala3=$(classpath scala3 org.scala-lang:scala3-compiler_3:3.5.2)
record scalac errors java -cp "$scala2" scala.tools.nsc.Main -usejavacp a.scala
record scalac warnings java -cp "$scala2" scala.tools.nsc.Main -usejavacp -d none w.scala
record scalac scala3 java -cp "$scala3" dotty.tools.dotc.Main -usejavacp -color:never a.scala
record scalac scala3-warnings java -cp "$scala3" dotty.tools.dotc.Main -usejavacp -color:never -d none w.scala

version checkstyle "Checkstyle 10.21.0"
checkstyle=$(classpath checkstyle com.puppycrawl.tools:checkstyle:10.21.0)
record checkstyle sun java -cp "$checkstyle" com.puppycrawl.tools.checkstyle.Main -c /sun_checks.xml src/demo/Boom.java
record checkstyle google java -cp "$checkstyle" com.puppycrawl.tools.checkstyle.Main -c /google_checks.xml src/demo/Boom.java
echo '<!DOCTYPE module PUBLIC "-//Checkstyle//DTD Checkstyle Configuration 1.3//EN" "https://checkstyle.org/dtds/configuration_1_3.dtd"><module name="Checker"/>' >none.xml
record checkstyle clean java -cp "$checkstyle" com.puppycrawl.tools.checkstyle.Main -c none.xml src/demo/Boom.java

version spotbugs "SpotBugs 4.8.6"
mkdir -p classes && javac -nowarn -d classes src/demo/Warn.java src/demo/Boom.java 2>/dev/null
record spotbugs text java -cp "$(classpath spotbugs com.github.spotbugs:spotbugs:4.8.6)" edu.umd.cs.findbugs.FindBugs2 -low classes

version ktlint "ktlint 1.5.0"
record ktlint plain java --add-opens java.base/java.lang=ALL-UNNAMED -cp "$(classpath ktlint com.pinterest.ktlint:ktlint-cli:1.5.0)" com.pinterest.ktlint.Main --relative b.kt
version detekt "detekt 1.23.7"
record detekt console java -cp "$(classpath detekt io.gitlab.arturbosch.detekt:detekt-cli:1.23.7)" io.gitlab.arturbosch.detekt.cli.Main --input b.kt

version mcs "mcs of Mono 6.8.0"
record mcs errors mcs a.cs
record mcs warnings mcs -out:none/w.exe w.cs

version maven "Maven 3.8.7, Surefire 3.5.2, and 2.22.2 in one"
mkdir -p maven && cd maven || exit 1
tests
pom 3.5.2
record maven tests mvn -B test
record maven tests-quiet mvn -q test
pom 2.22.2
record maven tests-2 mvn -B test
printf 'package demo;\nclass Bad { int f() { return "x"; } Missing m; }\n' >src/main/java/demo/Bad.java
record maven does-not-compile mvn -B test
rm src/main/java/demo/Bad.java src/test/java/demo/*.java
record maven clean mvn -B test
sed -i 's/<\/plugins>/<\/plugin><\/plugins>/' pom.xml
record maven broken-pom mvn -B test
cd .. || exit 1

version junit-console "JUnit console launcher 1.11.4"
console=$(classpath console org.junit.platform:junit-platform-console-standalone:1.11.4)
mkdir -p console && cd console || exit 1
tests
javac -cp "$console" -d classes src/main/java/demo/*.java src/test/java/demo/*.java
record junit-console tree java -jar "$console" execute --class-path classes --scan-class-path --disable-banner
record junit-console ascii java -jar "$console" execute --class-path classes --select-class demo.CalcTest --disable-banner --details-theme=ascii --disable-ansi-colors
record junit-console clean java -jar "$console" execute --class-path classes --select-method 'demo.CalcTest#adds()' --disable-banner --details=none

# Paths of this machine are none of the tools' output, nor is what Maven writes to standard error to reset its colours.
rm -rf "$work" "$out"/maven/*.stderr.txt
find "$out" -name '*.txt' -exec sed -i "s#$work#/project#g" {} +
