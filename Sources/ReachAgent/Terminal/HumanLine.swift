internal import EventEnvelope
internal import EventSchema
internal import ForeignText

/// An event as one line for people: local time, type, subject, and what happened.
enum HumanLine {
    static func text(_ event: Event) -> String {
        let clock = event.time.localDescription.split(separator: "T").last.map(String.init) ?? ""
        let type = padded(event.type.shortName, 20)
        // Certificates and portals say what they like.
        return "\(clock)  \(type)  \(padded(event.subject, 8))  \(ForeignText.line(event.summary))"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        ForeignText.shown(text, limit: 128).padded(to: width)
    }
}
