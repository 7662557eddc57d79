import CheckResults
import ForeignText
import HTTPSerialization
import Testing

@Suite struct ResponseEvaluationTests {
    private func response(_ status: Int = 200, _ type: String? = nil, _ body: String = "") -> ReceivedResponse {
        let headers = type.map { [HeaderField(name: "content-TYPE", value: $0)] } ?? []
        return ReceivedResponse(status: status, headers: headers, body: Array(body.utf8))
    }

    @Test(arguments: 200...299)
    func `every success is accepted by default`(status: Int) {
        let verdict = ResponseExpectations().evaluate(response(status))
        #expect(verdict.isAccepted)
        #expect(verdict.findings.isEmpty)
    }

    @Test(arguments: [100, 199, 300, 304, 999] + Array(400...599))
    func `every other status is rejected by default`(status: Int) {
        let verdict = ResponseExpectations().evaluate(response(status, "text/plain", "body"))
        #expect(verdict.findings.map(\.code) == [.httpStatus])
        #expect(verdict.findings.first?.evidence == "expected 200-299, got \(status)")
        #expect(verdict.object == .data(Array("body".utf8)))
    }

    @Test func `without a content type a response passes if it has no body either`() {
        let expectations = ResponseExpectations(acceptableContentTypes: ["text/html"])
        #expect(expectations.evaluate(response(205)).isAccepted)
        let refused = expectations.evaluate(response(205, nil, "x"))
        #expect(refused.findings.map(\.code) == [.httpContentType])
        #expect(refused.findings.first?.evidence == "expected text/html, got no content type")
        #expect(refused.object == nil)
    }

    @Test func `a bad content type with an empty body has a cause`() {
        let verdict = ResponseExpectations(serializer: .json()).evaluate(response(200, "text/html"))
        #expect(verdict.findings.map(\.code) == [.httpContentType])
        #expect(verdict.error?.finding.evidence.hasSuffix("got 'text/html' (with an empty body)") == true)
    }

