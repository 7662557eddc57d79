import EventLoopExecutor
import FoundationEssentials
import NIOCore
import ProbeTestKit
import Synchronization

@testable import Probes

/// Makes checks against servers on loopback, with names that only it knows.
struct CheckBench {
    /// Certificates for `host.test` and the loopback addresses; their authority is what the bench trusts.
    static let authority = Result {
        try TestAuthority.standard(names: ["host.test"], addresses: ["127.0.0.1", "::1"])
    }

    /// The answers of the bench's resolver: what is not in it does not exist.
    var names: [String: [String]] = ["host.test": ["127.0.0.1"], "other.test": ["127.0.0.1"]]

    /// A check of an HTTP target with short limits.
    static func probe(_ target: String, _ change: (inout Probe) -> Void = { _ in }) throws -> Probe {
        let anchors = TrustAnchors(certificates: [try authority.get().root.der])
        var probe = Probe(target: try ProbeTarget(parsing: target), trust: TrustEvaluator(anchors: anchors))
        probe.timeout = .seconds(60)
        change(&probe)
        return probe
    }

    /// A server's TLS with the bench's certificates.
    static func tls(_ change: (inout ServerTLS) -> Void = { _ in }) throws -> ServerTLS {
        let authority = try authority.get()
        var tls = ServerTLS(chain: authority.presented, key: authority.leaf.key.pkcs8PEM)
        change(&tls)
        return tls
    }

    /// Makes one check of a target.
    func check(_ target: String, _ change: (inout Probe) -> Void = { _ in }) async throws -> CheckReport {
        try await check(Self.probe(target, change))
    }

    /// Makes one check.
    func check(_ probe: Probe) async -> CheckReport {
        let prober = Prober(resolver: TableResolver(names: names))
        let report = await prober.check(probe)
        await prober.shutDown()
        return report
    }

    /// Makes one check of a server that runs a script.
    func check(
        _ script: [ServerStep],
        tls: ServerTLS? = nil,
        path: String = "/",
        host: String? = nil,
        _ change: (inout Probe) -> Void = { _ in }
    ) async throws -> (report: CheckReport, server: ScriptedServer) {
        let server = try await ScriptedServer.start(script, tls: tls)
        let report = try await check(server.url(path, host: host), change)
        await server.shutDown()
        return (report, server)
    }

    /// Makes one check on an event loop, with services of the test.
    static func check(_ probe: Probe, on loop: any EventLoop, _ services: CheckServices) async -> CheckReport {
        await withCheckedContinuation { continuation in
            loop.execute {
                CheckRun(probe, on: LoopGate(loop), services: services) { _, report in
                    continuation.resume(returning: report)
                }
                .start()
            }
        }
    }
}

/// Answers from a table, at once.
struct TableResolver: HostResolver {
    var names: [String: [String]]

    private struct Done: HostLookup {
        var isWaiting: Bool { false }
        func abandon() {}
    }

    func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup {
        if let texts = names[name] {
            let addresses = texts.compactMap { IPAddressText.bytes(of: $0) }.compactMap { HostAddress(bytes: $0) }
                .filter { $0.family == family }
            completion(
                addresses.isEmpty
                    ? .failure(HostLookupFailure(.dnsNoAddress, reason: "none of this family"))
                    : .success(addresses)
            )
        } else {
            completion(.failure(HostLookupFailure(.dnsNXDomain, reason: "not in the table")))
        }
        return Done()
    }
}

/// Never answers.
struct SilentResolver: HostResolver {
    var isQueueing = false

    private struct Endless: HostLookup {
        let isWaiting: Bool
        func abandon() {}
    }

    func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup {
        Endless(isWaiting: isQueueing)
    }
}

/// Knows that every name is an IPv4 address, 127.0.0.3 where nobody listens, and never answers for IPv6.
struct HalfSilentResolver: HostResolver {
    var address = "127.0.0.3"

    func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup {
        guard family == .ipv4 else { return SilentResolver().lookUp(name, family: family, completion: completion) }
        return TableResolver(names: [name: [address]]).lookUp(name, family: family, completion: completion)
    }
}

/// Knows every name at one address, which the test changes.
final class MovingResolver: HostResolver {
    private let address = Mutex("127.0.0.1")

    func move(to address: String) { self.address.withLock { $0 = address } }

    func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup {
        let address = address.withLock { $0 }
        return TableResolver(names: [name: [address]]).lookUp(name, family: family, completion: completion)
    }
}

extension CheckReport {
    /// The last hop, which is the only one without redirects.
    var hop: CheckHop { hops.last ?? CheckHop(url: "no hop") }
    /// The last hop's phases.
    var phases: [Phase] { hop.phases.map(\.phase) }
}
