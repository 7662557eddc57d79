internal import AgentEvents
internal import Hooks
internal import NetlinkMonitor
internal import Reachability

// Route and next hop.

extension KernelEvidence {
    /// The maximum number of routes, and of rules, that are shown.
    private static let maximumEntries = 12

    var route: Diagnosis.Section {
        let facts = familyFacts + targetFacts + routeFacts + ruleFacts
        if let obstacle {
            let isOfOtherLayer = [
                ReasonCode.linkDown, .linkDormant, .underlayDown, .noAddress, .addressTentative,
            ].contains(obstacle)
            guard isOfOtherLayer else {
                return Diagnosis.Section(
                    .route,
                    .error,
                    "no route to the Internet: \(obstacle.sentence)",
                    code: obstacle.rawValue,
                    next: commands(for: obstacle),
                    facts: facts
                )
            }
            return Diagnosis.Section(.route, .notChecked, "its interface or address is at fault", facts: facts)
        }
        if case .success(let status)? = evidence.agent, let alternative = status.reachability.state?.alternative {
            let name = ShellWord.quoted(alternative.interface)
            return Diagnosis.Section(
                .route,
                .warning,
                "the kernel prefers \(alternative.preferred), which is dead, while \(alternative.interface) works",
                code: alternative.code,
                next: [
                    "ip route show default dev \(name)   # give it the lowest metric",
                    "ip -6 route show default dev \(name)",
                ],
                facts: facts
            )
        }
        let dead = [state.ipv4, state.ipv6].flatMap(\.deadLegs)
        if let leg = dead.first {
            return Diagnosis.Section(
                .route,
                .warning,
                "a next hop of the route cannot be used: \(leg.interface ?? "no interface")",
                code: leg.reason?.rawValue,
                next: ["ip route", "ip -6 route"],
                facts: facts
            )
        }
        if let target = unreachableTargets.first {
            return Diagnosis.Section(
                .route,
                .warning,
                "the target \(target.name) has no usable path",
                code: target.path.reason?.rawValue,
                next: ["reachagent route \(target.address)"],
                facts: facts
            )
        }
        let families = paths.filter { $0.path.via.isReachable }.map { "\($0.family) over \($0.path.summary)" }
        return Diagnosis.Section(.route, .ok, families.joined(separator: ", "), facts: facts)
    }

    private var familyFacts: [Diagnosis.Fact] {
        zip(AddressFamily.allCases, [state.ipv4, state.ipv6]).map { family, path in
            let name = family == .ipv4 ? "IPv4" : "IPv6"
            guard evidence.agentOfLostSettings == nil else {
                return Diagnosis.Fact(name, "\(path.summary), as the agent has published it")
            }
            guard let lookup = snapshot.internetLookup(family) else { return Diagnosis.Fact(name, "not looked up") }
            var text = "\(lookup.destination) \(lookup.describe(in: snapshot))"
            if let matched = lookup.matched { text += ", by \(matched.describe(in: snapshot))" }
            if let reason = path.reason { text += ": \(reason.rawValue)" }
            return Diagnosis.Fact(name, text)
        }
    }

    private var targetPaths: [(name: String, address: IPAddress, path: NetlinkPath)] {
        evidence.targets.compactMap { target in
            snapshot.lookups[target.address].map { (target.name, target.address, NetlinkPath($0, in: snapshot)) }
        }
    }

    private var unreachableTargets: [(name: String, address: IPAddress, path: NetlinkPath)] {
        targetPaths.filter { !$0.path.via.isReachable }
    }

    private var targetFacts: [Diagnosis.Fact] {
        targetPaths.prefix(Self.maximumEntries).map { target in
            let way = target.path.reason?.rawValue ?? target.path.summary
            return Diagnosis.Fact("target", "\(target.name) \(target.address): \(way)")
        }
    }

    private var routeFacts: [Diagnosis.Fact] {
        let routes = snapshot.defaultRoutes
        guard !routes.isEmpty else { return [Diagnosis.Fact("routes", "no default route")] }
        return bounded(
            routes.map { route in
                let family = route.family == .ipv4 ? "" : "-6 "
                return Diagnosis.Fact("route", family + route.describe(in: snapshot))
            }
        )
    }

    /// The rules other than the three default rules of Linux.
    private var ruleFacts: [Diagnosis.Fact] {
        let standard: [UInt32: UInt32] = [0: 255, 32_766: 254, 32_767: 253]
        let rules = snapshot.rules.filter { rule in
            guard let table = standard[rule.priority] else { return true }
            return rule != RoutingRule(family: rule.family, priority: rule.priority, table: table)
        }
        guard !rules.isEmpty else { return [Diagnosis.Fact("rules", "the standard ones")] }
        return bounded(rules.map { Diagnosis.Fact("rule", ($0.family == .ipv6 ? "-6 " : "") + $0.description) })
    }

