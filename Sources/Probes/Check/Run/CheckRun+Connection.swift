internal import CheckResults
internal import NIOCore
internal import NIOSSL

extension CheckRun {
    /// Looks a host up and connects to it; `connected` is called once, or never on failure.
    func connect(to endpoint: Probe.Endpoint, then connected: @escaping (any Channel) -> Void) {
        let awaited: Set<HostAddress.Family>
        if case .name = endpoint.host {
            awaited = Set(HostAddress.Family.allCases.filter { probe.families.includes($0) })
        } else {
            awaited = []
        }
        let race = AddressRace(
            on: loop,
            order: HappyEyeballs(awaiting: awaited, maximum: probe.limits.addresses),
            port: endpoint.port,
            interface: probe.interface,
            epoch: epoch,
            meter: meter,
            transfer: probe.transfer
        )
        self.race = race
        race.start(onFirstAttempt: { [self] in recorder.begin(.connect) }) { [self] outcome in
            switch outcome {
            case .connected(let channel, let address):
                use(channel, address: address, port: endpoint.port)
                connected(channel)
            case .failed(let finding): fail(race.hasBegun ? finding : resolvingFailure(endpoint.host) ?? finding)
            }
        }
        resolve(endpoint.host) { family, addresses in race.add(addresses, of: family) }
    }

    /// Looks a host up in each family; an address needs no lookup and has no phase.
    ///
    /// The handler is called once for each requested family, without addresses when its lookup failed; an address of a
    /// family that may not be used fails the check.
    func resolve(_ host: ServerIdentity, answered: @escaping (HostAddress.Family, [HostAddress]) -> Void) {
        switch host {
        case .address(let bytes):
            guard let address = HostAddress(bytes: bytes), probe.families.includes(address.family) else {
                return fail(
                    .dnsNoAddress,
                    subject: host.description,
                    evidence: "the address is not of the wanted family \(probe.families.rawValue)"
                )
            }
            answered(address.family, [address])
        case .name(let name):
            recorder.begin(.resolve)
            hop.lookedUpName = name
            let start = NIODeadline.now()
            for family in HostAddress.Family.allCases where probe.families.includes(family) {
                meter.count(onWire: WireOverhead.lookup(name: name))
            }
            let lookup = NameLookup(on: gate)
            self.lookup = lookup
            lookup.start(name, families: probe.families, resolver: services.resolver) { [self] family, answer in
                var report = LookupReport(
                    family: family,
                    start: Duration(start - epoch),
                    duration: Duration(.now() - start)
                )
                switch answer {
                case .success(let addresses):
                    report.addresses = addresses.map(\.description)
                    hop.lookups.append(report)
                    answered(family, addresses)
                case .failure(let failure):
                    report.failure = Finding(failure.code, subject: name, evidence: failure.reason)
                    hop.lookups.append(report)
                    lookupFailures.append(failure)
                    answered(family, [])
                }
            }
        }
    }

    /// Returns the reason a host has no address: a failure of this machine takes precedence over one of the name.
    func resolvingFailure(_ host: ServerIdentity) -> Finding? {
        let failure =
            lookupFailures.first { $0.code.isLocalFault } ?? lookupFailures.first { $0.code == .dnsNoAddress }
            ?? lookupFailures.first
        return failure.map { Finding($0.code, subject: host.description, evidence: $0.reason) }
    }

    /// Closes the connection at once: over TLS the closure alert is sent, and the server's is not awaited.
    ///
    /// The TLS library would wait for seconds, long after the deadline, and keep the descriptor and the check.
    func closeConnection() {
        guard let channel else { return }
        guard let tls = try? channel.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self),
            let handler = tls.handler as? NIOSSLClientHandler
        else { return channel.close(promise: nil) }
        handler.close(context: tls, mode: .output, promise: nil)
        // The handler may be our caller, and must finish first.
        loop.assumeIsolated().execute { tls.close(promise: nil) }
    }

    private func use(_ channel: any Channel, address: HostAddress, port: UInt16) {
        recorder.end()
        self.channel = channel
        hop.peerAddress = address.description(port: port)
        if let local = channel.localAddress, let own = HostAddress(local) {
            hop.localAddress = own.description(port: UInt16(clamping: local.port ?? 0))
            hop.interface = probe.interface ?? services.interfaces.name(of: own.bytes)
        }
        // An address that failed while another one connected is worth a warning: some clients try only the first.
        for attempt in race?.reports ?? [] {
            if let failure = attempt.failure, !failure.code.isLocalFault {
                findings.append(
                    Finding(failure.code, .warning, subject: failure.subject, evidence: failure.evidence)
                )
            }
        }
    }
}
