internal import AgentEvents
internal import Hooks
internal import NetlinkMonitor
internal import Probes
internal import Reachability

// Resolver and clock.

extension Diagnosis {
    /// The section of the system's resolver.
    static func resolver(_ evidence: DiagnosisEvidence) -> Section {
        guard let configuration = evidence.resolver else { return Section(.resolver, .notChecked, outOfTime) }
        let unreachable = serversWithoutPath(evidence)
        let facts =
            facts(of: configuration)
            + unreachable.map { Fact("server", "\($0.address) has no path: \($0.reason.rawValue)") }
            + evidence.lookups.map(fact)
        if let first = unreachable.first, lacksServerPaths(evidence) {
            return Section(
                .resolver,
                .error,
                "no name server has a usable path",
                code: first.reason.rawValue,
                next: unreachable.prefix(2).map { "reachagent route \($0.address)" },
                facts: facts
            )
        }
        let answered = evidence.lookups.filter { $0.answer != nil }
        let failed = answered.compactMap { lookup in lookup.failure.map { (name: lookup.name, failure: $0) } }
        if let first = failed.first {
            let isOnly = failed.count == answered.count
            return Section(
                .resolver,
                isOnly ? .error : .warning,
                "\(first.name): \(first.failure.reason)",
                code: first.failure.code.rawValue,
                next: commands(for: first.name, configuration),
                facts: facts
            )
        }
        if let failing = ProbeEvidence(evidence).failures(in: .resolver).first {
            return Section(
                .resolver,
                failing.isLoss ? .error : .warning,
                "\(failing.name): \(failing.detail ?? failing.code)",
                code: failing.code,
                next: [failing.command],
                facts: facts
            )
        }
        if let failure = configuration.failure {
            return Section(.resolver, .warning, failure, next: ["ls -l /etc/resolv.conf"], facts: facts)
        }
        if evidence.lookups.isEmpty {
            var reason = "no probe has a host name"
            switch evidence.configuration {
            case .rejected?: reason = "the files with the probes have errors"
            case .unreadable?: reason = "this user may not read the files with the probes"
            default: break
            }
            return Section(.resolver, .notChecked, "no name was looked up: \(reason)", facts: facts)
        }
        guard !answered.isEmpty else { return Section(.resolver, .notChecked, outOfTime, facts: facts) }
        return Section(.resolver, .ok, "the names of the probes resolve", facts: facts)
    }

    /// The name servers without a path, with the reasons; a server on this machine is none of them, because its own servers
    /// are unknown, except for those of systemd-resolved.
    private static func serversWithoutPath(_ evidence: DiagnosisEvidence) -> [(address: IPAddress, reason: ReasonCode)]
    {
        guard case .success(let snapshot)? = evidence.kernel else { return [] }
        return servers(of: evidence).compactMap { server in
            guard let address = IPAddress(server), !address.isLoopback, let lookup = snapshot.lookups[address] else {
                return nil
            }
            let path = Reachability.Path(lookup, in: snapshot)
            return path.via.isReachable ? nil : (address, path.reason ?? .noRoute)
        }
    }

    /// True if there are name servers, and the kernel has no path to any of them.
    static func lacksServerPaths(_ evidence: DiagnosisEvidence) -> Bool {
        let servers = servers(of: evidence)
        return !servers.isEmpty && serversWithoutPath(evidence).count == servers.count
    }

    private static func servers(of evidence: DiagnosisEvidence) -> [String] {
        guard let configuration = evidence.resolver else { return [] }
        return configuration.upstreams.isEmpty ? configuration.nameServers : configuration.upstreams
    }

    private static func facts(of configuration: ResolverConfiguration) -> [Fact] {
        let servers = configuration.nameServers.isEmpty ? ["none: the default is 127.0.0.1"] : configuration.nameServers
        let lists = [
            ("servers", servers), ("upstream", configuration.upstreams), ("search", configuration.search),
            ("options", configuration.options), ("hosts", [configuration.hosts].compactMap(\.self)),
        ]
        return lists.filter { !$0.1.isEmpty }.map { Fact($0.0, $0.1.prefix(16).joined(separator: ", ")) }
    }

    private static func fact(_ lookup: DiagnosisEvidence.Lookup) -> Fact {
        guard let (result, duration) = lookup.answer else { return Fact("lookup", "\(lookup.name): no time was left") }
        let time = DurationText.milliseconds(duration)
        switch result {
        case .success(let addresses):
            let shown = addresses.prefix(4).map(\.description).joined(separator: ", ")
            return Fact("lookup", "\(lookup.name): \(shown)\(addresses.count > 4 ? ", …" : "") in \(time)")
        case .failure(let failure): return Fact("lookup", "\(lookup.name): \(failure.code.rawValue) after \(time)")
        }
    }

    private static func commands(for name: String, _ configuration: ResolverConfiguration) -> [String] {
        // One with a zone cannot be written in a URL.
        let server = (configuration.upstreams + configuration.nameServers).first { IPAddress($0) != nil }
        let direct = server.map { server in
            let host = server.contains(":" as Character) ? "[\(server)]" : server
            return "reachagent probe \(ShellWord.quoted("dns://\(host)/\(name)"))"
        }
        let resolved = configuration.upstreams.isEmpty ? nil : "resolvectl status"
        return [direct, resolved ?? "cat /etc/resolv.conf"].compactMap(\.self)
    }

    /// The section of the clock, by which certificates are judged.
    static func clock(_ evidence: DiagnosisEvidence) -> Section {
        guard let clock = evidence.clock else { return Section(.clock, .notChecked, outOfTime) }
        let facts = [Fact("time", evidence.time.localDescription)]
        let next = ["timedatectl status", "chronyc tracking"]
        let times = [FindingCode.tlsExpired, .tlsNotYetValid].map(\.rawValue)
        let suspects = ProbeEvidence(evidence).failures(in: .tls).filter { times.contains($0.code) }
        if clock.isBehindProgram {
            return Section(.clock, .error, "the clock is behind the program's own file", next: next, facts: facts)
        }
        guard !clock.isSynchronized else {
            return Section(.clock, .ok, "synchronized by a time server", facts: facts)
        }
        if let suspect = suspects.first {
            return Section(
                .clock,
                .error,
                "not synchronized, and \(suspect.name) fails with \(suspect.code)",
                next: next,
                facts: facts
            )
        }
        return Section(
            .clock,
            .warning,
            "not synchronized by a time server, as far as this machine reports",
            next: next,
            facts: facts
        )
    }
}
