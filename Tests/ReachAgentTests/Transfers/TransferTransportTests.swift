import AgentTestKit
import FoundationEssentials
import ProbeTestKit
import Probes
import Synchronization
import Testing

@testable import ReachAgent

/// Transfers beside other checks: under the machine's lock, and on an event loop of their own.
@Suite(.timeLimit(.minutes(1))) struct TransferTransportTests {
    private let temporary: TemporaryDirectory
    private var path: String { temporary.path }

    init() throws { temporary = try TemporaryDirectory() }

    private func probe(_ url: String, _ plan: TransferPlan?) throws -> Probe {
        var probe = Probe(
            target: try ProbeTarget(parsing: url),
            trust: TrustEvaluator(anchors: TrustAnchors(certificates: [])),
            timeout: .seconds(30)
        )
        probe.transfer = plan
        return probe
    }

    private func report(of probe: Probe, _ transport: TransferTransport) async -> CheckReport {
        await withCheckedContinuation { next in
            _ = transport.start(probe) { next.resume(returning: $0) }
        }
    }

    @Test func `a transfer is not made during another one of the machine, but a check is`() async throws {
        let transport = TransferTransport(Prober(), TransferSurroundings(lockDirectory: path))
        guard case .taken(let lock) = TransferLock.take(in: path) else {
            Issue.record("not taken")
            return
        }
        // Port 1 of this machine refuses connections.
        let transfer = try probe("http://127.0.0.1:1/?access_token=abcdefgh", TransferPlan(downloadBytes: 1000))
        let busy = await report(of: transfer, transport)
        #expect(busy.verdict == .unknown(.transferBusy, .connect))
        #expect(busy.target == "http://127.0.0.1:1/?access_token=(not-shown)")
        #expect(busy.findings.map(\.subject) == [busy.target])
        #expect(busy.findings.first?.evidence.contains("process \(ProcessInfo.processInfo.processIdentifier)") == true)
        let check = try probe("http://127.0.0.1:1/", nil)
        #expect(await report(of: check, transport).verdict.code == .connectRefused)

        lock.release()
        // The lock is free again when the report is there.
        for _ in 0..<3 { #expect(await report(of: transfer, transport).verdict.code == .connectRefused) }
        await withCheckedContinuation { next in transport.whenFree { next.resume() } }
        await onThread { transport.shutDownAndWait() }
        #expect(await report(of: transfer, transport).verdict.code == .cancelled)
    }

    @Test func `a transfer is made even without a lock`() async throws {
        let transport = TransferTransport(Prober(), TransferSurroundings(lockDirectory: "/nonexistent"))
        let transfer = try probe("http://127.0.0.1:1/", TransferPlan(downloadBytes: 1000))
        #expect(await report(of: transfer, transport).verdict.code == .connectRefused)
        await onThread { transport.shutDownAndWait() }
    }

    @Test(
        arguments: [
            (.any, [Vantage(families: .ipv4)], .pathChanged), (.any, [.default], .pathChanged),
            (.any, [Vantage(families: .ipv4), Vantage(families: .ipv6)], .pathChanged),
            (.ipv4, [.default], .pathChanged), (.any, [Vantage(families: .ipv6)], .cancelled),
            (.ipv4, [Vantage(families: .ipv6)], .cancelled), (.any, [Vantage(interface: "lo")], .cancelled),
        ] as [(AddressFamilies, Set<Vantage>, FindingCode)]
    )
    func `a transfer over IPv4 ends with a path of its vantage and family only`(
        families: AddressFamilies,
        changed: Set<Vantage>,
        code: FindingCode
    ) async throws {
        let server = try await ScriptedServer.start([.receiveRequest, .silence])
        let transport = TransferTransport(Prober(), TransferSurroundings())
        var transfer = try probe(server.url("/large"), TransferPlan(downloadBytes: 1000))
        transfer.families = families
        let (reports, continuation) = AsyncStream<CheckReport>.makeStream()
        let cancel = transport.start(transfer) { continuation.yield($0) }
        await server.received(requests: 1)
        transport.pathChanged(of: changed)
        cancel()
        let report = await reports.first { _ in true }
        #expect(report?.verdict.code == code)
        await onThread { transport.shutDownAndWait() }
        await server.shutDown()
    }
}
