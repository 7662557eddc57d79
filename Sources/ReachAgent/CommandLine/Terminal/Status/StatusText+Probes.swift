internal import AgentEvents
internal import ForeignText

extension StatusText {
    private static let (maximumProbes, maximumCertificates) = (200, 10)
    /// The rank of a probe that is certainly up.
    private static let goodRank = 6

    /// The probes that are not up, a line each, and the others in a line.
    func brief(probesAtMost limit: Int) -> [String] {
        let (all, good) = ranked
        let isWaiting: (Status.ProbeStatus) -> Bool = { [reply] in Self.isWaiting($0, in: reply) }
        // Reported once above, for all of them.
        let troubled = all.filter { !isWaiting($0) && !Self.isStoppedByBudget($0) }
        // Their last verdicts still hold: the budget was used up since.
        let up = good + all.filter { $0.verdict == "up" && Self.isStoppedByBudget($0) }
        let shown = troubled.prefix(limit)
        let rest = troubled.count - shown.count
        var lines = shown.isEmpty ? [] : table(Array(shown)).lines(style)
        if rest > 0 {
            let verb = rest == 1 ? "is" : "are"
            lines += wrapped("\(ProbeCountText.number(rest)) more \(verb) not up: `reachagent status probes`")
        }
        let names = all.filter(isWaiting).map { kept(ProbeCountText.name($0.probe, $0.interface, $0.family)) }
        if !names.isEmpty {
            let verb = names.count == 1 ? "probe waits" : "probes wait"
            let more = names.count > 8 ? " and \(kept("\(names.count - 8) more"))" : ""
            lines += wrapped("\(names.count) \(verb) for a path: \(names.prefix(8).joined(separator: ", "))\(more)")
        }
        let isRest = !shown.isEmpty || !names.isEmpty
        let count = up.count + (areOmittedUp ? omitted : 0)
        if count > 0 { lines += wrapped(summary(of: up, count, isRest: isRest)) }
        if omitted > 0, !areOmittedUp {
            let verb = omitted == 1 ? "is" : "are"
            lines += wrapped("\(ProbeCountText.number(omitted)) more \(verb) beyond the size of a reply")
        }
        return lines
    }

    /// The probes in detail, those that are not up first.
    func probes() -> [String] {
        let (troubled, good) = ranked
        let all = troubled + good
        var lines = all.isEmpty ? [] : table(Array(all.prefix(Self.maximumProbes))).lines(style, wrapsLast: true)
        let rest = all.count + omitted - min(all.count, Self.maximumProbes)
        if rest > 0 {
            let isGood =
                (omitted == 0 || areOmittedUp)
                && all.dropFirst(Self.maximumProbes).allSatisfy { Self.rank($0) == Self.goodRank }
            lines += wrapped("\(ProbeCountText.number(rest)) more\(isGood ? ", all up" : "")")
        }
        return lines
    }

    /// The number of probes that the agent omitted.
    private var omitted: Int { max(0, min(reply.probesOmitted ?? 0, 1 << 32)) }

    /// `true` if the list goes on with probes that are up: those that are not come first.
    private var areOmittedUp: Bool { reply.probes.contains { $0.verdict == "up" } }

    /// The probes that are not up, the worst first, and the others.
    private var ranked: (troubled: [Status.ProbeStatus], good: [Status.ProbeStatus]) {
        let all = reply.probes.map { (rank: Self.rank($0), probe: $0) }.enumerated()
            .sorted { ($0.element.rank, $0.offset) < ($1.element.rank, $1.offset) }.map(\.element)
        return (
            all.filter { $0.rank < Self.goodRank }.map(\.probe), all.filter { $0.rank == Self.goodRank }.map(\.probe)
        )
    }

    /// The position of a probe in the list: failures first, then doubts, then unknown verdicts.
    private static func rank(_ probe: Status.ProbeStatus) -> Int {
        switch probe.verdict {
        case "portal": 0
        case "down": 1
        case "up": probe.isFlapping ? 3 : isDoubtful(probe) ? 4 : goodRank
        default: probe.code != nil && !probe.isExcused ? 2 : 5
        }
    }

    /// True for a probe that could not be checked, as there is no path.
    private static func isWaiting(_ probe: Status.ProbeStatus, in reply: Status) -> Bool {
        guard probe.interface == nil, let state = reply.reachability.state, !state.isReachable else { return false }
        return (probe.verdict ?? "unknown") == "unknown"
    }

