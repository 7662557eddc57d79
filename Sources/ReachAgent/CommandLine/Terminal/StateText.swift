internal import AgentEvents
internal import ForeignText
internal import NetlinkMonitor
internal import Reachability

/// States as people read them on a terminal.
enum StateText {
    /// The whole state: a headline, then the families and the targets.
    static func lines(_ snapshot: NetlinkMonitor.NetworkSnapshot, _ machine: ReachabilityMachine) -> [String] {
        var table = TextTable(header: ["", "VIA", "INTERFACE", "SOURCE", "GATEWAY", "ROUTE", "NOTE"])
        table.add(row("IPv4", machine.state.ipv4))
        table.add(row("IPv6", machine.state.ipv6))
        for (target, state) in machine.targetPaths { table.add(row(target.name, state.path)) }
        return [headline(machine.state), "", table.text] + probes(machine)
    }

    /// What the probes come to, a line each, or the next step without probes.
    private static func probes(_ machine: ReachabilityMachine) -> [String] {
        guard !machine.probes.isEmpty else {
            return ["", "connectivity unknown: no probe is configured; next: reachagent config init"]
        }
        var table = TextTable(header: ["PROBE", "OVER", "VERDICT", "CODE", "DETAIL"])
        for record in machine.probes {
            table.add(
                [
                    record.point.probe, record.point.vantage.description, record.standing.verdict.rawValue,
                    record.standing.code?.rawValue ?? "-", ForeignText.shown(record.last?.detail ?? "", limit: 120),
                ].map(ForeignText.line)
            )
        }
        return ["", table.text]
    }

    /// One path, in full.
    static func lines(_ path: Reachability.Path, to destination: IPAddress) -> [String] {
        var lines = [
            "\(destination) \(path.via.isReachable ? "leaves" : "does not leave") through \(AgentEvents.Path(path).summary)"
        ]
        if let reason = path.reason {
            lines = ["\(destination) has no usable path: \(reason.rawValue)", "  \(reason.sentence)"]
        }
        func add(_ name: String, _ value: String?) {
            guard let value else { return }
            lines.append("  " + name + String(repeating: " ", count: 11 - name.count) + value)
        }
        add("interface", path.interface.map { "\($0.name) (\($0.kind.rawValue)\($0.kindIsGuess ? ", a guess" : ""))" })
        add("gateway", path.gateway?.description)
        add("source", path.source?.description)
        add("route", routeText(path))
        add(
            "underlay",
            path.underlay.map { underlay in
                let guess = underlay.evidence.isCertain ? "" : ", a guess"
                return "\(underlay.interface?.name ?? "none") (\(underlay.evidence.rawValue)\(guess))"
            }
        )
        for leg in path.deadLegs { add("dead leg", text(leg)) }
        add("unconnected", path.unconnected.map(text))
        return lines.map(ForeignText.line)
    }

    private static func text(_ branch: PathBranch) -> String {
        let gateway = branch.gateway.map { " via \($0)" } ?? ""
        let reason = branch.reason.map { " (\($0.rawValue))" } ?? ""
        return (branch.interface?.name ?? "none") + gateway + reason
    }

    /// The state in one sentence.
    static func headline(_ state: Reachability.ReachabilityState) -> String {
        guard state.via.isReachable else { return "not reachable: \(state.path.reason?.sentence ?? "no path")" }
        return ForeignText.line("reachable through \(state.published.summary)")
    }

    private static func row(_ name: String, _ path: Reachability.Path) -> [String] {
        [
            name, path.via.rawValue, path.interface?.name ?? "-", path.source?.description ?? "-",
            path.gateway?.description ?? "-", routeText(path) ?? "-",
            path.reason?.sentence ?? path.underlay?.interface.map { "over \($0.name)" } ?? "",
        ].map(ForeignText.line)
    }

    private static func routeText(_ path: Reachability.Path) -> String? {
        guard let prefix = path.prefix else { return nil }
        var words = [prefix.isDefault ? "default" : prefix.description]
        if let metric = path.metric, metric != 0 { words.append("metric \(metric)") }
        if let table = path.table, table != Route.mainTable { words.append("table \(table)") }
        return words.joined(separator: " ")
    }
}
