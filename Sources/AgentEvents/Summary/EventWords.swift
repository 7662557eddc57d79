/// The names and codes that are compared and hashed, which another device may have written.
extension AgentEvent.Content {
    /// The maximum size of a name or code, in bytes: longer ones come from neither the kernel, nor a configuration or agent.
    static let maximumWordBytes = 255

    /// `true` if the names and codes are short: to compare or hash a hostile one costs the square of its length.
    package var hasShortWords: Bool {
        // Each event of a journal passes here: a list of the words would take longer than to look at them.
        switch self {
        case .uplinkChanged(let change):
            Self.areShort(change.from) && Self.areShort(change.to) && Self.areShort(change.cause)
        case .probeChanged(let change):
            Self.areShort(change.point) && Self.areShort(change.from) && Self.areShort(change.to)
                && Self.areShort(change.cause)
        case .probeSummary(let summary): Self.areShort(summary.point)
        case .probeCompleted(let check):
            // A check by hand may have a long URL as its name, which is only shown.
            Self.isShort(check.point.interface) && Self.isShort(check.point.family)
                && Self.isShort(check.report.verdict) && Self.isShort(check.report.code)
        case .probeProgress(let progress):
            Self.isShort(progress.point.interface) && Self.isShort(progress.point.family)
                && Self.isShort(progress.phase)
        case .certificateExpiring(let expiry): Self.isShort(expiry.probe) && Self.isShort(expiry.certificate.sha256)
        case .pathChanged(let change), .reachabilityChanged(let change), .targetChanged(let change):
            Self.areShort(change.from) && Self.areShort(change.to) && Self.areShort(change.cause)
        case .networkSnapshot(let snapshot): Self.areShort(snapshot.state)
        case .hookCompleted(let completion): Self.isShort(completion.ending.outcome)
        case .journalDegraded(let change):
            Self.isShort(change.code) && change.settled.map(Self.areShort) ?? true
        default: true
        }
    }

    private static func isShort(_ word: String?) -> Bool {
        guard let word else { return true }
        return word.utf8.count <= maximumWordBytes
    }

    private static func areShort(_ settled: SettledStates) -> Bool {
        areShort(settled.state) && settled.uplinks.allSatisfy(areShort)
            && settled.probes.allSatisfy { areShort($0.point) && areShort($0.verdict) }
    }

    private static func areShort(_ state: ReachabilityState) -> Bool {
        isShort(state.via.rawValue) && isShort(state.connectivity?.rawValue) && isShort(state.connectivityReason)
            && isShort(state.connectivityProbe) && isShort(state.connectivityByFamily?.ipv4.rawValue)
            && isShort(state.connectivityByFamily?.ipv6.rawValue) && isShort(state.reason)
            && isShort(state.alternative?.code) && isShort(state.alternative?.preferred)
            && isShort(state.alternative?.interface) && areShort(state.path.overall) && areShort(state.path.ipv4)
            && areShort(state.path.ipv6)
    }

    private static func areShort(_ path: Path?) -> Bool {
        guard let path else { return true }
        return isShort(path.via.rawValue) && isShort(path.reason) && isShort(path.interface) && isShort(path.kind)
            && isShort(path.gateway) && isShort(path.source) && isShort(path.prefix)
            && isShort(path.underlay?.interface) && isShort(path.underlay?.kind)
            && path.deadLegs.allSatisfy { isShort($0.interface) }
    }

    private static func areShort(_ uplink: Uplink) -> Bool {
        isShort(uplink.interface) && isShort(uplink.kind) && isShort(uplink.connectivity.rawValue)
            && isShort(uplink.reason?.code) && isShort(uplink.reason?.probe)
    }

    private static func areShort(_ point: ProbePoint) -> Bool {
        isShort(point.probe) && isShort(point.interface) && isShort(point.family)
    }

    private static func areShort(_ verdict: ProbeVerdict) -> Bool { isShort(verdict.verdict) && isShort(verdict.code) }

    private static func areShort(_ cause: ChangeCause) -> Bool {
        isShort(cause.kind) && isShort(cause.code) && isShort(cause.interface)
    }
}
