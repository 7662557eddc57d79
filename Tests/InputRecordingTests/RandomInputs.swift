import AgentTestKit
import CheckResults
import FoundationEssentials
import InputRecording
import NetlinkMonitor
import Reachability

/// Inputs of a state machine at random, the same ones for the same seed.
struct RandomInputs {
    private var random: SplitMix
    private var now: ContinuousClock.Instant
    private var wall: Int64 = 1_795_000_000_000_000
    private var snapshot: NetworkSnapshot?
    private let names = ["web", "portal", "dns é\"\\\u{1}"]

    init(seed: UInt64, epoch: ContinuousClock.Instant) {
        random = SplitMix(state: seed)
        now = epoch
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    private mutating func pick<Element>(_ elements: [Element]) -> Element {
        elements[Int.random(in: elements.indices, using: &random)]
    }

    private mutating func maybe<Value>(_ value: Value) -> Value? { chance(50) ? value : nil }

    private mutating func number() -> UInt32 { UInt32.random(in: 0 ... .max, using: &random) }

    /// A moment a little later; the clock of the day may jump.
    mutating func observed() -> ObservedTime {
        let step = Int64.random(in: 0...3_000_000_000, using: &random)
        now = now.advanced(by: .nanoseconds(step))
        wall += chance(2) ? -7_000_000 : step / 1000
        return ObservedTime(instant: now, microsecondsSince1970: wall)
    }

    /// A configuration with probes and targets, or almost nothing.
    mutating func configuration() -> MachineConfiguration {
        var configuration = MachineConfiguration()
        if chance(80) {
            configuration.settle = SettlePolicy(up: duration(), down: pick([.zero, .seconds(1), duration()]))
        }
        configuration.targets = (0..<Int.random(in: 0...2, using: &random)).map {
            Target(name: "target \($0)", address: internet($0 == 0 ? .ipv4 : .ipv6))
        }
        configuration.probes = names.filter { _ in chance(80) }.map { rule($0) }
        configuration.quorum = pick([.all, .atLeast(1), .atLeast(2)])
        return configuration
    }

    private mutating func rule(_ name: String) -> ProbeRule {
        ProbeRule(
            name: name,
            isRequired: chance(80),
            isPortalCheck: name == "portal",
            usesTLS: name == "web",
            fall: Int.random(in: 1...3, using: &random),
            rise: Int.random(in: 1...3, using: &random),
            latency: maybe(DeadBand(good: 0.1, bad: 1234.5678)).flatMap { $0 },
            loss: maybe(DeadBand(good: 10, bad: 1e2 / 3)).flatMap { $0 },
            lossWindow: Int.random(in: 1...20, using: &random),
            transfer: name.hasPrefix("dns") ? maybe(transfer()) : nil,
            interfaces: pick([.default, .each, .matching(["if1", "wwan"])]),
            families: pick(ProbeRule.Families.allCases),
            expiry: ExpiryPolicy(lifetimePercents: [10, 30], days: [1, 7])
        )
    }

    private mutating func transfer() -> TransferRule {
        TransferRule(
            throughput: maybe(ThroughputBand(good: 5e6, bad: 1e6 / 3)).flatMap { $0 },
            addedLatency: maybe(DeadBand(good: 50, bad: 300.5)).flatMap { $0 }
        )
    }

    /// Any duration that a clock may show, to the attosecond.
    private mutating func duration() -> Duration {
        let attoseconds = Int64.random(in: 0..<1_000_000_000_000_000_000, using: &random)
        return Duration(secondsComponent: Int64.random(in: 0...3, using: &random), attosecondsComponent: attoseconds)
    }

    /// The next input; a sample is most often one of a point that the machine wants.
    mutating func next(points: [ProbePoint]) -> InputRecord {
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<30: .update(update(), isCorrection: chance(10))
        case 30..<70: .sample(sample(points))
        case 70..<95: .tick(observed())
        case 95..<98: .resumed(after: duration(), observed: observed())
        case 98: .announcement(configuration(), observed: observed())
        default: .configuration(configuration(), observed: observed())
        }
    }

    // MARK: The kernel's view

    private mutating func update() -> NetworkUpdate {
        let next = view()
        defer { snapshot = next }
        return NetworkUpdate(snapshot: next, changes: snapshot.map { next.diff(from: $0) } ?? [], observed: observed())
    }

    private mutating func view() -> NetworkSnapshot {
        let indices = (1...4).map { UInt32($0) }.filter { _ in chance(75) }
        let links = indices.map { link($0) }
        return NetworkSnapshot(
            links: links,
            addresses: indices.flatMap { [address($0, .ipv4), address($0, .ipv6)] }.filter { _ in chance(80) },
            defaultRoutes: indices.map { route(through: $0) },
            rules: [
                RoutingRule(
                    family: family(),
                    priority: number(),
                    table: 254,
                    mark: maybe(number()),
                    markMask: maybe(number()),
                    suppressedGroup: maybe(number()),
                    isInverted: chance(50)
                )
            ],
            lookups: AddressFamily.allCases.map { lookup($0, indices) },
            underlays: chance(30) ? [4: underlay(indices)] : [:],
            internetAddresses: AddressFamily.allCases.map(internet),
            isSynchronized: chance(95)
        )
    }

    private mutating func underlay(_ indices: [UInt32]) -> Underlay {
        Underlay(interfaceIndex: maybe(1), evidence: pick(evidences), lookup: maybe(lookup(.ipv6, indices)))
    }

    private let evidences: [Underlay.Evidence] = Underlay.Evidence.allCases

    private mutating func family() -> AddressFamily { pick(AddressFamily.allCases) }

