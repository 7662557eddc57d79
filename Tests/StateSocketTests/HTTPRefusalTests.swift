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
}
