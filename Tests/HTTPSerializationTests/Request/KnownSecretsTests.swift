import CheckResults
import Foundation
import Testing

@testable import HTTPSerialization

/// The removal of sent secrets from text that a server echoes.
struct KnownSecretsTests {
    static let secret = "s3cr3t/va+lue&\"quoted\""

    private static func known() throws -> KnownSecrets {
        var request = ProbeRequest(credentials: try BasicCredentials(user: "me", password: "hunter2-hunter2"))
        try request.headers.set("X-Api-Key", secret)
        try request.headers.set("X-Authorization", "Bearer abcdefgh12345678")
        try request.headers.set("X-Custom", "from-a-file-0123456789")
        try request.headers.set("Accept", "application/json")
        request.hiddenFields = ["x-custom"]
        request.query = .dictionary(["token": .string("query-token-value"), "q": .string("not a secret at all")])
        request.parameters = .dictionary(["user": .dictionary(["password": .string("form-password")])])
        request.hiddenTexts = ["/services/T000/B000/xyz"]
        return KnownSecrets(request)
    }

    private static func base64(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    @Test(arguments: [
        secret, secret.uppercased(), "s3cr3t%2Fva%2Blue%26%22quoted%22", "s3cr3t%2fva%2blue%26%22quoted%22",
        #"s3cr3t\/va+lue&\"quoted\""#, "s3cr3t/va+lue&amp;&quot;quoted&quot;", base64(secret),
        secret.utf8.map { String(format: "%02X", $0) }.joined(), "hunter2-hunter2", base64("me:hunter2-hunter2"),
        "abcdefgh12345678", "from-a-file-0123456789", "query-token-value", "form-password", "/services/T000/B000/xyz",
        "query-token-va",
    ])
    func `a secret is removed in each of its forms`(form: String) throws {
        let shown = try Self.known().removed(from: "before: \(form)")
        #expect(shown.hasPrefix("before: \(SecretName.placeholder)"))
        #expect(!shown.contains(form.suffix(8)) || form.utf8.count < 12)
    }

    @Test(arguments: ["", "a", "ab", "abc", "abcd"])
    func `base64 is found at any offset`(prefix: String) throws {
        let text = Self.base64(prefix + "query-token-value" + "suffix")
        let shown = try Self.known().removed(from: text)
        #expect(shown.contains(SecretName.placeholder))
        #expect(!shown.contains(Self.base64("query-token-value").prefix(12)))
    }

    @Test(arguments: ["", "nothing here", "not a secret at all", "application/json", "Bearer", "query", "hunter2"])
    func `everything else stays`(text: String) throws {
        #expect(try Self.known().removed(from: text) == text)
    }

    @Test func `the beginning of a secret at the end of a body that was cut is removed`() throws {
        let known = try Self.known()
        let cut = Array("got query-".utf8)
        #expect(known.removed(from: cut) == cut)
        #expect(known.removed(from: cut, isCut: true) == Array("got \(SecretName.placeholder)".utf8))
    }

    @Test(arguments: [
        (10, nil, false), (11, nil, true), (10, 10, false), (4, 10, false), (4, 11, true), (99, 10, false),
    ])
    func `a body was cut if less of it is kept than was decoded`(size: Int, decoded: Int?, isCut: Bool) throws {
        var response = ResponseReport(httpVersion: "1.1", status: 200, headers: [])
        (response.bodyBytes, response.decodedBodyBytes) = (size, decoded)
        response.body = Array("got query-".utf8)
        var hop = CheckHop(url: "http://host.test/")
        hop.response = response
        let report = CheckReport(
            target: "t",
            verdict: .ok,
            findings: [],
            hops: [hop],
            started: Date(timeIntervalSince1970: 0),
            duration: .zero
        )
        let kept = try Self.known().removed(from: report).hops.first?.response?.body
        #expect(kept == Array((isCut ? "got \(SecretName.placeholder)" : "got query-").utf8))
    }

    @Test(arguments: [
        "url-token+value", "url-token%2Bvalue", "json-password", #"json \"nested\" element"#, "1234567890123",
    ])
    func `secrets of the URL and of a JSON body are removed`(form: String) throws {
        var request = ProbeRequest()
        request.body = .bytes(
            Array(
                #"""
                {"user": "someone", "password": "json-password", "pin": 987654321,
                 "tokens": ["json \"nested\" element", {"n": 1234567890123}]}
                """#.utf8
            )
        )
        let url = try HTTPURL(parsing: "https://host.test/p?q=url-question&access_token=url-token%2Bvalue")
        let known = KnownSecrets(request, to: url)
        #expect(known.removed(from: "before: \(form)") == "before: \(SecretName.placeholder)")
        for other in ["someone", "987654321", "url-question"] { #expect(known.removed(from: other) == other) }
    }

    @Test(arguments: ["", "{", "[1, 2", #"{"password": "}"#, "password=form-password"])
    func `a body that is no JSON has no members`(body: String) {
        #expect(KnownSecrets(ProbeRequest(body: .bytes(Array(body.utf8)))).isEmpty)
    }

    @Test func `a request without secrets costs nothing`() { #expect(KnownSecrets(ProbeRequest()).isEmpty) }
}
