internal import CLibNL
internal import Glibc

extension NetlinkQueries {
    /// The maximum number of messages of a table to search for default routes before the kernel does the search.
    private static let smallTable = 4096
    /// The number of remaining messages up to which reading them is faster than reopening the socket.
    private static let shortAnswer = 128
    /// The origins of default routes: redirects, the kernel, boot scripts, static configuration, router advertisements,
    /// DHCP.
    private static let defaultRouteProtocols: [UInt8] = [1, 2, 3, 4, 9, 16]
    /// The maximum number of interfaces whose default routes are looked up in a table that is too long to read.
    private static let maximumInterfaces = 64

    /// Returns the default routes of a table, without reading the whole table.
    ///
    /// IPv4 tables are dumped in the order of their keys, so that every `0.0.0.0/0` comes first: the dump is abandoned
    /// at the first other prefix, unless the table is short. IPv6 tables end in `::/0`: the dump of a table of more
    /// than a few thousand routes is abandoned too. Then only routes of the protocols that create default routes are
    /// dumped, and the kernel skips all others; and because a routing daemon's default route has the protocol of its
    /// whole table, the first default route of all interfaces and that of each one are looked up too.
    mutating func defaultRoutes(
        _ family: AddressFamily,
        table: UInt32,
        over interfaces: () -> [UInt32]
    ) throws(NetlinkError) -> [Route] {
        var seen = 0
        var isCut = false
        var routes = try routes(family, table: table) { route in
            seen += 1
            isCut = seen > Self.smallTable
            let isBehindDefaults =
                family == .ipv4 && route.table == table && !route.destination.isDefault
                && seen > Self.shortAnswer
            return isCut || isBehindDefaults ? .enough : .more
        }
        if isCut, family == .ipv6 {
            routes = []
            for number in Self.defaultRouteProtocols {
                // A network has far fewer default routes: more are forged.
                var count = 0
                routes += try self.routes(family, table: table, protocol: number) { route in
                    count += route.destination.isDefault ? 1 : 0
                    return count > Self.smallTable ? .enough : .more
                }
            }
            for interface in [nil] + interfaces().prefix(Self.maximumInterfaces).map(Optional.some) {
                guard let route = try firstDefaultRoute(over: interface), route.table == table,
                    !routes.contains(route)
                else { continue }
                routes.append(route)
            }
        }
        for index in routes.indices { try resolveNextHops(of: &routes[index]) }
        return routes
    }

    private mutating func routes(
        _ family: AddressFamily,
        table: UInt32,
        protocol number: UInt8 = 0,
        until verdict: (Route) -> RequestSocket.Verdict
    ) throws(NetlinkError) -> [Route] {
        var header = rtmsg()
        header.rtm_family = family.kernelValue
        header.rtm_protocol = number
        header.rtm_table = table < 256 ? UInt8(table) : UInt8(RT_TABLE_UNSPEC.rawValue)
        var answer = DefaultRouteAnswer(family: family, table: table)
        let attributes: [(Int, [UInt8])] = [(Int(RTA_TABLE.rawValue), withUnsafeBytes(of: table) { Array($0) })]
        do throws(NetlinkError) {
            try socket.dump("dump \(family.rawValue) default routes", RTM_GETROUTE, header, attributes) { message in
                answer.take(message, until: verdict)
            }
        } catch {
            // Strict checking rejects the dump of a table that was never created.
            guard case .errno(let code) = error.cause, [ENOENT, EOPNOTSUPP, EAFNOSUPPORT].contains(code) else {
                throw error
            }
        }
        expiry.note(answer.lifetimes.filter { $0 > .zero }.min())
        if answer.hasExpired { expiry.noteExpired() }
        return answer.routes
    }

    /// Returns the IPv6 default route that a lookup of the unspecified address finds.
    private mutating func firstDefaultRoute(over interface: UInt32?) throws(NetlinkError) -> Route? {
        var header = rtmsg()
        header.rtm_family = AddressFamily.ipv6.kernelValue
        header.rtm_dst_len = UInt8(AddressFamily.ipv6.bitWidth)
        header.rtm_flags = UInt32(RTM_F_FIB_MATCH)
        var attributes = [(Int(RTA_DST.rawValue), IPAddress.unspecified(.ipv6).networkBytes)]
        if let interface { attributes.append((Int(RTA_OIF.rawValue), withUnsafeBytes(of: interface) { Array($0) })) }
        let answer = try socket.ask("look up a default route", RTM_GETROUTE, header, attributes)
        guard case .route(let route, let lifetime) = answer, route.destination.isDefault else { return nil }
        guard !RouteExpiry.isExpired(lifetime) else {
            expiry.noteExpired()
            return nil
        }
        expiry.note(lifetime)
        return route
    }
}

/// The default routes of one table in the answer to a dump.
struct DefaultRouteAnswer {
    private let family: AddressFamily
    private let table: UInt32
    private(set) var routes: [Route] = []
    private(set) var lifetimes: [Duration] = []
    /// `true` if one of the default routes has expired; it is not among the others.
    private(set) var hasExpired = false

    init(family: AddressFamily, table: UInt32) {
        self.family = family
        self.table = table
    }

    /// Handles one message, and returns whether more of the answer is needed: until another family begins, or as long as
    /// `verdict` wants more.
    mutating func take(
        _ message: NetlinkMessage,
        until verdict: (Route) -> RequestSocket.Verdict
    ) -> RequestSocket.Verdict {
        guard case .route(let route, let lifetime) = message else { return .more }
        // In place of a family that it lacks, the kernel dumps the routes of all others (`rtnl_dump_all`).
        guard route.family == family else { return .enough }
        // Kernels without strict checking send every table, which is filtered here. A route for a type of service is
        // none for other packets.
        if route.destination.isDefault, route.table == table, route.typeOfService == nil {
            if RouteExpiry.isExpired(lifetime) { hasExpired = true } else { routes.append(route) }
            if let lifetime { lifetimes.append(lifetime) }
        }
        return verdict(route)
    }
}

/// The expiry of the default routes and table entries that were read.
struct RouteExpiry {
    private var shortestLifetime: Duration?
    private var hasExpired = false

    /// Returns whether a default route does not count any more.
    ///
    /// The kernel no longer uses it, keeps it until the next garbage collection, and until then a router advertisement
    /// brings it back without a message.
    static func isExpired(_ lifetime: Duration?) -> Bool { lifetime.map { $0 <= .zero } ?? false }

    mutating func note(_ lifetime: Duration?) {
        guard let lifetime, lifetime > .zero else { return }
        shortestLifetime = min(shortestLifetime ?? lifetime, lifetime)
    }

    mutating func noteExpired() { hasExpired = true }

    mutating func takeShortestLifetime() -> Duration? {
        defer { shortestLifetime = nil }
        return shortestLifetime
    }

    mutating func takeHasExpired() -> Bool {
        defer { hasExpired = false }
        return hasExpired
    }
}
