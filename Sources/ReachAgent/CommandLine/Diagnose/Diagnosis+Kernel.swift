internal import Glibc
internal import NetlinkMonitor
internal import Reachability

internal import enum AgentEvents.ShellWord

// Link, address, route and next hop: the layers that the kernel reports.

extension Diagnosis {
    /// The sections of the layers that are judged by the kernel's view.
    static func kernelSections(_ evidence: DiagnosisEvidence) -> [Section] {
        func notChecked(_ summary: String, next: [String] = []) -> [Section] {
            [Layer.link, .address, .route, .nextHop].map { Section($0, .notChecked, summary, next: next) }
        }
        switch evidence.kernel {
        case .success(let snapshot)?:
            guard let state = evidence.state(in: snapshot) else {
                return notChecked("the files cannot be used, and the agent has not published the paths")
            }
            let view = KernelEvidence(snapshot, state, evidence)
            return [view.link, view.address, view.route, view.nextHop]
        case .failure(let error)?:
            let (summary, remedy) = Unavailable.explanation(of: error)
            // systemd's sandbox answers so.
            let isForbidden = error.cause == .errno(EAFNOSUPPORT)
            let step = remedy ?? (isForbidden ? "a service needs AF_NETLINK in RestrictAddressFamilies=" : nil)
            return notChecked(summary, next: step.map { ["# \($0)"] } ?? [])
        case nil: return notChecked(outOfTime)
        }
    }

    /// True if the kernel could not be read because a limit of open files was reached.
    static func lacksDescriptors(_ evidence: DiagnosisEvidence) -> Bool {
        guard case .failure(let error)? = evidence.kernel else { return false }
        return Unavailable.explanation(of: error).remedy != nil
    }

    /// The summary of a layer that was not read within the deadline.
    static let outOfTime = "not read within the deadline"
}

/// The kernel's view, judged layer by layer.
struct KernelEvidence {
    /// The kinds of interface that can lead out of the machine by themselves.
    private static let media: Set<InterfaceKind> = [.wifi, .wwan, .wired, .bluetooth, .ppp, .tunnel, .unknown]

    /// The kinds of interface that rfkill(8) blocks.
    private static let radios: Set<InterfaceKind> = [.wifi, .wwan, .bluetooth]

    let snapshot: NetworkSnapshot
    let state: ReachabilityState
    let evidence: DiagnosisEvidence
    /// The interfaces that matter: those with a medium, and those that routes lead through.
    let links: [Link]

    init(_ snapshot: NetworkSnapshot, _ state: ReachabilityState, _ evidence: DiagnosisEvidence) {
        self.snapshot = snapshot
        self.state = state
        self.evidence = evidence
        let routed = snapshot.defaultRoutes.flatMap(\.nextHops).compactMap(\.interfaceIndex)
        let used = [state.ipv4, state.ipv6].flatMap { [$0.interface?.index, $0.underlay?.interface?.index] }
        let indexes = Set(routed + used.compactMap(\.self))
        var links = snapshot.links.values.filter { Self.media.contains($0.kind) || indexes.contains($0.index) }
        if links.isEmpty {
            // A container's egress is a veth without evidence of a medium.
            let addressed = Set(snapshot.addresses.filter(\.reachesBeyondLink).map(\.interfaceIndex))
            let others = snapshot.links.values.filter { !$0.leadsNowhere }
            links = others.filter { addressed.contains($0.index) }
            if links.isEmpty { links = others.filter { $0.flags.contains(.up) } }
        }
        self.links = links
    }

    /// The reason that no family has a usable path; `nil` if one has.
    var obstacle: ReasonCode? { state.via.isReachable ? nil : state.path.reason ?? .noRoute }

    var paths: [(family: String, path: Path)] { [("IPv4", state.ipv4), ("IPv6", state.ipv6)] }

    func describe(_ link: Link) -> String { "\(link.name) (\(link.kind.rawValue))" }
}

// MARK: - Link

extension KernelEvidence {
    var link: Diagnosis.Section {
        var facts = links.map { link in
            let kind = link.kind.rawValue + (link.classification.isGuess ? "?" : "")
            return Diagnosis.Fact(link.name, "\(kind), \(snapshot.stateDescription(of: link))")
        }
        let others = snapshot.links.values.filter { link in
            link.kind != .loopback && !links.contains { $0.index == link.index }
        }
        if !others.isEmpty { facts.append(Diagnosis.Fact("", "and \(others.count) virtual, on no path")) }
        let passing = links.filter(snapshot.canPassPackets)
        let used = state.path.underlay?.interface ?? state.path.interface
        let broken = [ReasonCode.linkDown, .linkDormant, .underlayDown]
        if let obstacle, let used, let link = snapshot.links[used.index],
            broken.contains(obstacle) || obstacle == .leadsNowhere && !snapshot.canPassPackets(link)
        {
            // Without a route below a tunnel, whatever might carry it is what to look at.
            let below = links.filter { $0.index != link.index && !snapshot.canPassPackets($0) }
            let isBelow = obstacle == .underlayDown && state.path.underlay?.interface == nil && !below.isEmpty
            let concerned = isBelow ? Array(below.prefix(2)) : [link]
            return section(.error, "\(describe(link)): \(obstacle.sentence)", obstacle, concerned, facts)
        }
        guard !passing.isEmpty else {
            let summary = links.isEmpty ? "there is no interface with a medium" : "no interface can pass packets"
            return section(.error, summary, .linkDown, Array(links.prefix(2)), facts)
        }
        let dead = links.filter { link in
            !snapshot.canPassPackets(link) && hasDefaultRoute(link)
        }
        if let first = dead.first {
            let summary = "\(describe(first)) has a default route and cannot pass packets"
            return section(.warning, summary, .linkDown, [first], facts)
        }
        let names = passing.prefix(4).map(describe).joined(separator: ", ")
        let more = passing.count > 4 ? " and \(passing.count - 4) more" : ""
        return Diagnosis.Section(.link, .ok, "\(names)\(more) can pass packets", facts: facts)
    }

