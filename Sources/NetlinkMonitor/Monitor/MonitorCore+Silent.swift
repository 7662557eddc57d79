/// Following what the kernel changes without a message about routes: lifetimes, and the choice among routers.
extension MonitorCore {
    /// The kernel counts in jiffies, and reports a lifetime in ticks of 10 ms: so much later a route has surely expired.
    private static var expiryMargin: Duration { .milliseconds(20) }
    /// How often the routers' states are read and the lookups made again before both are taken as they are.
    private static var maximumAttempts: Int { 4 }

    /// Sets the timer to the first end of a lifetime.
    ///
    /// A refreshed route makes no message (the next router advertisement): the timer then runs down early, and what is
    /// read at that moment sets it again.
    mutating func armExpiry() {
        guard let lifetime = kernel.takeShortestLifetime() else { return }
        let due = clock().instant.advanced(by: lifetime + Self.expiryMargin)
        expiryDue = min(expiryDue ?? due, due)
    }

    /// Has the routes read again when a lifetime has ended.
    mutating func noteExpiry(_ now: ContinuousClock.Instant) {
        guard let due = expiryDue, now >= due else { return }
        expiryDue = nil
        mayDecideDifferently = true
        let hint = NetworkChange(code: .routeExpired, family: .ipv6, detail: "the lifetime of a route ended")
        let effects = KernelView.Effects(isRelevant: true, staleRoutes: [.ipv6], hints: [hint])
        pending.formUnion(effects)
        confirmation.note(effects, at: now)
    }

    /// A router advertisement refreshes the addresses that it made, which is announced, and its default route, which is
    /// not: the lifetime may be a shorter one.
    func noteRefresh(of address: InterfaceAddress) -> KernelView.Effects {
        guard expiryDue != nil, address.address.family == .ipv6, !address.flags.contains(.permanent) else {
            return KernelView.Effects()
        }
        return KernelView.Effects(isRelevant: true, staleRoutes: [.ipv6])
    }

    /// A router's state is known; it has the states of all read again where it is news.
    mutating func noteState(_ state: RouterState, of router: Router) -> KernelView.Effects {
        let effects = news(state, of: router)
        if effects.isRelevant { routersAreStale = true }
        return effects
    }

    /// A router's state counts when the kernel chooses among routers and this one's was another one before.
    func news(_ state: RouterState, of router: Router) -> KernelView.Effects {
        guard let known = watched.routers[router], known != state else { return KernelView.Effects() }
        let hint = NetworkChange(
            code: .neighbourChanged,
            interfaceIndex: router.interfaceIndex,
            interfaceName: view.links[router.interfaceIndex]?.name,
            family: router.address.family,
            detail: "router \(router.address) \(state == .failed ? "does not answer" : "may answer again")"
        )
        return KernelView.Effects(isRelevant: true, hints: [hint])
    }

    /// The lookups' answers, with the routers watched that they depend on.
    ///
    /// A router's state may change between a lookup and the moment from which its changes are heard; so both are made
    /// until nothing is new.
    mutating func lookUpAmongRouters() throws(NetlinkError) -> [RouteLookup] {
        let before = lastAnswers
        var lookups = try lookUp()
        // Another message may be followed by an answer that a router's state is the cause of.
        if lookups != before, !watched.routers.isEmpty { routersAreStale = true }
        for _ in 0..<Self.maximumAttempts {
            guard try followRouters(lookups) else { break }
            mayDecideDifferently = true
            lookups = try lookUp()
        }
        return lookups
    }

    /// Returns whether a router is watched anew, or another state was found than the one that is known.
    private mutating func followRouters(_ lookups: [RouteLookup]) throws(NetlinkError) -> Bool {
        let routes = AddressFamily.allCases.flatMap { view.defaultRoutes[$0] ?? [] }
        var wanted = Router.choices(routes, lookups)
        // A router that the kernel has left is in no answer any more, and is watched for its return.
        let left = watched.routers.lazy.filter { $0.key.address.family == .ipv6 && $0.value == .failed }
        wanted.formUnion(left.map(\.key))
        wanted = Set(wanted.sorted().prefix(Router.maximumWatched))
        guard routersAreStale || wanted != Set(watched.routers.keys) else { return false }
        var next = watched
        next.routers = try kernel.states(of: wanted)
        // The state may be read before its message is, and is the cause all the same.
        for (router, state) in next.routers {
            let effects = noteState(state, of: router)
            pending.formUnion(effects)
        }
        routersAreStale = next != watched
        guard routersAreStale else { return false }
        try source.watch(next)
        watched = next
        return true
    }
}
