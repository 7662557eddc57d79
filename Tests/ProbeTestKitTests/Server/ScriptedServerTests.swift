import Foundation
import NIOCore
import NIOPosix
import ProbeTestKit
import Probes
import Testing

@Suite(.timeLimit(.minutes(2)))
struct ScriptedServerTests {
    private static let get = "GET /a?b HTTP/1.1\r\nHost: server.test\r\n\r\n"

    /// Runs one exchange with a server in the clear.
    private func exchange(
        _ script: [ServerStep],
        send request: String = get,
        limit: Int = .max
    ) async throws -> RawClient.Outcome {
        let server = try await ScriptedServer.start(script)
        let outcome = try await RawClient(limit: limit).exchange(port: server.port, send: request)
        await server.ended(connections: 1)
        await server.shutDown()
        return outcome
    }

    @Test
    func `a request is recorded as received, including the body`() async throws {
        let server = try await ScriptedServer.start([.receiveRequest, .respond(.text("hello")), .close])
        let request = "POST /x HTTP/1.1\r\nHost: h\r\nContent-Length: 4\r\n\r\nbody"
        let outcome = try await RawClient().exchange(port: server.port, send: request)
        let recorded = try #require(await server.received(requests: 1).first)
        await server.shutDown()
        #expect(recorded.method == "POST")
        #expect(recorded.target == "/x")
        #expect(recorded.version == "1.1")
        #expect(recorded.header("host") == "h")
        #expect(recorded.body == Array("body".utf8))
        #expect(recorded.head + recorded.body == Array(request.utf8))
        #expect(outcome.text.hasPrefix("HTTP/1.1 200 OK\r\n"))
        #expect(outcome.text.hasSuffix("\r\n\r\nhello"))
        #expect(outcome.error == nil)
    }

    @Test
    func `a chunked request is recorded with its framing`() async throws {
        let body = "3;x=y\r\nabc\r\n0\r\nTrailer: t\r\n\r\n"
        let server = try await ScriptedServer.start([.receiveRequest, .close])
        let head = "POST / HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n"
        _ = try await RawClient().exchange(port: server.port, send: head + body)
        let recorded = await server.received(requests: 1)
        await server.shutDown()
        #expect(recorded.map(\.body) == [Array(body.utf8)])
    }

    @Test
    func `paths are served on one connection until the client has enough`() async throws {
        let script: [ServerStep] = [.serve(["/1": .redirect(to: "/2"), "*": .text("rest")])]
        let server = try await ScriptedServer.start(script)
        let requests = "GET /1 HTTP/1.1\r\n\r\nHEAD /2 HTTP/1.1\r\n\r\nGET /3 HTTP/1.1\r\nConnection: close\r\n\r\n"
        let outcome = try await RawClient().exchange(port: server.port, send: requests)
        let targets = server.requests.map(\.target)
        await server.shutDown()
        #expect(targets == ["/1", "/2", "/3"])
        #expect(outcome.text.contains("302 Found\r\nLocation: /2\r\nContent-Length: 0\r\n\r\nHTTP/1.1 200"))
        #expect(outcome.text.split(separator: "rest").count == 1, "the answer to HEAD has no body")
        #expect(server.connections == 1)
    }

    @Test
    func `each connection runs its own script, and the last one repeats`() async throws {
        let server = try await ScriptedServer.start(scripts: [[.send("1"), .close], [.send("2"), .close]])
        var texts: [String] = []
        for _ in 0..<3 { texts.append(try await RawClient().exchange(port: server.port).text) }
        await server.shutDown()
        #expect(texts == ["1", "2", "2"])
    }

    @Test(arguments: [
        [ServerStep.reset],
        [.receiveRequest, .reset],
        [.receiveRequest, .send("HTTP/1.1 200 OK\r\nX-Half"), .reset],
        [.receiveRequest, .send("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf"), .reset],
    ])
    func `a reset is a reset at every point`(script: [ServerStep]) async throws {
        let error = try await exchange(script).error
        let isReset = error?.contains("reset") == true || error?.contains("errno: 104") == true
        #expect(isReset, "\(error ?? "closed in order")")
    }