    private func bounded(_ facts: [Diagnosis.Fact]) -> [Diagnosis.Fact] {
        let rest = facts.count - Self.maximumEntries
        return facts.prefix(Self.maximumEntries) + (rest > 0 ? [Diagnosis.Fact("", "and \(rest) more")] : [])
    }

    private func commands(for reason: ReasonCode) -> [String] {
        switch reason {
        // A route of type local is in a table of that name, which `ip route` does not show.
        case .leadsNowhere: ["ip route show table all default", "ip rule", "ip -6 rule"]
        case .routeUnreachable: ["ip route show table all type unreachable", "ip rule", "ip -6 rule"]
        case .routeBlackhole: ["ip route show table all type blackhole", "ip rule", "ip -6 rule"]
        case .routeProhibited: ["ip route show table all type prohibit", "ip rule", "ip -6 rule"]
        default: ["ip route", "ip -6 route", "ip rule", "ip -6 rule", "# the log of the network manager"]
        }
    }
}

// MARK: - Next hop

extension KernelEvidence {
    var nextHop: Diagnosis.Section {
        let used = paths.filter { $0.path.via.isReachable }
        guard !used.isEmpty else { return Diagnosis.Section(.nextHop, .notChecked, "there is no usable path") }
        let routers = used.compactMap { _, path in path.gateway.map { (path.interface, $0) } }
        let facts = evidence.neighbours.sorted { Self.name($0.key, snapshot) < Self.name($1.key, snapshot) }.map {
            Diagnosis.Fact(Self.name($0.key, snapshot), Self.text($0.value, $0.key.gateway?.family))
        }
        guard !routers.isEmpty else {
            return Diagnosis.Section(
                .nextHop,
                .ok,
                "the path has no router: the destination is on the link",
                facts: facts
            )
        }
        let states = routers.map { interface, gateway in
            (interface, gateway, evidence.neighbours[NextHop(interfaceIndex: interface?.index, gateway: gateway)])
        }
        let failed = states.filter { $0.2 == .failed || $0.2 == .resolving }
        guard let (interface, gateway, neighbour) = failed.first(where: { $0.2 == .failed }) ?? failed.first else {
            let known = states.filter { $0.2 != nil }
            guard !known.isEmpty else {
                return Diagnosis.Section(.nextHop, .notChecked, Diagnosis.outOfTime, facts: facts)
            }
            let names = states.map { "\($0.1)" }.joined(separator: " and ")
            let verb = states.count == 1 ? "has" : "have"
            return Diagnosis.Section(.nextHop, .ok, "\(names) \(verb) not failed", facts: facts)
        }
        // The kernel asks again for a router that has failed, which is resolving meanwhile; and that another one has not
        // failed is no answer of it, unlike a recent confirmation.
        let isSilent = evidence.isSilent && !states.contains { $0.2 == .reachable }
        let isDead = neighbour == .failed || evidence.hasSilentChecks
        let isBroken = isSilent || (isDead && failed.count == states.count)
        let name = ShellWord.quoted(interface?.name ?? "")
        return Diagnosis.Section(
            .nextHop,
            isBroken ? .error : .warning,
            "the router \(gateway) does not answer on \(interface?.name ?? "its link")",
            code: "host_unreachable",
            next: ["ip neigh show \(gateway) dev \(name)", "ping -c 3 -I \(name) \(gateway)"],
            facts: facts
        )
    }

    private static func name(_ hop: NextHop, _ snapshot: NetlinkMonitor.NetworkSnapshot) -> String {
        let interface = hop.interfaceIndex.map { snapshot.interfaceName($0) } ?? ""
        return "\(hop.gateway.map { "\($0)" } ?? "") \(interface)"
    }

    private static func text(_ state: NeighbourState, _ family: AddressFamily?) -> String {
        switch state {
        case .unknown: "not reported by this kernel"
        case .absent: "no entry: no packet was sent to it recently"
        case .reachable: "confirmed recently"
        case .usable: family == .ipv6 ? "not failed" : "known, not confirmed recently"
        case .resolving: "has not answered yet"
        case .failed: "does not answer"
        }
    }
}

/// A path, as derived from the kernel's replies.
typealias NetlinkPath = Reachability.Path

extension NetlinkPath {
    /// The path in a few words.
    fileprivate var summary: String { AgentEvents.Path(self).summary }
}
