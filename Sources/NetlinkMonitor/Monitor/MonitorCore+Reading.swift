/// Asking the kernel, and making a snapshot of the answers.
extension MonitorCore {
    /// Reads every table again into a fresh view.
    mutating func readEverything() throws(NetlinkError) {
        let links = try kernel.retryingInterrupted(&statistics.interruptedDumps) { (kernel) throws(NetlinkError) in
            try kernel.links()
        }
        let addresses = try kernel.retryingInterrupted(&statistics.interruptedDumps) { (kernel) throws(NetlinkError) in
            try kernel.addresses()
        }
        var fresh = KernelView(links: links, addresses: addresses)
        // What is not read here stays until it is: rules, routes and kinds follow when the next snapshot is made.
        fresh.rules = view.rules
        fresh.defaultRoutes = view.defaultRoutes
        view = fresh
        emptyTables = []
        mayDecideDifferently = true
        pending = .all
    }

    /// Applies what waits on the event socket without a report for each message: it may be older than the dumps.
    ///
    /// - Returns: whether nothing was lost meanwhile.
    mutating func drainQuietly() throws(NetlinkError) -> Bool {
        let losses = statistics.overruns + statistics.truncated + statistics.malformed
        for _ in 0..<Self.mostDatagramsPerTurn {
            switch try source.receive() {
            case .drained: return losses == statistics.overruns + statistics.truncated + statistics.malformed
            case .foreign: statistics.foreign += 1
            case .overrun: statistics.overruns += 1
            case .truncated: statistics.truncated += 1
            case .datagram(let bytes): pending.formUnion(apply(bytes, clock()))
            }
        }
        return losses == statistics.overruns + statistics.truncated + statistics.malformed
    }

    /// Throws away what waits on the event socket: everything is about to be read again.
    mutating func discardQueue() throws(NetlinkError) {
        for _ in 0..<Self.mostDatagramsPerTurn {
            if case .drained = try source.receive() { return }
        }
    }

    /// Makes a snapshot of the kernel's state now: brings up to date what is stale, and asks every lookup again.
    mutating func currentSnapshot() throws(NetlinkError) -> NetworkSnapshot {
        if pending.staleRules {
            view.rules = try kernel.retryingInterrupted(&statistics.interruptedDumps) { (kernel) throws(NetlinkError) in
                try kernel.rules()
            }
        }
        if pending.classifies { classifier.classify(&view.links) }
        for family in AddressFamily.allCases where pending.staleRoutes.contains(family) {
            view.defaultRoutes[family] = try readDefaultRoutes(family)
        }
        if pending.classifies { try watchAddresses() }
        let lookups = try lookUpAmongRouters()
        armExpiry()
        var next = NetworkSnapshot(
            linksByIndex: view.links,
            addresses: view.addresses,
            defaultRoutes: AddressFamily.allCases.flatMap { view.defaultRoutes[$0] ?? [] },
            rules: view.rules,
            lookups: lookups,
            underlays: [:],
            internetAddresses: configuration.internetAddresses
        )
        next.underlays = try UnderlayResolver(snapshot: next).underlays(&kernel)
        hints = pending.hints
        pending = KernelView.Effects()
        return next
    }

    /// Asks for the targets and for the first address of each family that stands for the Internet; for the others only
    /// where the first was not answered by a default route, and there is an address to send from.
    ///
    /// Where that was so the last time, everything is asked at once: a family that the machine does not have would cost
    /// a second round for every edge.
    mutating func lookUp() throws(NetlinkError) -> [RouteLookup] {
        let asked = questions.first + furtherQuestions
        if !mayDecideDifferently, asked.map(\.destination) == lastAnswers.map(\.destination),
            !asked.contains(where: { view.looksAtSources($0.destination.family) }),
            try kernel.outcomes(asked) == lastOutcomes
        {
            // Only a link's state changed, and the ways out are the same: so are the entries behind them.
            return lastAnswers
        }
        var first = try kernel.lookups(asked)
        var answers = try connected(first)
        let answered = answers.filter { $0.isAnsweredByDefault && questions.stands($0.destination) }
            .map(\.destination.family)
        let wanted = questions.further.filter { question in
            !answered.contains(question.destination.family) && view.hasSource(for: question.destination.family)
        }
        if wanted != furtherQuestions {
            let missing = wanted.filter { !furtherQuestions.contains($0) }
            if !missing.isEmpty {
                let more = try kernel.lookups(missing)
                first += more
                answers += try connected(more)
            }
            let needless = Set(furtherQuestions).subtracting(wanted).map(\.destination)
            first.removeAll { needless.contains($0.destination) }
            answers.removeAll { needless.contains($0.destination) }
            furtherQuestions = wanted
        }
        mayDecideDifferently = false
        lastOutcomes = first.map(\.outcome)
        lastAnswers = answers
        return answers
    }

    private mutating func readDefaultRoutes(_ family: AddressFamily) throws(NetlinkError) -> [Route] {
        var routes: [Route] = []
        for table in view.tables(family) where !emptyTables.contains(TableKey(family: family, table: table)) {
            let found = try kernel.retryingInterrupted(&statistics.interruptedDumps) { (kernel) throws(NetlinkError) in
                try kernel.defaultRoutes(family, table: table) { [links = view.links] in
                    links.values.filter { $0.flags.contains(.up) && !$0.flags.contains(.loopback) }.map(\.index)
                        .sorted()
                }
            }
            // A first default route in it would be announced.
            if found.isEmpty, table != Route.mainTable { emptyTables.insert(TableKey(family: family, table: table)) }
            routes += found
        }
        // One order for one set of routes: equal views must be equal values.
        return routes.sorted {
            ($0.table, $0.metric, $0.describe(in: .init())) < ($1.table, $1.metric, $1.describe(in: .init()))
        }
    }

    /// Makes the filter pass what concerns the addresses asked for and the far ends of tunnels.
    mutating func watchAddresses() throws(NetlinkError) {
        var wanted = watched
        wanted.addresses = Set(configuration.lookedUpAddresses).union(UnderlayResolver.watchedRemotes(view))
        guard wanted != watched else { return }
        try source.watch(wanted)
        watched = wanted
    }
}
