/// Changes of routing that the kernel makes without a route message: expired lifetimes, and the selection among
/// routers.
extension MonitorCore {
    /// The kernel counts in jiffies, and reports a lifetime in ticks of 10 ms: after this margin a route has certainly
    /// expired.
    private static var expiryMargin: Duration { .milliseconds(20) }
    /// The time between two looks at a route that has expired and may come back without a message.
    ///
    /// The kernel removes it within half a minute (`net.ipv6.route.gc_interval`).
    private static var expiredPause: Duration { .seconds(1) }
    /// The time for which a deciding entry may come back after its expiry: twice that until the kernel removes it.
    private static var returnTime: Duration { .seconds(60) }
    /// The maximum number of times that the routers' states are read and the lookups repeated before both are accepted.
    private static var maximumAttempts: Int { 4 }

    /// Sets the timer to the first expiry.
    ///
    /// A route refreshed by a router advertisement causes no message: the timer then fires early, and is set to the new
    /// lifetime.
    mutating func armExpiry() {
        guard let lifetime = kernel.takeShortestLifetime() else { return }
        let due = clock().instant.advanced(by: lifetime + Self.expiryMargin)
        expiryDue = min(expiryDue ?? due, due)
    }

    /// Handles the reading of a table, and returns whether a default route in it has expired.
    mutating func noteExpired() -> Bool {
        guard kernel.takeHasExpired() else { return false }
        returnDue = clock().instant.advanced(by: Self.expiredPause)
        return true
    }

    /// Prepares for the return of a deciding entry that has expired, if it is not a default route.
    ///
    /// A dump shows an expired default route; other table entries are not read.
    mutating func noteExpiredEntry(_ old: [RouteLookup], _ new: [RouteLookup]) {
        guard pending.hints.contains(where: { $0.code == .routeExpired }) else { return }
        let found = Set(new.lazy.compactMap(\.matched))
        let isLost = old.lazy.compactMap(\.matched)
            .contains { $0.family == .ipv6 && !$0.destination.isDefault && !found.contains($0) }
        guard isLost else { return }
        let now = clock().instant
        returnDue = now.advanced(by: Self.expiredPause)
        returnEnd = now.advanced(by: Self.returnTime)
    }

    /// Marks the routes as stale when a lifetime has expired.
    mutating func noteExpiry(_ now: ContinuousClock.Instant) {
        if let due = returnDue, now >= due {
            let isOver = returnEnd.map { now >= $0 } ?? true
            returnDue = isOver ? nil : now.advanced(by: Self.expiredPause)
            if isOver { returnEnd = nil }
            mayDecideDifferently = true
            pending.formUnion(KernelView.Effects(isRelevant: true, staleRoutes: [.ipv6]))
        }
        guard let due = expiryDue, now >= due else { return }
        expiryDue = nil
        mayDecideDifferently = true
        let hint = NetworkChange(code: .routeExpired, family: .ipv6, detail: "the lifetime of a route ended")
        let effects = KernelView.Effects(isRelevant: true, staleRoutes: [.ipv6], hints: [hint])
        pending.formUnion(effects)
        confirmation.note(effects, at: now)
    }

    /// Handles a router advertisement, which is announced by the addresses that it adds or refreshes: the new lifetime of
    /// its default route, which is not announced, may be shorter.
    func noteRefresh(of address: InterfaceAddress) -> KernelView.Effects {
        let mayChange = expiryDue != nil || returnDue != nil
        guard mayChange, address.address.family == .ipv6, !address.flags.contains(.permanent) else {
            return KernelView.Effects()
        }
        return KernelView.Effects(isRelevant: true, staleRoutes: [.ipv6])
    }

    /// Handles a router's state; all states are read again if it has changed.
    mutating func noteState(_ state: NeighbourState, of router: Router) -> KernelView.Effects {
        let effects = neighbourEffects(watched.relevantState(state, of: router), of: router)
        if effects.isRelevant { routersAreStale = true }
        return effects
    }

