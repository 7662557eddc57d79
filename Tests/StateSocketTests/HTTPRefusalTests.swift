import AgentTestKit
import Testing

@testable import StateSocket

/// The answers to requests that are rejected.
@Suite(.timeLimit(.minutes(1)))
struct HTTPRefusalTests {
    @Test(arguments: [("/nothing", "localhost", 404), ("/", "evil.example", 421), ("/events?since_seq=x", "a.b", 421)])
    func `a rejected request of HEAD has the head of its answer alone`(
        path: String,
        host: String,
        status: Int
    ) async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            try client.send(path, method: "HEAD", host: host)
            let response = try client.response(isHead: true)
            #expect(response.status == status && response.headers["content-length"].flatMap { Int($0) } ?? 0 > 0)
            #expect(try client.client.line() == nil)
        }
    }

    @Test(arguments: [["Content-Length: 5"], ["Content-Length: 5", "Expect: 100-continue"]])
    func `a request of HEAD with a body has the head of its answer alone, too`(fields: [String]) async throws {
        try await ServedStream.run { stream in
            let client = try HTTPClient(stream.http)
            try client.send("/metrics", method: "HEAD", fields)
            if fields.count == 1 { try client.client.send("hello") }
            #expect(try client.response(isHead: true).status == 400)
            #expect(try client.client.line() == nil)
        }
    }

    @Test(arguments: [("POST", 405), ("PUT", 405), ("GET", 400)])
    func `a body is rejected by its method first, also before a client sends it`(
        method: String,
        status: Int
    ) async throws {
        try await ServedStream.run { stream in
            for (fields, body) in [
                (["Content-Length: 5"], "hello"), (["Transfer-Encoding: chunked"], "5\r\nhello\r\n"),
                (["Content-Length: 5", "Expect: 100-continue"], ""),
                (["Transfer-Encoding: chunked", "Expect: 100-Continue"], ""),
            ] {
                let client = try HTTPClient(stream.http)
                try client.send("/metrics", method: method, fields)
                try client.client.send(body)
                let response = try client.response()
                #expect(response.status == status && response.headers["connection"] == "close", "\(fields)")
                #expect(response.headers["allow"] == (status == 405 ? "GET, HEAD" : nil))
            }
        }
    }

    @Test(arguments: [[], ["Content-Length: 0"]])
    func `a request without a body is answered, whatever its client expects`(fields: [String]) async throws {
        try await ServedStream.run { stream in
            let response = try HTTPClient(stream.http).get("/healthz", fields + ["Expect: 100-continue"])
            #expect(response.status == 200)
        }
    }

    @Test func `a part of the request that an error repeats has no control characters`() async throws {
        try await ServedStream.run { stream in
            let texts = [("%1b[31m", #"\u{1b}[31m"#), ("%c2%9b31m", #"\u{9b}31m"#), ("%e2%80%ae", #"\u{202e}"#)]
            for (month, shown) in texts {
                let response = try HTTPClient(stream.http).get("/api/report?month=never\(month)")
                #expect(response.status == 400 && response.body == "there is no 'never\(shown)'\n")
            }
        }
    }

    @Test func `the lines of an error are kept`() {
        #expect(AgentDocument.text("as root:\n  usermod -aG a b").body == Array("as root:\n  usermod -aG a b\n".utf8))
    }

    @Test(arguments: [
        ("never%20on", "never on"), ("never+on", "never on"), ("never%4E%6f", "neverNo"), ("never%+1", "never% 1"),
        ("never%-0", "never%-0"), ("never%1", "never%1"), ("never%", "never%"), ("never%zz", "never%zz"),
        ("never%1-", "never%1-"),
    ])
    func `only two hexadecimal digits make a percent-encoded byte`(text: String, decoded: String) throws {
        #expect(try HTTPQuery("month=\(text)".utf8).report().values == ["month": decoded])
    }
}
