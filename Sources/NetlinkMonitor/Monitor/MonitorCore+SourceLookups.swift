/// Lookups like those of connect(2): repeated with the source if rules or routes depend on it, and inside a VRF.
extension MonitorCore {
    /// Returns the answers that a connected socket gets.
    ///
    /// In IPv4 connect(2) looks up again with the source that the first lookup selected. In IPv6 the first answer is
    /// final; if there is none, the kernel still selects a source, and uses it for a second lookup.
    mutating func connected(_ answers: [RouteLookup]) throws(NetlinkError) -> [RouteLookup] {
        var answers = answers
        var asked: [(position: Int, source: IPAddress)] = []
        let families = view.familiesThatLookAtSources
        for (position, answer) in answers.enumerated() where families.contains(answer.destination.family) {
            switch (answer.destination.family, answer.outcome) {
            case (.ipv4, .route(let route)) where route.type == .unicast:
                if let source = route.source { asked.append((position, source)) }
            case (.ipv6, .refused):
                switch kernel.connectedSource(to: answer.destination, over: 0) {
                case .address(let source): asked.append((position, source))
                case .refused(let refusal) where refusal.isDeliberate: answers[position] = answer.refused(refusal)
                case .refused, .unknown: break
                }
            default: break
            }
        }
        if !asked.isEmpty {
            let legs = try otherLegs(of: asked, in: answers)
            let second = try lookups(asked, answers)
            let own = try ownSources(asked, rejectedBy: second)
            for (question, answer) in zip(asked, second) {
                // An address that was just removed is rejected like a blackhole; its message follows.
                if answer.outcome == .refused(.blackhole), !own.contains(question.source) { continue }
                answers[question.position] = view.connected(
                    answers[question.position],
                    second: answer,
                    source: question.source,
                    otherLegs: legs[question.position]
                )
            }
        }
        return try insideVRFs(answers.map(view.namingRule))
    }

    /// Returns the answers, those with a route into a VRF (`default dev vrf10`) replaced by the VRF's own.
    ///
    /// The device of a VRF passes each packet to its table, whose route decides, with the source that the route into the
    /// VRF has selected. If that table has no route, the lookup continues with the next rule and may find the route into
    /// the VRF again; the device then drops the packet.
    private mutating func insideVRFs(_ answers: [RouteLookup]) throws(NetlinkError) -> [RouteLookup] {
        var answers = answers
        for depth in 1...Self.deepestVRFs {
            let entered = answers.enumerated().compactMap { position, answer in
                view.routeIntoVRF(answer.outcome).map { (position: position, route: $0) }
            }
            guard !entered.isEmpty else { break }
            let questions = entered.map { position, route in
                LookupQuestion(
                    destination: answers[position].destination,
                    source: route.source,
                    interface: route.interfaceIndex
                )
            }
            for ((position, outer), inner) in zip(entered, try kernel.lookups(questions)) {
                let next = view.routeIntoVRF(inner.outcome)?.interfaceIndex
                let isDropped = next == outer.interfaceIndex || next != nil && depth == Self.deepestVRFs
                answers[position] =
                    isDropped
                    ? RouteLookup(destination: inner.destination, outcome: .refused(.noRoute))
                    : view.namingRule(inner).from(outer.source)
            }
        }
        return answers
    }

    /// The maximum number of VRFs that lead into each other, which bounds the lookups of a loop.
    private static var deepestVRFs: Int { 4 }

    private mutating func lookups(
        _ asked: [(position: Int, source: IPAddress)],
        _ answers: [RouteLookup]
    ) throws(NetlinkError) -> [RouteLookup] {
        try kernel.lookups(
            asked.map { LookupQuestion(destination: answers[$0.position].destination, source: $0.source) }
        )
    }

    /// Returns the sources of rejected lookups that the machine has.
    private mutating func ownSources(
        _ asked: [(position: Int, source: IPAddress)],
        rejectedBy answers: [RouteLookup]
    ) throws(NetlinkError) -> Set<IPAddress> {
        let rejected = Set(zip(asked, answers).filter { $1.outcome == .refused(.blackhole) }.map(\.0.source))
        var own: Set<IPAddress> = []
        for source in rejected {
            if try kernel.deliversLocally(source) == true { own.insert(source) }
        }
        return own
    }

