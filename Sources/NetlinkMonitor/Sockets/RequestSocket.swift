internal import CLibNL
internal import Glibc

/// Queries the kernel: dumps and route lookups, on a socket without notifications or a filter.
struct RequestSocket: KernelQueries {
    /// The kernel answers in microseconds; a dump of a huge table under load takes seconds.
    private static let answerTimeoutMilliseconds: Int32 = 5000
    /// The maximum number of messages of a table to search for default routes before the kernel does the search.
    private static let smallTable = 4096
    /// The number of remaining messages up to which reading them is faster than reopening the socket.
    private static let shortAnswer = 128
    /// The origins of default routes: redirects, the kernel, boot scripts, static configuration, router advertisements,
    /// DHCP.
    private static let defaultRouteProtocols: [UInt8] = [1, 2, 3, 4, 9, 16]
    /// The maximum number of interfaces whose default routes are looked up in a table that is too long to read.
    private static let maximumInterfaces = 64
    /// The size of a batch: two answers to each question must fit into the receive buffer at once.
    private static let questionsPerBatch = 16
    /// The number of batches whose messages are kept.
    private static let maximumBatches = 4

    private var socket: NetlinkSocket
    private var sequence: UInt32 = 0
    /// The last used batches, the latest one at the end: a default route that is repeatedly added and removed needs
    /// three.
    private var batches: [LookupBatch] = []
    private var shortestLifetime: Duration?
    private var hasExpired = false

    init() throws(NetlinkError) { socket = try NetlinkSocket() }

    mutating func links() throws(NetlinkError) -> [LinkMessage] {
        var links: [LinkMessage] = []
        try dump("dump links", RTM_GETLINK, ifinfomsg()) { message in
            if case .link(let link) = message { links.append(link) }
            return .more
        }
        return links
    }

    mutating func addresses() throws(NetlinkError) -> [InterfaceAddress] {
        var addresses: [InterfaceAddress] = []
        try dump("dump addresses", RTM_GETADDR, ifaddrmsg()) { message in
            if case .address(let address) = message { addresses.append(address) }
            return .more
        }
        return addresses
    }

    mutating func rules() throws(NetlinkError) -> [RoutingRule] {
        var rules: [RoutingRule] = []
        for family in AddressFamily.allCases {
            var header = fib_rule_hdr()
            header.family = family.kernelValue
            do throws(NetlinkError) {
                try dump("dump \(family.rawValue) rules", RTM_GETRULE, header) { message in
                    if case .rule(let rule) = message { rules.append(rule) }
                    return .more
                }
            } catch {
                // A kernel without policy routing, or without the family, has no rules.
                guard case .errno(let code) = error.cause, [EOPNOTSUPP, EAFNOSUPPORT].contains(code) else {
                    throw error
                }
            }
        }
        return rules
    }

    mutating func takeShortestLifetime() -> Duration? {
        defer { shortestLifetime = nil }
        return shortestLifetime
    }

    mutating func takeHasExpired() -> Bool {
        defer { hasExpired = false }
        return hasExpired
    }

    /// Returns whether a default route does not count any more.
    ///
    /// The kernel no longer uses it, keeps it until the next garbage collection, and until then a router advertisement
    /// brings it back without a message.
    private static func isExpired(_ lifetime: Duration?) -> Bool { lifetime.map { $0 <= .zero } ?? false }

