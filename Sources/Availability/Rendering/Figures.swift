internal import AgentEvents
internal import ForeignText

/// Numbers and names in the format shared by all reports for people.
package enum Figures {
    /// Returns per cent with three decimals, rounded down so that rounding never results in 100; `nil` of nothing.
    package static func percent(_ part: Int64, of whole: Int64) -> String? {
        guard whole > 0 else { return nil }
        let thousandths = Int128(part) * 100_000 / Int128(whole)
        return "\(thousandths / 1000).\(CivilTime.digits(Int(thousandths % 1000), 3))"
    }

    /// Formats a duration in its two largest units: `3d4h`, `1m30s`, `850ms`.
    package static func duration(_ microseconds: Int64) -> String {
        guard microseconds >= 0 else { return "-" + duration(-max(microseconds, -.max)) }
        let seconds = microseconds / 1_000_000
        guard seconds > 0 else { return "\(microseconds / 1000)ms" }
        let units: [(size: Int64, name: String)] = [(86_400, "d"), (3600, "h"), (60, "m"), (1, "s")]
        let first = units.firstIndex { seconds >= $0.size } ?? 3
        var text = "\(seconds / units[first].size)\(units[first].name)"
        if first < 3 {
            let rest = seconds % units[first].size / units[first + 1].size
            if rest > 0 { text += "\(rest)\(units[first + 1].name)" }
        }
        return text
    }

    /// Returns exact seconds with six decimals.
    package static func seconds(_ microseconds: Int64) -> String {
        let magnitude = microseconds.magnitude
        let sign = microseconds < 0 ? "-" : ""
        return "\(sign)\(magnitude / 1_000_000).\(CivilTime.digits(Int(magnitude % 1_000_000), 6))"
    }

    /// Returns untrusted text on one line, without control characters.
    static func shown(_ text: String, limit: Int = 120) -> String { ForeignText.shown(text, limit: limit) }

    /// Returns the evidence on one line: `#41 reason link_down (wlan0); missing: first_hop`.
    static func evidence(_ attribution: Attribution) -> String {
        var parts = attribution.evidence.map { fact in
            let subject = fact.subject.map { " (\(shown($0)))" } ?? ""
            return "#\(fact.sequence) \(fact.kind.rawValue) \(shown(fact.code))\(subject)"
        }
        if !attribution.missing.isEmpty {
            parts.append("missing: " + attribution.missing.map(\.rawValue).joined(separator: ", "))
        }
        return parts.joined(separator: "; ")
    }

    /// Returns the irregularities of the events, as sentences.
    static func notes(_ account: Account) -> [String] {
        let coverage = account.coverage
        var notes: [String] = []
        func note(_ count: some BinaryInteger, _ one: String, _ many: String) {
            if count > 0 { notes.append("\(count) \(count == 1 ? one : many)") }
        }
        note(coverage.crashes, "crash of the agent", "crashes of the agent")
        note(coverage.missing, "event is missing", "events are missing")
        note(coverage.duplicates, "event was recorded twice", "events were recorded twice")
        if coverage.clockSteps > 0 {
            note(coverage.clockSteps, "clock step back", "clock steps back")
            notes[notes.count - 1] += " by \(duration(coverage.repeated)) in all"
        }
        note(coverage.streams, "change to another stream", "changes to another stream")
        if coverage.isDegraded, let last = coverage.last {
            let moment = account.window.civilTime.text(last)
            notes.append("the agent cannot record events, and nothing is known after \(moment)")
        }
        if account.subjectsOmitted { notes.append("more uplinks or probes than are listed") }
        return notes
    }
}

extension Tally {
    /// The available share of the known time in per cent; `nil` if it is not known.
    package var percent: String? { lacksVerdicts ? nil : Figures.percent(available, of: known) }

    /// The same with unknown time as unavailable.
    var lowestPercent: String? { lacksVerdicts ? nil : Figures.percent(available, of: total) }

    /// The unknown time by its reasons, the longest first: `15h no data, 39m agent crashed`; `nil` if there is none.
    var unknownText: String? {
        let reasons = Condition.UnknownReason.allCases.map { (reason: $0, time: self[.unknown($0)]) }
            .filter { $0.time > 0 }
            .sorted { $0.time > $1.time }
            .map { "\(Figures.duration($0.time)) \($0.reason.phrase)" }
        return reasons.isEmpty ? nil : reasons.joined(separator: ", ")
    }

    /// The share with the sign, or a dash.
    var percentText: String { percent.map { "\($0) %" } ?? "—" }

    /// The same with unknown time as unavailable.
    var lowestPercentText: String { lowestPercent.map { "\($0) %" } ?? "—" }
}