    /// Returns the effects of a router's failure.
    ///
    /// That of an IPv6 router which has failed before counts as well: the kernel has tried it again since, without a
    /// message, and may do so from now on.
    func failureEffects(of router: Router) -> KernelView.Effects {
        guard router.address.family == .ipv6, watched.routers[router] == .failed else {
            return neighbourEffects(.failed, of: router)
        }
        return effects(of: router, .failed)
    }

    /// Returns the effects of a router's state, which is relevant if the kernel selects among routers and this one has
    /// changed.
    private func neighbourEffects(_ state: NeighbourState, of router: Router) -> KernelView.Effects {
        guard let known = watched.routers[router], known != state else { return KernelView.Effects() }
        return effects(of: router, state)
    }

    private func effects(of router: Router, _ state: NeighbourState) -> KernelView.Effects {
        let news =
            switch state {
            case .failed: "does not answer"
            case .resolving: "has not answered yet"
            case .unknown, .absent, .reachable, .usable: "may answer again"
            }
        let hint = NetworkChange(
            code: .neighbourChanged,
            interfaceIndex: router.interfaceIndex,
            interfaceName: view.links[router.interfaceIndex]?.name,
            family: router.address.family,
            detail: "router \(router.address) \(news)"
        )
        return KernelView.Effects(isRelevant: true, hints: [hint])
    }

    /// Returns the answers to the lookups, with the routers that they depend on watched.
    ///
    /// A router's state may change between a lookup and the time at which it is watched; so both are repeated until
    /// nothing changes.
    mutating func lookUpAmongRouters() throws(NetlinkError) -> [RouteLookup] {
        let before = lastAnswers
        var lookups = try lookUp()
        // A router's state may also be the cause of a changed answer after another message.
        if lookups != before, !watched.routers.isEmpty { routersAreStale = true }
        for _ in 0..<Self.maximumAttempts {
            guard try followRouters(lookups) else { break }
            mayDecideDifferently = true
            lookups = try lookUp()
        }
        return lookups
    }

    /// Returns whether a router was added to the watched ones, or its state has changed.
    private mutating func followRouters(_ lookups: [RouteLookup]) throws(NetlinkError) -> Bool {
        let routes = AddressFamily.allCases.flatMap { view.defaultRoutes[$0] ?? [] }
        // The second lookup of connect(2) hides the legs among which the first one has chosen.
        let entries = lookups.compactMap(\.matched) + lastEntries
        let needingValidity = Router.validityChoices(routes, entries)
        var wanted = Router.choices(routes, lookups).union(needingValidity)
        // A router that the kernel has abandoned no longer appears in any answer, and is watched until it returns.
        for (router, state) in watched.routers where router.address.family == .ipv6 && state == .failed {
            wanted.insert(router)
        }
        if wanted.count > Router.maximumWatched {
            // Those in use come first: a forged router may have any address.
            let used = wanted.intersection(lookups.compactMap { $0.route.flatMap { Router($0) } })
            wanted = Set((used.sorted() + wanted.subtracting(used).sorted()).prefix(Router.maximumWatched))
        }
        var next = watched
        next.needingValidity = needingValidity.intersection(wanted)
        let isUnchanged =
            next.needingValidity == watched.needingValidity && wanted.count == watched.routers.count
            && wanted.allSatisfy { watched.routers[$0] != nil }
        guard routersAreStale || !isUnchanged else { return false }
        next.routers = [:]
        for (router, state) in try kernel.states(of: wanted) {
            let state = next.relevantState(state, of: router)
            next.routers[router] = state
            // The state may be read before its message arrives, and is the cause nevertheless.
            pending.formUnion(neighbourEffects(state, of: router))
        }
        routersAreStale = next != watched
        guard routersAreStale else { return false }
        try source.watch(next)
        watched = next
        return true
    }
}