    private mutating func note(_ lifetime: Duration?) {
        guard let lifetime, lifetime > .zero else { return }
        shortestLifetime = min(shortestLifetime ?? lifetime, lifetime)
    }

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
                routes += try self.routes(family, table: table, protocol: number) { _ in .more }
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
        until verdict: (Route) -> Verdict
    ) throws(NetlinkError) -> [Route] {
        var header = rtmsg()
        header.rtm_family = family.kernelValue
        header.rtm_protocol = number
        header.rtm_table = table < 256 ? UInt8(table) : UInt8(RT_TABLE_UNSPEC.rawValue)
        var routes: [Route] = []
        var lifetimes: [Duration] = []
        var expired = 0
        let attributes: [(Int, [UInt8])] = [(Int(RTA_TABLE.rawValue), withUnsafeBytes(of: table) { Array($0) })]
        do throws(NetlinkError) {
            try dump("dump \(family.rawValue) default routes", RTM_GETROUTE, header, attributes) { message in
                guard case .route(let route, let lifetime) = message else { return .more }
                // Kernels without strict checking send every table, which is filtered here.
                if route.destination.isDefault, route.table == table {
                    if Self.isExpired(lifetime) { expired += 1 } else { routes.append(route) }
                    if let lifetime { lifetimes.append(lifetime) }
                }
                return verdict(route)
            }
        } catch {
            // Strict checking rejects the dump of a table that was never created.
            guard case .errno(let code) = error.cause, [ENOENT, EOPNOTSUPP, EAFNOSUPPORT].contains(code) else {
                throw error
            }
        }
        note(lifetimes.filter { $0 > .zero }.min())
        if expired > 0 { hasExpired = true }
        return routes
    }

    /// Returns the IPv6 default route that a lookup of the unspecified address finds.
    private mutating func firstDefaultRoute(over interface: UInt32?) throws(NetlinkError) -> Route? {
        var header = rtmsg()
        header.rtm_family = AddressFamily.ipv6.kernelValue
        header.rtm_dst_len = UInt8(AddressFamily.ipv6.bitWidth)
        header.rtm_flags = UInt32(RTM_F_FIB_MATCH)
        var attributes = [(Int(RTA_DST.rawValue), IPAddress.unspecified(.ipv6).networkBytes)]
        if let interface { attributes.append((Int(RTA_OIF.rawValue), withUnsafeBytes(of: interface) { Array($0) })) }
        let answer = try ask("look up a default route", RTM_GETROUTE, header, attributes)
        guard case .route(let route, let lifetime) = answer, route.destination.isDefault else { return nil }
        guard !Self.isExpired(lifetime) else {
            hasExpired = true
            return nil
        }
        note(lifetime)
        return route
    }

    /// Fills in the next hops of a route that has only a nexthop object (`net.ipv4.nexthop_compat_mode=0`).
    private mutating func resolveNextHops(of route: inout Route) throws(NetlinkError) {
        guard route.hasUnresolvedNextHops, let number = route.nextHopObject, let object = try nextHopObject(number)
        else { return }
        var hops = [object.hop].compactMap { $0 }
        for member in object.members {
            guard let hop = try nextHopObject(member.number)?.hop else { continue }
            hops.append(NextHop(interfaceIndex: hop.interfaceIndex, gateway: hop.gateway, weight: member.weight))
        }
        route = Route(
            destination: route.destination,
            table: route.table,
            protocol: route.protocol,
            type: route.type,
            metric: route.metric,
            preferredSource: route.preferredSource,
            nextHops: hops,
            nextHopObject: number
        )
    }

    private mutating func nextHopObject(_ number: UInt32) throws(NetlinkError) -> NextHopObject? {
        let attributes = [(Int(NHA_ID), withUnsafeBytes(of: number) { Array($0) })]
        let answer = try ask("read a nexthop object", RTM_GETNEXTHOP, nhmsg(), attributes)
        // The routes of a deleted object are deleted too.
        guard case .nextHopObject(let object, removed: false) = answer else { return nil }
        return object
    }

    mutating func states(of routers: Set<Router>) throws(NetlinkError) -> [Router: NeighbourState] {
        var states: [Router: NeighbourState] = [:]
        for router in routers { states[router] = try neighbour(router).state }
        return states
    }

    /// Returns the state of a router's entry, and the maximum time since its last confirmation.
    mutating func neighbour(
        _ router: Router
    ) throws(NetlinkError) -> (state: NeighbourState, confirmedBefore: Duration?) {
        let family = router.address.family
        var header = ndmsg()
        header.ndm_family = family.kernelValue
        header.ndm_ifindex = Int32(truncatingIfNeeded: router.interfaceIndex)
        let attributes = [(Int(NDA_DST), router.address.networkBytes)]
        switch try ask("read a neighbour entry", RTM_GETNEIGH, header, attributes) {
        case .neighbour(_, let state, let age): return (state, age)
        case .reply(let code, _) where code == ENOENT || code == ENODEV:
            return (NeighbourState(bits: nil, family), nil)
        // Kernels before 5.0 do not answer for a single entry.
        default: return (.unknown, nil)
        }
    }

    /// Returns the byte counters of an interface; nil if it is gone, or the kernel has none (before 4.7).
    mutating func statistics(of interface: UInt32) throws(NetlinkError) -> InterfaceBytes? {
        var header = if_stats_msg()
        header.ifindex = interface
        header.filter_mask = 1 << UInt32(IFLA_STATS_LINK_64 - 1)
        let answer = try ask("read an interface's counters", RTM_GETSTATS, header, [])
        guard case .statistics(interface, let bytes) = answer else { return nil }
        return bytes
    }

    mutating func lookups(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup] {
        try inBatches(questions) { (socket, batch) throws(NetlinkError) in
            let answers = try socket.ask(batch, withEntries: true)
            socket.note(answers.shortestLifetime)
            var lookups = batch.indices.map { answers.lookup(at: $0, for: batch[$0].destination) }
            for index in lookups.indices {
                guard var matched = lookups[index].matched, matched.hasUnresolvedNextHops else { continue }
                try socket.resolveNextHops(of: &matched)
                let (destination, outcome) = (lookups[index].destination, lookups[index].outcome)
                lookups[index] = RouteLookup(destination: destination, outcome: outcome, matched: matched)
            }
            return lookups
        }
    }

    mutating func outcomes(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup.Outcome] {
        try inBatches(questions) { (socket, batch) throws(NetlinkError) in
            let answers = try socket.ask(batch, withEntries: false)
            return batch.indices.map { answers.outcome(at: $0) }
        }
    }

    func connectedSource(to destination: IPAddress) -> ConnectedSource { ConnectedSource(to: destination) }

    func sessionInterfaces() -> [String] { PPPoESessions.interfaces() }

    private mutating func inBatches<Answer>(
        _ questions: [LookupQuestion],
        _ ask: (inout RequestSocket, [LookupQuestion]) throws(NetlinkError) -> [Answer]
    ) throws(NetlinkError) -> [Answer] {
        if questions.count <= Self.questionsPerBatch { return questions.isEmpty ? [] : try ask(&self, questions) }
        var answers: [Answer] = []
        var rest = questions[...]
        while !rest.isEmpty {
            let batch = Array(rest.prefix(Self.questionsPerBatch))
            answers += try ask(&self, batch)
            rest = rest.dropFirst(batch.count)
        }
        return answers
    }
}

