internal import AgentEvents
internal import ForeignText
internal import NetlinkMonitor
internal import Reachability

/// States as people read them on a terminal.
enum StateText {
    /// The whole state: a headline, then the families and the targets, then the probes.
    ///
    /// - Parameter readsNoConfiguration: `true` if no configuration file is to be read (`--no-config`).
    static func lines(
        _ machine: ReachabilityMachine,
        readsNoConfiguration: Bool = false,
        style: TerminalStyle
    ) -> [String] {
        var block = TextBlock(columns: style.columns)
        block.add(headline(machine.state), hanging: 2)
        block.add()
        let targets = machine.targetPaths.map { (ForeignText.line($0.0.name), $0.1.path) }
        let rows = [("IPv4", machine.state.ipv4), ("IPv6", machine.state.ipv6)] + targets
        let width = min((rows.map(\.0.displayWidth).max() ?? 0) + 2, style.columns / 3)
        for (name, path) in rows { block.add(name, words(path), indent: 0, labelWidth: width) }
        block.add()
        return block.lines + probes(machine, readsNoConfiguration, style)
    }

    /// A path in a line: `wifi wlan0, gateway 192.0.2.1, source 192.0.2.17, default metric 600`.
    private static func words(_ path: Reachability.Path) -> String {
        guard path.via.isReachable else {
            return "none" + (path.reason.map { ": \($0.sentence) [\($0.rawValue)]" } ?? "")
        }
        let parts = [
            AgentEvents.Path(path).summary, path.gateway.map { "gateway \($0)" }, path.source.map { "source \($0)" },
            routeText(path),
        ]
        return ForeignText.line(parts.compactMap(\.self).joined(separator: ", "))
    }

    /// The verdicts of the probes, a line each, or the next step without probes.
    private static func probes(
        _ machine: ReachabilityMachine,
        _ readsNoConfiguration: Bool,
        _ style: TerminalStyle
    ) -> [String] {
        guard !machine.probes.isEmpty else {
            var block = TextBlock(columns: style.columns)
            let next = readsNoConfiguration ? "use '--config' or '--probe'" : "reachagent config init"
            block.add("connectivity unknown: no probe is configured; next: \(next)", hanging: 2)
            return block.lines
        }
        var table = FittedTable(["PROBE", "OVER", "VERDICT", "DETAIL"])
        for record in machine.probes {
            let vantage = ForeignText.line(record.point.vantage.description)
            let verdict = record.state.verdict.rawValue + (record.state.code.map { " [\($0.rawValue)]" } ?? "")
            table.add([
                .init(ForeignText.line(record.point.probe), ending: 0), .init(vantage, ending: vantage.displayWidth),
                .init(verdict, whole: verdict.displayWidth),
                .init(ForeignText.shown(record.last?.detail ?? "", limit: 512)),
            ])
        }
        return table.lines(style, wrapsLast: true)
    }

    /// One path, in full.
    static func lines(
        _ path: Reachability.Path,
        to destination: IPAddress,
        style: TerminalStyle = .plain
    ) -> [String] {
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
        var block = TextBlock(columns: style.columns)
        for line in lines.map(ForeignText.line) { block.addFitting(line, hanging: line.hasPrefix(" ") ? 13 : 2) }
        return block.lines
    }

    private static func text(_ branch: PathBranch) -> String {
        let gateway = branch.gateway.map { " via \($0)" } ?? ""
        let reason = branch.reason.map { " (\($0.rawValue))" } ?? ""
        return (branch.interface ?? "none") + gateway + reason
    }

    /// The state in one sentence.
    static func headline(_ state: Reachability.ReachabilityState) -> String {
        guard state.via.isReachable else { return "not reachable: \(state.path.reason?.sentence ?? "no path")" }
        return ForeignText.line("reachable through \(state.published.summary)")
    }

    private static func routeText(_ path: Reachability.Path) -> String? {
        guard let prefix = path.prefix else { return nil }
        var words = [prefix.isDefault ? "default" : prefix.description]
        if let metric = path.metric, metric != 0 { words.append("metric \(metric)") }
        if let table = path.table, table != Route.mainTable { words.append("table \(table)") }
        return words.joined(separator: " ")
    }
}
