extension SummaryText {
    /// The most characters of an output's line that are told.
    package static let longestOutputLine = 200

    /// `hook vpn failed: exit status 3 after 1.2 s [reachability.changed 42], 3 times in a row; wg: no such device`.
    package static func hookCompleted(
        hook: String,
        trigger: String,
        sequence: String?,
        ending: HookEnding,
        superseded: Int64,
        failures: Int64,
        pausedMilliseconds: Int64?,
        output: String
    ) -> String {
        let event = sequence.map { "\(trigger) \($0)" } ?? trigger
        var text = "hook \(hook) \(ending.words) [\(event)]"
        if superseded > 0 { text += ", \(superseded) \(superseded == 1 ? "event" : "events") before it dropped" }
        if failures > 1 { text += ", \(failures) times in a row" }
        if let pausedMilliseconds { text += ", left alone for \(lasting(milliseconds: pausedMilliseconds))" }
        if let refusal = ending.refusal { return "\(text); \(refusal.remedy)" }
        guard !ending.isSuccess, let line = lastLine(output) else { return text }
        return "\(text); \(line)"
    }

    /// The last line of an output that says something; `nil` where none does.
    package static func lastLine(_ output: String) -> String? {
        guard let line = output.split(whereSeparator: \.isNewline).last(where: { !$0.allSatisfy(\.isWhitespace) })
        else { return nil }
        let text = String(line.drop(while: \.isWhitespace))
        return text.unicodeScalars.count <= longestOutputLine
            ? text : String(String.UnicodeScalarView(text.unicodeScalars.prefix(longestOutputLine))) + "..."
    }

    /// `840 ms`, `1.2 s`, `59.9 s`, `3 min 20 s`.
    package static func lasting(milliseconds: Int64) -> String {
        let milliseconds = max(0, milliseconds)
        guard milliseconds >= 1000 else { return "\(milliseconds) ms" }
        guard milliseconds < 60_000 else { return coarse(milliseconds / 1000) }
        let tenth = milliseconds / 100 % 10
        return "\(milliseconds / 1000)\(tenth == 0 ? "" : ".\(tenth)") s"
    }
}