// MARK: - One request and its answers

extension RequestSocket {
    /// The decision about the rest of a dump.
    enum Verdict { case more, enough }

    private mutating func nextSequence() -> UInt32 {
        sequence &+= 1
        return sequence
    }

    /// Sends a dump request and passes every message of the answer to `body`, until it needs no more.
    ///
    /// An abandoned dump cannot be cancelled: its socket is closed, and a new one opened for the next request.
    private mutating func dump<Header: BitwiseCopyable>(
        _ operation: String,
        _ type: Int,
        _ header: Header,
        _ attributes: [(Int, [UInt8])] = [],
        _ body: (NetlinkMessage) -> Verdict
    ) throws(NetlinkError) {
        let number = nextSequence()
        let request = try Request(operation, type, NLM_F_REQUEST | NLM_F_DUMP, number, header, attributes)
        try request.send(on: socket)
        var progress = Progress(sequence: number)
        do throws(NetlinkError) {
            while !progress.isFinished {
                try readDatagram(operation) { parsed in progress.take(parsed, body) }
                if let error = progress.failure { throw error.naming(operation) }
            }
        } catch {
            if !progress.isAnswered { try reopen() }
            throw error
        }
        if !progress.isAnswered { try reopen() }
        if progress.wasInterrupted, !progress.hasEnough {
            throw NetlinkError(operation: operation, cause: .dumpInterrupted)
        }
    }

