import Foundation
import Testing

@testable import ReachAgentManual

/// The conversion from Markdown to roff, in which nothing must be lost or misread.
@Suite struct MarkdownTests {
    /// Returns the roff of a document, without the head of the page.
    private func roff(_ text: String) throws -> String {
        var page = RoffPage(name: "x", section: 7, summary: "y", heading: ("2026-11-21", "z", "w"))
        page.section("Start")
        page.set(try MarkdownReader.blocks(text, document: "test.md"))
        return page.text.components(separatedBy: ".SH \"START\"\n").last ?? ""
    }

    @Test(arguments: [
        ("a - b, `a-b`", "a - b, \\fBa\\-b\\fP\n"),
        (".SH of a stranger", "\\&.SH of a stranger\n"),
        ("'quoted' and `'`", "\\(aqquoted\\(aq and \\fB\\(aq\\fP\n"),
        ("a\\n of `C:\\x`", "a\\en of \\fBC:\\ex\\fP\n"),
        ("an end.", "an end.\\&\n"),
        ("**much** and *little* … → —", "\\fBmuch\\fP and \\fIlittle\\fP ... \\(-> \\(em\n"),
        ("see fnmatch(3), and (proc(5))", "see \\fBfnmatch\\fP(3), and (\\fBproc\\fP(5))\n"),
        ("2 * 3 * 4 is a_b_c", "2 * 3 * 4 is a_b_c\n"),
        ("é", "\\[u00E9]\n"),
        ("[text](https://host.example/a)", "text <\\fBhttps://host.example/a\\fP>\n"),
    ])
    func `a paragraph keeps every character`(text: String, expected: String) throws {
        #expect(try roff(text) == expected)
    }

    @Test func `a table becomes a list of tags, its meaning first`() throws {
        let text = "| Key | Default | Meaning |\n|---|---|---|\n| `up` | `\"1s\"` | How a\\|b long |\n| `x` | | |\n"
        let first = ".TP\n\\fBup\\fP\nHow a|b long\n.br\nDefault: \\fB\\(dq1s\\(dq\\fP\n"
        #expect(try roff(text) == first + ".TP\n\\fBx\\fP\n\\&\n")
    }

    @Test func `code is verbatim, and a line that is too long is broken at a space`() throws {
        let long = String(repeating: "word ", count: 16) + "end"
        let lines = try roff("    .a 'b' -c\n    \(long)\n").split(separator: "\n")
        #expect(lines.first == ".RS 4")
        #expect(lines.contains("\\&.a \\(aqb\\(aq \\-c"))
        #expect(lines.filter { $0.contains("word") }.count == 2)
        #expect(lines.suffix(2) == [".EE", ".RE"])
    }

    @Test func `items of a list keep the lines that hang on them`() throws {
        let bullets = ".IP \\(bu 2\none and more\n.IP \\(bu 2\ntwo\n"
        #expect(try roff("- one\n  and more\n- two\n1. first\n") == bullets + ".IP \"1.\" 4\nfirst\n")
    }

    @Test(arguments: [
        ("> a quotation", 1), ("text\n\n<b>no</b>", 3), ("a `b", 1), ("| a | b |\n| c | d |", 2),
        ("| a | b |\n|---|---|\n| c |", 3), ("```\ncode", 1), ("#no heading", 1),
    ])
    func `text that cannot be typeset is an error with its line`(text: String, line: Int) throws {
        let error = #expect(throws: MarkdownError.self) { try roff(text) }
        #expect(error?.line == line)
        #expect(error?.document == "test.md")
    }

    @Test func `a section ends where the next one of its level begins`() throws {
        let text = "# T\n\nhead\n\n## A\n\na\n\n### B\n\nb\n\n## C\n\nc\n"
        let blocks = try MarkdownReader.blocks(text, document: "test.md")
        #expect(blocks.section("A")?.count == 3)
        #expect(blocks.section("D") == nil)
        #expect(blocks.titles(level: 2) == ["A", "C"])
        #expect(blocks.introduction == [.paragraph([.plain("head")])])
    }

    @Test(arguments: [
        ("as --json, and 'a b'.", "as \\fB\\-\\-json\\fP, and \\fBa b\\fP."),
        ("the agent's and others' own", "the agent\\(aqs and others\\(aq own"),
        ("in $HOME/x; so", "in \\fB$HOME/x\\fP; so"),
    ])
    func `a sentence of a help marks literal text`(text: String, expected: String) {
        #expect(HelpText.spans(text).map(\.roff).joined() == expected)
    }

    @Test func `a table in a help text is distinguished from an example`() {
        let text = "Words\n  -a  one\n      more\n  -b  two\n\nEXAMPLES\n  run this\n"
        #expect(
            HelpText.blocks(text) == [
                .paragraph("Words"), .rows([.init(tag: "-a", text: "one more"), .init(tag: "-b", text: "two")]),
                .heading("EXAMPLES"), .example(["run this"]),
            ]
        )
    }

    @Test func `the date is that of the source where a build says it`() throws {
        #expect(try Pages.date("1795219200") == "2026-11-21")
        #expect(throws: (any Error).self) { try Pages.date("yesterday") }
    }
}
