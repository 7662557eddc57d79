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
        #"s3cr3t/va+lue\u0026\u0022quoted\u0022"#, #"s3cr3t\u002Fva\u002blue\u0026\"quoted\""#,
        #"s3cr3t/va+lue\x26\"quoted\""#, #"s3cr3t/va+lue\u{26}\u{0022}quoted\u{22}"#,
        "s3cr3t/va+lue&#38;&#034;quoted&#34;", "s3cr3t&#x2F;va&#43;lue&#x26;&#X22;quoted&quot;",
        "s3cr3t/va+lue%26%22quoted%22", base64(secret).replacingOccurrences(of: "/", with: #"\/"#),
        secret.utf8.map { String(format: "%02X", $0) }.joined(), "hunter2-hunter2", base64("me:hunter2-hunter2"),
        "abcdefgh12345678", "from-a-file-0123456789", "query-token-value", "form-password", "/services/T000/B000/xyz",
        "query-token-va",
    ])
    func `a secret is removed in each of its forms`(form: String) throws {
        let shown = try Self.known().removed(from: "before: \(form)")
        #expect(shown.hasPrefix("before: \(SecretName.placeholder)"))
        #expect(!shown.contains(form.suffix(8)) || form.utf8.count < 12)
    }

    private static let escaped = [
        "correct&horse-staple'ü🔑 (1)!*", #"correct\u0026horse-staple\u0027\u00FC\uD83D\udd11 (1)!*"#,
        #"correct&horse-staple\'\u00fc\u{1F511} (1)!*"#, #"correct\&horse-staple\'ü🔑\ \(1\)\!\*"#,
        "correct%26horse-staple'%C3%BC%F0%9F%94%91%20(1)!*",
        "correct%26horse-staple%27%c3%bc%f0%9f%94%91+%281%29%21%2A",
        "correct&amp;horse-staple&#x27;ü🔑 (1)!*", "correct&amp;horse-staple&#39;&#252;&#128273; (1)!*",
        "CORRECT&AMP;HORSE-STAPLE&APOS;ü&#X1f511; (1)!*",
    ]

    @Test(arguments: escaped)
    func `no part of an escaped secret remains, nor in evidence that quotes it`(form: String) {
        var request = ProbeRequest()
        request.hiddenTexts = ["correct&horse-staple'ü🔑 (1)!*"]
        let known = KnownSecrets(request)
        #expect(known.removed(from: "before \(form) after") == "before \(SecretName.placeholder) after")
        #expect(known.removed(from: Snippet.quoted(form)) == "'\(SecretName.placeholder)'")
    }

    @Test(arguments: [
        (#"50%25 "off" \n"#, #"50%25 \"off\" \\n"#), (#"50%25 "off" \n"#, "50%2525+%22off%22+%5cn"),
        (#"50%25 "off" \n"#, #"50%25 "off" \n"#), ("a&amp;b'c'd", "a&amp;amp;b&#39;c&#39;d"),
        ("a&amp;b'c'd", #"a&amp;b\'c\'d"#),
    ])
    func `a secret that looks like an escape is removed as it is and escaped`(secret: String, form: String) {
        var request = ProbeRequest()
        request.hiddenTexts = [secret]
        #expect(KnownSecrets(request).removed(from: "<\(form)>") == "<\(SecretName.placeholder)>")
    }

    @Test(arguments: ["got correct\\u00", "got correct%2", "got correct", "got corr"])
    func `an escape that was cut is removed with the beginning of a secret`(cut: String) {
        var request = ProbeRequest()
        request.hiddenTexts = ["correct&horse-staple"]
        let shown = KnownSecrets(request).removed(from: Array(cut.utf8), isCut: true)
        #expect(shown == Array("got \(SecretName.placeholder)".utf8))
    }

    @Test func `a password is removed beside a hundred cookies, and so is the last of them`() throws {
        var request = ProbeRequest(credentials: try BasicCredentials(user: "me", password: "hunter2-hunter2"))
        let cookies = (100..<200).map { "cookie\($0)=value-\($0)-value" }
        try request.headers.set("Cookie", cookies.joined(separator: "; "))
        let known = KnownSecrets(request)
        for echo in ["hunter2-hunter2", "value-100-value", "value-199-value"] {
            #expect(known.removed(from: echo) == SecretName.placeholder)
        }
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

    @Test(arguments: ["two+words+value", "two words value", "two%20words%20value", "1+1 a b"])
    func `a secret of the URL is removed with a plus sign as one and as a space`(form: String) throws {
        let url = try HTTPURL(parsing: "https://host.test/?token=two+words+value&password=1%2B1+a+b")
        let known = KnownSecrets(ProbeRequest(), to: url)
        #expect(known.removed(from: "before: \(form)") == "before: \(SecretName.placeholder)")
    }

    @Test func `secrets of a multipart form are removed, and its other fields stay`() throws {
        var form = MultipartForm()
        for (name, value) in [
            ("user", "someone"), ("password", "form-password"), ("login[token]", "nested-token"),
            ("key[]", "element-of-keys"),
        ] {
            try form.append(field: name, value: value)
        }
        try form.append(bytes: Array("contents-of-a-file".utf8), name: "secret", fileName: "a.txt")
        let known = KnownSecrets(ProbeRequest(method: "POST", body: .multipart(form)))
        for secret in ["form-password", "nested-token", "element-of-keys"] {
            #expect(known.removed(from: "got \(secret)") == "got \(SecretName.placeholder)")
        }
        for other in ["someone", "contents-of-a-file"] { #expect(known.removed(from: other) == other) }
    }

    @Test(arguments: [
        "hunter2-hunter2", base64("me:hunter2-hunter2"), "abcdefgh12345678", "from-a-file-0123456789",
    ])
    func `the secrets of the serializer are removed, as they are sent`(form: String) throws {
        var serializer = RequestSerializer()
        serializer.credentials = try BasicCredentials(user: "me", password: "hunter2-hunter2")
        try serializer.headers.set("Authorization", "Bearer abcdefgh12345678")
        try serializer.headers.set("X-Custom", "from-a-file-0123456789")
        try serializer.headers.set("Accept", "application/json")
        var request = ProbeRequest()
        request.hiddenFields = ["x-custom"]
        let known = KnownSecrets(request, by: serializer)
        let shown = known.removed(from: "got application/json: \(form)")
        #expect(shown.hasPrefix("got application/json: \(SecretName.placeholder)"))
        #expect(!shown.contains(form.suffix(8)))
    }

    @Test(arguments: ["", "{", "[1, 2", #"{"password": "}"#, "password=form-password"])
    func `a body that is no JSON has no members`(body: String) {
        #expect(KnownSecrets(ProbeRequest(body: .bytes(Array(body.utf8)))).isEmpty)
    }

    @Test func `a request without secrets costs nothing`() { #expect(KnownSecrets(ProbeRequest()).isEmpty) }
}
