/// Phrases shared by the summaries of several values and the texts of commands.
package enum SummaryText {
    /// Returns ` (dead leg eth0)`, or ` (dead legs eth0, eth1)`; empty if every leg is usable.
    package static func deadLegs(_ interfaces: [String]) -> String {
        guard !interfaces.isEmpty else { return "" }
        return " (dead leg\(interfaces.count == 1 ? "" : "s") \(interfaces.joined(separator: ", ")))"
    }

    /// Returns `IPv4` for `ipv4`.
    package static func familyName(_ family: String) -> String {
        switch family {
        case "ipv4": "IPv4"
        case "ipv6": "IPv6"
        default: family
        }
    }

    /// Returns the last line of an output that is not blank; `nil` if there is none.
    package static func lastLine(_ output: String) -> String? {
        guard let line = output.split(whereSeparator: \.isNewline).last(where: { !$0.allSatisfy(\.isWhitespace) })
        else { return nil }
        let text = String(line.drop(while: \.isWhitespace))
        return text.unicodeScalars.count <= longestOutputLine
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestOutputLine))) + "..."
    }

    /// The maximum number of characters shown of an output line.
    package static let longestOutputLine = 200

    /// Formats a duration: `840 ms`, `1.2 s`, `59.9 s`, `3 min 20 s`.
    package static func lasting(milliseconds: Int64) -> String {
        let milliseconds = max(0, milliseconds)
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        guard milliseconds < 60_000 else { return coarse(milliseconds / 1000) }
        let tenth = milliseconds / 100 % 10
        return "\(milliseconds / 1000)\(tenth == 0 ? "" : ".\(tenth)") s"
    }

    /// Formats a latency: `0.4 ms`, `20.8 ms`, `1.2 s`.
    package static func latency(microseconds: Int64) -> String {
        guard microseconds < 1_000_000 else { return lasting(milliseconds: microseconds / 1000) }
        let tenths = (max(0, microseconds) + 50) / 100
        return tenths % 10 == 0 ? "\(tenths / 10) ms" : "\(tenths / 10).\(tenths % 10) ms"
    }

    /// Formats a duration in its two largest units: `8 h 3 min`.
    package static func coarse(_ seconds: Int64) -> String {
        let units = [("d", 86_400), ("h", 3600), ("min", 60), ("s", 1)] as [(String, Int64)]
        guard let first = units.firstIndex(where: { seconds >= $0.1 }) else { return "less than a second" }
        var rest = seconds
        var words: [String] = []
        for (name, length) in units[first...].prefix(2) where rest >= length {
            words.append("\(rest / length) \(name)")
            rest %= length
        }
        return words.joined(separator: " ")
    }

    /// Returns ` (tls_expired web)`; empty without a code and a probe.
    package static func because(_ code: String?, _ probe: String?) -> String {
        let words = [code, probe].compactMap { $0 }.joined(separator: " ")
        return words.isEmpty ? "" : " (\(words))"
    }

    /// Returns `up → down (connect_refused); 192.0.2.1:443`, without a code that the new state contains already.
    static func change(_ from: String, _ to: String, _ cause: ChangeCause) -> String {
        change(from, to, cause, code: to.contains("(\(cause.code)") ? nil : cause.code)
    }

    /// Returns `wifi wlan0 IPv4 → none (link_down wlan0) [link_down]; no carrier`.
    static func change(_ from: String, _ to: String, _ cause: ChangeCause, code: String?) -> String {
        "\(from) → \(to)" + (code.map { " [\($0)]" } ?? "") + (cause.detail.map { "; \($0)" } ?? "")
    }

    /// Returns `1 probe`, `12,000 probes`.
    package static func count(_ number: UInt64, _ noun: String) -> String {
        "\(Self.number(Int(clamping: number))) \(noun)\(number == 1 ? "" : "s")"
    }

    /// Formats a number with thousands separators: `9,980`.
    package static func number(_ value: Int) -> String {
        var groups: [Substring] = []
        var rest = String(value.magnitude)[...]
        while rest.count > 3 {
            groups.insert(rest.suffix(3), at: 0)
            rest = rest.dropLast(3)
        }
        return (value < 0 ? "-" : "") + ([rest] + groups).joined(separator: ",")
    }

    /// Returns `1 added (probe.web)`, with at most eight names.
    package static func listed(_ names: [String]) -> String {
        names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", …" : "")
    }
}
