import CheckResults
import HTTPSerialization
import Testing

@Suite
struct RequestErrorTests {
    private static let hostile = "x\r\n\u{1B}[31m\u{202E}\u{9B}" + String(repeating: "y", count: 5000)

    private static let errors: [(RequestError, RequestError.Code)] = [
        (.url(.unsupportedScheme(hostile)), .badURL),
        (.url(.invalidHost(hostile, reason: "is wrong")), .badURL),
        (.url(.internationalizedHost(hostile)), .badURL),
        (.url(.zone(hostile)), .badURL),
        (.url(.invalidPort(hostile)), .badURL),
        (.file(path: hostile, reason: "is not a path"), .badURL),
        (.invalidMethod(hostile), .badHeader),
        (.invalidFieldName(hostile), .badHeader),
        (.invalidFieldValue(name: hostile), .badHeader),
        (.computedField(name: hostile), .badHeader),
        (.headerTooLarge, .badHeader),
        (.invalidCredentials(reason: "no"), .badCredentials),
        (.parametersWithoutNames, .cannotDecodeContentData),
        (.parametersTooDeep, .cannotDecodeContentData),
        (.parameter(name: hostile, reason: "is wrong"), .cannotDecodeContentData),
        (.invalidText(offset: 1), .cannotDecodeContentData),
        (.notJSON(field: hostile, reason: "is a set"), .cannotDecodeContentData),
        (.notPropertyList(field: hostile, reason: "is a set"), .cannotDecodeContentData),
        (.querySerializer(hostile), .cannotDecodeContentData),
        (.bodyAndParameters, .contradiction),
        (.multipartMethod(hostile), .contradiction),
        (.bodyTooLong, .contradiction),
        (.fileChanged(path: hostile, announced: 1), .fileChanged),
    ]

    @Test(arguments: errors)
    func `every error has a code and a short clause that acts on no terminal`(
        error: RequestError,
        code: RequestError.Code
    ) {
        #expect(error.code == code)
        let text = error.description
        #expect(!text.isEmpty && !text.hasSuffix("."))
        #expect(text.utf8.count < 1300)
        for scalar in text.unicodeScalars {
            #expect(![.control, .format].contains(scalar.properties.generalCategory), "\(scalar.value)")
        }
    }

    @Test
    func `text in an error is cut, and escaped by its code point`() {
        let error = RequestError.invalidMethod("a\n" + String(repeating: "b", count: 300))
        let shown = "'a\\u{a}" + String(repeating: "b", count: 254) + "…'"
        #expect(error.description == "\(shown) is not a method that a check can send")
    }
}
