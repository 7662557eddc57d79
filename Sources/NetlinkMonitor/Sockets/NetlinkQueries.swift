internal import CLibNL
internal import Glibc

/// Queries the kernel over netlink, on a socket without notifications or a filter.
struct NetlinkQueries: KernelQueries {
    var socket: RequestSocket
    var expiry = RouteExpiry()
    private var batches = LookupBatches()

    init() throws(NetlinkError) { socket = try RequestSocket() }

    mutating func links() throws(NetlinkError) -> [LinkMessage] {
        var links: [LinkMessage] = []
        try socket.dump("dump links", RTM_GETLINK, ifinfomsg()) { message in
            if case .link(let link) = message { links.append(link) }
            return .more
        }
        return links
    }

    mutating func addresses() throws(NetlinkError) -> [InterfaceAddress] {
        var addresses: [InterfaceAddress] = []
        try socket.dump("dump addresses", RTM_GETADDR, ifaddrmsg()) { message in
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
                try socket.dump("dump \(family.rawValue) rules", RTM_GETRULE, header) { message in
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

    mutating func takeShortestLifetime() -> Duration? { expiry.takeShortestLifetime() }

    mutating func takeHasExpired() -> Bool { expiry.takeHasExpired() }

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
        switch try socket.ask("read a neighbour entry", RTM_GETNEIGH, header, attributes) {
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
        let answer = try socket.ask("read an interface's counters", RTM_GETSTATS, header, [])
        guard case .statistics(interface, let bytes) = answer else { return nil }
        return bytes
    }

    func connectedSource(to destination: IPAddress, over interface: UInt32) -> ConnectedSource {
        ConnectedSource(to: destination, over: interface)
    }

    func sessionInterfaces() -> [String] { PPPoESessions.interfaces() }
}

// MARK: - Route lookups

extension NetlinkQueries {
    /// The size of a batch: two answers to each question must fit into the receive buffer at once.
    private static let questionsPerBatch = 16

    mutating func lookups(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup] {
        try inBatches(questions) { (queries, batch) throws(NetlinkError) in
            let answers = try queries.ask(batch, withEntries: true)
            queries.expiry.note(answers.shortestLifetime)
            var lookups = batch.indices.map { answers.lookup(at: $0, for: batch[$0].destination) }
            for index in lookups.indices {
                guard var matched = lookups[index].matched, matched.hasUnresolvedNextHops else { continue }
                try queries.resolveNextHops(of: &matched)
                let (destination, outcome) = (lookups[index].destination, lookups[index].outcome)
                lookups[index] = RouteLookup(destination: destination, outcome: outcome, matched: matched)
            }
            return lookups
        }
    }

    mutating func outcomes(_ questions: [LookupQuestion]) throws(NetlinkError) -> [RouteLookup.Outcome] {
        try inBatches(questions) { (queries, batch) throws(NetlinkError) in
            let answers = try queries.ask(batch, withEntries: false)
            return batch.indices.map { answers.outcome(at: $0) }
        }
    }

    private mutating func inBatches<Answer>(
        _ questions: [LookupQuestion],
        _ ask: (inout NetlinkQueries, [LookupQuestion]) throws(NetlinkError) -> [Answer]
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

    private mutating func ask(_ questions: [LookupQuestion], withEntries: Bool) throws(NetlinkError) -> LookupAnswers {
        var batch = try batches.take(questions, withEntries: withEntries)
        defer { batches.keep(batch) }
        return try socket.ask(&batch)
    }
}

// MARK: - Nexthop objects

extension NetlinkQueries {
    /// Fills in the next hops of a route that has only a nexthop object (`net.ipv4.nexthop_compat_mode=0`).
    mutating func resolveNextHops(of route: inout Route) throws(NetlinkError) {
        guard route.hasUnresolvedNextHops, let number = route.nextHopObject, let object = try nextHopObject(number)
        else { return }
        var hops = [object.hop].compactMap { $0 }
        for member in object.members {
            guard let hop = try nextHopObject(member.number)?.hop else { continue }
            hops.append(
                NextHop(
                    interfaceIndex: hop.interfaceIndex,
                    gateway: hop.gateway,
                    weight: member.weight,
                    isOnLink: hop.isOnLink
                )
            )
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
        let answer = try socket.ask("read a nexthop object", RTM_GETNEXTHOP, nhmsg(), attributes)
        // The routes of a deleted object are deleted too.
        guard case .nextHopObject(let object, removed: false) = answer else { return nil }
        return object
    }
}
