internal import EventEnvelope
internal import EventSchema
internal import StateClient

extension StatusText {
    /// The most lines of probes, and how many are shown when all of more are up.
    private static let (mostProbes, mostGood) = (20, 5)
    /// From so many days on the end of a certificate is of interest.
    private static let warningDays = 30
    private static let mostCertificates = 10

    /// The probes: those that are not up first, and of many good ones a few.
    var probes: [String] {
        let all = reply.probes.sorted { Self.rank($0) < Self.rank($1) }
        guard !all.isEmpty else { return [] }
        let omitted = max(0, min(reply.probesOmitted ?? 0, 1 << 32))
        let total = all.count + omitted
        let isLong = total > Self.mostProbes
        let troubled = all.count { Self.rank($0) < Self.goodRank }
        let shown = isLong ? min(max(troubled, Self.mostGood), Self.mostProbes - 1) : all.count
        var rows = all.prefix(shown).map { probe in
            (label: ProbeCountText.name(probe), text: text(probe), colour: Self.colour(probe))
        }
        if total > shown { rows.append((style.hasUnicode ? "…" : "...", rest(all.dropFirst(shown), omitted), nil)) }
        // The agent leaves out those that are up last.
        let up = all.count { $0.verdict == "up" } + omitted
        let number = ProbeCountText.number(total)
        let count = up == total ? "all \(number) up" : "\(ProbeCountText.number(up)) of \(number) up"
        return section("PROBES (\(count))", labelled(rows))
    }

    /// `9,980 more, all up`, or `9,980 more: 12 down, 9,968 up`.
    private func rest(_ rest: ArraySlice<StatusReply.Probe>, _ omitted: Int) -> String {
        let words = ["portal", "down", "unknown", "up"].compactMap { verdict -> String? in
            let count = rest.count { ($0.verdict ?? "unknown") == verdict } + (verdict == "up" ? omitted : 0)
            return count > 0 ? "\(ProbeCountText.number(count)) \(verdict)" : nil
        }
        let total = "\(ProbeCountText.number(rest.count + omitted)) more"
        let isGood = rest.allSatisfy { $0.verdict == "up" }
        return isGood ? "\(total), all up" : "\(total): \(words.joined(separator: ", "))"
    }

    private static let goodRank = 6

    /// Where a probe stands in the list: what is wrong first, then what may be, then what is not known yet.
    private static func rank(_ probe: StatusReply.Probe) -> Int {
        switch probe.verdict {
        case "portal": 0
        case "down": 1
        case "up": probe.isFlapping == true ? 3 : isDoubtful(probe) ? 4 : goodRank
        default: probe.code != nil ? 2 : 5
        }
    }

    private static func isDoubtful(_ probe: StatusReply.Probe) -> Bool {
        probe.verdict == "up" && probe.lastOutcome != nil && probe.lastOutcome != "ok"
    }

    private static func colour(_ probe: StatusReply.Probe) -> TerminalStyle.Colour? {
        switch rank(probe) {
        case 1: .red
        case 0, 2, 3, 4: .yellow
        default: nil
        }
    }

    private func text(_ probe: StatusReply.Probe) -> String {
        probe.verdict == "up" ? good(probe) : troubled(probe)
    }

    /// `up, 23 ms, checked 4 s ago`.
    private func good(_ probe: StatusReply.Probe) -> String {
        var parts = ["up"]
        if Self.isDoubtful(probe) {
            let code = probe.lastCode.map { kept(" [\(safe($0))]") } ?? ""
            let word = probe.lastOutcome == "unknown" ? "says nothing" : "failed"
            parts.append("the last check \(word)\(code)" + (probe.detail.map { ": \(safe($0))" } ?? ""))
        } else if let latency = probe.latency {
            parts.append(kept("\(latency.microseconds / 1000) ms"))
        }
        parts += doubts(probe)
        if let last = probe.last { parts.append(kept("checked \(clock.age(of: last, units: 1))")) }
        return parts.joined(separator: ", ")
    }

    /// `down for 12 min [connect_timeout], 192.0.2.1:443`.
    private func troubled(_ probe: StatusReply.Probe) -> String {
        var first = safe(probe.verdict ?? "unknown")
        if let since = probe.since, probe.last != nil {
            first += kept(" for \(DurationText.coarse(probe.age ?? clock.duration(since: since)))")
        }
        if let code = probe.code { first += kept(" [\(safe(code))]") }
        guard probe.last != nil || probe.code != nil else { return "\(first): not checked yet" }
        var parts = [first] + doubts(probe)
        if let detail = probe.detail { parts.append(safe(detail)) }
        // What the first line says is not said again; an address has nothing behind it that could be taken for its end.
        if let url = probe.portalURL, url != reply.reachability.state?.connectivityReason?.portalURL {
            parts.append("log in at \(address(url))")
        }
        return parts.joined(separator: ", ")
    }

