internal import FuzzKit

@testable import AgentEvents

/// Lines that clients read: events of all types, the replies to `status` and `subscribers`, and reports of checks.
///
/// All that can be read can be written, and the written text reads back as the same text.
enum FuzzEvents {
    private static let origin = EventOrigin(streamID: "seed", host: "edge7")
    private static let epoch = Timestamp(microsecondsSince1970: 1_795_000_000_000_000)

    static func run(_ input: [UInt8]) {
        if let event = AgentEvent(line: input) { check(event, input) }
        if let report = try? EventDecoder.decode(CheckReport.self, from: input) { checkText(report) }
        if let list = SubscriberList(line: input) { checkText(list) }
        guard let status = AgentStatus(line: input) else { return }
        checkText(status)
        _ = status.advice()
        _ = status.problems(at: status.time ?? epoch, clock: \.description, moment: \.description)
        for uplink in status.uplinks { _ = status.summary(of: uplink) }
    }

    private static func check(_ event: AgentEvent, _ input: [UInt8]) {
        if let line = ScannedLine(input.span) {
            require(line.sequence == event.sequence, "two numbers in one line")
            let (type, subject) = (input[line.type], input[line.subject])
            let isPlain = !input.contains(UInt8(ascii: "\\"))
            require(!isPlain || type.elementsEqual(event.type.utf8), "two types in one line")
            require(!isPlain || subject.elementsEqual(event.subject.utf8), "two subjects in one line")
            require(!isPlain || line.time == event.time, "two times in one line")
        }
        guard event.content != .unknown, let type = event.knownType else { return }
        checkText(event)
        _ = EventSummary(event)
        _ = event.content.summary
        // The agent's own writer, which for changes is another one.
        let draft = EventDraft(type, subject: event.subject, event.content)
        let published = Event(draft, from: origin, at: event.time, number: event.sequence ?? 1)
        require(AgentEvent(line: published.line)?.content == event.content, "a published event reads as another one")
    }

    private static func checkText<Value: Codable>(_ value: Value) {
        guard let text = try? EventEncoder.encode(value) else {
            return require(false, "what was read cannot be written")
        }
        guard let again = try? EventDecoder.decode(Value.self, from: text) else {
            return require(false, "what was written cannot be read")
        }
        require((try? EventEncoder.encode(again)) == text, "the text is another one")
    }
}
