extension AgentStatus {
    /// The meaning and the remedy of a check's code, each a sentence with commands in backticks.
    public typealias Explanation = (_ code: String) -> (meaning: String, remedy: String)?

    /// The most important problem and the first thing to do about it; `nil` if there is no problem, or nothing is
    /// known.
    ///
    /// - Parameter explain: Returns the meaning of a check's code, which this module does not know.
    public func advice(explaining explain: Explanation = { _ in nil }) -> Advice? {
        guard let state = reachability.state, state.via != .unknown else { return nil }
        if let alternative = state.alternative { return advice(on: alternative, of: state) }
        guard state.isReachable else { return advice(onLossOf: state.path, code: state.reason) }
        return advice(onConnectivityOf: state, explain) ?? adviceOnUplinks(explain) ?? adviceOnTargets()
            ?? adviceOnMissingProbes(state) ?? adviceOnCertificates()
    }

    // MARK: Uplinks

    /// Returns the remedies for a preferred path that is dead while another uplink works.
    private func advice(on alternative: ReachabilityState.Alternative, of state: ReachabilityState) -> Advice {
        let (dead, working) = (alternative.preferred, alternative.interface)
        let paths = [("ipv4", state.path.ipv4), ("ipv6", state.path.ipv6)].compactMap { family, path in
            path.map { (family: family, path: $0) }
        }
        .filter { $0.path.interface == dead || $0.path.underlay?.interface == dead }
        let why =
            paths.lazy.compactMap { [interfaces] _, path in
                path.reason.flatMap { PathReason($0, of: path, among: interfaces)?.problem }
            }
            .first ?? "nothing beyond it answers"
        let takeDown: ShellCommand = "ip link set \(dead) down"
        let problem = "the kernel prefers \(dead), which is dead (\(why)), while \(working) works"
        if let additions = missingRoutes(over: working, beside: paths) {
            let all = additions.reduce("\(change: takeDown)" as Advice.Action) { "\($0), \(change: $1)" }
            return Advice(
                code: alternative.code,
                problem: problem,
                action: "Take it down, and add a default route over \(working) to the main table: \(all)."
            )
        }
        var action: Advice.Action = "Take it down: \(change: takeDown)."
        // The kernel can be configured to skip routes whose interface has no carrier.
        let skipped = paths.filter { $0.path.reason == "link_down" }
            .map { "net/\($0.family)/conf/\(dead)/ignore_routes_with_linkdown=1" }
        if let first = skipped.first {
            let sysctl: ShellCommand = skipped.count > 1 ? "sysctl \(first) \(skipped[1])" : "sysctl \(first)"
            action = action + "Or let the kernel skip it: \(change: sysctl)."
        }
        // The route to beat is that of the tunnel, if the dead interface carries one.
        let preferences = paths.compactMap { family, path in
            preferring(working, to: path.interface ?? dead, family: family)
        }
        if let first = preferences.first {
            let all: Advice.Action =
                preferences.count > 1 ? "\(change: first), \(change: preferences[1])" : "\(change: first)"
            action = action + "Or prefer \(working): \(all)."
        }
        return Advice(code: alternative.code, problem: problem, action: action)
    }

    /// Returns the commands that copy the default routes of an uplink into the main table; `nil` if the kernel may change
    /// to the uplink without them.
    ///
    /// Only probes, whose packets are bound to the uplink, prove that it works, and its routes are in tables to which
    /// perhaps no rule leads other packets: those for a source address, a mark or a VRF.
    private func missingRoutes(
        over working: String,
        beside paths: [(family: String, path: Path)]
    ) -> [ShellCommand]? {
        guard uplinks.contains(where: { $0.interface == working && $0.connectivity != .unknown }) else { return nil }
        let routes = paths.compactMap { family, path in
            defaultRoute(over: working, family: family).map { (found: $0, dead: path.table) }
        }
        guard !routes.isEmpty, routes.allSatisfy({ ![Self.mainTable, $1].contains($0.route.table) }) else { return nil }
        return routes.map { Self.command("add", $0.found, over: working) }
    }

    /// Returns the command that gives the default route of an uplink a lower metric than that of another one; `nil` if
    /// not both are in the main table, where the metric decides.
    private func preferring(_ working: String, to dead: String, family: String) -> ShellCommand? {
        guard let better = defaultRoute(over: working, family: family), better.route.table == Self.mainTable,
            let worse = defaultRoute(over: dead, family: family), worse.route.table == Self.mainTable,
            worse.route.metric > 0
        else { return nil }
        return Self.command("replace", better, over: working, metric: worse.route.metric - 1)
    }

    /// Returns the command that adds a default route to the main table, or replaces it.
    private static func command(
        _ verb: String,
        _ found: (route: DefaultRoute, hop: DefaultRoute.NextHop),
        over interface: String,
        metric: UInt32? = nil
    ) -> ShellCommand {
        let isIPv4 = found.route.family == "ipv4"
        let gateway = found.hop.gateway.map { address in
            // IPv4 through an IPv6 router (RFC 5549).
            (isIPv4 && address.contains(":") ? ["via", "inet6"] : ["via"]) + [address]
        }
        // Without it the kernel rejects a router that is in no prefix of the interface.
        let onLink = found.hop.isOnLink ? ["onlink"] : []
        let source = found.route.source.map { ["src", $0] }
        let rank = metric.map { ["metric", String($0)] }
        return ShellCommand(
            words: ["ip", isIPv4 ? "-4" : "-6", "route", verb, "default"] + (gateway ?? [])
                + ["dev", interface] + onLink + (source ?? []) + (rank ?? [])
        )
    }

