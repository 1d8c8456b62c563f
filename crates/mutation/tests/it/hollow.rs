//! Tests that a change emptied.

use referee_model::mutant::Hollow;
use referee_model::mutant::Language;
use referee_mutation::hollowed;

fn fewer(before: usize, after: usize) -> Hollow {
    Hollow::FewerAssertions { before, after }
}

#[test]
fn a_test_is_hollow_by_what_is_left_of_it() {
    let python = "def test_a():\n    x = f()\n    assert x == 1\n    assert x.y\n";
    let script = "describe('s', () => { it('a', () => { expect(f(1)).toBe(2); expect(g()).toBe(3); }); });";
    let go = "package a\nfunc TestA(t *testing.T) {\n if f() != 1 { t.Errorf(\"f\") }\n assert.Equal(t, f(), 1)\n}\n";
    let rust = "#[test]\nfn a() {\n    assert_eq!(f(), 1);\n    assert!(g());\n}\n";
    let java = "class A { @Test void a() { assertEquals(1, f()); Assert.assertTrue(g()); } }";
    let sharp = "class A { [Fact] public void B() { Assert.Equal(1, f()); Assert.True(g()); } }";
    let cpp = "TEST(Cart, Adds) { EXPECT_EQ(f(), 1); ASSERT_TRUE(g()); }";
    let ruby = "class T < M\n  def test_a\n    assert_equal 1, f\n    refute g\n  end\nend\n";
    let spec = "it 'adds' do\n  expect(f).to eq(1)\n  expect(g).to eq(2)\nend\n";
    let php = "<?php class T extends C { function testA() { $this->assertSame(1, f()); self::assertTrue(g()); } }";
    let rows: Vec<(Language, &str, String, Option<Hollow>)> = vec![
        (Language::Python, python, python.replace("    assert x.y\n", ""), Some(fewer(2, 1))),
        (
            Language::Python,
            python,
            "def test_a():\n    \"\"\"Nothing.\"\"\"\n    pass\n".to_owned(),
            Some(Hollow::Emptied),
        ),
        (Language::Python, python, python.replace("x.y", "True"), Some(fewer(2, 1))),
        (Language::Python, python, python.replace("test_a", "test_b"), None),
        (Language::Python, python, format!("{python}    assert 1 == x\n"), None),
        (Language::JavaScript, script, script.replace("f(1)", "2"), Some(fewer(2, 1))),
        (Language::TypeScript, script, script.replace("expect(g()).toBe(3);", ""), Some(fewer(2, 1))),
        (Language::Tsx, script, "it('a', () => {});".to_owned(), Some(Hollow::Emptied)),
        (Language::Go, go, go.replace("t.Errorf(\"f\")", ""), Some(fewer(2, 1))),
        (Language::Rust, rust, rust.replace("g()", "true"), Some(fewer(2, 1))),
        (Language::Rust, rust, "#[test]\nfn a() {}\n".to_owned(), Some(Hollow::Emptied)),
        (Language::Java, java, java.replace("Assert.assertTrue(g());", ""), Some(fewer(2, 1))),
        (Language::CSharp, sharp, sharp.replace("Assert.Equal(1, f());", ""), Some(fewer(2, 1))),
        (Language::Cpp, cpp, cpp.replace("EXPECT_EQ(f(), 1);", ""), Some(fewer(2, 1))),
        (Language::Ruby, ruby, ruby.replace("    refute g\n", ""), Some(fewer(2, 1))),
        (Language::Ruby, spec, spec.replace("  expect(g).to eq(2)\n", ""), Some(fewer(2, 1))),
        (Language::Php, php, php.replace("self::assertTrue(g());", ""), Some(fewer(2, 1))),
    ];
    for (language, before, after, how) in rows {
        let found = hollowed(language, before, &after).unwrap();
        assert_eq!(found.iter().map(|test| test.how).next(), how, "{language:?}: {after}");
        assert_eq!(hollowed(language, before, before), Ok(Vec::new()), "{language:?}: {before}");
    }
}