    @Test func `HTML where JSON was expected names both types`() {
        let portal = response(200, "text/html; charset=utf-8", "<html>log in</html>")
        let verdict = ResponseExpectations(serializer: .json()).evaluate(portal)
        #expect(
            verdict.findings.map(\.evidence)
                == ["expected application/json, text/javascript, text/json, got 'text/html'"]
        )
        #expect(verdict.object == nil)
    }

    @Test func `when status and content type are rejected the status is outermost`() {
        let verdict = ResponseExpectations(serializer: .json()).evaluate(response(503, "text/html", "busy"))
        #expect(verdict.findings.map(\.code) == [.httpStatus, .httpContentType])
        #expect(verdict.error?.finding.code == .httpStatus)
        #expect(verdict.error?.underlying?.finding.code == .httpContentType)
        #expect(verdict.error?.underlying?.underlying == nil)
        #expect(verdict.object == nil)
    }

    @Test func `a rejected status still gives the decoded body`() {
        let verdict = ResponseExpectations(serializer: .json())
            .evaluate(response(422, "application/json", #"{"error":"no"}"#))
        #expect(verdict.findings.map(\.code) == [.httpStatus])
        #expect(verdict.object == .json(.object(["error": .string("no")])))
    }

    @Test func `a rejected status stays outermost when the body cannot be decoded`() {
        let verdict = ResponseExpectations(serializer: .json()).evaluate(response(500, "text/json", "{oops"))
        #expect(verdict.findings.map(\.code) == [.httpStatus, .httpUndecodable])
        #expect(verdict.findings.last?.evidence.contains("'o' where a member's name was due at byte 1") == true)
    }

    @Test(arguments: [
        ("application/json", true), ("text/json", true), ("text/javascript", true), ("Application/JSON", true),
        ("application/json; charset=\"utf-8\"", true), ("nonstandard/json", false), ("application/problem+json", false),
        ("application/json, text/html", false), ("json", false), ("application/json\u{0}", false),
    ])
    func `the content type must be one of the set exactly`(type: String, isAccepted: Bool) {
        #expect(
            ResponseExpectations(serializer: .json()).evaluate(response(200, type, "[]")).isAccepted == isAccepted
        )
    }

    @Test(arguments: [
        ("application/json; charset=", true), ("application/json;charset = utf-8", true),
        ("application/json ; odata", true), ("Application/JSON;\u{E9}", true), ("text/html; charset=", false),
        (" ; charset=utf-8", false), ("application/json x; charset=", false), ("json; charset=", false),
        ("application/json; charset=, text/html", false), ("application/json, text/html; a", false),
    ])
    func `parameters that break the rules do not refuse a type`(type: String, isAccepted: Bool) {
        let expectations = ResponseExpectations(serializer: .json())
        #expect(expectations.evaluate(response(200, type, "[]")).isAccepted == isAccepted)
    }

    @Test func `a type with invalid parameters is one of two that differ`() {
        let types = ["application/json; a", "text/html; b"].map { HeaderField(name: "Content-Type", value: $0) }
        let verdict = ResponseExpectations(serializer: .json())
            .evaluate(ReceivedResponse(status: 200, headers: types, body: Array("[]".utf8)))
        #expect(verdict.findings.first?.evidence.contains("two at once") == true)
    }

    @Test func `the accepted types are compared without case`() {
        let expectations = ResponseExpectations(acceptableContentTypes: ["Text/HTML"])
        #expect(expectations.evaluate(response(200, "text/html", "x")).isAccepted)
    }

    @Test func `two content types that differ are rejected, two equal ones are not`() {
        let types = ["application/json", "text/html"].map { HeaderField(name: "Content-Type", value: $0) }
        let expectations = ResponseExpectations(serializer: .json())
        let body = Array("[]".utf8)
        let refused = expectations.evaluate(ReceivedResponse(status: 200, headers: types, body: body))
        #expect(refused.findings.map(\.code) == [.httpContentType])
        #expect(refused.findings.first?.evidence.contains("'application/json' and 'text/html'") == true)
        let equal = ReceivedResponse(status: 200, headers: [types[0], types[0]], body: body)
        #expect(expectations.evaluate(equal).isAccepted)
    }

    @Test(arguments: ["", " "])
    func `an empty JSON body is nothing and no error`(body: String) {
        let verdict = ResponseExpectations(serializer: .json()).evaluate(response(200, "application/json", body))
        #expect(verdict.isAccepted)
        #expect(verdict.object == nil)
    }

    @Test(arguments: ["  ", "\n", "{", "nul", "{\"a\":1}x"])
    func `a body that is not JSON is an error`(body: String) {
        let verdict = ResponseExpectations(serializer: .json()).evaluate(response(200, "application/json", body))
        #expect(verdict.findings.map(\.code) == [.httpUndecodable])
        #expect(verdict.object == nil)
    }

    @Test(arguments: [
        (ResponseSerializer.json(), "application/json", "[", "0,", "0]"),
        (.propertyList, "application/x-plist", "<plist><array>", "<true/>", "<true/></array></plist>"),
    ])
    func `a body of more values than a check keeps is not judged to its end`(
        serializer: ResponseSerializer,
        type: String,
        start: String,
        value: String,
        end: String
    ) {
        // With the array and the last value.
        let most = start + String(repeating: value, count: WorkBudget.maximumValues - 2) + end
        let more = start + String(repeating: value, count: WorkBudget.maximumValues - 1) + end
        let expectations = ResponseExpectations(serializer: serializer)
        let budgets = [WorkBudget(deadline: nil, steps: .max), WorkBudget(deadline: nil, steps: .max)]
        #expect(expectations.evaluate(response(200, type, most), within: budgets[0]).isAccepted)
        let verdict = expectations.evaluate(response(200, type, more), within: budgets[1])
        #expect(verdict.findings.map(\.code) == [.evaluationLimit])
        #expect(verdict.findings.first?.evidence.hasSuffix("it has more than 262144 values") == true)
        #expect(verdict.object == nil)
    }

    @Test(arguments: [
        ResponseSerializer.http, .json(), .json(removingNulls: true), .compound([.json()]),
        .compound([.xml, .json(removingNulls: true)]),
    ])
    func `the values of a body count once, whatever reads its JSON`(serializer: ResponseSerializer) throws {
        let expectations = ResponseExpectations(
            acceptableContentTypes: nil,
            serializer: serializer,
            bodyExpectations: [try BodyExpectation(parsing: "json:$[0]=null")]
        )
        func findings(_ zeros: Int, _ end: String = "0]") -> [FindingCode] {
            let body = "[null," + String(repeating: "0,", count: zeros) + end
            let budget = WorkBudget(deadline: nil, steps: .max)
            return expectations.evaluate(response(200, "application/json", body), within: budget).findings.map(\.code)
        }
        // With the array, the null and the last value.
        let most = WorkBudget.maximumValues - 3
        #expect(findings(most).isEmpty)
        #expect(findings(most + 1) == [.evaluationLimit])
        #expect(findings(most, "x") == (serializer == .http ? [.httpBody] : [.httpUndecodable, .httpBody]))
    }

    @Test(arguments: [
        (ResponseSerializer.propertyList, "application/x-plist"), (.xml, "text/xml"), (.image, "image/png"),
    ])
    func `a response without content has no object and no error`(serializer: ResponseSerializer, type: String) {
        for type in [type, nil] {
            let verdict = ResponseExpectations(serializer: serializer).evaluate(response(204, type))
            #expect(verdict.isAccepted)
            #expect(verdict.object == nil)
        }
    }

    @Test(arguments: [
        (ResponseSerializer.xml, "application/xml", true), (.xml, "text/xml", true), (.xml, "text/html", false),
        (.propertyList, "application/x-plist", true), (.propertyList, "application/xml", false),
        (.image, "image/webp", true), (.image, "image/svg+xml", false), (.http, "anything/goes", true),
    ])
    func `each serializer has its content types`(serializer: ResponseSerializer, type: String, isAccepted: Bool) {
        let verdict = ResponseExpectations(serializer: serializer).evaluate(response(200, type))
        #expect(verdict.isAccepted == isAccepted)
    }
}

