internal import EventEnvelope
internal import EventSchema
internal import StateClient

extension StatusText {
    /// The most interfaces, and of one interface the most addresses, that a first look shows.
    private static let (mostInterfaces, mostAddresses) = (12, 4)
    /// The most changes that a first look shows.
    private static let mostChanges = 5

    /// Both families, and what lies beyond the first hop.
    var paths: [String] {
        guard let state = reply.reachability.state else { return [] }
        var rows: [(label: String, text: String)] = []
        for (name, path) in [("IPv4", state.ipv4), ("IPv6", state.ipv6)] {
            if let path { rows.append((name, text(path))) }
        }
        rows += beyond(state)
        if let why = why(reply.reachability.cause) {
            let when = reply.reachability.since == reply.reachability.viaSince ? nil : reply.reachability.since
            let moment = moment(when, age: reply.reachability.age).map { "; \($0)" } ?? ""
            rows.append(("last change", why + moment))
        }
        return labelled(rows)
    }

    /// The targets, each with since when it is so.
    var targets: [String] {
        let rows = reply.targets.map { target in
            let standing = target.standing
            var text = standing.state?.path.map { self.text($0) } ?? "not known"
            if let since = moment(standing.viaSince ?? standing.since, age: standing.viaAge ?? standing.age) {
                text += "; since \(since)"
            }
            if let pending = standing.pending?.state?.path { text += "; about to change: \(self.text(pending))" }
            return (label: safe(target.name ?? "?"), text: text)
        }
        return section("TARGETS", labelled(rows))
    }

    /// The interfaces: those that the paths use first, then the others, without the loopback.
    var interfaces: [String] {
        let state = reply.reachability.state
        let used = [state?.path, state?.ipv4, state?.ipv6].compactMap { $0?.interface }
        let all = reply.interfaces.filter { $0.kind != "loopback" }
        let ordered =
            all.filter { used.contains($0.name ?? "") }
            + all.filter { !used.contains($0.name ?? "") && $0.isUsable == true }
            + all.filter { !used.contains($0.name ?? "") && $0.isUsable != true }
        var rows = ordered.prefix(Self.mostInterfaces).map { interface in
            (label: safe(interface.name ?? "?"), text: text(interface))
        }
        let rest = ordered.count - rows.count
        if rest > 0 { rows.append(("and \(rest) more", "'reachagent interfaces' shows all")) }
        return section("INTERFACES", labelled(rows))
    }

    /// The newest changes, the newest first.
    var changes: [String] {
        let rows = reply.recent.suffix(Self.mostChanges).reversed().map { change in
            let when = change.time.map { "\(clock.text($0))  \(clock.age(of: $0, units: 1))" } ?? "?"
            return (label: when, text: text(change))
        }
        return section("LAST CHANGES", labelled(rows))
    }

    // MARK: Words

    private func text(_ change: StatusReply.Transition) -> String {
        let isOfProbe = change.type == "reachagent.probe.changed"
        var name = safe(change.subject ?? "?")
        if isOfProbe {
            let place = [change.interface, change.family.map { SummaryText.familyName($0) }].compactMap { $0 }
            name = ([name] + place.map { safe($0) }).joined(separator: " ")
        }
        let subject = change.subject == "default" ? "" : "\(name): "
        guard change.type != "reachagent.certificate.expiring" else { return "\(subject)\(safe(change.to ?? "?"))" }
        let arrow = style.hasUnicode ? "→" : "->"
        var text = "\(subject)\(safe(change.from ?? "?")) \(arrow) \(safe(change.to ?? "?"))"
        // The code of a probe that fell is told with what it fell to.
        if let code = change.code, change.to?.firstRange(of: "(\(code)") == nil { text += " [\(safe(code))]" }
        if let detail = change.detail { text += " \(safe(detail))" }
        return text
    }

    private func text(_ path: StatusReply.Path) -> String {
        guard path.isReachable else {
            return path.via == "unknown" ? "not known yet" : "none: \(reason(path))"
        }
        var words = words(path, via: nil)
        if let gateway = path.gateway { words += ", " + kept("gateway \(safe(gateway))") }
        if let source = path.source { words += ", " + kept("from \(safe(source))") }
        return words
    }

    private func text(_ interface: StatusReply.Interface) -> String {
        let kind = safe(interface.kind ?? "unknown") + (interface.kindIsGuess == true ? "?" : "")
        var text =
            "\(kept(kind.padded(to: 9))) \(safe(interface.state ?? (interface.isUsable == true ? "up" : "down")))"
        let shown = interface.addresses.prefix(Self.mostAddresses).map { address in
            let prefix = address.prefixLength.map { "/\($0)" } ?? ""
            let flags = address.flags.prefix(4).map { " \(safe($0))" }.joined()
            return kept("\(safe(address.address ?? "?"))\(prefix)\(flags)")
        }
        if !shown.isEmpty { text += ", \(shown.joined(separator: ", "))" }
        let rest = interface.addresses.count - shown.count
        return rest > 0 ? "\(text) and \(rest) more" : text
    }

    private func why(_ cause: StatusReply.Cause?) -> String? {
        guard let cause, let code = cause.code else { return nil }
        if cause.kind == "start" { return "the agent was started" }
        return "\(safe(cause.detail ?? cause.interface ?? cause.kind ?? "")) [\(safe(code))]"
    }
}
