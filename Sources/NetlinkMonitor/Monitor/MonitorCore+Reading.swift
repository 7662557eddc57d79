/// Queries of the kernel, and snapshots of the answers.
extension MonitorCore {
    /// Reads every table into a new view.
    mutating func readEverything() throws(NetlinkError) {
        let links = try kernel.retryingInterrupted(&statistics.interruptedDumps) { (kernel) throws(NetlinkError) in
            try kernel.links()
        }
        let addresses = try kernel.retryingInterrupted(&statistics.interruptedDumps) { (kernel) throws(NetlinkError) in
            try kernel.addresses()
        }
        var fresh = KernelView(links: links, addresses: addresses)
        // Rules, routes and kinds are kept here; they are read again for the next snapshot.
        fresh.rules = view.rules
        fresh.defaultRoutes = view.defaultRoutes
        view = fresh
        emptyTables = []
        mayDecideDifferently = true
        pending = .all
    }

    /// Applies queued messages of the event socket without reports, because they may be older than the dumps.
    ///
    /// - Returns: `true` if no message was lost meanwhile, and none is left.
    mutating func drainQuietly() throws(NetlinkError) -> Bool {
        let losses = statistics.overruns + statistics.truncated + statistics.malformed
        for _ in 0..<Self.maximumDatagramsPerTurn {
            switch try source.receive() {
            case .drained: return losses == statistics.overruns + statistics.truncated + statistics.malformed
            case .foreign: statistics.foreign += 1
            case .overrun: statistics.overruns += 1
            case .truncated: statistics.truncated += 1
            case .datagram(let bytes):
                let observed = clock()
                let effects = apply(bytes, observed, isQuiet: true)
                pending.formUnion(effects)
                confirmation.note(effects, at: observed.instant)
            }
        }
        return false
    }

    /// Empties the event socket, because everything is about to be read again.
    ///
    /// Messages that stayed would be applied to the dumps, and be older: after an overrun the kernel queues nothing more
    /// until the queue is empty, so nothing would correct them. A new socket has an empty queue, however long the old
    /// one was.
    mutating func emptyQueue() throws(NetlinkError) {
        if !isSourceBroken {
            for _ in 0..<Self.maximumDatagramsPerTurn {
                if case .drained = try source.receive() { return }
            }
        }
        try source.reopen(watching: watched)
        isSourceBroken = false
    }

    /// Updates stale data, repeats every lookup, and returns the snapshot of both.
    mutating func currentSnapshot() throws(NetlinkError) -> NetworkSnapshot {
        if pending.staleRules {
            view.rules = try kernel.retryingInterrupted(&statistics.interruptedDumps) { (kernel) throws(NetlinkError) in
                try kernel.rules()
            }
        }
        if !pending.staleAddresses.isEmpty { try readKeptAddresses() }
        if pending.classifies { classifier.classify(&view.links) }
        let stale = AddressFamily.allCases.filter(pending.staleRoutes.contains)
        for family in stale { view.defaultRoutes[family] = try readDefaultRoutes(family) }
        if pending.classifies { try watchAddresses() }
        let before = lastAnswers
        let lookups = try lookUpAmongRouters()
        for family in changedMeanwhile(stale, since: before, lookups) {
            view.defaultRoutes[family] = try readDefaultRoutes(family)
        }
        armExpiry()
        noteExpiredEntry(before, lookups)
        var next = NetworkSnapshot(
            linkTable: view.links,
            addresses: view.addresses,
            defaultRoutes: AddressFamily.allCases.flatMap { view.defaultRoutes[$0] ?? [] },
            rules: view.rules,
            lookups: answersByDestination,
            underlays: [:],
            internetAddresses: configuration.internetAddresses
        )
        next.underlays = try UnderlayResolver(snapshot: next).underlays(&kernel)
        hints = pending.hints
        pending = KernelView.Effects()
        unreported.wereReported()
        return next
    }

    /// Looks up the targets and the first address of each family that represents the Internet; the others only if the
    /// first was not answered by a default route, and there is a source address.
    ///
    /// If the last lookups needed the others, everything is looked up at once: a missing family would cost a second
    /// round trip for every edge.
    mutating func lookUp() throws(NetlinkError) -> [RouteLookup] {
        let asked = questions.first + furtherQuestions
        if !mayDecideDifferently, asked.map(\.destination) == lastAnswers.map(\.destination),
            !view.needFurtherLookups(asked, lastOutcomes),
            try kernel.outcomes(asked) == lastOutcomes
        {
            // Only a link's state changed, and the routes are the same: so are their table entries.
            return lastAnswers
        }
        var first = try kernel.lookups(asked)
        var answers = try connected(first)
        let answered = answers.filter { $0.isAnsweredByDefault && questions.standsForInternet($0.destination) }
            .map(\.destination.family)
        let wanted = questions.further.filter { question in
            !answered.contains(question.destination.family) && view.hasSource(for: question.destination.family)
        }
        if wanted != furtherQuestions {
            let known = Set(furtherQuestions)
            let missing = wanted.filter { !known.contains($0) }
            if !missing.isEmpty {
                let more = try kernel.lookups(missing)
                first += more
                answers += try connected(more)
            }
            let needless = Set(known.subtracting(wanted).map(\.destination))
            first.removeAll { needless.contains($0.destination) }
            answers.removeAll { needless.contains($0.destination) }
            furtherQuestions = wanted
        }
        lastEntries = first.compactMap(\.matched)
        mayDecideDifferently = false
        lastOutcomes = first.map(\.outcome)
        // Equal answers stay the same array: comparisons of those that follow end at once.
        if answers != lastAnswers { lastAnswers = answers }
        return lastAnswers
    }

