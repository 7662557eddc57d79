import ForeignText
import NIOHTTP1
import Testing

@testable import StateSocket

/// The requests that are answered, and the refusals of all others.
@Suite struct HTTPRequestTests {
    struct Case: Sendable, CustomTestStringConvertible {
        var method = HTTPMethod.GET
        var target: String
        var headers: [(String, String)] = [("Host", "localhost")]
        var status: UInt?
        var testDescription: String { "\(method) \(target) \(headers)" }
    }

    private static func request(_ test: Case) throws -> HTTPRequest {
        let head = HTTPRequestHead(
            version: .http1_1,
            method: test.method,
            uri: test.target,
            headers: HTTPHeaders(test.headers)
        )
        return try HTTPRequest(head, names: ["status.example.org"])
    }

    private static func fetched(_ site: String, _ mode: String, _ destination: String) -> [(String, String)] {
        [("Host", "localhost"), ("Sec-Fetch-Site", site), ("Sec-Fetch-Mode", mode), ("Sec-Fetch-Dest", destination)]
    }

    static let cases = [
        Case(target: "/"),
        Case(target: "/?"),
        Case(target: "/", headers: [("Host", "LOCALHOST:9718")]),
        Case(target: "/", headers: [("Host", "127.0.0.1:9718")]),
        Case(target: "/", headers: [("host", "[::1]:9718")]),
        Case(target: "/", headers: [("Host", "Status.example.org")]),
        Case(target: "/", headers: [("Host", "localhost:9718"), ("Origin", "http://localhost:9718")]),
        Case(method: .HEAD, target: "/metrics"),
        // Hosts: rebinding, several, none.
        Case(target: "/", headers: [("Host", "evil.example")], status: 421),
        Case(target: "/", headers: [("Host", "localhost.evil.example")], status: 421),
        Case(target: "/", headers: [("Host", "127.0.0.1.evil.example")], status: 421),
        Case(target: "/", headers: [("Host", "0x7f.1")], status: 421),
        Case(target: "/", headers: [("Host", "localhost@evil.example")], status: 400),
        Case(target: "/", headers: [("Host", "[::1")], status: 400),
        Case(target: "/", headers: [("Host", "")], status: 400),
        Case(target: "/", headers: [("Host", "localhost"), ("Host", "localhost")], status: 400),
        Case(target: "/", headers: [], status: 400),
        // Origins.
        Case(target: "/", headers: [("Host", "localhost"), ("Origin", "http://evil.example")], status: 403),
        Case(target: "/", headers: [("Host", "localhost"), ("Origin", "null")], status: 403),
        Case(target: "/", headers: [("Host", "localhost:1"), ("Origin", "http://localhost:2")], status: 403),
        // Contents that a page of another origin loads, without an Origin, and links to the page.
        Case(target: "/api/report", headers: Self.fetched("cross-site", "no-cors", "image"), status: 403),
        Case(target: "/events", headers: Self.fetched("same-site", "no-cors", "script"), status: 403),
        Case(target: "/", headers: Self.fetched("cross-site", "navigate", "iframe"), status: 403),
        Case(target: "/", headers: Self.fetched("cross-site", "navigate", "document")),
        Case(target: "/", headers: Self.fetched("none", "navigate", "document")),
        Case(target: "/events", headers: Self.fetched("same-origin", "cors", "empty")),
        Case(target: "/api/report", headers: [("Host", "localhost"), ("Sec-Fetch-Site", "cross-site")], status: 403),
        // Methods and paths.
        Case(method: .POST, target: "/", status: 405),
        Case(method: .OPTIONS, target: "*", status: 405),
        Case(method: .CONNECT, target: "localhost:1", status: 405),
        // Whole URIs, whose host counts.
        Case(target: "http://localhost/"),
        Case(target: "http://localhost:9718/healthz"),
        Case(target: "HTTP://Status.example.org/healthz", headers: [("Host", "evil.example")]),
        Case(target: "https://[::1]:9718/events?types=path.*"),
        Case(target: "http://localhost"),
        Case(target: "http://localhost?x"),
        Case(target: "http://localhost:1/", headers: [("Host", "localhost"), ("Origin", "http://localhost:1")]),
        Case(target: "http://localhost:1/", headers: [("Host", "a"), ("Origin", "http://a")], status: 403),
        Case(target: "http://evil.example/healthz", status: 421),
        Case(target: "http://localhost.evil.example/healthz", status: 421),
        Case(target: "http://localhost@evil.example/healthz", status: 400),
        Case(target: "http:///healthz", status: 400),
        Case(target: "http://", status: 400),
        Case(target: "http://localhost/healthz", headers: [], status: 400),
        Case(target: "http://localhost/healthz", headers: [("Host", "a"), ("Host", "a")], status: 400),
        Case(target: "http://localhost/healthz", headers: [("Host", "a b")], status: 400),
        Case(target: "http://localhost//", status: 404),
        Case(target: "http:/healthz", status: 404),
        Case(target: "ftp://localhost/healthz", status: 404),
        Case(target: "//", status: 404),
        Case(target: "/metrics/", status: 404),
        Case(target: "/../metrics", status: 404),
        Case(target: "/%6detrics", status: 404),
        Case(target: "/metrics%00", status: 404),
        Case(target: "/Metrics", status: 404),
        Case(target: "", status: 404),
        // Parameters.
        Case(target: "/events?types=path.*&types=probe.changed,agent.*&subjects=web&since_seq=4"),
        Case(target: "/events?typ=path.*", status: 400),
        Case(target: "/api/report?since=2026-10-01&until=2026-11-01&probe=web"),
        Case(target: "/api/report?since=", status: 400),
        Case(target: "/api/report?since=%FF", status: 400),
        Case(target: "/api/report?directory=/etc", status: 400),
        Case(target: "/api/report?until=" + String(repeating: "a", count: 257), status: 400),
        Case(target: "/events?types=Path", status: 400),
        Case(target: "/events?since_seq=-1", status: 400),
        Case(target: "/events?since_seq=1&since_seq=2", status: 400),
        Case(target: "/api/history?subjects=", status: 400),
        Case(target: "/api/history?" + String(repeating: "subjects=a&", count: 65), status: 400),
        Case(target: "/api/history?" + String(repeating: "&types=path.*", count: 400), status: 400),
    ]

