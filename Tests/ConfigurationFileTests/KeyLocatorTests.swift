import Testing

@testable import ConfigurationFile

/// Where keys stand, told by the scanner.
@Suite struct KeyLocatorTests {
    /// The line of a key, or of an element of an array by its number.
    private func line(of path: [String], in text: String) -> Int? {
        var place: KeyLocator.Place? = KeyLocator(Array(text.utf8)).root
        for key in path {
            if let index = Int(key) {
                place = place?.elements.dropFirst(index).first
            } else {
                place = place?.members[key]
            }
        }
        return place?.line
    }

    static let text = """
        # a comment with [brackets] and key = 1
        top = 1
        a.b . "c d".'e' = [1,
          2, # ] not the end
          [ { x = 3 },
            { y = 4 } ] ]

        [table] # behind
        one = "#no comment" # comment
        two = \"\"\"
        [no.table]
        three = 3 \"\"\"\"
        four = '''
        \\'''
        five = { six.seven = 7, "ei\\u0067ht" = [ ] }
        [ table . sub ]
        nine = 2026-11-21 10:00:00
        [[list]]
        ten = 1
        [[list]]
        ten = 2
        [list.under]
        eleven = 11
        """

    @Test(arguments: [
        (["top"], 2), (["a"], 3), (["a", "b", "c d", "e"], 3), (["a", "b", "c d", "e", "0"], 3),
        (["a", "b", "c d", "e", "1"], 4), (["a", "b", "c d", "e", "2", "0", "x"], 5),
        (["a", "b", "c d", "e", "2", "1", "y"], 6), (["table"], 8), (["table", "one"], 9), (["table", "two"], 10),
        (["table", "four"], 13), (["table", "five"], 15), (["table", "five", "six", "seven"], 15),
        (["table", "five", "eight"], 15), (["table", "sub"], 16), (["table", "sub", "nine"], 17), (["list"], 18),
        (["list", "0", "ten"], 19), (["list", "1", "ten"], 21), (["list", "1", "under", "eleven"], 23),
    ])
    func `a key has the line that it stands in`(path: [String], expected: Int) {
        #expect(line(of: path, in: Self.text) == expected)
    }

    @Test(arguments: [["no"], ["three"], ["table", "three"], ["table", "no"]])
    func `what stands in a text is no key`(path: [String]) {
        #expect(line(of: path, in: Self.text) == nil)
    }

    @Test func `the whole text is read, with either end of line`() {
        #expect(KeyLocator(Array(Self.text.utf8)).trouble == nil)
        #expect(KeyLocator(Array("a = 1\r\n[b]\r\nc = 'd'\r\n".utf8)).trouble == nil)
    }

    @Test(arguments: [
        "a", "a =", "a = [", "a = {", "[a", "[[a]", "a = \"\"\"x", "= 1", "a..b = 1", "[a] b = 1",
    ])
    func `a text that is no TOML never reaches the library`(text: String) {
        #expect(KeyLocator(Array(text.utf8)).trouble?.message.hasPrefix("not TOML: ") == true)
    }

    @Test(arguments: [
        String(repeating: "a.", count: 40) + "a = 1", "[" + String(repeating: "a.", count: 20) + "a]",
        "a = " + String(repeating: "[", count: 20), "a = " + String(repeating: "{a=", count: 20),
        "[a.b.c.d.e.f.g.h]\ni.j.k.l = [[[[[[ 1 ]]]]]]",
    ])
    func `what is nested too deeply is refused`(text: String) {
        #expect(KeyLocator(Array(text.utf8)).trouble?.message.contains("nested") == true)
    }

    @Test(arguments: ["a = \"\\u0000\"", "a = \"\"\"\n\\U00000000\"\"\"", "\"\\u0000\" = 1"])
    func `a NUL is refused, however it is written`(text: String) {
        #expect(KeyLocator(Array(text.utf8)).trouble?.message.contains("NUL") == true)
    }
}
