import Testing

@testable import ReachAgent

/// The characters of the output, by the locale.
@Suite struct TerminalStyleTests {
    @Test(
        arguments: [
            ([:], false), (["LANG": "C.UTF-8"], true), (["LANG": "en_US.utf8"], true), (["LANG": "C"], false),
            (["LANG": "POSIX"], false), (["LANG": "de_DE"], false), (["LANG": "de_DE.ISO-8859-1"], false),
            (["LC_ALL": "C", "LC_CTYPE": "C.UTF-8", "LANG": "C.UTF-8"], false),
            (["LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "C.UTF-8"], false),
            (["LC_ALL": "", "LC_CTYPE": "", "LANG": "C.UTF-8"], true),
            (["LC_CTYPE": "C.UTF-8", "LANG": "C"], true), (["LC_MESSAGES": "C.UTF-8"], false),
        ] as [([String: String], Bool)]
    )
    func `characters beyond ASCII need a locale with UTF-8`(environment: [String: String], isUTF8: Bool) {
        #expect(TerminalStyle.isUTF8 { environment[$0] } == isUTF8)
    }

    @Test func `without them arrows, dashes and ellipses are spelled in ASCII`() {
        let text = "a → b, c… – d — ── é"
        #expect(TerminalStyle.plain.spelled(text) == "a -> b, c... - d - -- é")
        #expect(TerminalStyle(hasColour: false, hasUnicode: true, columns: 80).spelled(text) == text)
    }
}
