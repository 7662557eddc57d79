internal import AgentEvents
internal import ArgumentParser
internal import EventJournal
internal import ForeignText
internal import Glibc
internal import LinuxSupport

/// `reachagent history`: the events of the journal.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show past events.",
        usage: "reachagent history [<options>]",
        discussion: """
            Reads the journal itself, that of the running agent, or without one the first that is found. Missing \
            events are reported in their place; damaged lines are skipped and counted on standard error.

            Of 'path.changed', which 'reachability.changed' and 'target.changed' repeat when it has held, nothing is shown \
            unless '--all', '--json' or a '--type' asks for it.

            A time is written as '2026-11-21 07:00', 10:30 (today), today, yesterday, 'yesterday 10:30', '1 hour ago', \
            1h30m (before now), or in ISO 8601 with an offset. Without one it is a local time.

            EXAMPLES
              reachagent history --since today
              reachagent history -n 20 -f
              reachagent history --since '1 hour ago' --type 'probe.*'
              reachagent history --since 41 --type 'path.*' --subject office
              reachagent history --json | jq 'select(.data.to.via == "none")'

            EXIT STATUS
              0   done, also when nothing was found
              64  wrong usage, such as a range that ends before it begins
              69  there is no journal, or no agent answers at the named socket
              75  the journal could not be read, or the output not written, or no answer
                  in time at the named socket; try again
              77  no permission to read the journal, or to ask the agent at the named
                  socket
            """
    )

    @Option(
        help: ArgumentHelp("Only events from this moment on, or after this number.", valueName: "time|seq"),
        transform: EventPosition.init(argument:)
    )
    var since: EventPosition?

    @Option(
        help: ArgumentHelp("Only events up to this moment or number, included.", valueName: "time|seq"),
        transform: EventPosition.init(endArgument:)
    )
    var until: EventPosition?

    @Option(
        name: .customLong("type"),
        help: ArgumentHelp(
            "Only events of this type, such as path.changed or 'path.*' (repeatable).",
            valueName: "type"
        ),
        completion: .eventTypes,
        transform: EventFilter.journalType(argument:)
    )
    var types: [String] = []

    @Option(
        help: ArgumentHelp(
            "Only events about this: default, agent, or the name of a target, a probe, an interface, a hook or a sink.",
            valueName: "name"
        ),
        completion: .agentNames(of: .subjects)
    )
    var subject: String?

    @Option(
        name: [.customShort("n"), .customLong("last"), .customLong("limit")],
        help: ArgumentHelp("At most this many of these events, the newest.", valueName: "count")
    )
    var last: Int?

    @Flag(name: [.customShort("f"), .long], help: "Continue with events as they are written.")
    var follow = false

    @Flag(help: "Also show every 'path.changed'.")
    var all = false

    @Flag(help: "Print the events as they are: one JSON object a line.")
    var json = false

    @OptionGroup var colors: ColorOptions

    @OptionGroup var source: JournalSourceOptions

    /// The maximum of `--last`, whose event numbers are kept in memory.
    private static let maximumLast = 1_000_000

    func validate() throws {
        if let last, !(1...Self.maximumLast).contains(last) {
            throw ValidationError("'--last' must be 1 to \(Self.maximumLast)")
        }
        if follow, until != nil { throw ValidationError("'--follow' and '--until' exclude each other") }
        if isEmptyRange { throw ValidationError("'--until' must be after '--since'; the range is empty") }
    }

    /// True for a range that ends before it begins, whatever the journal holds.
    private var isEmptyRange: Bool {
        switch (since, until) {
        // The events begin after the number, and end with it.
        case (.number(let since), .number(let until)): until <= since
        case (.moment(let since), .moment(let until)): until < since
        default: false
        }
    }

    func run() throws {
        let directories = try source.directories()
        let path = JournalLocation.existing(directories)
        if source.directory == nil, !json, isatty(STDERR_FILENO) == 1 {
            Terminal.printError("journal: \(ForeignText.line(path))")
        }
        var printer = HistoryPrinter(isJSON: json, until: until, style: .standardOutput(color: colors.color))
        do {
            let reader = try JournalReader(directory: path, includesHistory: true)
            guard JournalLocation.isJournal(path) else { throw JournalLocation.missing(directories) }
            var history = History(
                reader: reader,
                since: since,
                until: until,
                filter: EventFilter(types: types, subject: subject, hiding: hiddenType),
                showsOmitted: json
            )
            history.progress = ReadingProgress(through: try reader.newestSequence ?? 0)
            // Started before the first read, so that no write in between goes unnoticed.
            let watch = try follow ? Self.watch(path) : nil
            if let last { try history.keepNewest(last) }
            try history.forEachChunk { chunk, lines throws(StandardOutput.Failure) in try printer.print(chunk, lines) }
            try printer.flush()
            noteUnknownSubject(history)
            guard let watch else { return }
            history.progress = nil
            OutputReader.endWhenGone()
            while true {
                guard watch.wait() else { throw Self.cannotWatch(path) }
                do {
                    if try history.isOfNewStream() { Terminal.printError("reachagent: another journal begins here") }
                    try history.forEachNewChunk { chunk, lines throws(StandardOutput.Failure) in
                        try printer.print(chunk, lines)
                    }
                } catch let error as JournalError where error.cause == .errno(ENOENT) {
                    // The directory was removed meanwhile; its successor is waited for.
                }
                try printer.flush()
            }
        } catch let error as JournalError {
            try? printer.flush()
            throw JournalLocation.status(of: error, directories: directories)
        } catch StandardOutput.Failure.readerGone {
            return
        } catch StandardOutput.Failure.errno(let number) {
            Terminal.exitUnwritable(number)
        }
    }

    /// The event type that is shown to people only on request.
    private var hiddenType: EventType? { json || all || !types.isEmpty ? nil : .pathChanged }

    private static func watch(_ directory: String) throws -> JournalWatch {
        guard let watch = JournalWatch(directory: directory) else { throw cannotWatch(directory) }
        return watch
    }

    private static func cannotWatch(_ directory: String) -> ExitCode {
        let reason = SystemError(errno: errno).description
        Terminal.printError("reachagent: cannot watch \(ForeignText.line(directory)): \(reason)")
        return ExitCode(ExitStatus.tryAgain)
    }

    /// Lists the existing subjects if none matches the requested one.
    private func noteUnknownSubject(_ history: History) {
        guard let subject, !history.subjects.isEmpty, !history.subjects.contains(Array(subject.utf8)) else { return }
        let names = history.subjects.map { String(decoding: $0, as: UTF8.self) }.sorted()
        let name = ForeignText.shown(subject, limit: 64)
        let question = KeySuggestion.question(about: subject, among: names)
        let known = names.prefix(16).map { ForeignText.shown($0, limit: 64) }.joined(separator: ", ")
        Terminal.printError("reachagent: no event is about '\(name)'\(question); these events are about \(known)")
    }
}

