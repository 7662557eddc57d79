internal import AgentEvents
internal import ForeignText
internal import Probes

/// The phases of one hop as bars on a common time axis.
struct Waterfall {
    let style: TerminalStyle
    /// The span of the axis: the whole check.
    let total: Duration

    private static let width = 24

    /// One line for each phase: its name, its time, its bar, and its result.
    func lines(_ hop: Probes.CheckHop) -> [String] {
        hop.phases.map { timing in
            let name = Self.name(timing.phase).padded(to: 10)
            let time = DurationText.milliseconds(timing.duration).leftPadded(to: 9)
            let bar = bar(timing)
            var line = "  \(name) \(time)  \(bar)"
            var note = note(timing, hop)
            let room = max(16, style.columns - 2 - 10 - 1 - 9 - 2 - Self.width - 2)
            if note.displayWidth > room { note = note.prefix(columns: room - 3) + "..." }
            if !note.isEmpty { line += "  " + note }
            while line.last == " " { line.removeLast() }
            return line
        }
    }

    static func name(_ phase: Phase) -> String {
        phase == .firstByte ? "first byte" : phase.rawValue
    }

    private func bar(_ timing: PhaseTiming) -> String {
        let width = Self.width
        let totalMicroseconds = max(1, total.microseconds)
        func column(_ time: Duration) -> Int {
            Int(min(Double(width), Double(time.microseconds) / Double(totalMicroseconds) * Double(width)))
        }
        let start = min(width - 1, max(0, column(timing.start)))
        let end = min(width, max(start + 1, column(timing.start + timing.duration)))
        let full = style.hasUnicode ? "█" : "="
        let cut = style.hasUnicode ? "▒" : "x"
        let mark = timing.isComplete ? full : cut
        let drawn = String(repeating: mark, count: end - start)
        return String(repeating: " ", count: start)
            + style.paint(drawn, timing.isComplete ? .cyan : .red)
            + String(repeating: " ", count: width - end)
    }

    private func note(_ timing: PhaseTiming, _ hop: Probes.CheckHop) -> String {
        let words: [String?]
        switch timing.phase {
        case .resolve: words = [addresses(hop)]
        case .connect: words = [hop.peerAddress, hop.interface.map { "over \($0)" }]
        case .tls: words = [hop.tls?.version, hop.tls?.applicationProtocol, hop.tls?.cipher]
        case .firstByte: words = [hop.response.map { "HTTP/\($0.httpVersion) \($0.status)" }]
        case .body:
            words = [hop.response.map { $0.bodyBytes == 1 ? "1 byte" : "\($0.bodyBytes) bytes" }, contentType(hop)]
        // A name server's records have lines of their own.
        case .echo, .query: words = [hop.answer.map { String($0.prefix { !$0.isNewline }) }]
        case .request: words = []
        }
        let note = words.compactMap(\.self).joined(separator: ", ")
        return ForeignText.line(timing.isComplete || note.isEmpty ? note : note + ", not completed")
    }

    private func addresses(_ hop: Probes.CheckHop) -> String {
        guard hop.addresses.count > 2 else { return hop.addresses.joined(separator: ", ") }
        return hop.addresses.prefix(1).joined() + " and \(hop.addresses.count - 1) more"
    }

    private func contentType(_ hop: Probes.CheckHop) -> String? {
        hop.response?.headers.first { $0.isNamed("content-type") }?.value
    }
}
