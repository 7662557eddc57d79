/// Who looks names up for checks.
///
/// The two families are asked for apart, because each has its own answer and takes its own time.
public protocol HostResolver: Sendable {
    /// Begins to look a name up, and returns at once.
    ///
    /// - Parameters:
    ///   - name: A DNS name in ASCII form, without a trailing dot.
    ///   - family: Which addresses are wanted.
    ///   - completion: Called at most once, on any thread, and not any more some time after
    ///     ``HostLookup/abandon()``.
    func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup
}

/// A lookup that has begun, or waits for its turn.
public protocol HostLookup: Sendable {
    /// Whether the lookup still waits for others to end.
    var isWaiting: Bool { get }
    /// Says that nobody is interested in the answer any more.
    func abandon()
}

/// Why a name has no addresses.
public struct HostLookupFailure: Error, Sendable, Hashable, CustomStringConvertible {
    /// One of the codes that begin with `dns_`, or `resolver_busy`.
    public let code: FindingCode
    /// The resolver's words.
    public let reason: String

    /// Creates a failure.
    public init(_ code: FindingCode, reason: String) {
        self.code = code
        self.reason = reason
    }

    /// The code and the resolver's words.
    public var description: String { "\(code.rawValue): \(reason)" }
}
