public import CheckResults
internal import Glibc
internal import LinuxSupport

/// Looks names up with getaddrinfo(3), as every program on the system does.
///
/// Only the C library follows nsswitch.conf(5): `/etc/hosts`, multicast DNS, systemd-resolved's split DNS. A DNS client
/// of our own (such as c-ares) would report addresses that no other program gets. The price is that a lookup blocks a
/// thread and cannot be cancelled, so lookups run on a bounded number of threads of their own; the result of an
/// abandoned lookup is dropped. Lookups of the same name and family are shared until their checks have all ended or the
/// network changes; then the next check looks the name up again.
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
        pool.submit(LookupQueue.Question(name: name, family: family), completion: completion)
    }

    /// Ends the sharing of running lookups; see ``HostResolver/renewLookups()``.
    ///
    /// At most three lookups of a name and family run at the same time.
    public func renewLookups() { pool.renew() }
}

/// One call of getaddrinfo(3).
enum SystemLookup {
    /// The maximum number of addresses taken from one answer.
    private static let maximumAddresses = 256

    /// Looks up a name's addresses of one family, in the C library's order (RFC 6724); blocks.
    ///
    /// AI_ADDRCONFIG is off: a family without an address on this machine is a finding, not a reason to skip the lookup.
    /// IPv4-mapped addresses are not IPv6: a connection to one would count as evidence for the wrong family.
    static func addresses(
        of name: String,
        family: HostAddress.Family
    ) -> Result<[HostAddress], HostLookupFailure> {
        // A zero byte would end the string for getaddrinfo(3), which would look up another name.
        guard !name.utf8.contains(0) else {
            return .failure(HostLookupFailure(.dnsNXDomain, reason: "the name holds a zero byte"))
        }
        var hints = addrinfo()
        hints.ai_family = family == .ipv4 ? AF_INET : AF_INET6
        hints.ai_socktype = CInt(SOCK_STREAM.rawValue)
        var list: UnsafeMutablePointer<addrinfo>?
        let start = ContinuousClock.now
        errno = 0
        let status = getaddrinfo(name, nil, &hints, &list)
        let systemError = errno
        guard status == 0 else {
            return .failure(failure(status, systemError: systemError, after: ContinuousClock.now - start))
        }
        defer { freeaddrinfo(list) }
        var addresses: [HostAddress] = []
        var mapped: HostAddress?
        var entry = list
        while let current = entry, addresses.count < maximumAddresses {
            if let address = address(current.pointee), !addresses.contains(address) {
                if address.isIPv4Mapped { mapped = address } else { addresses.append(address) }
            }
            entry = current.pointee.ai_next
        }
        guard !addresses.isEmpty else {
            let reason = mapped.map { "the answer holds only IPv4-mapped addresses, such as \($0)" }
            return .failure(HostLookupFailure(.dnsNoAddress, reason: reason ?? "the answer holds no address"))
        }
        return .success(addresses)
    }

    private static func address(_ info: addrinfo) -> HostAddress? {
        HostAddress(socketAddress: UnsafeRawBufferPointer(start: info.ai_addr, count: Int(info.ai_addrlen)))
    }

    /// The minimum time of a timeout: the C library waits at least a second for a silent name server, whatever
    /// resolv.conf(5) says.
    private static let shortestSilence = Duration.milliseconds(900)

    /// Maps a status of getaddrinfo(3), returned after some time, to a failure.
    ///
    /// EAI_AGAIN stands for name servers that are silent, that answered SERVFAIL and that could not be reached; only
    /// the time distinguishes the first case from the others.
    static func failure(_ status: CInt, systemError: CInt, after time: Duration) -> HostLookupFailure {
        let reason = gai_strerror(status).map { String(cString: $0) } ?? "status \(status)"
        switch status {
        case EAI_NONAME: return HostLookupFailure(.dnsNXDomain, reason: reason)
        case noData, wrongFamily: return HostLookupFailure(.dnsNoAddress, reason: reason)
        case EAI_AGAIN:
            return HostLookupFailure(time < shortestSilence ? .dnsFailure : .dnsTimeout, reason: reason)
        case EAI_MEMORY: return HostLookupFailure(.resourcesExhausted, reason: reason)
        case EAI_SYSTEM:
            let isExhausted = [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(systemError)
            return HostLookupFailure(
                isExhausted ? .resourcesExhausted : .dnsFailure,
                reason: SystemError(errno: systemError).description
            )
        default: return HostLookupFailure(.dnsFailure, reason: reason)
        }
    }

    /// EAI_NODATA and EAI_ADDRFAMILY of netdb.h, which the C library declares only for programs that request GNU
    /// extensions.
    private static let noData: CInt = -5
    private static let wrongFamily: CInt = -9
}
