import Testing

@testable import Availability

/// Foreign text in reports: a delimiter counts also where a combining mark, or a letter that joins the next one, makes
/// another character of it.
@Suite struct EscapingTests {
    @Test(arguments: [
        ("plain", "plain"), ("", ""), ("a,b", "\"a,b\""), ("a\"b", "\"a\"\"b\""), ("=1+1", "'=1+1"), ("-1", "'-1"),
        ("a\"\u{301},b", "\"a\"\"\u{301},b\""), ("=\u{301}1", "'=\u{301}1"), ("a,\u{301}b", "\"a,\u{301}b\""),
        ("long long long text", "long long long …"),
    ])
    func `a field of CSV ends where its text ends, and is no formula`(text: String, field: String) {
        #expect(CSVField.of(text, limit: 15) == field)
    }

    @Test(arguments: [
        ("a|b", "a\\|b"), ("<b>&", "&lt;b>&amp;"), ("[a](b)", "\\[a\\](b)"), ("x|\u{301}", "x\\|\u{301}"),
        ("https://evil.example/", "https:&#8203;//evil.example/"),
        ("ftp://a:b@c.example", "ftp:&#8203;//a:b@&#8203;c.example"),
        ("www.evil.example", "www&#8203;.evil.example"), ("@user", "@&#8203;user"), ("a: b/c w.w", "a: b/c w.w"),
        ("Www.x www", "Www&#8203;.x www"),
        ("\u{D4E}[a\u{D4E}](b)", "\u{D4E}\\[a\u{D4E}\\](b)"), ("\u{D4E}<img>", "\u{D4E}&lt;img>"),
    ])
    func `Markdown shows text as it is`(text: String, escaped: String) {
        #expect(Report.escaped(text) == escaped)
    }
}
