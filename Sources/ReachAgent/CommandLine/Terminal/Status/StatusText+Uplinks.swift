internal import AgentEvents
internal import NetlinkMonitor

extension StatusText {
    /// The maximum number of interfaces, and of addresses of one interface.
    private static let (maximumInterfaces, maximumAddresses) = (12, 4)

    /// The uplinks, a line each: the active ones, the standby ones by their metric, and interfaces without a default
    /// route.
    func uplinks(atMost limit: Int = 20) -> [String] {
        let uplinks = reply.rankedUplinks
        let others = reply.unusedInterfaces
        var table = FittedTable([
            "UPLINK", "KIND", "ROLE", "STATE", .right("METRIC"), "GATEWAY", .right("30 DAYS"),
            .right("BYTES TODAY"),
        ])
        // A state with its reason takes the space of the bytes, which then have a line of their own.
        let hasRoom = style.columns >= 100 || uplinks.allSatisfy { state(of: $0.uplink).text.count <= 12 }
        var listed: Set<String> = []
        for (uplink, route) in uplinks.prefix(limit) {
            let path = reply.path(over: uplink)
            let account = account(of: uplink)
            let metric = path?.metric ?? route?.route.metric
            let gateway = path?.gateway ?? route?.hop.gateway
            table.add([
                .init(safe(uplink.interface)), .init(safe(uplink.kind) + (uplink.kindIsGuess ? "?" : "")),
                .init(uplink.role),
                state(of: uplink), .init(metric.map(String.init) ?? style.dash),
                .init(gateway.map { safe($0) } ?? style.dash), .init(share(of: uplink)),
                // Uplinks that share an account have one value.
                .init(hasRoom && listed.insert(account).inserted ? used(of: account) : nil),
            ])
        }
        for interface in others.prefix(limit - min(uplinks.count, limit)) {
            table.add([
                .init(safe(interface.name)), .init(safe(interface.kind) + (interface.kindIsGuess ? "?" : "")),
                .init(style.dash), .init(interface.obstacle.map { safe($0) } ?? "no default route", .dim),
                .init(style.dash),
                .init(style.dash), "", "",
            ])
        }
        guard !table.rows.isEmpty else { return [] }
        let rest = uplinks.count + others.count - table.rows.count
        let accounts = hasRoom ? [] : Set(uplinks.map { account(of: $0.uplink) }).sorted()
        let bytes = accounts.compactMap { account in used(of: account).map { kept("\(safe(account)) \($0)") } }
        return table.lines(style) + (bytes.isEmpty ? [] : wrapped("bytes today: \(bytes.joined(separator: ", "))"))
            + (rest > 0 ? wrapped("\(ProbeCountText.number(rest)) more: `reachagent status uplinks`") : [])
    }

    /// The account of an uplink's bytes: that of a pattern with a budget, else that of its kind.
    private func account(of uplink: AgentEvents.Uplink) -> String {
        let patterns = (reply.schedule?.bytesPerDay ?? [:]).keys.sorted()
        return patterns.first { NamePattern($0).matches(uplink.interface) } ?? uplink.kind
    }

    /// The availability of an uplink in 30 days: `99.953 %`.
    private func share(of uplink: AgentEvents.Uplink) -> String? {
        reply.availability.first { $0.uplink == uplink.interface }?.thirtyDays.percent.map { "\($0) %" }
    }

    /// `full`, `local (connect_timeout)`, `no carrier`.
    private func state(of uplink: AgentEvents.Uplink) -> FittedTable.Cell {
        let colour: TerminalStyle.Colour? =
            switch uplink.connectivity {
            case _ where reply.obstacle(of: uplink) != nil: .red
            case .unknown: uplink.reason == nil ? nil : .yellow
            case .full: .green
            case .none, .local: .red
            default: .yellow
            }
        let state = safe(reply.summary(of: uplink))
        return .init(state, colour, whole: state.displayWidth)
    }

    // MARK: Paths

    /// Both families, and the last change.
    var paths: [String] {
        guard let state = reply.reachability.state else { return [] }
        var rows: [(label: String, text: String)] = []
        for (name, path) in [("IPv4", state.path.ipv4), ("IPv6", state.path.ipv6)] {
            if let path { rows.append((name, text(path))) }
        }
        if let cause = reply.reachability.cause {
            let detail = cause.kind == "start" ? "the agent was started" : cause.detail ?? cause.interface ?? cause.kind
            let when = moment(reply.reachability.since, age: reply.reachability.forMilliseconds)
            rows.append(("last change", "\(safe(detail)) [\(safe(cause.code))]" + (when.map { ", \($0)" } ?? "")))
        }
        return section("PATHS", labelled(rows))
    }

    private func text(_ path: Path) -> String {
        guard path.via.isReachable else {
            guard path.via != .unknown else { return "not known yet" }
            return safe(path.via.rawValue) + (path.reason.map { " [\(safe($0))]" } ?? "")
                + (path.interface.map { " \(safe($0))" } ?? "")
        }
        var parts = [words(path)]
        if let gateway = path.gateway { parts.append(kept("gateway \(safe(gateway))")) }
        if let source = path.source { parts.append(kept("source \(safe(source))")) }
        if let metric = path.metric { parts.append(kept("metric \(metric)")) }
        if let table = path.table, table != 254 { parts.append(kept("table \(table)")) }
        return parts.joined(separator: ", ")
    }

