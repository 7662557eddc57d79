public import CheckResults

/// Looks names up with getaddrinfo(3), as every program on the system does.
///
/// Only the C library follows nsswitch.conf(5): `/etc/hosts`, multicast DNS, systemd-resolved's split DNS. A DNS client
/// of our own (such as c-ares) would report addresses that no other program gets. The price is that a lookup blocks a
/// thread and cannot be cancelled, so lookups run on a bounded number of threads of their own; the result of an
/// abandoned lookup is dropped. Lookups of the same name and family are shared.
///
/// Threads are started on demand, block in the kernel between lookups, and end after ten idle seconds.
public final class SystemResolver: HostResolver {
    typealias Query = @Sendable (String, HostAddress.Family) -> Result<[HostAddress], HostLookupFailure>

    private let pool: LookupPool

    /// Creates a resolver without starting a thread.
    ///
    /// - Parameter maximumLookups: The maximum number of concurrent lookups; at least one.
    public convenience init(maximumLookups: Int = 16) {
        self.init(maximumLookups: maximumLookups, query: SystemLookup.addresses)
    }

    /// Creates a resolver with another query function; for tests.
    init(maximumLookups: Int, query: @escaping Query) {
        pool = LookupPool(maximumThreads: max(1, maximumLookups), query: query)
    }

    /// Starts a lookup; see ``HostResolver/lookUp(_:family:completion:)``.
    public func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup {
        pool.submit(LookupPool.Question(name: name, family: family), completion: completion)
    }
}
