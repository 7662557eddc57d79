import CheckResults
import HTTPSerialization
import Testing

@Suite
struct SerializedRequestTests {
    private func request(
        _ method: String = "POST",
        parameters: ParameterValue? = ["a": "b"],
        headers: [HeaderField] = []
    ) throws -> SerializedRequest {
        var serializer = RequestSerializer()
        serializer.credentials = try BasicCredentials(user: "u", password: "p")
        return try serializer.serialize(
            ProbeRequest(method: method, headers: HeaderFields(headers), parameters: parameters),
            to: HTTPURL(parsing: "https://example.com:8443/p?q")
        )
    }

    @Test
    func `the head is exact`() throws {
        let head = try request().httpOneHead(adding: [HeaderField(name: "Connection", value: "close")])
        let text = """
            POST /p?q HTTP/1.1\r
            Host: example.com:8443\r
            Authorization: Basic dTpw\r
            Content-Type: application/x-www-form-urlencoded\r
            Content-Length: 3\r
            Connection: close\r
            \r\n
            """
        #expect(String(decoding: head, as: UTF8.self) == text)
    }

    @Test(arguments: [(nil, "a=b", true), (2, "a=", false), (0, "", false), (3, "a=b", true), (-1, "", false)])
    func `the whole request is shown, its body up to a limit`(limit: Int?, body: String, isWhole: Bool) throws {
        let request = try request()
        var pieces: [[UInt8]] = []
        let isShown = try request.write(bodyLimit: limit) { pieces.append($0) }
        #expect(isShown == isWhole)
        #expect(pieces.first == request.httpOneHead())
        #expect(String(decoding: pieces.dropFirst().joined(), as: UTF8.self) == body)
    }

    @Test
    func `an error of the output ends the showing`() throws {
        struct Full: Error {}
        let request = try request()
        #expect(throws: Full.self) { try request.write { _ in throw Full() } }
    }

    @Test(arguments: [
        ("POST", 301, "GET"), ("POST", 302, "GET"), ("POST", 303, "GET"), ("PUT", 303, "GET"), ("PUT", 301, "PUT"),
        ("POST", 307, "POST"), ("POST", 308, "POST"), ("HEAD", 303, "HEAD"), ("GET", 302, "GET"),
    ])
    func `a redirect changes the method as RFC 9110 says`(method: String, status: Int, next: String) throws {
        let first = try request(method, parameters: nil)
        let second = first.redirected(to: try HTTPURL(parsing: "https://example.com:8443/next"), status: status)
        #expect(second.method == next)
        #expect(second.body.isPresent == (first.body.isPresent && next == method))
        #expect((second.header("Content-Length") != nil) == (next == method && first.header("Content-Length") != nil))
        #expect(second.header("Authorization") == "Basic dTpw")
        #expect(second.url.path == "/next")
    }

    @Test(arguments: ["https://example.com/", "http://example.com:8443/", "https://other.example:8443/"])
    func `credentials and cookies stay at their origin`(target: String) throws {
        let fields = [
            HeaderField(name: "Cookie", value: "c"), HeaderField(name: "Host", value: "own"),
            HeaderField(name: "X-A", value: "b"),
        ]
        let url = try HTTPURL(parsing: target)
        let second = try request(headers: fields).redirected(to: url, status: 307)
        #expect(second.headers.first == HeaderField(name: "Host", value: url.authority))
        #expect(second.headers.map(\.name) == ["Host", "X-A", "Content-Type", "Content-Length"])
        #expect(try second.bodyText() == "a=b")
    }

    @Test(arguments: [
        ("https://example.com:8443/next", true), ("https://example.com/", false),
        ("https://other.example:8443/", false),
    ])
    func `fields for secrets stay at their origin`(target: String, isSent: Bool) throws {
        var request = ProbeRequest(
            headers: try HeaderFields([
                HeaderField(name: "X-Api-Key", value: "by its name"),
                HeaderField(name: "X-Tenant", value: "by its file"), HeaderField(name: "X-A", value: "b"),
            ])
        )
        request.hiddenFields = ["x-tenant"]
        let first = try RequestSerializer().serialize(request, to: HTTPURL(parsing: "https://example.com:8443/p"))
        let second = first.redirected(to: try HTTPURL(parsing: target), status: 302)
        #expect(second.headers.map(\.name) == ["Host"] + (isSent ? ["X-Api-Key", "X-Tenant"] : []) + ["X-A"])
        // A chain that comes back has lost them.
        let last = second.redirected(to: first.url, status: 302)
        #expect(last.headers.map(\.name) == second.headers.map(\.name))
    }
}
