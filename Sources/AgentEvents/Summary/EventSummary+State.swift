extension EventSummary {
    /// Creates the headline of a path, of the machine or of a target: only the changes.
    init(_ change: StateChange, of subject: String) {
        let (from, to) = (change.from, change.to)
        var parts: [String] = []
        let path = Self.path(from, to)
        if let path { parts.append(path) }
        if to.isReachable, let connectivity = Self.connectivity(from, to) { parts.append(connectivity) }
        if from.isFlapping != to.isFlapping { parts.append(to.isFlapping ? "flapping" : "no longer flapping") }
        let alternative = Self.alternative(from, to, isNewPath: path != nil && to.isReachable)
        if parts.isEmpty, alternative == nil { parts.append(contentsOf: Self.particulars(from, to)) }
        if parts.isEmpty, alternative == nil { parts.append(to.summary) }
        if path == nil, to.isReachable, let last = parts.popLast() { parts.append("\(last) over \(to.pathSummary)") }
        if let alternative { parts.append(alternative) }
        // By bytes, because a URL may be long.
        let isSamePortal = (from.portalURL ?? "").utf8.elementsEqual((to.portalURL ?? "").utf8)
        let portal = isSamePortal ? nil : to.portalURL.map { "log in at \($0)" }
        self.init(
            subject: subject,
            headline: Self.adding(change.cause, to: parts.joined(separator: ", ")),
            detail: [change.cause.detail, portal].compactMap(\.self).joined(separator: "; "),
            tone: Tone(from: from.worth, to: to.worth)
        )
    }

    /// Returns `wifi wlan0 → none (link_down)`, `IPv4+IPv6 → IPv4`; `nil` if the path is unchanged.
    private static func path(_ from: ReachabilityState, _ to: ReachabilityState) -> String? {
        let before = from.isReachable ? from.pathSummary : from.via == .unknown ? nil : from.via.rawValue
        guard to.isReachable else {
            guard from.isReachable || from.via != to.via || reason(from) != reason(to) else { return nil }
            let names = Set(before?.split(separator: " ").map(String.init) ?? [])
            let interface = to.path.interface.flatMap { names.contains($0) ? nil : $0 }
            let after = to.via.rawValue + SummaryText.because(reason(to), interface)
            return before.map { from.isReachable ? "\($0) → \(after)" : after } ?? after
        }
        let (families, after) = (to.commonFamilies, to.pathSummary)
        guard before == after else {
            let end = families.isEmpty ? after : "\(after) \(families)"
            return before.map { "\($0) → \(end)" } ?? end
        }
        let familiesBefore = from.commonFamilies
        return familiesBefore == families ? nil : "\(familiesBefore) → \(families)"
    }

    /// Returns `wwan0 works (preferred_path_dead)`, or the certain part of why there is no alternative any more; `nil` if
    /// the alternative is unchanged, or a new path shows why.
    private static func alternative(_ from: ReachabilityState, _ to: ReachabilityState, isNewPath: Bool) -> String? {
        guard to.alternative != from.alternative else { return nil }
        if let alternative = to.alternative { return "\(alternative.interface) works (\(alternative.code))" }
        guard let former = from.alternative else { return nil }
        if hasRecovered(former.preferred, from, to) { return "the preferred path works again" }
        return isNewPath ? nil : "\(former.interface) is no longer an alternative"
    }

    /// Returns whether a path that was dead certainly works again: something answers, and all packets take that path.
    private static func hasRecovered(
        _ preferred: String,
        _ from: ReachabilityState,
        _ to: ReachabilityState
    ) -> Bool {
        guard to.isReachable, to.connectivity == .full || to.connectivity == .partial else { return false }
        return [to.path.overall, to.path.ipv4, to.path.ipv6].compactMap(\.self).filter(\.via.isReachable)
            .allSatisfy { path in
                path.interface == from.path.interface
                    && (path.interface == preferred || path.underlay?.interface == preferred)
            }
    }

    /// Returns `full → partial (tls_expired web)`; `nil` if nothing is known, or nothing changed.
    private static func connectivity(_ from: ReachabilityState, _ to: ReachabilityState) -> String? {
        guard let after = to.connectivity else { return nil }
        let because = SummaryText.because(to.connectivityReason, to.connectivityProbe)
        let before = from.isReachable ? from.connectivity : nil
        if let before, before != after {
            return before == .unknown ? "\(after)\(because)" : "\(before) → \(after)\(because)"
        }
        let isNew =
            before == nil || from.connectivityReason != to.connectivityReason
            || from.connectivityProbe != to.connectivityProbe
        guard isNew, after != .unknown || to.connectivityReason != nil else { return nil }
        return "\(after)\(because)"
    }

    /// Returns the other differences, for each family that differs: `IPv4 gateway 192.0.2.1 → 192.0.2.254`.
    private static func particulars(_ from: ReachabilityState, _ to: ReachabilityState) -> [String] {
        let families = [(from.path.ipv4, to.path.ipv4, "IPv4 "), (from.path.ipv6, to.path.ipv6, "IPv6 ")]
        let pairs = families.compactMap { from, to, name in from.flatMap { from in to.map { (from, $0, name) } } }
        let compared = pairs.isEmpty ? [(from.path.overall, to.path.overall, "")] : pairs
        return compared.flatMap { from, to, name -> [String] in
            let members: [(String, String?, String?)] = [
                ("gateway", from.gateway, to.gateway), ("source", from.source, to.source),
                ("route", from.prefix, to.prefix), ("metric", from.metric.map { "\($0)" }, to.metric.map { "\($0)" }),
                ("table", from.table.map { "\($0)" }, to.table.map { "\($0)" }), ("reason", from.reason, to.reason),
            ]
            return members.filter { $0.1 != $0.2 }
                .map { "\(name)\($0.0) \($0.1 ?? "none") → \($0.2 ?? "none")" }
        }
    }

    private static func reason(_ state: ReachabilityState) -> String? { state.path.reason ?? state.reason }
}

extension EventSummary.Tone {
    /// Creates the tone of a change between two worths; an unknown one is neither a loss nor a recovery.
    init(from: Int?, to: Int?) {
        guard let from, let to, from != to else {
            self = .neutral
            return
        }
        self = to < from ? .loss : .recovery
    }
}

extension ReachabilityState {
    /// The rank of the reachable part of the network; `nil` before the kernel has answered.
    package var worth: Int? {
        guard via != .unknown else { return nil }
        return isReachable ? connectivity?.worth ?? Connectivity.full.worth : 0
    }
}

extension Connectivity {
    /// The rank of the reachable part of the network; an unknown connectivity counts as full, because no probe
    /// contradicts it.
    package var worth: Int {
        switch self {
        case .none: 0
        case .local: 1
        case .portal: 2
        case .partial: 3
        default: 4
        }
    }
}
