internal import EventEnvelope
internal import ForeignText
internal import FoundationEssentials

/// An event that was read as JSON, as one line for people.
///
/// The columns are those of ``HumanLine``, which prints events that the process has made itself.
enum EventText {
    /// The line: local time with offset, type, subject, and what happened.
    ///
    /// Anything is given a form that is safe to show, also what is no event, or one of a type that is not known.
    static func line(of json: [UInt8]) -> String {
        guard let event = try? JSONDecoder().decode(ReadEvent.self, from: Data(json)) else {
            return ForeignText.shown(String(decoding: json, as: UTF8.self), limit: 120)
        }
        let time = event.time.flatMap { Timestamp(utc: Array($0.utf8).span) }
        let clock = time?.localDescription.split(separator: "T").last.map(String.init) ?? "--:--:--.---"
        let type = padded(EventType.shortName(of: event.type), 20)
        let columns = [type, padded(event.subject ?? "", 8), ForeignText.line(event.summary)]
        return ([clock] + columns).joined(separator: "  ")
    }

    private static func padded(_ text: String, _ width: Int) -> String {
        ForeignText.shown(text, limit: 128).padded(to: width)
    }
}
