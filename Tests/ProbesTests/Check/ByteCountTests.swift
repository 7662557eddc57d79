import ProbeTestKit
import Testing

@testable import Probes

@Suite
struct ByteCountTests {
    @Test
    func `without TLS exactly the request and the response count`() async throws {
        let response = ScriptedResponse.gzip(String(repeating: "long ", count: 500))
        let server = try await ScriptedServer.start([.serve(response)])
        let report = try await CheckBench().check(server.url("/path", host: "host.test")) { probe in
            probe.request = ProbeRequest(method: "POST", body: .bytes(Array("body text".utf8)))
        }
        let request = try #require(server.requests.first)
        #expect(report.verdict == .ok)
        #expect(report.bytesSent == request.head.count + request.body.count)
        #expect(report.bytesReceived == response.bytes.count)
        await server.shutDown()
    }

    @Test
    func `every hop counts`() async throws {
        let responses = ["/": ScriptedResponse.redirect(to: "/there"), "/there": .text("hello")]
        let server = try await ScriptedServer.start([.serve(responses)])
        let report = try await CheckBench().check(server.url()) { $0.maximumRedirects = 1 }
        #expect(report.hops.count == 2)
        #expect(report.bytesSent == server.requests.reduce(0) { $0 + $1.head.count })
        #expect(report.bytesReceived == responses.values.reduce(0) { $0 + $1.bytes.count })
        await server.shutDown()
    }

    @Test(arguments: [["h2"], ["http/1.1"]])
    func `with TLS the handshake and the records count`(protocols: [String]) async throws {
        let tls = try CheckBench.tls { $0.applicationProtocols = protocols }
        let body = ScriptedResponse.text(String(repeating: "x", count: 10_000))
        let (report, _) = try await CheckBench().check([.serve(body)], tls: tls, host: "host.test")
        #expect(report.verdict == .ok, "\(report.findings)")
        let certificates = tls.chain.reduce(0) { $0 + $1.count }
        #expect(report.bytesReceived > 10_000 + certificates)
        #expect(report.bytesReceived < 10_000 + certificates + 4000)
        #expect((300..<4000).contains(report.bytesSent))
    }

    @Test
    func `a failed handshake counts its bytes too`() async throws {
        let tls = try CheckBench.tls()
        let (report, _) = try await CheckBench().check([.silence], tls: tls, host: "other.test")
        #expect(report.verdict.code == .tlsHostname)
        #expect(report.bytesReceived > tls.chain.reduce(0) { $0 + $1.count })
        #expect(report.bytesSent > 100)
    }

    @Test
    func `a connection alone carries no bytes, and neither does a refused one`() async throws {
        let server = try await ScriptedServer.start([.silence])
        let connected = try await CheckBench().check("tcp://127.0.0.1:\(server.port)")
        #expect(connected.verdict == .ok)
        await server.shutDown()
        let refused = try await CheckBench().check("tcp://127.0.0.1:1")
        #expect(refused.verdict.code == .connectRefused)
        for report in [connected, refused] { #expect([report.bytesSent, report.bytesReceived] == [0, 0]) }
    }

    @Test
    func `an echo counts its ICMP messages`() async throws {
        let report = try await CheckBench().check("icmp://127.0.0.1")
        guard report.verdict == .ok else {
            #expect(report.verdict == .unknown(.icmpNotPermitted, .echo))
            #expect([report.bytesSent, report.bytesReceived] == [0, 0])
            return
        }
        #expect([report.bytesSent, report.bytesReceived] == [64, 64])
    }

    @Test
    func `a query counts its datagrams, and the stream that a truncated answer leads to`() async throws {
        let fixed = try await ScriptedResolver.start([.answer([.address("192.0.2.7")])])
        let report = try await CheckBench().check("dns://127.0.0.1:\(fixed.port)/host.test?type=A")
        #expect(report.verdict == .ok)
        let size = try #require(fixed.queries.first?.bytes.count)
        // On a busy machine the query is sent a second time.
        #expect([size, size * 2].contains(report.bytesSent))
        // A header of 12 bytes, the question in 15, and a record with a reference to its name in 16.
        #expect(report.bytesReceived == 43)
        await fixed.shutDown()
        let cut = try await ScriptedResolver.start([.truncated])
        let long = try await CheckBench().check("dns://127.0.0.1:\(cut.port)/host.test?type=A")
        #expect(cut.queries.contains { $0.isByTCP })
        #expect([size * 2 + 2, size * 3 + 2].contains(long.bytesSent), "a stream has the length before each message")
        #expect(long.bytesReceived == 27 * 2 + 2)
        await cut.shutDown()
    }

    @Test(arguments: [false, true])
    func `the link carries headers, handshakes and acknowledgements too`(usesTLS: Bool) async throws {
        let tls = usesTLS ? try CheckBench.tls() : nil
        let body = ScriptedResponse.text(String(repeating: "x", count: 2000))
        let (report, _) = try await CheckBench().check([.serve(body)], tls: tls, host: "host.test")
        #expect(report.verdict == .ok, "\(report.findings)")
        // Three segments make a connection, one asks, one answers, and four end it: 52 bytes of headers each at least.
        let content = report.bytesSent + report.bytesReceived
        #expect(report.bytesOnWire > content + 9 * 52)
        #expect(report.bytesOnWire < content + 40 * 94 + 1500)
    }

    @Test
    func `a refused connection counts its segments`() async throws {
        let report = try await CheckBench().check("tcp://127.0.0.1:1")
        #expect(report.verdict.code == .connectRefused)
        // The SYN, room for the answer, and one more segment for each second on a slow machine.
        let seconds = Int(report.duration / .seconds(1))
        #expect((4 * 74...(5 + seconds) * 74).contains(report.bytesOnWire))
    }

    @Test
    func `an attempt that the kernel rejects carries nothing`() async throws {
        // The kernel connects to no broadcast address.
        let report = try await CheckBench().check("tcp://255.255.255.255:9")
        #expect(report.verdict == .unknown(.noRoute, .connect))
        #expect(report.bytesOnWire == 0)
    }

    @Test
    func `a count has no overflow`() {
        let meter = ByteMeter()
        for _ in 0..<3 {
            meter.count(sent: .max)
            meter.count(received: .max)
        }
        #expect([meter.sent, meter.received] == [.max, .max])
    }
}
