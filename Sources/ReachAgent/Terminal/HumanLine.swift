internal import EventEnvelope
internal import EventSchema

/// An event as one line for people: local time, type, subject, and what happened.
enum HumanLine {
    private static let prefix = "reachagent.".count

    static func text(_ event: Event) -> String {
        let clock = event.time.localDescription.split(separator: "T").last.map(String.init) ?? ""
        let type = String(event.type.rawValue.dropFirst(prefix))
        // Certificates and portals say what they like.
        return "\(clock)  \(padded(type, 20))  \(padded(event.subject, 8))  \(SafeText.of(event.summary))"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        SafeText.of(text, limit: 128).padded(to: width)
    }
}