    @Test
    func `a reset is one too when writing the request meets it`() async throws {
        let server = try await ScriptedServer.start([.reset])
        let hasEnded = DispatchSemaphore(value: 0)
        let loop = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        // The client's loop stands still until the reset is there: it comes between the connection and the request.
        let client = RawClient(group: loop, beforeSending: { hasEnded.wait() })
        async let outcome = client.exchange(port: server.port, send: Self.get)
        await server.ended(connections: 1)
        hasEnded.signal()
        let error = try await outcome.error
        #expect(error?.contains("errno: 104") == true, "\(error ?? "closed in order")")
        await server.shutDown()
        try await loop.shutdownGracefully()
    }

    @Test
    func `a body can end early, in order`() async throws {
        let head = "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n"
        let outcome = try await exchange([.receiveRequest, .send(head + "short"), .drop])
        #expect(outcome.text == head + "short")
        #expect(outcome.error == nil)
    }

    @Test(arguments: [
        [ServerStep.receiveRequest, .send("HTTP/1.1 200 OK\r\n"), .sendEndlessHeader()],
        [.receiveRequest, .send("HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"), .sendEndlessChunks()],
        [.receiveRequest, .send("HTTP/1.1 200 OK\r\n\r\n"), .sendEndlessly(Array(repeating: 0x62, count: 1024))],
    ])
    func `an endless response continues until the client has enough`(script: [ServerStep]) async throws {
        #expect(try await exchange(script, limit: 300_000).bytes.count >= 300_000)
    }

    @Test
    func `an endless response keeps no other connection waiting`() async throws {
        let scripts: [[ServerStep]] = [[.sendEndlessly(Array("body".utf8))], [.serve(.text("hello"))]]
        let server = try await ScriptedServer.start(scripts: scripts)
        let reader = try EagerReader(port: server.port)
        async let bytes = reader.readToEnd()
        await server.accepted(connections: 1)
        // One after the other they come to each of the server's event loops.
        let prober = Prober()
        let probe = Probe(
            target: try ProbeTarget(parsing: server.url()),
            trust: TrustEvaluator(anchors: TrustAnchors(certificates: [])),
            timeout: .seconds(60)
        )
        for _ in 0..<(2 * ProcessInfo.processInfo.activeProcessorCount) {
            let report = await prober.check(probe)
            #expect(report.verdict == .ok, "\(report.findings)")
        }
        await prober.shutDown()
        reader.stop()
        #expect(await bytes > 0)
        await server.shutDown()
    }

    @Test
    func `slow bytes arrive in their pieces and in order`() async throws {
        let script: [ServerStep] = [
            .sendSlowly(Array("slow".utf8), piece: 1, interval: .milliseconds(2)), .close,
        ]
        #expect(try await exchange(script, send: "").text == "slow")
    }

    @Test
    func `a gate holds a response back until the test opens it`() async throws {
        let gate = ServerGate()
        let server = try await ScriptedServer.start([.receiveRequest, .wait(gate), .send("late"), .close])
        async let outcome = RawClient().exchange(port: server.port, send: Self.get)
        await server.received(requests: 1)
        gate.open()
        #expect(try await outcome.text == "late")
        await server.shutDown()
    }

    @Test
    func `a silent server reads the request, and its end is the test's`() async throws {
        let server = try await ScriptedServer.start([.silence])
        async let outcome = RawClient().exchange(port: server.port, send: Self.get)
        await server.accepted(connections: 1)
        await server.shutDown()
        #expect(try await outcome.bytes.isEmpty)
    }

    @Test
    func `shutting down ends the wait for requests`() async throws {
        let server = try await ScriptedServer.start([.silence])
        async let requests = server.received(requests: 1)
        await server.shutDown()
        #expect(await requests.isEmpty)
    }

    @Test
    func `HTTP 1.0 and chunked framing are written as scripted`() async throws {
        var old = ScriptedResponse.text("old")
        old.version = "1.0"
        old.framing = .close
        var chunked = ScriptedResponse(200, body: Array("abcdef".utf8))
        chunked.framing = .chunks(of: 4)
        let text = try await exchange([.receiveRequest, .respond(old), .close]).text
        #expect(text.hasPrefix("HTTP/1.0 200 OK\r\n"))
        #expect(text.hasSuffix("Connection: close\r\n\r\nold"))
        #expect(String(decoding: chunked.framedBody, as: UTF8.self) == "4\r\nabcd\r\n2\r\nef\r\n0\r\n\r\n")
    }
}
