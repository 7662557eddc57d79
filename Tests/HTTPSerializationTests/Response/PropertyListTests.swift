import ForeignText
import FoundationEssentials
import HTTPSerialization
import Testing

@Suite struct PropertyListTests {
    private func parse(_ content: String) throws(PropertyListError) -> PropertyListValue {
        try PropertyListValue(parsing: Array("<?xml version=\"1.0\"?><plist version=\"1.0\">\(content)</plist>".utf8))
    }

    /// A binary property list of these objects, the first of them at the top, with offsets of two bytes.
    private func binary(_ objects: [[UInt8]], count: Int? = nil) -> [UInt8] {
        var bytes = Array("bplist00".utf8)
        var offsets: [UInt8] = []
        for object in objects {
            offsets += [UInt8(bytes.count >> 8), UInt8(bytes.count & 0xFF)]
            bytes += object
        }
        let table = bytes.count
        let trailer: [UInt8] =
            [0, 0, 0, 0, 0, 0, 2, 1] + [0, 0, 0, 0, 0, 0, 0, UInt8(count ?? objects.count)]
            + [UInt8](repeating: 0, count: 8) + [0, 0, 0, 0, 0, 0, UInt8(table >> 8), UInt8(table & 0xFF)]
        return bytes + offsets + trailer
    }

    @Test func `XML values are read`() throws {
        let value = try parse(
            """
            <dict>
              <key>s</key><string>a &amp; b<![CDATA[<c>]]></string>
              <key>i</key><integer>-42</integer> <key>u</key><integer>18446744073709551615</integer>
              <key>h</key><integer>0xff</integer> <key>r</key><real>1.5</real>
              <key>t</key><true/> <key>f</key><false/>
              <key>d</key><data> AAEC
              </data> <key>m</key><date>2001-01-01T00:00:01Z</date>
              <key>a</key><array><array/><dict/><string/></array>
            </dict>
            """
        )
        #expect(
            value
                == .dictionary([
                    "s": .string("a & b<c>"), "i": .integer(-42), "u": .unsigned(.max), "h": .integer(255),
                    "r": .real(1.5), "t": .bool(true), "f": .bool(false), "d": .data([0, 1, 2]),
                    "m": .date(Date(timeIntervalSinceReferenceDate: 1)),
                    "a": .array([.array([]), .dictionary([:]), .string("")]),
                ])
        )
    }

    @Test(arguments: [
        "", "<string>a</string><string>b</string>", "text", "<dict><key>a</key></dict>",
        "<dict><string>a</string></dict>",
        "<dict><key>a</key><key>b</key><true/></dict>", "<array><key>a</key></array>", "<key>a</key>",
        "<integer>x</integer>",
        "<integer>18446744073709551616</integer>", "<integer/>", "<real>1,5</real>", "<date>today</date>",
        "<date>2001-13-01T00:00:00Z</date>", "<data>!</data>", "<string><b/></string>", "<array><html/></array>",
        "<array>text</array>", "<dict><array/></dict>",
    ])
    func `content that is not a property list is an error`(content: String) {
        #expect(throws: PropertyListError.self) { try self.parse(content) }
    }

    @Test(arguments: ["", "hello", "{ a = b; }", "<html></html>", "bplist00", "<array/>", "bplist"])
    func `other formats are errors`(text: String) {
        #expect(throws: PropertyListError.self) { try PropertyListValue(parsing: Array(text.utf8)) }
    }

    @Test func `entities and deep nesting are errors`() {
        let bomb = "<!DOCTYPE plist [<!ENTITY a 'b'>]><plist><string>&a;</string></plist>"
        #expect(throws: PropertyListError.self) { try PropertyListValue(parsing: Array(bomb.utf8)) }
        for element in ["<array>", "<dict><key>a</key>"] {
            #expect(throws: PropertyListError.self) { try self.parse(String(repeating: element, count: 100_000)) }
        }
    }

    @Test func `a hundred thousand small containers are read in one go`() throws {
        let content = String(repeating: "<array/><dict><key>a</key><true/></dict>", count: 50_000)
        guard case .array(let elements) = try parse("<array>\(content)</array>") else {
            Issue.record("not an array")
            return
        }
        #expect(elements.count == 100_000)
    }

    @Test func `binary values are read`() throws {
        let bytes = binary([
            [0xD2, 1, 2, 3, 4], [0x51, 0x61], [0x61, 0x00, 0xE9], [0xA7, 5, 6, 7, 8, 9, 10, 11], [0x09],
            [0x10, 0xFF], [0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFE],
            [0x14] + [UInt8](repeating: 0, count: 8) + [UInt8](repeating: 0xFF, count: 8),
            [0x22, 0x3F, 0xC0, 0, 0], [0x23, 0x3F, 0xF8, 0, 0, 0, 0, 0, 0], [0x33, 0x3F, 0xF0, 0, 0, 0, 0, 0, 0],
            [0x4F, 0x10, 2, 1, 2],
        ])
        let elements: [PropertyListValue] = [
            .integer(255), .integer(-2), .unsigned(.max), .real(1.5), .real(1.5),
            .date(Date(timeIntervalSinceReferenceDate: 1)), .data([1, 2]),
        ]
        #expect(try PropertyListValue(parsing: bytes) == .dictionary(["a": .array(elements), "é": .bool(true)]))
    }

    @Test func `a loop of objects ends`() {
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListValue(parsing: self.binary([[0xA1, 0]]))
        }
        #expect(error?.description == "nested more than 64 deep, or in a loop")
    }

    @Test func `a few bytes that expand to billions of values are an error`() {
        let levels = (1...40).map { [0xA2, UInt8($0), UInt8($0)] as [UInt8] }
        let error = #expect(throws: PropertyListError.self) {
            try PropertyListValue(parsing: self.binary(levels + [[0x09]]))
        }
        #expect(error?.description.contains("more than 262144 values") == true)
    }

    @Test(
        arguments: [
            [0x00], [0x0F], [0x80, 1], [0xC1, 0], [0x15, 0], [0x51, 0x80], [0x61, 0xD8, 0x00], [0xA1, 9], [0xD1, 0, 0],
            [0x5F, 0x13, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF, 0xFF], [0xAF, 0x13, 0x7F, 0, 0, 0, 0, 0, 0, 0],
            [0x5F, 0x51], [0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0], [0x14] + [UInt8](repeating: 1, count: 16),
        ] as [[UInt8]]
    )
    func `broken objects are errors`(object: [UInt8]) {
        #expect(throws: PropertyListError.self) { try PropertyListValue(parsing: self.binary([object])) }
    }

    @Test func `no prefix and no changed byte crashes the parser`() throws {
        let bytes = binary([
            [0xD1, 1, 2], [0x51, 0x61], [0xA2, 3, 4], [0x5F, 0x10, 1, 0x62], [0x62, 0, 0x63, 0, 0x64],
        ])
        #expect(try PropertyListValue(parsing: bytes) == .dictionary(["a": .array([.string("b"), .string("cd")])]))
        for count in 0..<bytes.count {
            #expect(throws: PropertyListError.self) { try PropertyListValue(parsing: Array(bytes.prefix(count))) }
        }
        var refused = 0
        for place in bytes.indices {
            for byte in UInt8.min...UInt8.max {
                var changed = bytes
                changed[place] = byte
                if (try? PropertyListValue(parsing: changed)) == nil { refused += 1 }
            }
        }
        #expect(refused > bytes.count)
    }
}
