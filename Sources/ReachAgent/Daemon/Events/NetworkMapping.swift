internal import AgentEvents
internal import NetlinkMonitor

// The kernel's view as values of the schema.

extension AgentEvents.Interface {
    /// All interfaces with everything that is known of them, in order.
    static func all(in snapshot: NetlinkMonitor.NetworkSnapshot) -> [Self] {
        let addresses = snapshot.addressesByInterface
        return snapshot.links.values.map { Self($0, addresses[$0.index] ?? [], in: snapshot) }
    }

    /// All interfaces as a status has them: without evidence and flags.
    static func brief(in snapshot: NetlinkMonitor.NetworkSnapshot) -> [Self] {
        let addresses = snapshot.addressesByInterface
        return snapshot.links.values.map { Self(brief: $0, addresses[$0.index] ?? [], in: snapshot) }
    }

    private init(_ link: Link, _ addresses: [InterfaceAddress], in snapshot: NetlinkMonitor.NetworkSnapshot) {
        self.init(brief: link, addresses, in: snapshot)
        evidence = link.classification.evidence.map { Evidence(source: $0.source.rawValue, value: $0.value) }
        isUp = link.flags.contains(.up)
        isLowerUp = link.flags.contains(.lowerUp)
        operationalState = link.operationalState.description
        hardwareType = link.hardwareType
        driverKind = link.driverKind
        lower = link.lowerIndex.map(snapshot.interfaceName)
        master = link.masterIndex.map(snapshot.interfaceName)
        parent = link.parentDevice
        remote = link.tunnelRemote?.description
    }

    private init(brief link: Link, _ addresses: [InterfaceAddress], in snapshot: NetlinkMonitor.NetworkSnapshot) {
        self.init(
            index: link.index,
            name: link.name,
            kind: link.kind.rawValue,
            isUsable: snapshot.canPassPackets(link),
            state: snapshot.stateDescription(of: link),
            addresses: addresses.map { Address($0) }
        )
        kindIsGuess = link.classification.isGuess
    }
}

extension AgentEvents.Interface.Address {
    fileprivate init(_ address: InterfaceAddress) {
        let marks: [(InterfaceAddress.Flags, String)] = [
            (.tentative, "tentative"), (.duplicateDetected, "dadfailed"), (.deprecated, "deprecated"),
            (.optimistic, "optimistic"),
        ]
        var flags = marks.filter { address.flags.contains($0.0) }.map(\.1)
        // The kernel's bit means "secondary" for IPv4.
        if address.address.family == .ipv6, address.flags.contains(.temporary) { flags.append("temporary") }
        self.init(
            address: address.address.description,
            prefixLength: Int(address.prefixLength),
            isUsable: address.isUsable,
            peer: address.peer?.description,
            flags: flags
        )
    }
}

extension DefaultRoute {
    init(_ route: Route, in snapshot: NetlinkMonitor.NetworkSnapshot) {
        self.init(
            family: route.family.rawValue,
            destination: route.destination.description,
            type: route.type.description,
            table: route.table,
            protocol: route.protocol,
            metric: route.metric,
            source: route.preferredSource?.description,
            nexthopObject: route.nextHopObject,
            nexthops: route.nextHops.map { hop in
                NextHop(
                    interface: hop.interfaceIndex.map(snapshot.interfaceName),
                    gateway: hop.gateway?.description,
                    weight: hop.weight == 1 ? nil : Int(hop.weight),
                    isOnLink: hop.isOnLink
                )
            }
        )
    }
}

extension NetlinkOverrun {
    init(_ overrun: Overrun) {
        self.init(
            code: overrun.code.rawValue,
            detail: overrun.detail,
            dropped: overrun.dropped,
            observed: Timestamp(overrun.observed)
        )
    }
}

extension NetlinkResynchronization {
    /// The maximum number of corrections that one event lists; the count is always complete.
    private static let maximumCorrections = 32

    init(_ resynchronization: Resynchronization) {
        self.init(
            code: resynchronization.code.rawValue,
            attempts: resynchronization.attempts,
            tookMilliseconds: resynchronization.duration.milliseconds,
            corrections: resynchronization.corrections.count,
            corrected: resynchronization.corrections.prefix(Self.maximumCorrections).map { change in
                Correction(
                    code: change.code.rawValue,
                    interface: change.interfaceName,
                    family: change.family?.rawValue,
                    detail: change.detail
                )
            },
            observed: Timestamp(resynchronization.observed)
        )
    }
}