@Suite struct CompoundSerializerTests {
    private let body = Array(#"{"a":null,"b":[null,1]}"#.utf8)

    private func evaluate(_ members: [ResponseSerializer], type: String, body: [UInt8]) -> ResponseVerdict {
        ResponseExpectations(serializer: .compound(members)).evaluate(
            ReceivedResponse(
                status: 200,
                headers: [HeaderField(name: "Content-Type", value: type)],
                body: body
            )
        )
    }

    @Test func `the first member that makes an object wins`() {
        let verdict = evaluate([.xml, .json(removingNulls: true), .json()], type: "text/json", body: body)
        #expect(verdict.isAccepted)
        #expect(verdict.object == .json(.object(["b": .array(JSONNumber("1").map { [.number($0)] } ?? [])])))
    }

    @Test func `a member of another content type is not used`() {
        let verdict = evaluate([.json(), .propertyList], type: "application/x-plist", body: body)
        #expect(verdict.findings.map(\.code) == [.httpUndecodable])
        #expect(verdict.findings.first?.evidence.hasPrefix("not a property list: ") == true)
    }

    @Test func `a content type that no member accepts is rejected with all accepted types`() {
        let verdict = evaluate([.json(), .xml], type: "text/html", body: body)
        #expect(verdict.findings.map(\.code) == [.httpContentType])
        #expect(verdict.findings.first?.evidence.contains("application/xml, text/javascript") == true)
    }

    @Test func `the bytes themselves are the last resort when they are a member`() {
        let verdict = evaluate([.json(), .http], type: "text/json", body: Array("{".utf8))
        #expect(verdict.isAccepted)
        #expect(verdict.object == .data(Array("{".utf8)))
    }

    @Test func `an empty body is nothing and no error`() {
        let verdict = evaluate([.json(), .propertyList], type: "text/json", body: [])
        #expect(verdict.isAccepted)
        #expect(verdict.object == nil)
    }
}