    /// The targets, those without a path first.
    func targets(atMost limit: Int = 64) -> [String] {
        let targets = reply.targets.enumerated().sorted { first, second in
            let ranks = [first, second].map { $0.element.settled.state?.isReachable == true ? 1 : 0 }
            return (ranks[0], first.offset) < (ranks[1], second.offset)
        }
        var table = FittedTable(["TARGET", "PATH", "SINCE"])
        for (_, target) in targets.prefix(limit) {
            let settled = target.settled
            let path = settled.state.map { text($0.path.overall) } ?? "not known"
            let since = moment(
                settled.viaSince ?? settled.since,
                age: settled.viaForMilliseconds ?? settled.forMilliseconds
            )
            table.add([
                .init(safe(target.name)), .init(path, settled.state?.via == Via.none ? .red : nil), .init(since),
            ])
        }
        guard !table.rows.isEmpty else { return [] }
        let rest = targets.count - table.rows.count
        return table.lines(style) + (rest > 0 ? ["\(rest) more: `reachagent status uplinks`"] : [])
    }

    // MARK: Interfaces

    /// The interfaces: those that the paths use first, then the others, without the loopback.
    var interfaces: [String] {
        let state = reply.reachability.state
        let used = [state?.path.overall, state?.path.ipv4, state?.path.ipv6].compactMap { $0?.interface }
        let all = reply.interfaces.filter { $0.kind != "loopback" }
        let ordered =
            all.filter { used.contains($0.name) }
            + all.filter { !used.contains($0.name) && $0.isUsable == true }
            + all.filter { !used.contains($0.name) && $0.isUsable != true }
        var rows = ordered.prefix(Self.maximumInterfaces).map { interface in
            (label: safe(interface.name), text: text(interface))
        }
        let rest = ordered.count - rows.count
        if rest > 0 { rows.append(("\(rest) more", "`reachagent interfaces` lists all")) }
        return section("INTERFACES", labelled(rows))
    }

    private func text(_ interface: AgentEvents.Interface) -> String {
        let kind = safe(interface.kind) + (interface.kindIsGuess ? "?" : "")
        var text = "\(kept(kind.padded(to: 9))) \(safe(interface.obstacle ?? interface.state ?? "up"))"
        let shown = interface.addresses.prefix(Self.maximumAddresses).map { address in
            let prefix = address.prefixLength.map { "/\($0)" } ?? ""
            let flags = address.flags.prefix(4).map { " \(safe($0))" }.joined()
            return kept("\(safe(address.address))\(prefix)\(flags)")
        }
        if !shown.isEmpty { text += ", \(shown.joined(separator: ", "))" }
        let rest = interface.addresses.count - shown.count
        return rest > 0 ? "\(text) and \(rest) more" : text
    }

    // MARK: Changes

    /// The newest changes, the newest first.
    func changes(atMost limit: Int) -> [String] {
        var table = FittedTable(["LAST CHANGES", "", ""])
        for change in reply.recent.suffix(limit).reversed() {
            table.add([
                .init(change.time.map { clock.brief($0) } ?? "?"), .init(text(change)),
                .init(change.sequence.map { "#\($0)" }, .dim),
            ])
        }
        return table.rows.isEmpty ? [] : table.lines(style)
    }

    private func text(_ change: Status.Transition) -> String {
        var name = safe(change.subject ?? "?")
        if change.type == "reachagent.probe.changed" {
            name = ProbeCountText.name(change.subject ?? "?", change.interface, change.family)
        }
        let subject = change.subject == "default" ? "" : "\(name): "
        guard let from = change.from else { return "\(subject)\(safe(change.to ?? "?"))" }
        let (before, after) = Self.different(safe(from), safe(change.to ?? "?"))
        var text = "\(subject)\(before) \(style.arrow) \(after)"
        // The code of a failed probe is already part of the new state.
        if let code = change.code, change.to?.firstRange(of: "(\(code)") == nil { text += " [\(safe(code))]" }
        if let detail = change.detail { text += " \(safe(detail))" }
        return text
    }

    /// Two states without the words that both begin with: `full` and `partial` of `wifi wlan0, full` and
    /// `wifi wlan0, partial`.
    private static func different(_ from: String, _ to: String) -> (String, String) {
        let (before, after) = (from.split(separator: ", "), to.split(separator: ", "))
        let same = zip(before, after).prefix { $0 == $1 }.count
        guard same < before.count, same < after.count else { return (from, to) }
        return (before.dropFirst(same).joined(separator: ", "), after.dropFirst(same).joined(separator: ", "))
    }

    // MARK: Availability

    /// The maximum number of uplinks that are listed.
    private static let maximumListed = 20

    /// The availability of the default path and of each uplink: `today 100.000 %, 30 days 99.953 %`.
    var availability: [String] {
        func text(_ share: Status.Availability.Share) -> String { share.percent.map { "\($0) %" } ?? "unknown" }
        let rows = reply.availability.prefix(Self.maximumListed).map { entry in
            let isUnprobed = reply.probes.isEmpty && entry.thirtyDays.percent == nil
            return (
                label: entry.uplink.map { safe($0) } ?? "default path",
                text: isUnprobed
                    ? "unknown: no probe is configured"
                    : "today \(text(entry.today)), 30 days \(text(entry.thirtyDays))"
            )
        }
        return section("AVAILABILITY", labelled(rows))
    }
}
