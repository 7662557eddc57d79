internal import EventEnvelope
internal import EventSchema

/// An event as one line for people: local time, type, subject, and what happened.
enum HumanLine {
    static func text(_ event: Event) -> String {
        let clock = event.time.localDescription.split(separator: "T").last.map(String.init) ?? ""
        let type = padded(event.type.shortName, 20)
        // Certificates and portals say what they like.
        return "\(clock)  \(type)  \(padded(event.subject, 8))  \(SafeText.of(event.summary))"
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        SafeText.of(text, limit: 128).padded(to: width)
    }
}
