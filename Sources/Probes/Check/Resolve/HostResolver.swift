public import CheckResults
internal import EventLoopExecutor

/// A resolver for host names.
///
/// The two families are looked up separately, because each has its own answer and latency.
public protocol HostResolver: Sendable {
    /// Starts a lookup, and returns at once.
    ///
    /// - Parameters:
    ///   - name: A DNS name in ASCII form; with a trailing dot the search domains are not used.
    ///   - family: The address family.
    ///   - completion: Called at most once, on any thread; calls stop soon after ``HostLookup/abandon()``.
    func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup

    /// Answers later lookups by new queries, not by ones that are running: the network has changed, and a running query
    /// asks the name servers of the former one.
    ///
    /// Safe to call from any thread.
    func renewLookups()
}

extension HostResolver {
    /// Does nothing, for a resolver that shares no lookups.
    public func renewLookups() {}
}

/// A lookup that is running or queued.
public protocol HostLookup: Sendable {
    /// `true` while the lookup is queued behind those of other names.
    var isWaiting: Bool { get }
    /// Abandons the lookup: its answer is no longer needed.
    func abandon()
}

/// The failure of a lookup.
public struct HostLookupFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// One of the codes that begin with `dns_`, or `resolver_busy`.
    public let code: FindingCode
    /// The resolver's message.
    public let reason: String

    /// Creates a failure.
    public init(_ code: FindingCode, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the resolver's message.
    public var description: String { "\(code.rawValue): \(reason)" }
}

/// Looks up one name in the families that a check may use, and delivers the answers on the check's event loop.
///
/// `@unchecked Sendable`: used only on the event loop.
final class NameLookup: @unchecked Sendable {
    typealias Handler = (HostAddress.Family, Result<[HostAddress], HostLookupFailure>) -> Void

    private let gate: LoopGate
    private var pending: [HostAddress.Family: any HostLookup] = [:]
    private var handler: Handler?

    init(on gate: LoopGate) { self.gate = gate }

    /// Starts the lookups; the handler is called once for each family, never before this returns.
    func start(_ name: String, families: AddressFamilies, resolver: any HostResolver, handler: @escaping Handler) {
        self.handler = handler
        for family in HostAddress.Family.allCases where families.includes(family) {
            pending[family] = resolver.lookUp(name, family: family) { [self] answer in
                gate.execute { self.answered(family, answer) }
            }
        }
    }

    /// `true` while a lookup is still queued because others block the resolver.
    var isStuckInQueue: Bool { pending.values.contains { $0.isWaiting } }

    /// Abandons the pending lookups.
    func abandon() {
        handler = nil
        for lookup in pending.values { lookup.abandon() }
        pending = [:]
    }

    private func answered(_ family: HostAddress.Family, _ answer: Result<[HostAddress], HostLookupFailure>) {
        guard pending.removeValue(forKey: family) != nil, let handler else { return }
        if pending.isEmpty { self.handler = nil }
        handler(family, answer)
    }
}

extension AddressFamilies {
    func includes(_ family: HostAddress.Family) -> Bool {
        switch family {
        case .ipv4: includesIPv4
        case .ipv6: includesIPv6
        }
    }
}