    private func section(
        _ verdict: Diagnosis.Verdict,
        _ summary: String,
        _ code: ReasonCode,
        _ links: [Link],
        _ facts: [Diagnosis.Fact]
    ) -> Diagnosis.Section {
        let next = links.isEmpty ? ["ip link"] : links.flatMap(commands)
        return Diagnosis.Section(.link, verdict, summary, code: code.rawValue, next: next, facts: facts)
    }

    /// The commands that show why an interface is down.
    private func commands(for link: Link) -> [String] {
        let name = ShellWord.quoted(link.name)
        guard link.flags.contains(.up) else {
            // The kernel switches the interfaces of a blocked radio off, and refuses to switch them on.
            let radio = Self.radios.contains(link.kind) ? ["rfkill list"] : []
            return radio + ["# Switch it on:", Diagnosis.optionalCommand + "ip link set dev \(name) up"]
        }
        switch link.kind {
        case .wifi: return ["iw dev \(name) link", "rfkill list"]
        case .wwan: return ["mmcli -m any"]
        case .wired: return ["ip link show dev \(name)   # no carrier: the cable, the switch port"]
        default: return ["ip link show dev \(name)"]
        }
    }

    private func hasDefaultRoute(_ link: Link) -> Bool {
        snapshot.defaultRoutes.contains { route in
            route.type == .unicast && route.nextHops.contains { $0.interfaceIndex == link.index }
        }
    }
}

// MARK: - Address

extension KernelEvidence {
    var address: Diagnosis.Section {
        let facts = links.compactMap { link -> Diagnosis.Fact? in
            let own = addresses(of: link)
            guard !own.isEmpty else { return nil }
            return Diagnosis.Fact(link.name, own.map(\.description).joined(separator: ", "))
        }
        guard links.contains(where: snapshot.canPassPackets) else {
            return Diagnosis.Section(.address, .notChecked, "no interface can pass packets", facts: facts)
        }
        if let obstacle, [.noAddress, .addressTentative].contains(obstacle) {
            let name = state.path.interface.map { ShellWord.quoted($0.name) }
            let concerned = paths.filter { $0.path.reason == obstacle }.map(\.family)
            let family = concerned.count == 1 ? concerned.map { " (\($0))" }.joined() : ""
            return Diagnosis.Section(
                .address,
                .error,
                "\(state.path.interface?.name ?? "no interface")\(family): \(obstacle.sentence)",
                code: obstacle.rawValue,
                next: [name.map { "ip address show dev \($0)" } ?? "ip address", "# the log of the DHCP client"],
                facts: facts
            )
        }
        let flawed = links.flatMap(addresses).filter { !$0.isUsable }
        if let first = flawed.first {
            let name = snapshot.interfaceName(first.interfaceIndex)
            return Diagnosis.Section(
                .address,
                .warning,
                "\(name): \(first) cannot be used",
                code: first.flags.contains(.duplicateDetected) ? "no_address" : "address_tentative",
                next: ["ip address show dev \(ShellWord.quoted(name))"],
                facts: facts
            )
        }
        let sources = paths.compactMap { family, path in
            path.via.isReachable ? path.source.map { "\(family) from \($0)" } : nil
        }
        guard !sources.isEmpty else {
            return hasAddress
                ? Diagnosis.Section(.address, .ok, "there is an address that reaches beyond its link", facts: facts)
                : Diagnosis.Section(
                    .address,
                    .error,
                    "no interface has an address that reaches beyond its link",
                    code: ReasonCode.noAddress.rawValue,
                    next: ["ip address", "# the log of the DHCP client"],
                    facts: facts
                )
        }
        return Diagnosis.Section(.address, .ok, sources.joined(separator: ", "), facts: facts)
    }

    /// True if an interface that can pass packets has an address to send from, on a path or not: a route of type `local`
    /// leads into the loopback.
    private var hasAddress: Bool {
        snapshot.addresses.contains { address in
            address.reachesBeyondLink && snapshot.links[address.interfaceIndex].map(snapshot.canPassPackets) ?? false
        }
    }

    private func addresses(of link: Link) -> [InterfaceAddress] {
        snapshot.addresses.filter { $0.interfaceIndex == link.index }
    }
}
