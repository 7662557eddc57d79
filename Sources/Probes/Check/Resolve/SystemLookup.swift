internal import CheckResults
internal import Glibc

/// One call of getaddrinfo(3).
enum SystemLookup {
    /// The maximum number of addresses taken from one answer.
    private static let maximumAddresses = 256

    /// Looks up a name's addresses of one family, in the C library's order (RFC 6724); blocks.
    ///
    /// AI_ADDRCONFIG is off: a family without an address on this machine is a finding, not a reason to skip the lookup.
    static func addresses(
        of name: String,
        family: HostAddress.Family
    ) -> Result<[HostAddress], HostLookupFailure> {
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
        var entry = list
        while let current = entry, addresses.count < maximumAddresses {
            if let address = address(current.pointee), !addresses.contains(address) { addresses.append(address) }
            entry = current.pointee.ai_next
        }
        guard !addresses.isEmpty else {
            return .failure(HostLookupFailure(.dnsNoAddress, reason: "the answer holds no address"))
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
    /// the time tells the first from the others.
    static func failure(_ status: CInt, systemError: CInt, after time: Duration) -> HostLookupFailure {
        let reason = gai_strerror(status).map { String(cString: $0) } ?? "status \(status)"
        switch status {
        case EAI_NONAME: return HostLookupFailure(.dnsNXDomain, reason: reason)
        case noData, wrongFamily: return HostLookupFailure(.dnsNoAddress, reason: reason)
        case EAI_AGAIN where time < shortestSilence:
            return HostLookupFailure(.dnsFailure, reason: "\(reason): no name server could answer")
        case EAI_AGAIN: return HostLookupFailure(.dnsTimeout, reason: reason)
        case EAI_MEMORY: return HostLookupFailure(.resourcesExhausted, reason: reason)
        case EAI_SYSTEM:
            let isExhausted = [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(systemError)
            return HostLookupFailure(
                isExhausted ? .resourcesExhausted : .dnsFailure,
                reason: String(cString: strerror(systemError))
            )
        default: return HostLookupFailure(.dnsFailure, reason: reason)
        }
    }

    /// EAI_NODATA and EAI_ADDRFAMILY of netdb.h, which the C library declares only for programs that request GNU
    /// extensions.
    private static let noData: CInt = -5
    private static let wrongFamily: CInt = -9
}