    private func internet(_ family: AddressFamily) -> IPAddress { ip(family, 1) }

    private func ip(_ family: AddressFamily, _ number: UInt8) -> IPAddress {
        let bytes: [UInt8] =
            family == .ipv4
            ? [198, 51, 100, number] : [0x20, 1, 0xD, 0xB8] + [UInt8](repeating: 0, count: 11) + [number]
        return IPAddress(networkBytes: bytes) ?? .unspecified(family)
    }

    private mutating func link(_ index: UInt32) -> Link {
        let kind = index == 4 ? InterfaceKind.tunnel : pick([.wifi, .wwan, .wired])
        return Link(
            index: index,
            name: "if\(index)",
            flags: chance(80) ? [.up, .lowerUp, .running] : LinkFlags(rawValue: number()),
            operationalState: chance(80) ? .up : pick(OperationalState.allCases),
            hardwareType: UInt16(truncatingIfNeeded: number()),
            driverKind: maybe("veth"),
            lowerIndex: maybe(1),
            masterIndex: maybe(number()),
            activeMemberIndex: maybe(2),
            parentDevice: maybe("0000:00:1f.6"),
            tunnelRemote: maybe(ip(family(), 77)),
            vrfTable: maybe(number()),
            group: maybe(number()),
            alternativeNames: chance(30) ? ["enp\(index)s0", "é\u{FFFD}"] : [],
            classification: InterfaceClassification(
                kind: kind,
                evidence: [KindEvidence(pick(KindEvidence.Source.allCases), "a \u{7F} fact")],
                isGuess: chance(30)
            )
        )
    }

    private mutating func address(_ index: UInt32, _ family: AddressFamily) -> InterfaceAddress {
        InterfaceAddress(
            interfaceIndex: index,
            address: ip(family, UInt8(index) + 10),
            prefixLength: Int.random(in: 0...family.bitWidth, using: &random),
            peer: maybe(ip(family, 99)),
            scope: UInt8.random(in: 0 ... .max, using: &random),
            flags: chance(80) ? [.permanent] : InterfaceAddress.Flags(rawValue: number())
        )
    }

    private mutating func route(through index: UInt32) -> Route {
        let family = family()
        return Route(
            destination: .everything(family),
            table: pick([254, number()]),
            protocol: 16,
            type: chance(90) ? .unicast : .unreachable,
            metric: number(),
            preferredSource: maybe(ip(family, 5)),
            nextHops: [
                NextHop(
                    interfaceIndex: maybe(index),
                    gateway: maybe(ip(.ipv6, 3)),
                    weight: 2,
                    isOnLink: chance(50)
                )
            ],
            nextHopObject: maybe(number())
        )
    }

    private mutating func lookup(_ family: AddressFamily, _ indices: [UInt32]) -> RouteLookup {
        let refusals: [RouteLookup.Refusal] = [
            .noRoute, .unreachable, .blackhole, .prohibited, .failed(errno: Int32(bitPattern: number())),
        ]
        let outcome: RouteLookup.Outcome
        if indices.isEmpty || chance(25) {
            outcome = .refused(pick(refusals))
        } else {
            let resolved = ResolvedRoute(
                interfaceIndex: pick(indices),
                gateway: maybe(ip(family, 3)),
                source: maybe(ip(family, 5)),
                table: number(),
                type: chance(90) ? .unicast : .local
            )
            outcome = .route(resolved)
        }
        let matched = Route(destination: .everything(family), metric: number())
        return RouteLookup(
            destination: internet(family),
            outcome: outcome,
            matched: maybe(matched),
            unconnected: chance(10) ? outcome : nil,
            otherLegs: maybe([])
        )
    }

    // MARK: Checks

    private mutating func sample(_ points: [ProbePoint]) -> ProbeSample {
        let stray = ProbePoint(probe: pick(names), vantage: Vantage(interface: maybe("if1"), families: .ipv6))
        let outcome = pick(ProbeSample.Outcome.allCases)
        let url = maybe("http://portal.test/?a=b&c")
        return ProbeSample(
            point: points.isEmpty || chance(5) ? stray : pick(points),
            outcome: outcome,
            code: outcome == .ok ? nil : pick(FindingCode.allCases),
            detail: maybe("what was seen: \"ü\" \u{2028}"),
            phase: maybe(pick(Phase.allCases)),
            peer: maybe("192.0.2.9"),
            latency: duration(),
            throughput: maybe(Double.random(in: 0...1e9, using: &random)),
            addedLatency: maybe(duration()),
            portal: maybe(PortalEvidence(pick(PortalEvidence.Verdict.allCases), url: url)),
            certificates: chance(30) ? [certificate()] : [],
            pins: maybe(PinAudit(entries: [.init(pin: "sha256//x", isMatched: chance(50), isBackup: chance(50))])),
            wasAnswered: maybe(chance(50)),
            endedOverTLS: maybe(chance(50)),
            leadsToThisMachine: maybe(chance(50)),
            observed: observed()
        )
    }

    private mutating func certificate() -> CertificateFacts {
        let begin = Date(timeIntervalSince1970: Double(wall / 1_000_000 - Int64(number() >> 8)))
        let end = Date(timeIntervalSince1970: Double(wall) / 1_000_000 + Double(number() >> 8) - 1_000_000.1)
        return CertificateFacts(
            sha256: String(repeating: "ab", count: 32),
            subject: "CN=host.test",
            issuer: "CN=\\00 issuer",
            notBefore: begin,
            notAfter: end,
            isVerified: chance(50),
            position: maybe(chance(50) ? 0 : 1)
        )
    }
}