    /// True for a probe that only an exhausted budget keeps from being checked.
    private static func isStoppedByBudget(_ probe: Status.ProbeStatus) -> Bool {
        !["down", "portal"].contains(probe.verdict) && (probe.lastCode ?? probe.code) == "budget_exhausted"
    }

    private static func isDoubtful(_ probe: Status.ProbeStatus) -> Bool {
        probe.verdict == "up" && probe.lastOutcome != nil && probe.lastOutcome != "ok"
    }

    // MARK: Lines

    private func table(_ probes: [Status.ProbeStatus]) -> FittedTable {
        var table = FittedTable(["PROBE", "VERDICT", "FOR", "CHECKED", .right("TIME"), "DETAIL"])
        for probe in probes {
            let colour: TerminalStyle.Colour? =
                switch Self.rank(probe) {
                case 1: .red
                case 0, 2, 3, 4: .yellow
                case Self.goodRank: .green
                default: nil
                }
            let age =
                probe.forMilliseconds.map { Duration.milliseconds($0) }
                ?? probe.since.map { clock.duration(since: $0) }
            let verdict = safe(probe.verdict ?? "unknown") + (probe.code.map { " [\(safe($0))]" } ?? "")
            let name = ProbeCountText.name(probe.probe, probe.interface, probe.family)
            let ending = name.displayWidth - ProbeCountText.name(probe.probe, nil, nil).displayWidth
            table.add([
                .init(name, ending: ending),
                .init(verdict, colour, whole: verdict.displayWidth),
                .init(probe.last == nil ? nil : age.map { DurationText.coarse($0, units: 1) }),
                .init(probe.last.map { clock.age(of: $0, units: 1) } ?? "not yet"),
                .init(probe.verdict == "up" ? probe.latencyMilliseconds.map { "\($0) ms" } : nil),
                particulars(probe),
            ])
        }
        return table
    }

    /// The codes of a probe, which are truncated last, and its details.
    private func particulars(_ probe: Status.ProbeStatus) -> FittedTable.Cell {
        let flapping = probe.isFlapping ? ProblemCode.flapping.rawValue : nil
        let code = probe.lastCode.map { "[\(safe($0))]" }
        let codes = [flapping, code].compactMap(\.self).joined(separator: ", ")
        var check = code == nil ? nil : "at the last check"
        if Self.isDoubtful(probe) { check = probe.lastOutcome == "unknown" ? "not checked" : "last check failed" }
        var parts = [flapping, check.map { words in code.map { "\($0) \(words)" } ?? words }].compactMap(\.self)
        if probe.isStale { parts.append("the path has changed since") }
        if let detail = probe.detail { parts.append(safe(detail)) }
        if let rates = probe.transfer?.summary, !rates.isEmpty { parts.append(rates) }
        if let url = probe.portalURL, url != reply.reachability.state?.portalURL {
            parts.append("log in at \(ForeignText.line(url))")
        }
        if let expiry = expiry(probe) { parts.append(expiry) }
        return .init(parts.joined(separator: ", "), whole: codes.displayWidth)
    }

    /// `3 more are up: web (certificate expires in 9 days), portal`; as many names as two lines take.
    private func summary(of good: [Status.ProbeStatus], _ count: Int, isRest: Bool) -> String {
        let expiring = good.filter { expiry($0) != nil }
        let others = good.filter { expiry($0) == nil }
        var names: [String] = []
        var length = 40
        for probe in expiring + others {
            let name =
                ProbeCountText.name(probe.probe, probe.interface, probe.family)
                + (expiry(probe).map { " (\($0))" } ?? "")
            length += name.count + 2
            guard length < style.columns * 2 else { break }
            names.append(kept(name))
        }
        let rest = count - names.count
        if rest > 0 { names.append(kept("\(ProbeCountText.number(rest)) more")) }
        let noun = isRest ? "more" : count == 1 ? "probe" : "probes"
        return "\(ProbeCountText.number(count)) \(noun) \(count == 1 ? "is" : "are") up: "
            + names.joined(separator: ", ")
    }

    // MARK: Certificates

    /// `certificate expires in 9 days`; `nil` if it does not count as expiring yet.
    private func expiry(_ probe: Status.ProbeStatus) -> String? {
        guard let certificate = probe.certificate, certificate.isExpiring else { return nil }
        return certificate.daysLeft.map { "certificate \(Self.end($0))" }
    }