    private mutating func reopen() throws(NetlinkError) { socket = try NetlinkSocket() }

    /// Sends several questions with one system call.
    ///
    /// The same questions are repeated often: the batch is kept, and only the numbers in its messages change.
    private mutating func ask(
        _ questions: [LookupQuestion],
        withEntries: Bool
    ) throws(NetlinkError) -> LookupAnswers {
        let operation = "look up a route"
        let first = sequence &+ 1
        // Removed from the cache: with a second owner, numbering would copy the messages.
        let messagesPerQuestion = withEntries ? 2 : 1
        let known = batches.firstIndex { $0.messagesPerQuestion == messagesPerQuestion && $0.questions == questions }
        var batch: LookupBatch
        if let known {
            batch = batches.remove(at: known)
        } else {
            batch = try LookupBatch(questions, withEntries: withEntries)
        }
        batch.number(from: first)
        if batches.count == Self.maximumBatches { batches.removeFirst() }
        var answers = LookupAnswers(
            questions: questions.count,
            messagesPerQuestion: messagesPerQuestion,
            firstSequence: first
        )
        sequence &+= UInt32(answers.messageCount)
        let requests = batch.bytes
        batches.append(batch)
        let sent = requests.withUnsafeBytes { send(socket.descriptor, $0.baseAddress, $0.count, 0) }
        guard sent == requests.count else { throw NetlinkError(operation: operation, cause: .errno(errno)) }
        do throws(NetlinkError) {
            while !answers.isComplete { try readDatagram(operation) { answers.take($0) } }
        } catch {
            // Outstanding answers must not be mistaken for those of the next questions.
            try reopen()
            throw error
        }
        return answers
    }

    /// Sends a request with a single answer.
    private mutating func ask<Header: BitwiseCopyable>(
        _ operation: String,
        _ type: Int,
        _ header: Header,
        _ attributes: [(Int, [UInt8])]
    ) throws(NetlinkError) -> NetlinkMessage {
        let number = nextSequence()
        try Request(operation, type, NLM_F_REQUEST, number, header, attributes).send(on: socket)
        var answer: NetlinkMessage?
        do throws(NetlinkError) {
            while true {
                try readDatagram(operation) { parsed in
                    guard parsed.header.sequence == number, answer == nil else { return }
                    answer = (try? parsed.content.get()) ?? .reply(errno: EPROTO, text: nil)
                }
                if let answer { return answer }
            }
        } catch {
            try reopen()
            throw error
        }
    }

    /// Waits for one datagram from the kernel and passes on its messages.
    private func readDatagram(
        _ operation: String,
        _ body: (MessageParser.Parsed) -> Void
    ) throws(NetlinkError) {
        while true {
            switch try socket.receive() {
            case .datagram(let bytes):
                do throws(MessageError) {
                    return try MessageParser.forEachMessage(in: bytes, body)
                } catch {
                    throw NetlinkError(operation: operation, cause: .malformed(error))
                }
            case .drained: try socket.waitUntilReadable(milliseconds: Self.answerTimeoutMilliseconds)
            case .overrun: throw NetlinkError(operation: operation, cause: .errno(ENOBUFS))
            case .truncated: throw NetlinkError(operation: operation, cause: .truncated)
            case .foreign: continue
            }
        }
    }
}
