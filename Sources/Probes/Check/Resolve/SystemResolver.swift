/// Looks names up as every program on the system does: with getaddrinfo(3).
///
/// Only the C library knows what nsswitch.conf(5) says: `/etc/hosts`, multicast DNS, systemd-resolved's split DNS. A DNS
/// client of our own (c-ares, for one) would report addresses that no other program gets. The price is that a lookup
/// blocks a thread and cannot be cancelled, so lookups run on threads of their own, at most so many at once; a lookup
/// that nobody waits for any more is dropped when it returns. Lookups of the same name and family share one.
///
/// Threads are started when they are needed, sleep in the kernel between lookups, and end after ten idle seconds.
public final class SystemResolver: HostResolver {
    typealias Query = @Sendable (String, HostAddress.Family) -> Result<[HostAddress], HostLookupFailure>

    private let pool: LookupPool

    /// Creates a resolver without starting a thread.
    ///
    /// - Parameter maximumLookups: How many lookups may run at once; at least one.
    public convenience init(maximumLookups: Int = 16) {
        self.init(maximumLookups: maximumLookups, query: SystemLookup.addresses)
    }

    /// Creates a resolver that asks somebody else; for tests.
    init(maximumLookups: Int, query: @escaping Query) {
        pool = LookupPool(maximumThreads: max(1, maximumLookups), query: query)
    }

    /// Begins to look a name up; see ``HostResolver/lookUp(_:family:completion:)``.
    public func lookUp(
        _ name: String,
        family: HostAddress.Family,
        completion: @escaping @Sendable (Result<[HostAddress], HostLookupFailure>) -> Void
    ) -> any HostLookup {
        pool.submit(LookupPool.Question(name: name, family: family), completion: completion)
    }
}