    /// Returns the advice on a standby uplink that would not work, else on one that this machine could not check.
    private func adviceOnUplinks(_ explain: Explanation) -> Advice? {
        let standby = uplinks.filter { !$0.isUsed && !$0.isBoundOnly }
        // A reason that the used uplinks share, such as a dead resolver, is not the fault of one of the others.
        let shared = Set(uplinks.filter(\.isUsed).compactMap(\.reason?.code))
        let broken = standby.first { uplink in
            ![.full, .unknown].contains(uplink.connectivity) && uplink.reason.map { shared.contains($0.code) } != true
        }
        guard let broken else {
            return adviceOnUnchecked(standby, explain)
        }
        let name = broken.interface
        let code = broken.reason?.code ?? broken.connectivity.rawValue
        let found = broken.reason.flatMap { reason in
            PathReason(reason.code, of: name, among: interfaces)?.advice ?? advice(on: reason, over: name, explain)
        }
        return Advice(
            code: code,
            problem: "the standby uplink \(name) does not work" + (found.map { ": \($0.problem)" } ?? ""),
            action: found?.action ?? "\(command: "reachagent status uplinks") has the details."
        )
    }

    /// The codes of checks that fail on this machine until an operator repairs it, unlike a budget that is used up.
    private static let lastingFaults: Set<String> = ["local_firewall", "no_route", "reverse_path_filter"]

    private func adviceOnUnchecked(_ standby: [Uplink], _ explain: Explanation) -> Advice? {
        let unchecked = standby.first { uplink in
            uplink.connectivity == .unknown && uplink.reason.map { Self.lastingFaults.contains($0.code) } == true
        }
        guard let unchecked, let reason = unchecked.reason,
            var found = advice(on: reason, over: unchecked.interface, explain)
        else { return nil }
        found.problem = "the standby uplink \(unchecked.interface) could not be checked: \(found.problem)"
        return found
    }

    // MARK: Paths

    private func advice(onLossOf paths: ReachabilityState.Paths, code: String?) -> Advice? {
        guard let code = paths.overall.reason ?? code else { return nil }
        return (PathReason(code, of: paths, among: interfaces) ?? .unknown(code)).advice
    }

    private func adviceOnTargets() -> Advice? {
        for target in targets {
            guard let state = target.settled.state, state.via == .none else { continue }
            let found = advice(onLossOf: state.path, code: state.reason)
            return Advice(
                code: found?.code ?? "no_route",
                problem: "the target \(target.name) has no path" + (found.map { ": \($0.problem)" } ?? ""),
                action: state.address.map { "\(command: "reachagent route \($0)") says why." } ?? found?.action
                    ?? "`reachagent interfaces` shows what is missing."
            )
        }
        return nil
    }

    // MARK: Probes

    private func adviceOnMissingProbes(_ state: ReachabilityState) -> Advice? {
        guard probes.isEmpty, state.connectivity == .unknown else { return nil }
        return Advice(
            code: ProblemCode.noProbeConfigured.rawValue,
            problem: "no probe is configured: whether anything answers is not checked",
            // An agent that reads no file cannot be given one while it runs.
            action: readsNoConfiguration
                ? "It was started with '--no-config': start it with '--config' or '--probe'."
                : "Write a configuration with two: `reachagent config init`."
        )
    }

    private func adviceOnCertificates() -> Advice? {
        let soon = probes.compactMap { probe -> (name: String, days: Int)? in
            guard let certificate = probe.certificate, certificate.isExpiring else { return nil }
            return certificate.daysLeft.map { (probe.probe, $0) }
        }
        guard let first = soon.min(by: { $0.days < $1.days }) else { return nil }
        let when = first.days < 0 ? "has expired" : first.days == 0 ? "expires today" : "expires in \(first.days) d"
        return Advice(
            code: ProblemCode.certificateExpiring.rawValue,
            problem: "the certificate that \(first.name) checks \(when)",
            action: "Renew it, and make the server load the new one."
        )
    }
}

extension AgentStatus {
    /// The number of the table `main`.
    private static let mainTable: UInt32 = 254

    /// Returns the default route of an interface, and its next hop: the main table first, then the lowest metric.
    ///
    /// - Parameter family: `ipv4` or `ipv6`; `nil` for IPv4, or IPv6 if there is none.
    package func defaultRoute(
        over interface: String,
        family: String? = nil
    ) -> (route: DefaultRoute, hop: DefaultRoute.NextHop)? {
        let found = defaultRoutes.compactMap { route in
            route.nexthops.first { $0.interface == interface }.map { (route: route, hop: $0) }
        }
        func rank(_ route: DefaultRoute) -> (Int, Int, UInt32) {
            (route.family == "ipv4" ? 0 : 1, route.table == Self.mainTable ? 0 : 1, route.metric)
        }
        return found.filter { family == nil || $0.route.family == family }
            .min { rank($0.route) < rank($1.route) }
    }
}
