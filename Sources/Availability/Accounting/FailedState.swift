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
    /// The underlay of a tunnel, if known.
    var underlay: Path.Underlay?
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

    /// The interface on the link to the first hop, where it is not the egress interface.
    var uplink: String? { underlay?.interface }
    /// True for a tunnel that was lost with its underlay.
    var lacksUnderlay: Bool { connectivity == .none && reason == "underlay_down" }
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
        } else if failed.cause?.kind == "neighbour" {
            attribution.segment = .firstHop
        } else if let segment = Self.segment(of: code, kind: failed.kind) {
            attribution.segment = segment
        } else if failed.lacksUnderlay, let underlay = failed.underlay, let loss = loss(of: underlay) {
            attribution.segment = loss.segment
            if let evidence = loss.evidence { attribution.evidence.append(evidence) }
        } else {
            attribution.missing = [.reason]
        }
        return attribution
    }

    /// Attributes a probe's verdict to a segment.
    ///
    /// - Parameters:
    ///   - path: The attribution of the current outage of the path that the probe uses.
    ///   - targets: The targets that are up.
    func attribution(
        of change: ProbeChange,
        path: Attribution?,
        targets: TargetsUp,
        sequence: UInt64
    ) -> Attribution {
        let code = change.to.code ?? change.to.verdict
        let interface = change.point.interface
        let kind: Evidence.Kind = change.to.verdict == "portal" ? .reason : .probeDown
        let own = Evidence(kind: kind, code: code, subject: change.point.probe, sequence: sequence)
        var attribution = Attribution(segment: .undetermined, code: code, interface: interface, evidence: [own])
        if change.to.verdict == "portal" {
            attribution.segment = .portal
        } else if change.point.isFirstHop {
            attribution.segment = .firstHop
        } else if let other = targets.other(than: change.point) {
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

    /// Attributes the loss of a tunnel's underlay, if that is certain.
    ///
    /// Its link may be down, or its address or route be missing: all of them are this machine's, except for the link of a
    /// Wi-Fi or a modem, whose own state as an uplink says which it is.
    private func loss(of underlay: Path.Underlay) -> (segment: Segment, evidence: Evidence?)? {
        guard let interface = underlay.interface, underlay.kind == "wifi" || underlay.kind == "wwan" else {
            return (.machine, nil)
        }
        // An uplink that has lost its default route is none, whatever happens to its link later.
        guard let uplink = uplinks[interface], uplink.connectivity == .none, let code = uplink.reason,
            code != "no_route", let segment = Self.segment(of: code, kind: underlay.kind)
        else { return nil }
        return (segment, Evidence(kind: .reason, code: code, subject: interface, sequence: uplink.sequence))
    }

    private static func segment(of code: String, kind: String?) -> Segment? {
        switch code {
        case "link_down", "link_dormant":
            switch kind {
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
        // The links of an underlay among them.
        attribution.code == "link_down" || attribution.code == "link_dormant" || attribution.segment == .wifi
            || attribution.segment == .modem
    }
}
