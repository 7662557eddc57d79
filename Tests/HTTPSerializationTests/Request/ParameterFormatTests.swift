import CheckResults
import Foundation
import HTTPSerialization
import Testing

@Suite
struct ParameterFormatTests {
    let url: HTTPURL

    init() throws { url = try HTTPURL(parsing: "http://example.com/") }

    private func body(_ format: RequestSerializer.Format, _ parameters: ParameterValue?) throws -> [UInt8] {
        try RequestSerializer(format: format).serialize(ProbeRequest(method: "POST", parameters: parameters), to: url)
            .body.readAll()
    }

    private static let json: [(ParameterValue, String)] = [
        (["key": "value"], #"{"key":"value"}"#),
        (["key", "value"], #"["key","value"]"#),
        ([:], "{}"),
        (.array([]), "[]"),
        (
            ["b": [1, 2.5, true, false, nil], "a": ["d": "e", "c": "f"], "B": -9_223_372_036_854_775_808],
            #"{"B":-9223372036854775808,"a":{"c":"f","d":"e"},"b":[1,2.5,true,false,null]}"#
        ),
        (["a": "/\"\\\n\u{1}ä😀"], #"{"a":"/\"\\\n\u0001ä😀"}"#),
    ]

    @Test(arguments: json)
    func `parameters become compact JSON with sorted names`(parameters: ParameterValue, text: String) throws {
        #expect(String(decoding: try body(.json, parameters), as: UTF8.self) == text)
    }

    @Test
    func `JSON and property lists have their content types, and no body without parameters`() throws {
        for (format, type) in [
            (RequestSerializer.Format.json, "application/json"), (.propertyList, "application/x-plist"),
        ] {
            let serializer = RequestSerializer(format: format)
            let full = try serializer.serialize(ProbeRequest(method: "POST", parameters: ["a": 1]), to: url)
            #expect(full.header("Content-Type") == type)
            let empty = try serializer.serialize(ProbeRequest(method: "POST"), to: url)
            #expect(empty.header("Content-Type") == nil)
            #expect(empty.header("Content-Length") == "0")
            #expect(!empty.body.isPresent)
        }
    }

    private static let notJSON: [(ParameterValue, RequestError)] = [
        ("text", .notJSON(field: "", reason: "only an array or a dictionary can stand alone")),
        (.null, .notJSON(field: "", reason: "only an array or a dictionary can stand alone")),
        (.set(["a"]), .notJSON(field: "", reason: "only an array or a dictionary can stand alone")),
        (["a": ["b": [1, .set([1])]]], .notJSON(field: "a[b][]", reason: "is a set")),
        (["a": .number(.nan)], .notJSON(field: "a", reason: "is not finite")),
        ([.number(-.infinity)], .notJSON(field: "[]", reason: "is not finite")),
    ]

    @Test(arguments: notJSON)
    func `a value that JSON lacks is an error with its place`(parameters: ParameterValue, error: RequestError) {
        #expect(throws: error) { try body(.json, parameters) }
        #expect(error.code == .cannotDecodeContentData)
    }

    @Test
    func `an error of JSON reads as a sentence`() {
        let error = RequestError.notJSON(field: "a[b]", reason: "is a set")
        #expect("\(error)" == "the parameters are not valid JSON: 'a[b]' is a set")
    }

    @Test
    func `parameters become a property list in XML that reads back`() throws {
        let bytes = try body(.propertyList, ["b": ["x", 1, 2.5, true], "a": ["k": "<ä&>"]])
        let read = try PropertyListSerialization.propertyList(from: Data(bytes), format: nil) as? [String: Any]
        #expect((read?["a"] as? [String: String]) == ["k": "<ä&>"])
        let list = read?["b"] as? [Any]
        #expect(list?.count == 4)
        #expect(list?.first as? String == "x")
        #expect(String(decoding: bytes, as: UTF8.self).hasPrefix("<?xml"))
        #expect(try body(.propertyList, ["b": ["x", 1, 2.5, true], "a": ["k": "<ä&>"]]) == bytes)
    }

    private static let notPropertyList: [(ParameterValue, RequestError)] = [
        ("text", .notPropertyList(field: "", reason: "only an array or a dictionary can stand alone")),
        (["a": nil], .notPropertyList(field: "a", reason: "is null")),
        ([.set([])], .notPropertyList(field: "[]", reason: "is a set")),
        (["a": "\u{1}"], .notPropertyList(field: "a", reason: "holds a character that XML does not have")),
        (["a": "\u{FFFF}"], .notPropertyList(field: "a", reason: "holds a character that XML does not have")),
        (["\u{0}": 1], .notPropertyList(field: "\u{0}", reason: "is a name that XML cannot hold")),
    ]

    @Test(arguments: notPropertyList)
    func `a value no property list has is an error with its place`(parameters: ParameterValue, error: RequestError) {
        #expect(throws: error) { try body(.propertyList, parameters) }
        #expect(error.code == .cannotDecodeContentData)
    }

    @Test(arguments: RequestSerializer.Format.allCases)
    func `nesting is bounded in every format`(format: RequestSerializer.Format) {
        let deep: ParameterValue = (0..<2000).reduce("x") { value, _ in .array([value]) }
        #expect(throws: RequestError.parametersTooDeep) { try body(format, ["a": deep]) }
    }
}
