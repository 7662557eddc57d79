internal import AgentEvents

/// The names and codes in the events that count, which another device may have written.
extension AgentEvent.Content {
    /// The maximum size of a name or code, in bytes: longer ones come from neither the kernel, nor a configuration or agent.
    private static let maximumWordBytes = 255

    /// `true` if the names and codes are short: they are compared and hashed, and hostile ones of another device cost the
    /// square of their length.
    var hasShortWords: Bool {
        let words: [String?] =
            switch self {
            case .uplinkChanged(let change):
                Self.words(of: change.from) + Self.words(of: change.to) + Self.words(of: change.cause)
            case .probeChanged(let change):
                Self.words(of: change.point) + Self.words(of: change.from) + Self.words(of: change.to)
                    + Self.words(of: change.cause)
            case .certificateExpiring(let expiry): [expiry.probe, expiry.certificate.sha256]
            case .reachabilityChanged(let change):
                Self.words(of: change.from) + Self.words(of: change.to) + Self.words(of: change.cause)
            case .journalDegraded(let change):
                change.settled.map { settled in
                    Self.words(of: settled.state)
                        + settled.uplinks.flatMap { Self.words(of: $0) }
                        + settled.probes.flatMap { Self.words(of: $0.point) + Self.words(of: $0.verdict) }
                } ?? []
            default: []
            }
        return words.allSatisfy { $0.map { $0.utf8.count <= Self.maximumWordBytes } ?? true }
    }

    private static func words(of state: ReachabilityState) -> [String?] {
        [
            state.via.rawValue, state.connectivity?.rawValue, state.connectivityReason, state.connectivityProbe,
            state.connectivityByFamily?.ipv4.rawValue, state.connectivityByFamily?.ipv6.rawValue, state.reason,
        ] + [state.path.overall, state.path.ipv4, state.path.ipv6].flatMap(words)
    }

    private static func words(of path: Path?) -> [String?] {
        [
            path?.via.rawValue, path?.reason, path?.interface, path?.kind, path?.underlay?.interface,
            path?.underlay?.kind,
        ]
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
