internal import EventEnvelope
internal import FoundationEssentials

/// An event that was read as JSON, as one line for people.
///
/// The columns are those of ``HumanLine``, which prints events that the process has made itself.
enum EventText {
    private static let prefix = "reachagent."

    /// The line: local time with offset, type, subject, and what happened.
    ///
    /// Anything is given a form that is safe to show, also what is no event, or one of a type that is not known.
    static func line(of json: [UInt8]) -> String {
        guard let event = try? JSONDecoder().decode(ReadEvent.self, from: Data(json)) else {
            return SafeText.of(String(decoding: json, as: UTF8.self), limit: 120)
        }
        let time = event.time.flatMap { Timestamp(utc: Array($0.utf8).span) }
        let clock = time?.localDescription.split(separator: "T").last.map(String.init) ?? "--:--:--.---"
        let type = event.type.hasPrefix(prefix) ? String(event.type.dropFirst(prefix.count)) : event.type
        let columns = [padded(type, 20), padded(event.subject ?? "", 8), SafeText.of(event.summary)]
        return ([clock] + columns).joined(separator: "  ")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        let text = SafeText.of(text, limit: 128)
        return text + String(repeating: " ", count: max(0, width - text.count))
    }
}

/// An event's members as far as they are shown.
private struct ReadEvent: Decodable {
    var type: String
    var subject: String?
    var time: String?
    var data: ReadValue?

    /// What happened, in a few words; not yet safe to show.
    var summary: String {
        guard case .object(let members)? = data else { return "" }
        return known(members) ?? ReadValue.compact(members)
    }

    /// The words for the types that are known, where the members are there; the same as the event's own summary.
    private func known(_ members: [String: ReadValue]) -> String? {
        switch EventType(rawValue: type) {
        case .pathChanged, .reachabilityChanged, .targetChanged:
            guard let from = members["from"]?.stateSummary, let to = members["to"]?.stateSummary else { return nil }
            let cause = members["cause"]
            let code = cause?["code"]?.text.map { " [\($0)]" } ?? ""
            return "\(from) → \(to)\(code)" + (cause?["detail"]?.text.map { "; \($0)" } ?? "")
        case .agentStarted: return members["version"]?.text.map { "agent \($0) started" }
        case .agentStopping: return members["reason"]?.text.map { "agent stopping (\($0))" }
        case .netlinkOverrun: return members["detail"]?.text
        case .netlinkResynced:
            return members["corrections"]?.text.map { "the kernel's state was read again; \($0) corrections" }
        case .networkSnapshot: return members["state"]?.stateSummary
        case .subscriberLagged:
            return members["last_seq"]?.text.map { "too slow: what followed event \($0) was not kept" }
        default: return nil
        }
    }
}
