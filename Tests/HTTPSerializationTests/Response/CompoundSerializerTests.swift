import CheckResults
import ForeignText
import HTTPSerialization
import Testing

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

    @Test func `a member of another content type is not asked`() {
        let verdict = evaluate([.json(), .propertyList], type: "application/x-plist", body: body)
        #expect(verdict.findings.map(\.code) == [.httpUndecodable])
        #expect(verdict.findings.first?.evidence.hasPrefix("not a property list: ") == true)
    }

    @Test func `a content type that no member accepts is refused with all of theirs`() {
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
