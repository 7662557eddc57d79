/// The names and codes that are compared and hashed, which another device may have written.
extension AgentEvent.Content {
    /// The maximum size of a name or code, in bytes: longer ones come from neither the kernel, nor a configuration or agent.
    static let maximumWordBytes = 255

    /// `true` if the names and codes are short: to compare or hash a hostile one costs the square of its length.
    package var hasShortWords: Bool {
        let words: [String?] =
            switch self {
            case .uplinkChanged(let change):
                Self.words(of: change.from) + Self.words(of: change.to) + Self.words(of: change.cause)
            case .probeChanged(let change):
                Self.words(of: change.point) + Self.words(of: change.from) + Self.words(of: change.to)
                    + Self.words(of: change.cause)
            case .probeSummary(let summary): Self.words(of: summary.point)
            case .probeCompleted(let check):
                // A check by hand may have a long URL as its name, which is only shown.
                [check.point.interface, check.point.family, check.report.verdict, check.report.code]
            case .probeProgress(let progress): [progress.point.interface, progress.point.family, progress.phase]
            case .certificateExpiring(let expiry): [expiry.probe, expiry.certificate.sha256]
            case .pathChanged(let change), .reachabilityChanged(let change), .targetChanged(let change):
                Self.words(of: change.from) + Self.words(of: change.to) + Self.words(of: change.cause)
            case .networkSnapshot(let snapshot): Self.words(of: snapshot.state)
            case .hookCompleted(let completion): [completion.ending.outcome]
            case .journalDegraded(let change): [change.code] + (change.settled.map(Self.words) ?? [])
            default: []
            }
        return words.allSatisfy { $0.map { $0.utf8.count <= Self.maximumWordBytes } ?? true }
    }

    private static func words(of settled: SettledStates) -> [String?] {
        words(of: settled.state) + settled.uplinks.flatMap(words)
            + settled.probes.flatMap { words(of: $0.point) + words(of: $0.verdict) }
    }

    private static func words(of state: ReachabilityState) -> [String?] {
        [
            state.via.rawValue, state.connectivity?.rawValue, state.connectivityReason, state.connectivityProbe,
            state.connectivityByFamily?.ipv4.rawValue, state.connectivityByFamily?.ipv6.rawValue, state.reason,
            state.alternative?.code, state.alternative?.preferred, state.alternative?.interface,
        ] + [state.path.overall, state.path.ipv4, state.path.ipv6].flatMap(words)
    }

    private static func words(of path: Path?) -> [String?] {
        guard let path else { return [] }
        return [
            path.via.rawValue, path.reason, path.interface, path.kind, path.gateway, path.source, path.prefix,
            path.underlay?.interface, path.underlay?.kind,
        ] + path.deadLegs.map(\.interface)
    }

    private static func words(of uplink: Uplink) -> [String?] {
        [
            uplink.interface, uplink.kind, uplink.connectivity.rawValue, uplink.reason?.code, uplink.reason?.probe,
        ]
    }

    private static func words(of point: ProbePoint) -> [String?] { [point.probe, point.interface, point.family] }

    private static func words(of verdict: ProbeVerdict) -> [String?] { [verdict.verdict, verdict.code] }

    private static func words(of cause: ChangeCause) -> [String?] { [cause.kind, cause.code, cause.interface] }
}
