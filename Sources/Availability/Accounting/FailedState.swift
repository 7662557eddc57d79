internal import AgentEvents

/// A state without availability: the common properties of the default path and the uplinks.
struct FailedState: Sendable {
    /// The connectivity: `none`, `local` or `portal`.
    var connectivity: Connectivity
    /// The code of the reason.
    var reason: String?
    /// The probe with that code.
    var probe: String?
    /// The egress interface.
    var interface: String?
    /// The interface of a tunnel's underlay.
    var uplink: String?
    /// The egress interface's kind.
    var kind: String?
    /// The cause of the change; `nil` for a state before the first known change.
    var cause: ChangeCause?
    /// True for the default path.
    var isDefault: Bool
    /// The number of the event.
    var sequence: UInt64
    /// The moment from which on evidence counts if the state is a silence, in microseconds since 1970: its beginning, or the
    /// end of the last suspend in it; `min` for a state before the first known change, about which all that is known is
    /// evidence.
    var since = Int64.min
    /// The beginning, whatever suspends came later.
    var beginning = Int64.min
}

extension Observations {
    /// Attributes a state to a segment.
    ///
    /// - Parameter previous: The attribution of the outage so far: a route or address that disappears after its link
    ///   was lost because of the link.
    func attribution(of failed: FailedState, after previous: Attribution?) -> Attribution {
        let code = failed.reason ?? failed.cause?.code ?? failed.connectivity.rawValue
        if failed.connectivity == .local {
            return silence(
                since: failed.since,
                over: failed.interface,
                uplink: failed.uplink ?? failed.interface,
                isDefault: failed.isDefault,
                code: code
            )
        }
        let subject = failed.connectivity == .portal ? failed.probe : failed.interface
        var attribution = Attribution(
            segment: .undetermined,
            code: code,
            interface: failed.interface,
            evidence: [Evidence(kind: .reason, code: code, subject: subject, sequence: failed.sequence)]
        )
        if let cause = failed.cause, cause.code != code {
            let fact = Evidence(kind: .cause, code: cause.code, subject: cause.interface, sequence: failed.sequence)
            attribution.evidence.append(fact)
        }
        if failed.connectivity == .portal {
            attribution.segment = .portal
        } else if let previous, Self.followsLink(code), Self.isLink(previous) {
            attribution = previous
        } else if let segment = Self.segment(of: code, failed) {
            attribution.segment = segment
        } else {
            attribution.missing = [.reason]
        }
        return attribution
    }

    /// Attributes a probe's verdict to a segment.
    ///
    /// - Parameter path: The attribution of the current outage of the path that the probe uses.
    func attribution(of change: ProbeChange, path: Attribution?, sequence: UInt64) -> Attribution {
        let code = change.to.code ?? change.to.verdict
        let interface = change.point.interface
        let kind: Evidence.Kind = change.to.verdict == "portal" ? .reason : .probeDown
        let own = Evidence(kind: kind, code: code, subject: change.point.probe, sequence: sequence)
        var attribution = Attribution(segment: .undetermined, code: code, interface: interface, evidence: [own])
        if change.to.verdict == "portal" {
            attribution.segment = .portal
        } else if change.point.isFirstHop {
            attribution.segment = .firstHop
        } else if let other = otherTarget(than: change.point) {
            attribution.segment = .target
            attribution.evidence.append(other)
        } else if let path, path.segment != .undetermined {
            attribution.segment = path.segment
            attribution.evidence += path.evidence.prefix(Attribution.maximumEvidence - 1)
        } else {
            attribution.missing = [.otherTarget]
        }
        return attribution
    }

    private static func segment(of code: String, _ failed: FailedState) -> Segment? {
        if failed.cause?.kind == "neighbour" { return .firstHop }
        switch code {
        case "link_down", "link_dormant":
            switch failed.kind {
            case "wifi": return .wifi
            case "wwan": return .modem
            default: return .machine
            }
        case "no_address", "address_tentative", "leads_nowhere", "no_route", "route_unreachable", "route_blackhole",
            "route_prohibited", "lookup_failed":
            return .machine
        default: return nil
        }
    }

    private static func followsLink(_ code: String) -> Bool { code == "no_route" || code == "no_address" }

    private static func isLink(_ attribution: Attribution) -> Bool {
        attribution.code == "link_down" || attribution.code == "link_dormant"
    }
}