    /// The expiring certificates, the first one first; one that many probes see is listed once.
    var certificates: [String] {
        // The subject is foreign text, so the key has its bytes.
        var found: [ForeignText: (certificate: Status.ExpiringCertificate, probes: [String])] = [:]
        for probe in reply.probes {
            guard let certificate = probe.certificate, certificate.isExpiring, let days = certificate.daysLeft else {
                continue
            }
            let key = ForeignText("\(days) \(certificate.notAfter?.description ?? "") \(certificate.subject ?? "")")
            let name = safe(probe.probe)
            var entry = found[key] ?? (certificate, [])
            if !entry.probes.contains(name) { entry.probes.append(name) }
            found[key] = entry
        }
        let sorted = found.values.sorted { left, right in
            let (first, second) = (left.certificate, right.certificate)
            guard first.daysLeft == second.daysLeft else { return (first.daysLeft ?? 0) < (second.daysLeft ?? 0) }
            return ForeignText(first.subject ?? "") < ForeignText(second.subject ?? "")
        }
        var rows = sorted.prefix(Self.maximumCertificates).map { certificate, probes in
            let colour: TerminalStyle.Colour = (certificate.daysLeft ?? 0) < 1 ? .red : .yellow
            let seen =
                probes.prefix(3).joined(separator: ", ") + (probes.count > 3 ? " and \(probes.count - 3) more" : "")
            let name = certificate.subject.flatMap { $0.isEmpty ? nil : safe($0) } ?? "(no subject)"
            let day = certificate.notAfter.map { clock.local($0).prefix(10) } ?? "?"
            let text = "\(kept(Self.end(certificate.daysLeft ?? 0))): \(name), seen by \(seen)"
            return (label: String(day), text: text, colour: Optional(colour))
        }
        let rest = sorted.count - rows.count
        if rest > 0 { rows.append(("\(rest) more", "", nil)) }
        return section("EXPIRING CERTIFICATES", labelled(rows))
    }

    /// `expires in 6 days`.
    private static func end(_ days: Int) -> String {
        switch days {
        case ..<(-1): "expired \(days.magnitude) days ago"
        case -1: "expired 1 day ago"
        case 0: "expires today"
        case 1: "expires in 1 day"
        default: "expires in \(days) days"
        }
    }
}

/// The numbers of probes by verdict.
enum ProbeCountText {
    /// The maximum number of probes that are named.
    private static let maximumNamed = 6

    /// `3 of 5 up; web IPv6 down (tls_expired), cafe portal (portal_redirect)`; `nil` without probes.
    static func line(_ probes: [AgentEvents.NetworkSnapshot.ProbeVerdict], omitted: Int) -> String? {
        guard !probes.isEmpty else { return nil }
        let troubled = probes.filter { $0.verdict.verdict != "up" }
        // Those that are up come last, so that after one of them the others are too.
        let omitted = max(0, min(omitted, 1 << 32))
        let unlisted = troubled.count < probes.count ? 0 : omitted
        let total = probes.count + omitted - unlisted
        let up = total - troubled.count
        var words = up == total ? "all \(number(total)) up" : "\(number(up)) of \(number(total)) up"
        let named = troubled.prefix(maximumNamed).map { probe in
            let code = probe.verdict.code.map { " (\(ForeignText.shown($0, limit: 64)))" } ?? ""
            let name = name(probe.point.probe, probe.point.interface, probe.point.family)
            return "\(name) \(ForeignText.shown(probe.verdict.verdict, limit: 16))\(code)"
        }
        if !named.isEmpty { words += "; " + named.joined(separator: ", ") }
        let rest = troubled.count - named.count
        if rest > 0 { words += " and \(number(rest)) more" }
        return unlisted > 0 ? "\(words); \(number(unlisted)) more \(unlisted == 1 ? "is" : "are") not listed" : words
    }

    /// `web`, or `web wwan0 IPv6`.
    static func name(_ probe: String, _ interface: String?, _ family: String?) -> String {
        let parts = [probe, interface, family.map { SummaryText.familyName($0) }]
        return parts.compactMap { $0.map { ForeignText.shown($0, limit: 64) } }.joined(separator: " ")
    }

    /// A number with a comma between thousands: `9,980`.
    static func number(_ value: Int) -> String { SummaryText.number(value) }
}
