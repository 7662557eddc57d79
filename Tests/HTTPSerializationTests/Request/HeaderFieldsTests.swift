import CheckResults
import HTTPSerialization
import Testing

@Suite
struct HeaderFieldsTests {
    @Test
    func `a field can be set, set again, unset and removed`() throws {
        var header = HeaderFields()
        try header.set("X-First", "1")
        try header.set("X-Second", "2")
        try header.set("x-first", "3")
        #expect(
            header.fields == [HeaderField(name: "x-first", value: "3"), HeaderField(name: "X-Second", value: "2")]
        )
        #expect(header.value(of: "X-FIRST") == "3")
        try header.set("X-First", nil)
        #expect(header.value(of: "X-First") == nil)
        header.remove("x-second")
        header.remove("x-second")
        #expect(header.fields.isEmpty)
    }

    @Test(arguments: ["", "a b", "a:", "a\r\nb", "a\n", "a\u{0}", "a\u{7F}", "ä", "(a)", "a/b", "a,b", "\"a\"", "a\t"])
    func `a name that is not a token is an error`(name: String) {
        var header = HeaderFields()
        #expect(throws: RequestError.invalidFieldName(name)) { try header.set(name, "x") }
        #expect(header.fields.isEmpty)
    }

    @Test(arguments: ["a\r\nX: y", "a\n", "\r", "a\u{0}b", "a\u{1B}[0m", "a\u{7F}", "a\u{8}"])
    func `a value with a control character is an error`(value: String) {
        var header = HeaderFields()
        #expect(throws: RequestError.invalidFieldValue(name: "X-A")) { try header.set("X-A", value) }
        #expect(header.fields.isEmpty)
    }

    @Test
    func `every token character is accepted in names, and text beyond ASCII in values`() throws {
        var header = HeaderFields()
        try header.set("!#$%&'*+-.^_`|~09azAZ", " \t grün\tund 😀 \t")
        #expect(header.fields.first?.value == "grün\tund 😀")
        try header.set("X-Empty", " \t ")
        #expect(header.value(of: "X-Empty") == "")
    }

    @Test
    func `number and size are bounded, and a rejected field changes nothing`() throws {
        var header = HeaderFields()
        for index in 0..<HeaderFields.maximumCount { try header.set("X-\(index)", "v") }
        #expect(throws: RequestError.headerTooLarge) { try header.set("X-More", "v") }
        try header.set("X-0", "w")
        #expect(header.fields.count == HeaderFields.maximumCount)

        var large = HeaderFields()
        try large.set("A", String(repeating: "v", count: HeaderFields.maximumBytes - 1))
        #expect(throws: RequestError.headerTooLarge) { try large.set("B", "") }
        #expect(throws: RequestError.headerTooLarge) {
            try large.set("A", String(repeating: "v", count: HeaderFields.maximumBytes))
        }
        #expect(large.fields.count == 1)
    }

    @Test
    func `a thousand concurrent writers each write their own copy`() async throws {
        var original = HeaderFields()
        try original.set("X-Shared", "original")
        let shared = RequestSerializer(headers: original)
        let values = try await withThrowingTaskGroup(of: String?.self) { group in
            for index in 0..<1000 {
                group.addTask {
                    var own = shared
                    try own.headers.set("X-Shared", "\(index)")
                    return own.headers.value(of: "X-Shared")
                }
            }
            return try await group.reduce(into: Set<String>()) { values, value in
                if let value { values.insert(value) }
            }
        }
        #expect(values.count == 1000)
        #expect(shared.headers.value(of: "X-Shared") == "original")
    }
}
