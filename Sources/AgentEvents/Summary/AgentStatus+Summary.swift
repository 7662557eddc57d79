extension ReachabilityState {
    /// Returns the reachability of the machine as a headline: `PARTIAL over wifi wlan0 (IPv4, IPv6)`, or
    /// `FULL over wwan usb0 (IPv4), wired eth0 (IPv6)`.
    ///
    /// - Parameters:
    ///   - state: The state; `nil` if none is known.
    ///   - kept: Keeps words together on one line.
    package static func answer(_ state: ReachabilityState?, keeping kept: (String) -> String = { $0 }) -> String {
        guard let state, state.via != .unknown else { return "UNKNOWN: the kernel has not answered yet" }
        guard state.isReachable else { return "NOT REACHABLE" }
        let word =
            switch state.connectivity {
            case nil, .unknown?, Connectivity.none?: "REACHABLE"
            case let connectivity?: connectivity.rawValue.uppercased()
            }
        return "\(word) over \(state.paths(keeping: kept))"
    }

    /// Returns the path with its families, or that of each family, with the verdict of the probes for each family if they
    /// differ.
    private func paths(keeping kept: (String) -> String) -> String {
        let differs = connectivityByFamily.map {
            $0.ipv4 != $0.ipv6 && ![$0.ipv4, $0.ipv6].contains { [.unknown, .none].contains($0) }
        }
        let families = usablePaths.map { family, path, beyond in
            (name: kept(family + (differs == true ? beyond.map { " \($0.rawValue)" } ?? "" : "")), path: path)
        }
        guard !isSplit else { return families.map { "\($0.path.summary) (\($0.name))" }.joined(separator: ", ") }
        return path.overall.summary
            + (families.isEmpty ? "" : " (\(families.map(\.name).joined(separator: ", ")))")
    }
}

extension AgentStatus.SettledState {
    /// The moment since which the headline holds, and the milliseconds since then; other changes since then are listed
    /// separately.
    package var answerSince: (moment: Timestamp?, age: Int64?) {
        let path = (moment: viaSince ?? since, age: viaForMilliseconds ?? forMilliseconds)
        let beyond = (moment: connectivitySince, age: connectivityForMilliseconds)
        let isLater = state?.isReachable == true && (beyond.age ?? 0) < (path.age ?? 0)
        return beyond.moment != nil && isLater ? beyond : path
    }
}

extension AgentStatus {
    /// The kinds of interface that could be an uplink, with or without a default route.
    private static let media = ["wired", "wifi", "wwan"]

    /// The uplinks, each with its default route: the active ones, then the standby ones, by metric.
    package var rankedUplinks: [(uplink: Uplink, route: (route: DefaultRoute, hop: DefaultRoute.NextHop)?)] {
        func rank(_ uplink: Uplink, _ metric: UInt32?) -> (Int, UInt32) {
            (uplink.isUsed ? 0 : uplink.isBoundOnly ? 2 : 1, metric ?? .max)
        }
        return uplinks.map { (uplink: $0, route: defaultRoute(over: $0.interface)) }
            .sorted { rank($0.uplink, $0.route?.route.metric) < rank($1.uplink, $1.route?.route.metric) }
    }

    /// The interfaces that could have a default route, but have none.
    package var unusedInterfaces: [Interface] {
        interfaces.filter { interface in
            Self.media.contains(interface.kind) && !uplinks.contains { $0.interface == interface.name }
        }
    }

    /// Returns the path in use of a family that leads through an uplink.
    ///
    /// A path that is not usable is omitted: the uplink may be a standby one by a route of the other family.
    package func path(over uplink: Uplink) -> Path? {
        [reachability.state?.path.ipv4, reachability.state?.path.ipv6].compactMap { $0 }
            .first { $0.interface == uplink.interface && $0.via.isReachable }
    }

    /// Describes the state of an uplink: `full`, `local (connect_timeout)`, `no carrier`.
    package func summary(of uplink: Uplink) -> String {
        if let obstacle = obstacle(of: uplink) { return obstacle }
        guard uplink.connectivity == .unknown else {
            return uplink.connectivity == .full
                ? "full" : "\(uplink.connectivity)" + SummaryText.because(uplink.reason?.code, nil)
        }
        return uplink.reason.map { "not checked (\($0.code))" } ?? (uplink.isUsed ? "up" : "not probed")
    }

    /// Returns the reason that the interface of an uplink passes no packets; `nil` if it passes them.
    package func obstacle(of uplink: Uplink) -> String? {
        interfaces.first { $0.name == uplink.interface }.flatMap(\.obstacle)
    }
}

extension Interface {
    /// The reason that it passes no packets; `nil` if it passes them.
    package var obstacle: String? {
        guard isUsable == false else { return nil }
        guard let state else { return "down" }
        return state == "administratively down" ? "switched off" : state
    }
}

extension Uplink {
    /// `active`, `standby`, or `bound` for an interface without a default route.
    package var role: String { isUsed ? "active" : isBoundOnly ? "bound" : "standby" }
}

extension AgentStatus.ProbeStatus {
    /// `web`, or `web wwan0 IPv6`.
    package var name: String {
        [probe, interface, family.map(SummaryText.familyName)].compactMap { $0 }.joined(separator: " ")
    }
}
