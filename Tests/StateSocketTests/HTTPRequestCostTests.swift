import AgentTestKit
import NIOHTTP1
import Testing

@testable import StateSocket

/// The cost of the worst header fields known, which a client sends before it is known who it is.
struct HTTPRequestCostTests {
    /// A request with a field of about so many bytes.
    struct Generator: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let field: @Sendable (Int) -> (name: String, value: String)

        init(_ name: String, prefix: String = "") {
            testDescription = "\(name): \(prefix)…"
            field = { bytes in (name, prefix + String(repeating: "\u{301}\u{323}", count: bytes / 4)) }
        }
    }

    static let generators = [
        Generator("Sec-Fetch-Site"), Generator("Origin"), Generator("Origin", prefix: "http://localhost"),
        Generator("Expect"), Generator("Expect", prefix: "100-continue"), Generator("Accept"),
        Generator("Accept", prefix: "text/plain;q="),
        Generator("Accept", prefix: "application/openmetrics-text;version=1"),
        Generator("Authorization"), Generator("Authorization", prefix: "Basic"), Generator("Host"),
        Generator("Host", prefix: "localhost"), Generator("Content-Length"),
    ]

    private static func handle(_ head: HTTPRequestHead) {
        _ = HTTPRefusal.answersBeforeBody(of: head)
        _ = head.headers.first(name: "authorization").flatMap(PasswordCheck.credentials)
        _ = try? HTTPRequest(head, names: ["status.example.org"])
    }

    private static func head(_ target: String, _ fields: [(String, String)]) -> HTTPRequestHead {
        HTTPRequestHead(version: .http1_1, method: .GET, uri: target, headers: HTTPHeaders(fields))
    }

    @Test(arguments: generators)
    func `a field of twice the length costs at most two and a half times as much`(generator: Generator) async {
        let heads = [8 << 10, 16 << 10].map { bytes in
            let (name, value) = generator.field(bytes)
            return Self.head("/metrics", (name == "Host" ? [] : [("Host", "localhost")]) + [(name, value)])
        }
        await expectLinear(heads)
    }

    @Test(arguments: ["/", "http://", "/events?types=", "/api/report?target="])
    func `a target of twice the length costs at most two and a half times as much`(beginning: String) async {
        let heads = [8 << 10, 16 << 10].map { bytes in
            Self.head(beginning + String(repeating: "\u{301}\u{323}", count: bytes / 4), [("Host", "localhost")])
        }
        await expectLinear(heads)
    }

    private func expectLinear(_ heads: [HTTPRequestHead]) async {
        let growth = await onThread {
            CostGrowth.measure(2, noise: 0.0001, attempts: 25) { index in
                CostGrowth.seconds { Self.handle(heads[index]) }
            }
        }
        #expect(growth.isLinear, "\(growth)")
    }
}
