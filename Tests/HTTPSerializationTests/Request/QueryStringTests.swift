import HTTPSerialization
import Testing

@Suite
struct QueryStringTests {
    private static let table: [(ParameterValue, String)] = [
        (["key": "value"], "key=value"),
        (["key1": "value&", "key": "value"], "key=value&key1=value%26"),
        ([:], ""),
        (["a": nil], "a"),
        (["a": ""], "a="),
        (["a": true, "b": false], "a=1&b=0"),
        (["a": 1, "b": -2.5, "c": 3.0], "a=1&b=-2.5&c=3"),
        (["a": ["c": "2", "b": "1"]], "a%5Bb%5D=1&a%5Bc%5D=2"),
        (["a": ["2", "1"]], "a%5B%5D=2&a%5B%5D=1"),
        (["a": .array([])], ""),
        (["a": .set(["c", "a", "b"])], "a=a&a=b&a=c"),
        (["a": .set([10, 9, nil])], "a&a=10&a=9"),
        (["a": .repeated(["c", "a", "c", nil, "b"])], "a=c&a=a&a=c&a&a=b"),
        (["a": ["b": [["c": "d"], nil]]], "a%5Bb%5D%5B%5D%5Bc%5D=d&a%5Bb%5D%5B%5D"),
        (["ä b": "%20"], "%C3%A4%20b=%2520"),
    ]

    @Test(arguments: table)
    func `parameters become a query`(parameters: ParameterValue, query: String) throws {
        #expect(try QueryString.text(of: parameters) == query)
    }

    @Test
    func `of the reserved characters only slash and question mark stay`() throws {
        let text = try QueryString.text(of: ["q": " :#[]@!$&'()*+,;=/?"])
        #expect(text == "q=%20%3A%23%5B%5D%40%21%24%26%27%28%29%2A%2B%2C%3B%3D/?")
        let unreserved = "abcxyzABCXYZ0189-._~"
        #expect(try QueryString.text(of: ["q": .string(unreserved)]) == "q=\(unreserved)")
    }

    @Test(arguments: 40..<60)
    func `characters of many scalars survive at any position`(length: Int) throws {
        let text = String(repeating: "x", count: length) + "👴🏿👷🏻‍♀️👮🏽🇩🇪e\u{301}" + String(repeating: "y", count: 60)
        let query = try QueryString.text(of: ["q": .string(text)])
        #expect(percentDecoded(String(query.dropFirst(2))) == Array(text.utf8))
        #expect(query.contains("%F0%9F%91%B4%F0%9F%8F%BF"))
    }

    @Test(arguments: [.string("text"), .integer(1), .null, .array(["a"]), .set(["a"])] as [ParameterValue])
    func `a query needs names`(parameters: ParameterValue) {
        #expect(throws: RequestError.parametersWithoutNames) { try QueryString.text(of: parameters) }
    }

    @Test
    func `nesting is bounded`() {
        #expect(throws: Never.self) { try QueryString.text(of: ["a": nested(63)]) }
        #expect(throws: RequestError.parametersTooDeep) { try QueryString.text(of: ["a": nested(64)]) }
        #expect(throws: RequestError.parametersTooDeep) { try QueryString.text(of: ["a": nested(1000)]) }
    }

    @Test
    func `text in UTF-16 is taken as it is, or not at all`() throws {
        #expect(try ParameterValue.string(utf16: Array("a😀".utf16)) == "a😀")
        #expect(throws: RequestError.invalidText(offset: 1)) { try ParameterValue.string(utf16: [0x61, 0xD800]) }
        #expect(throws: RequestError.invalidText(offset: 0)) { try ParameterValue.string(utf16: [0xD800, 0x61]) }
        #expect(throws: RequestError.invalidText(offset: 2)) { try ParameterValue.string(utf16: [1, 2, 0xDC00]) }
    }

    private func nested(_ depth: Int) -> ParameterValue {
        (0..<depth).reduce("x") { value, _ in .array([value]) }
    }

    private func percentDecoded(_ text: String) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            if byte == UInt8(ascii: "%") {
                bytes.append(UInt8(String(decoding: rest.prefix(2), as: UTF8.self), radix: 16) ?? 0)
                rest = rest.dropFirst(2)
            } else {
                bytes.append(byte)
            }
        }
        return bytes
    }
}
