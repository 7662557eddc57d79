import AgentTestKit
import Dispatch
import Foundation
import Glibc
import ProbeTestKit
import Probes
import Synchronization
import Testing

struct ProberEndTests {
    @Test func `a resolver answer after the end is dropped silently`() async throws {
        let result = try await #require(
            processExitsWith: .success,
            observing: [\.standardErrorContent]
        ) {
            let resolver = LateResolver()
            let prober = Prober(resolver: resolver)
            let cancel = prober.start(try CheckBench.probe("tcp://name.test:9")) { _ in }
            resolver.waitForLookups()
            prober.shutDownAndWait()
            #expect(resolver.answer() == 2)
            cancel()
            prober.whenFree { Issue.record("the event loops have ended") }
        }
        #expect(String(bytes: result.standardErrorContent, encoding: .utf8) == "")
    }

    @Test(arguments: [false, true])
    func `a check that is started after the end completes on another thread`(hasChecked: Bool) async throws {
        let prober = Prober(resolver: TableResolver(names: [:]))
        let probe = try CheckBench.probe("tcp://name.test:9")
        if hasChecked { #expect(await prober.check(probe).verdict.code == .dnsNXDomain) }
        await prober.shutDown()
        let (report, isCaller) = await withCheckedContinuation { continuation in
            let caller = pthread_self()
            prober.start(probe) { continuation.resume(returning: ($0, pthread_equal(caller, pthread_self()) != 0)) }
        }
        #expect(report.verdict.code == .cancelled)
        #expect(!isCaller)
        #expect(await prober.check(probe).verdict.code == .cancelled)
    }

    @Test func `a prober that is released ends its checks`() async throws {
        let probe = try CheckBench.probe("tcp://name.test:9")
        let report = await withCheckedContinuation { continuation in
            // Nothing keeps this prober.
            Prober(resolver: SilentResolver()).start(probe) { continuation.resume(returning: $0) }
        }
        #expect(report.verdict.code == .cancelled)
    }

    @Test func `the end closes the socket of a query without an answer`() async throws {
        let server = try await ScriptedResolver.start([.silence])
        let prober = Prober()
        let probe = try CheckBench.probe("dns://127.0.0.1:\(server.port)/host.test?type=A")
        async let report = prober.check(probe)
        await server.received(queries: 1)
        #expect(try Self.datagramSockets(connectedTo: server.port).count == 1)
        await prober.shutDown()
        #expect(await report.verdict.code == .cancelled)
        #expect(try Self.datagramSockets(connectedTo: server.port).isEmpty)
        await server.shutDown()
    }

    /// Returns this process's datagram sockets that are connected to a port in IPv4.
    private static func datagramSockets(connectedTo port: Int) throws -> [CInt] {
        let names = try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")
        return names.compactMap { CInt($0) }.filter { descriptor in
            var type: CInt = 0
            var typeSize = socklen_t(MemoryLayout<CInt>.size)
            var peer = sockaddr_in()
            var peerSize = socklen_t(MemoryLayout<sockaddr_in>.size)
            let hasPeer = withUnsafeMutablePointer(to: &peer) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    getpeername(descriptor, $0, &peerSize) == 0
                }
            }
            return hasPeer && getsockopt(descriptor, SOL_SOCKET, SO_TYPE, &type, &typeSize) == 0
                && type == CInt(SOCK_DGRAM.rawValue) && peer.sin_family == sa_family_t(AF_INET)
                && peer.sin_port == in_port_t(port).bigEndian
        }
    }

    @Test(.onOwnThread) func `every caller of the shutdown waits for the end`() throws {
        let prober = Prober(resolver: LateResolver())
        let (isBlocked, mayEnd) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let cancel = prober.start(try CheckBench.probe("tcp://name.test:9")) { _ in
            isBlocked.signal()
            mayEnd.wait()
        }
        cancel()
        isBlocked.wait()
        let (calls, returns) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
        let callers = 8
        for _ in 0..<callers {
            Thread.detachNewThread {
                calls.signal()
                prober.shutDownAndWait()
                returns.signal()
            }
        }
        for _ in 0..<callers { calls.wait() }
        #expect(returns.wait(timeout: .now()) == .timedOut)
        mayEnd.signal()
        for _ in 0..<callers { returns.wait() }
        prober.shutDownAndWait()
    }

    /// A caller must not end the event loops before the other has told them to cancel.
    @Test(.onOwnThread) func `every check completes before the end, also with two callers of the shutdown`() throws {
        let probe = try CheckBench.probe("tcp://name.test:9")
        let checks = 32
        for round in 0..<500 {
            let prober = Prober(resolver: LateResolver())
            let completions = Mutex<[FindingCode?]>([])
            for _ in 0..<checks {
                prober.start(probe) { report in completions.withLock { $0.append(report.verdict.code) } }
            }
            DispatchQueue.concurrentPerform(iterations: 2) { _ in prober.shutDownAndWait() }
            let codes = completions.withLock { $0 }
            #expect(codes == Array(repeating: .cancelled, count: checks), "round \(round)")
            guard codes.count == checks else { break }
        }
    }
}

/// A resolver whose thread is still at work when the prober ends.
private final class LateResolver: HostResolver {
    private struct Lookup: HostLookup {
        let isWaiting = false
        func abandon() {}
    }

    private typealias Answer = @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void

    private let pending = Mutex<[Answer]>([])
    private let begun = DispatchSemaphore(value: 0)

    func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup {
        pending.withLock { $0.append(completion) }
        begun.signal()
        return Lookup()
    }

    func waitForLookups() {
        for _ in HostAddress.Family.allCases { begun.wait() }
    }

    /// Answers all lookups, and returns their number.
    func answer() -> Int {
        let answers = pending.withLock { $0 }
        for answer in answers { answer(.success([])) }
        return answers.count
    }
}