/// Prints what was read from the journal, with its gaps.
private struct HistoryPrinter {
    private let isJSON: Bool
    /// The time after which nothing is printed; `nil` for none.
    private let until: Timestamp?
    private var output = StandardOutput()
    private var lines: EventLines
    private var corruptLines = 0

    /// Creates a printer of unchanged JSON lines, or of styled lines for people, up to a position.
    init(isJSON: Bool, until: EventPosition?, style: TerminalStyle) {
        self.isJSON = isJSON
        if case .moment(let moment)? = until { self.until = moment } else { self.until = nil }
        lines = EventLines(style: style)
    }

    /// Prints the selected lines of a chunk, with each gap reported in its place.
    mutating func print(_ chunk: JournalChunk, _ selected: [JournalLine]) throws(StandardOutput.Failure) {
        corruptLines += chunk.corruptLines
        var missing = gaps(in: chunk)[...]
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

    /// The gaps to report: one has the time of the event after it, which is in the same chunk.
    private func gaps(in chunk: JournalChunk) -> [ClosedRange<UInt64>] {
        guard let until else { return chunk.missing }
        return chunk.missing.filter { gap in
            chunk.lines.first { $0.sequence > gap.upperBound }.map { $0.time <= until } ?? true
        }
    }

    /// Flushes the output, and reports the number of damaged lines.
    mutating func flush() throws(StandardOutput.Failure) {
        try output.flush()
        switch corruptLines {
        case 0: break
        case 1: Terminal.printError("reachagent: 1 line of the journal is damaged and was left out")
        default: Terminal.printError("reachagent: \(corruptLines) lines of the journal are damaged and were left out")
        }
        corruptLines = 0
    }

    /// Reports a gap among the lines for people, or on standard error beside JSON lines, which stay unchanged.
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
