import ProbeTestKit
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ScriptedServerHTTP2Tests {
    /// The preface, empty SETTINGS, and HEADERS of stream 1: GET https://t/ with indexed fields (RFC 7541, appendix A).
    private static let request =
        Array("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".utf8)
        + [0, 0, 0, 4, 0, 0, 0, 0, 0]
        + [0, 0, 6, 1, 5, 0, 0, 0, 1, 0x82, 0x87, 0x84, 0x41, 1, UInt8(ascii: "t")]

    /// One frame's header and payload (RFC 9113 section 4.1).
    private struct Frame {
        let type: UInt8
        let flags: UInt8
        let stream: UInt8
        let payload: [UInt8]

        static func all(in bytes: [UInt8]) -> [Frame] {
            var rest = bytes[...]
            var frames: [Frame] = []
            while rest.count >= 9 {
                let head = Array(rest.prefix(9))
                let length = Int(head[0]) << 16 + Int(head[1]) << 8 + Int(head[2])
                rest = rest.dropFirst(9)
                frames.append(
                    Frame(type: head[3], flags: head[4], stream: head[8], payload: Array(rest.prefix(length)))
                )
                rest = rest.dropFirst(length)
            }
            return frames
        }
    }

    private func exchange(_ step: ServerStep, limit: Int) async throws -> (frames: [Frame], requests: [RecordedRequest])
    {
        var tls = ServerTLS(try .selfSigned(.server(names: ["server.test"])))
        tls.applicationProtocols = ["h2"]
        let server = try await ScriptedServer.start([step], tls: tls)
        var client = try RawClient.tls(protocols: ["h2"])
        client.limit = limit
        let outcome = try await client.exchange(port: server.port, send: Self.request)
        await server.shutDown()
        #expect(outcome.applicationProtocol == "h2")
        return (Frame.all(in: outcome.bytes), server.requests)
    }

    @Test
    func `a request over HTTP 2 is recorded and answered`() async throws {
        let (frames, requests) = try await exchange(.http2([.respond(.text("hello")), .drop]), limit: .max)
        #expect(requests.map(\.version) == ["2"])
        #expect(requests.map(\.method) == ["GET"])
        #expect(requests.first?.header(":authority") == "t")
        #expect(frames.contains { $0.type == 1 && $0.stream == 1 && $0.payload.first == 0x88 }, "a status of 200")
        #expect(frames.contains { $0.type == 0 && $0.payload == Array("hello".utf8) && $0.flags & 1 == 1 })
    }

    @Test
    func `serving by path speaks the protocol that was chosen`() async throws {
        let body = String(repeating: "b", count: 1000)
        let (frames, _) = try await exchange(.serve(["/": .text(body)]), limit: 1000)
        #expect(frames.contains { $0.type == 0 && $0.payload == Array(body.utf8) })
    }

    @Test
    func `a stream can be reset, and the connection can go away`() async throws {
        let reset = try await exchange(.http2([.resetStream(7), .drop]), limit: .max).frames
        #expect(reset.contains { $0.type == 3 && $0.stream == 1 && $0.payload == [0, 0, 0, 7] })
        let gone = try await exchange(.http2([.goAway(11), .drop]), limit: .max).frames
        #expect(gone.contains { $0.type == 7 && $0.payload.prefix(8) == [0, 0, 0, 0, 0, 0, 0, 11] })
    }

    @Test
    func `a response can remain unfinished`() async throws {
        let steps: [HTTP2Step] = [.begin(.init(200)), .sendEndlessly([UInt8](repeating: 1, count: 4096))]
        let frames = try await exchange(.http2(steps), limit: 40_000).frames
        #expect(frames.contains { $0.type == 0 })
        #expect(!frames.contains { $0.type == 0 && $0.flags & 1 == 1 })
    }
}
