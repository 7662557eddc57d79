internal import AgentEvents
internal import EventJournal

/// Prints what was read from the journal, with its gaps.
struct HistoryPrinter {
    private let isJSON: Bool
    private var output = StandardOutput()
    private var lines: EventLines
    private var corruptLines = 0

    /// A printer of lines as they are, or of lines for people in a style.
    init(isJSON: Bool, style: TerminalStyle) {
        self.isJSON = isJSON
        lines = EventLines(style: style)
    }

    /// Prints some of a chunk's lines, and what is missing where it is missing.
    mutating func print(_ chunk: JournalChunk, _ selected: [JournalLine]) throws(StandardOutput.Failure) {
        corruptLines += chunk.corruptLines
        var missing = chunk.missing[...]
        for line in selected {
            while let gap = missing.first, gap.upperBound < line.sequence {
                try print(missing: gap)
                missing.removeFirst()
            }
            let bytes = chunk.bytes[line.range]
            if isJSON {
                try output.print(line: Terminal.json(Array(bytes)))
            } else {
                for text in lines.lines(of: Array(bytes)) { try output.print(text) }
            }
        }
        for gap in missing { try print(missing: gap) }
    }

    /// Writes the rest, and tells how many lines were damaged.
    mutating func flush() throws(StandardOutput.Failure) {
        try output.flush()
        switch corruptLines {
        case 0: break
        case 1: Terminal.printError("reachagent: 1 line of the journal is damaged and was left out")
        default: Terminal.printError("reachagent: \(corruptLines) lines of the journal are damaged and were left out")
        }
        corruptLines = 0
    }

    /// A gap is told among the lines for people; beside JSON lines, which stay as they are, on standard error.
    private mutating func print(missing gap: ClosedRange<UInt64>) throws(StandardOutput.Failure) {
        let text =
            gap.lowerBound == gap.upperBound
            ? "event #\(gap.lowerBound) is missing" : "events #\(gap.lowerBound) to #\(gap.upperBound) are missing"
        if isJSON {
            Terminal.printError("reachagent: \(text)")
        } else {
            try output.print(lines.remark(text))
        }
    }
}