    /// Returns the routes of flows that use another leg than the answer, and have that leg's source, by position; an empty
    /// array if the kernel refuses them all.
    private mutating func otherLegs(
        of asked: [(position: Int, source: IPAddress)],
        in answers: [RouteLookup]
    ) throws(NetlinkError) -> [Int: [ResolvedRoute]] {
        var legs: [(position: Int, source: IPAddress)] = []
        for question in asked {
            let answer = answers[question.position]
            guard let hops = answer.matched?.nextHops, hops.count > 1 else { continue }
            let sources = hops.compactMap { view.addresses.source(toward: $0, answer.destination.family) }
            legs += sources.filter { $0 != question.source }.map { (question.position, $0) }
        }
        guard !legs.isEmpty else { return [:] }
        var routes: [Int: [ResolvedRoute]] = [:]
        for (leg, answer) in zip(legs, try lookups(legs, answers)) {
            let route = answer.route.flatMap { $0.type == .unicast ? $0.from(leg.source) : nil }
            routes[leg.position, default: []] += [route].compactMap { $0 }
        }
        return routes
    }
}

extension KernelView {
    /// The families in which a connected socket may get another answer than a lookup without a source.
    ///
    /// In IPv4 only rules look at the source. In IPv6 any route may be for some sources alone (`from PREFIX`), and not
    /// every table is known.
    fileprivate var familiesThatLookAtSources: Set<AddressFamily> {
        var families: Set<AddressFamily> = []
        if rules.contains(where: { $0.family == .ipv4 && $0.source != nil }) { families.insert(.ipv4) }
        if hasSource(for: .ipv6) { families.insert(.ipv6) }
        return families
    }

    /// Returns whether the answers to lookups with these outcomes depend on further lookups.
    func needFurtherLookups(_ questions: [LookupQuestion], _ outcomes: [RouteLookup.Outcome]) -> Bool {
        let families = familiesThatLookAtSources
        return zip(questions, outcomes).contains { question, outcome in
            let family = question.destination.family
            let looksAtSource = families.contains(family) && (family == .ipv4 || outcome.resolvedRoute == nil)
            return looksAtSource || routeIntoVRF(outcome) != nil
        }
    }

    /// Returns the route of an outcome if it leads into a VRF.
    fileprivate func routeIntoVRF(_ outcome: RouteLookup.Outcome) -> ResolvedRoute? {
        guard let route = outcome.resolvedRoute, route.type == .unicast,
            links[route.interfaceIndex]?.driverKind == "vrf"
        else { return nil }
        return route
    }

    /// Returns the first answer, or the second one if connect(2) would use that.
    fileprivate func connected(
        _ first: RouteLookup,
        second: RouteLookup,
        source: IPAddress,
        otherLegs: [ResolvedRoute]?
    ) -> RouteLookup {
        let destination = first.destination
        switch (first.outcome, second.outcome) {
        case (_, .route(let route)):
            // The kernel does not repeat the source of the query.
            let outcome = RouteLookup.Outcome.route(route.from(source))
            let isElsewhere = first.route.map { $0.from(source) != route.from(source) } ?? false
            return RouteLookup(
                destination: destination,
                outcome: outcome,
                matched: second.matched,
                unconnected: isElsewhere ? first.outcome : nil,
                otherLegs: otherLegs
            )
        case (.route, .refused):
            return RouteLookup(
                destination: destination,
                outcome: namingRule(second, from: source).outcome,
                unconnected: first.outcome,
                otherLegs: otherLegs
            )
        case (.refused, .refused): return first
        }
    }

    /// Returns the answer with a matching `unreachable` rule as its reason, which has the same errno as "no route".
    ///
    /// No table before the rule has answered, or there would be a route: so a matching rule is the reason.
    fileprivate func namingRule(_ answer: RouteLookup) -> RouteLookup { namingRule(answer, from: nil) }

    private func namingRule(_ answer: RouteLookup, from source: IPAddress?) -> RouteLookup {
        guard answer.outcome == .refused(.noRoute),
            rules.rejectAsUnreachable(from: source, to: answer.destination)
        else { return answer }
        return answer.refused(.unreachable)
    }
}

extension RouteLookup {
    /// Returns the same answer with another refusal.
    fileprivate func refused(_ refusal: Refusal) -> RouteLookup {
        RouteLookup(
            destination: destination,
            outcome: .refused(refusal),
            matched: matched,
            unconnected: unconnected,
            otherLegs: otherLegs
        )
    }

    /// Returns the same answer with the source of the question, which the kernel does not repeat.
    fileprivate func from(_ source: IPAddress?) -> RouteLookup {
        guard let source, let route else { return self }
        return RouteLookup(destination: destination, outcome: .route(route.from(source)), matched: matched)
    }
}

extension RouteLookup.Refusal {
    /// `true` if a route or rule rejects the packet, rather than the lack of a route.
    fileprivate var isDeliberate: Bool {
        switch self {
        case .unreachable, .blackhole, .prohibited: true
        case .noRoute, .failed: false
        }
    }
}

extension ResolvedRoute {
    fileprivate func from(_ source: IPAddress) -> ResolvedRoute {
        ResolvedRoute(interfaceIndex: interfaceIndex, gateway: gateway, source: source, table: table, type: type)
    }
}