    @Test(arguments: cases)
    func `a request is answered, or rejected with a status and a sentence`(test: Case) {
        do {
            _ = try Self.request(test)
            #expect(test.status == nil)
        } catch let refusal as HTTPRefusal {
            #expect(refusal.status.code == test.status)
            #expect(!refusal.message.isEmpty && !refusal.message.hasSuffix("."))
        } catch {
            Issue.record("\(error)")
        }
    }

    @Test func `a whole URI has the same resource as its path`() throws {
        let target = "/events?types=path.*&since_seq=4"
        let whole = try Self.request(Case(target: "http://localhost:9718" + target))
        #expect(try whole == Self.request(Case(target: target)))
        #expect(try Self.request(Case(target: "http://localhost")).resource == .page)
    }

    static let lastIDs: [(String, UInt64, ForeignText?)] = [
        ("17", 17, nil), ("0f-17", 17, "0f"), ("a-b-17", 17, "a-b"), ("-17", 17, ""), ("0f-0", 0, "0f"),
        // None of an event: the number in the address counts.
        ("", 4, nil), ("0f-", 4, nil), ("0f-u17", 4, nil), ("0f", 4, nil), ("0f-+17", 4, nil), ("17-", 4, nil),
        ("0f-18446744073709551616", 4, nil),
    ]

    @Test(arguments: lastIDs)
    func `the id of the last event counts more than a number in the address`(
        id: String,
        since: UInt64,
        stream: ForeignText?
    ) throws {
        let test = Case(target: "/events?since_seq=4", headers: [("Host", "localhost"), ("Last-Event-ID", id)])
        guard case .events(let subscription) = try Self.request(test).resource else {
            Issue.record("not a stream")
            return
        }
        #expect(subscription.since == since && subscription.stream == stream)
    }

    static let accepted: [(String, Bool)] = [
        ("", false), ("*/*", false), ("text/plain", false), ("application/openmetrics-text", true),
        ("application/openmetrics-text;version=1.0.0,text/plain;version=0.0.4;q=0.5", true),
        (
            "application/openmetrics-text;version=1.0.0;q=0.75,application/openmetrics-text;version=0.0.1;q=0.5,"
                + "text/plain;version=0.0.4;q=0.25,*/*;q=0.1", true
        ),
        ("application/openmetrics-text;q=0.1, text/plain;q=0.9", false), ("application/openmetrics-text;q=0", false),
        ("application/openmetrics-text; version=2.0.0, text/plain;q=0.5", false),
    ]

    @Test(arguments: accepted)
    func `OpenMetrics is for clients that prefer it`(accept: String, isOpenMetrics: Bool) throws {
        let test = Case(target: "/metrics", headers: [("Host", "localhost"), ("Accept", accept)])
        #expect(try Self.request(test).resource == .metrics(isOpenMetrics: isOpenMetrics))
    }
}
