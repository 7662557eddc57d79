public import CheckResults

/// A resolver for host names.
///
/// The two families are looked up separately, because each has its own answer and latency.
public protocol HostResolver: Sendable {
    /// Starts a lookup, and returns at once.
    ///
    /// - Parameters:
    ///   - name: A DNS name in ASCII form, without a trailing dot.
    ///   - family: The address family.
    ///   - completion: Called at most once, on any thread; calls stop soon after ``HostLookup/abandon()``.
    func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup
}

/// A lookup that is running or queued.
public protocol HostLookup: Sendable {
    /// `true` while the lookup is queued behind others.
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