    private func doubts(_ probe: StatusReply.Probe) -> [String] {
        (probe.isFlapping == true ? ["flapping"] : [])
            + (probe.isStale == true ? ["the path has changed since the last check"] : [])
    }

    // MARK: Uplinks

    /// The interfaces with a default route, where that tells more than the state does.
    var uplinks: [String] {
        let isOfInterest =
            reply.uplinks.count > 1 || reply.uplinks.contains { ($0.connectivity ?? "unknown") != "unknown" }
        guard isOfInterest else { return [] }
        var rows = reply.uplinks.prefix(Self.mostProbes).map { uplink in
            (label: safe(uplink.interface ?? "?"), text: text(uplink), colour: Self.colour(uplink))
        }
        if let advice = adviceOnUplinks { rows.append(("what to do", advice, nil)) }
        return section("UPLINKS", labelled(rows))
    }

    /// How to have the system use a standby that works, where the interface that it prefers leads nowhere.
    private var adviceOnUplinks: String? {
        guard let state = reply.reachability.state,
            !state.isReachable || ["none", "local"].contains(state.connectivity),
            let working = reply.uplinks.first(where: { $0.isUsed != true && $0.connectivity == "full" })?.interface,
            let preferred = state.path?.interface, preferred != working
        else { return nil }
        let (better, worse) = (safe(working), safe(preferred))
        let command = kept("ip link set \(worse) down")
        return "\(better) works: give its default route a lower metric than that of \(worse), or \(command)"
    }

    /// `wwan, stands by: full`.
    private func text(_ uplink: StatusReply.Uplink) -> String {
        let kind = kept(safe(uplink.kind ?? "unknown").padded(to: 9))
        let use = uplink.isUsed == true ? "in use" : "stands by"
        guard let connectivity = uplink.connectivity, connectivity != "unknown" || uplink.reason?.code != nil else {
            // What the probes say of the path in use is the state's connectivity.
            return uplink.isUsed == true ? "\(kind) \(use)" : "\(kind) \(use), not probed"
        }
        var text = "\(kind) \(use): \(safe(connectivity))"
        if let reason = uplink.reason {
            if let url = reason.portalURL {
                text += ", log in at \(address(url))"
            } else if let why = because(reason) {
                text += ", \(why)"
            }
        }
        return text
    }

    private static func colour(_ uplink: StatusReply.Uplink) -> TerminalStyle.Colour? {
        switch uplink.connectivity {
        case "local", "none": .red
        case "portal", "partial": .yellow
        default: nil
        }
    }

    // MARK: Certificates

    /// The certificates that end soon, the first one first; one that many probes see is told once.
    var certificates: [String] {
        var found: [StatusReply.Certificate: [String]] = [:]
        for probe in reply.probes {
            guard let certificate = probe.certificate, let days = certificate.daysLeft, days < Self.warningDays else {
                continue
            }
            let name = safe(probe.name ?? "?")
            if found[certificate]?.contains(name) != true { found[certificate, default: []].append(name) }
        }
        let sorted = found.sorted { left, right in
            let (first, second) = (left.key, right.key)
            return (first.daysLeft ?? 0, first.subject ?? "") < (second.daysLeft ?? 0, second.subject ?? "")
        }
        var rows = sorted.prefix(Self.mostCertificates).map { certificate, probes in
            let colour: TerminalStyle.Colour = (certificate.daysLeft ?? 0) < 7 ? .red : .yellow
            let seen =
                probes.prefix(3).joined(separator: ", ") + (probes.count > 3 ? " and \(probes.count - 3) more" : "")
            let name = certificate.subject.flatMap { $0.isEmpty ? nil : safe($0) } ?? "(no subject)"
            let day = certificate.notAfter.map { clock.local($0).prefix(10) } ?? "?"
            let text = "\(kept(Self.end(certificate.daysLeft ?? 0))): \(name), seen by \(seen)"
            return (label: String(day), text: text, colour: Optional(colour))
        }
        let rest = sorted.count - rows.count
        if rest > 0 { rows.append(("and \(rest) more", "", nil)) }
        return section("CERTIFICATES THAT END", labelled(rows))
    }

    /// `in 6 days`.
    private static func end(_ days: Int) -> String {
        switch days {
        case ..<(-1): "ended \(-days) days ago"
        case -1: "ended 1 day ago"
        case 0: "within a day"
        case 1: "in 1 day"
        default: "in \(days) days"
        }
    }

    /// The probes whose servers match nothing but a backup pin.
    var pinProblems: [String] {
        let names = reply.probes.filter { probe in
            probe.pins.contains { $0.isBackup == true && $0.isMatched == true }
                && !probe.pins.contains { $0.isBackup != true && $0.isMatched == true }
        }
        .map { ProbeCountText.name($0) }
        guard let first = names.first else { return [] }
        let more = names.count > 1 ? " and \(ProbeCountText.number(names.count - 1)) more" : ""
        return ["of the pins of \(first)\(more) only a backup matches: pin the next key before this one changes"]
    }
}
