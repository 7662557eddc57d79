internal import Configuration
internal import ForeignText
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// The checks, their vantages, and the costs of the links: the settings and the network's portals put together.
struct ConnectivityPlan: Sendable {
    /// The time between two queries of a network that reports that it is not captive.
    private static let portalInterval: Duration = .seconds(300)

    /// The settings of the configuration.
    let settings: Settings
    /// `true` if the next hops of uplinks are checked.
    let checksFirstHops: Bool
    /// The portals that the networks announce.
    let portals: [NetworkPortal]
    private let definitions: [String: ProbeDefinition]
    private let rules: [ProbeRule]
    private let portalProbes: Set<String>
    /// The addresses of the probes whose target is one.
    let addresses: [String: IPAddress]
    /// The identities of the transfers, by the names of their probes.
    let transfers: [String: String]
    /// `true` if the connectivity depends on a probe; it never does on a transfer.
    let hasRequiredProbes: Bool

    init(_ settings: Settings, portals: [NetworkPortal] = []) {
        self.settings = settings
        // A reload may turn the queries off, or remove the last probe, while a network announces a portal.
        let portals = settings.portal.asksNetwork && !settings.probes.isEmpty ? portals : []
        self.portals = portals
        let asked = portals.compactMap { Self.definition($0, settings) }
        // Only if a probe is configured, as for portals.
        checksFirstHops = settings.checksFirstHops && !settings.probes.isEmpty
        let firstHop = checksFirstHops ? FirstHop.definition : nil
        let all = settings.probes + asked + [firstHop].compactMap(\.self)
        definitions = Dictionary(all.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
        rules = all.map { definition in
            var rule = definition.rule
            // Not the identity, which may hold secrets: rules are written into recordings.
            rule.check = UInt32(truncatingIfNeeded: definition.identity.hashValue)
            return rule
        }
        portalProbes = Set(asked.map(\.name))
        addresses = definitions.compactMapValues(\.probe.address)
        transfers = definitions.compactMapValues { $0.probe.transfer == nil ? nil : $0.identity }
        hasRequiredProbes = settings.probes.contains { $0.rule.isRequired && $0.probe.transfer == nil }
    }

    /// The check that asks a network whether it is captive (RFC 8908).
    private static func definition(_ portal: NetworkPortal, _ settings: Settings) -> ProbeDefinition? {
        guard case .api(let uri) = portal.uri, let probe = try? PortalAPI.probe(for: uri) else { return nil }
        let name = "portal-api.\(portal.interface)"
        return ProbeDefinition(
            name: name,
            probe: probe,
            identity: "portal-api \(uri)",
            pace: ProbePace(interval: portalInterval, portalInterval: settings.portal.recheck),
            rule: ProbeRule(
                name: name,
                isRequired: false,
                isPortalCheck: true,
                interfaces: portal.isUsed ? .default : .matching([portal.interface]),
                families: .any
            )
        )
    }

    /// `true` if the networks are queried, which needs a configured probe.
    var asksNetworks: Bool { settings.portal.asksNetwork && !settings.probes.isEmpty }

    /// The configuration of the state machine.
    var machineConfiguration: MachineConfiguration {
        MachineConfiguration(
            settle: settings.settle,
            targets: settings.targets,
            probes: rules,
            quorum: settings.quorum
        )
    }

    /// The name of the probe that a client has named; `nil` when there is no such probe.
    func probe(named name: ForeignText) -> String? { definitions.keys.first { name == $0 } }

    /// Returns whether a probe's checks are transfers.
    func hasTransfers(_ probe: String) -> Bool { definitions[probe]?.probe.transfer != nil }

    /// Returns the throughput that is configured as good for a probe's transfers, in bits per second.
    func goodRate(of probe: String) -> Double? { definitions[probe]?.rule.transfer?.throughput?.good }

    /// Returns whether a point's checks are transfers.
    func isTransfer(_ point: ProbePoint) -> Bool { definitions[point.probe]?.probe.transfer != nil }

    /// Returns whether a point's checks begin with a lookup of a name, and must be repeated when name servers change;
    /// transfers need not, because they begin long after the change of a path.
    func looksUpName(_ point: ProbePoint) -> Bool {
        definitions[point.probe].map { $0.probe.looksUpName && $0.probe.transfer == nil } ?? false
    }

    /// Returns a check's evidence of a captive portal; `nil` where the check was not made for that.
    func evidence(in check: CompletedCheck) -> PortalEvidence? {
        guard let definition = definitions[check.point.probe], definition.rule.isPortalCheck else { return nil }
        if portalProbes.contains(definition.name) { return PortalAPI.evidence(in: check.report) }
        let expectsBody = !definition.probe.expectations.bodyExpectations.isEmpty
        var evidence = PortalJudge.evidence(in: check.report, expectsBody: expectsBody)
        if evidence.verdict == .portal {
            // The network's own portal takes precedence over a redirect by another host on the path.
            let interface = check.point.vantage.interface
            let named = portals.filter { interface == nil ? $0.isUsed : $0.interface == interface }
            evidence.url = named.lazy.compactMap(\.page).first ?? evidence.url
        }
        return evidence
    }

    /// The schedule for these points; a point of a probe that is gone, and a next hop without an address, are left out.
    ///
    /// - Parameters:
    ///   - costs: The cost of each vantage.
    ///   - lookups: The cost of each point whose target is an address with a lookup of its own.
    ///   - nextHops: The addresses of the points of the check of next hops.
    ///   - doubted: Returns the instant before which nothing is evidence about a next hop; `nil` for none.
    func schedule(
        _ points: [ProbePoint],
        costs: [Vantage: LinkCost],
        lookups: [ProbePoint: LinkCost] = [:],
        nextHops: [ProbePoint: IPAddress],
        doubted: @escaping @Sendable (ProbePoint) -> ContinuousClock.Instant? = { _ in nil }
    ) -> [ScheduledProbe] {
        points.compactMap { point in
            guard let definition = definitions[point.probe] else { return nil }
            if point.probe == ProbeRule.firstHopName {
                guard let nextHop = nextHops[point] else { return nil }
                var scheduled = FirstHop.probe(definition, at: point, of: nextHop, doubted: doubted)
                scheduled?.cost = costs[point.vantage] ?? .free
                return scheduled
            }
            var probe = definition.probe
            probe.interface = point.vantage.interface
            if point.vantage.families != .any { probe.families = point.vantage.families }
            return ScheduledProbe(
                point: point,
                probe: probe,
                identity: definition.identity,
                pace: definition.pace,
                cost: lookups[point] ?? costs[point.vantage] ?? .free
            )
        }
    }
}

/// A network's announcement of its captive portal (RFC 8910), as systemd-networkd recorded it.
struct NetworkPortal: Sendable, Hashable {
    /// The uplink.
    let interface: String
    /// `true` if the default path leads through it.
    let isUsed: Bool
    /// The announcement.
    let uri: PortalURI

    /// Returns the announcements of the networks behind these uplinks; networks without one are left out.
    static func advertised(behind uplinks: [Uplink]) -> [NetworkPortal] {
        uplinks.compactMap { uplink in
            guard let uri = NetworkdPortal.uri(interfaceIndex: Int(uplink.interface.index)) else { return nil }
            return NetworkPortal(interface: uplink.interface.name, isUsed: uplink.isUsed, uri: uri)
        }
    }

    /// The page for the user, if the network announces one.
    var page: String? {
        guard case .userPage(let url) = uri else { return nil }
        return url
    }
}