    /// Returns the families whose default routes have changed after they were read, by what lookups find.
    ///
    /// - Parameter stale: The families that were just read.
    private mutating func changedMeanwhile(
        _ stale: [AddressFamily],
        since old: [RouteLookup],
        _ new: [RouteLookup]
    ) -> [AddressFamily] {
        guard new != old else { return [] }
        let added = Self.tablesWithAddedRoutes(view.defaultRoutes.values.joined(), since: old, new)
        emptyTables.subtract(added)
        return AddressFamily.allCases.filter { family in
            added.contains { $0.family == family }
                || stale.contains(family)
                    && Self.haveAbandoned(view.defaultRoutes[family] ?? [], since: old, new)
        }
    }

    /// Returns whether lookups no longer find a default route that its table still had just before.
    ///
    /// The kernel announces a removal before it removes the route: the table may have been read in between, and then the
    /// route would seem to be a standby until the next reading, and not to be the cause of the loss.
    static func haveAbandoned(_ routes: [Route], since old: [RouteLookup], _ new: [RouteLookup]) -> Bool {
        let abandoned = positions(old).subtracting(positions(new))
        return routes.contains { abandoned.contains(RoutePosition($0)) }
    }

    /// Returns the tables with a default route that lookups newly find and that was not there when they were read.
    ///
    /// The kernel announces a route after it has added it: a lookup may find it in between, and then its own message
    /// would come too late for the route to be the cause of the change.
    static func tablesWithAddedRoutes(
        _ routes: some Sequence<Route>,
        since old: [RouteLookup],
        _ new: [RouteLookup]
    ) -> Set<TableKey> {
        var added = positions(new).subtracting(positions(old)).filter(\.destination.isDefault)
        guard !added.isEmpty else { return [] }
        for route in routes { added.remove(RoutePosition(route)) }
        return Set(added.map { TableKey(family: $0.destination.address.family, table: $0.table) })
    }

    private static func positions(_ lookups: [RouteLookup]) -> Set<RoutePosition> {
        Set(lookups.lazy.compactMap { $0.matched.map(RoutePosition.init) })
    }

    private mutating func readDefaultRoutes(_ family: AddressFamily) throws(NetlinkError) -> [Route] {
        var routes: [Route] = []
        for table in view.tables(family) where !emptyTables.contains(TableKey(family: family, table: table)) {
            let found = try kernel.retryingInterrupted(&statistics.interruptedDumps) { (kernel) throws(NetlinkError) in
                try kernel.defaultRoutes(family, table: table) { [links = view.links] in
                    links.values.filter { $0.flags.contains(.up) && !$0.flags.contains(.loopback) }.map(\.index)
                }
            }
            // The kernel would announce the first default route in it, except one that has expired.
            if !noteExpired(), found.isEmpty, table != Route.mainTable {
                emptyTables.insert(TableKey(family: family, table: table))
            }
            routes += found.filter { !view.isBeingRemoved($0) }
        }
        return Route.canonical(routes)
    }

    /// Reads the flags of the addresses that the kernel has kept on links that went down, or came back.
    private mutating func readKeptAddresses() throws(NetlinkError) {
        let addresses = try kernel.retryingInterrupted(&statistics.interruptedDumps) { (kernel) throws(NetlinkError) in
            try kernel.addresses()
        }
        if view.updateFlags(from: addresses, on: pending.staleAddresses) { mayDecideDifferently = true }
    }

    /// Updates the filter to pass messages about the looked-up addresses, and the remote and local ones of tunnels.
    mutating func watchAddresses() throws(NetlinkError) {
        var wanted = watched
        wanted.addresses = Set(configuration.lookedUpAddresses).union(UnderlayResolver.watchedAddresses(view))
        guard wanted != watched else { return }
        try source.watch(wanted)
        watched = wanted
    }
}

/// The position of a route among all tables, by which the kernel chooses it.
private struct RoutePosition: Hashable {
    let destination: IPPrefix
    let table: UInt32
    let metric: UInt32

    init(_ route: Route) {
        destination = route.destination
        table = route.table
        metric = route.metric
    }
}
