internal import EventEnvelope

/// An event of a journal or a socket as one line for people.
enum EventText {
    private static let prefix = "reachagent."

    /// Local time, type and subject of an event; the line itself where it is none.
    static func line(of line: [UInt8]) -> String {
        guard let scanned = ScannedLine(line.span) else { return SafeText.of(String(decoding: line, as: UTF8.self)) }
        func text(_ range: Range<Int>) -> String { SafeText.of(String(decoding: line[range], as: UTF8.self)) }
        let type = text(scanned.type)
        let name = type.hasPrefix(prefix) ? String(type.dropFirst(prefix.count)) : type
        let clock = scanned.time?.localDescription.split(separator: "T").last.map(String.init) ?? "-"
        return "\(clock)  \(scanned.sequence.map(String.init) ?? "-")  \(name)  \(text(scanned.subject))"
    }
}
