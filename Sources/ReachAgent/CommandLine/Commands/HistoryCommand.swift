internal import AgentEvents
internal import ArgumentParser
internal import EventJournal
internal import ForeignText
internal import Glibc

/// `reachagent history`: what the journal holds.
struct HistoryCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "history",
        abstract: "Show the events of the past.",
        usage: "reachagent history [<options>]",
        discussion: """
            Reads the journal itself, that of the running agent, or without one the first that exists. Events that are \
            missing are told where they are missing; lines that are damaged are left out and counted on standard error.

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
              69  there is no journal, or no agent answers at the named socket
              75  the journal could not be read; try again
              77  no permission to read the journal
            """
    )

    @Option(
        help: ArgumentHelp("Only events from this moment on, or after this number.", valueName: "time|seq"),
        transform: EventPosition.init(argument:)
    )
    var since: EventPosition?

    @Option(
        help: ArgumentHelp("Only events up to this moment or number.", valueName: "time|seq"),
        transform: EventPosition.init(argument:)
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
            "Only events about this: default, agent, or the name of a target, a probe, an interface or a hook.",
            valueName: "name"
        ),
        completion: .agentNames(of: .subjects)
    )
    var subject: String?

    @Option(
        name: [.customShort("n"), .customLong("last"), .customLong("limit")],
        help: ArgumentHelp("Only so many of these events, the newest.", valueName: "count")
    )
    var last: Int?

    @Flag(name: [.customShort("f"), .long], help: "Go on with what is written from now on.")
    var follow = false

    @Flag(help: "Also show every 'path.changed'.")
    var all = false

    @Flag(help: "Print the events as they are: one JSON object a line.")
    var json = false

    @OptionGroup var colors: ColorOptions

    @OptionGroup var source: JournalSourceOptions

    /// The most events that `--last` counts: their numbers are remembered.
    private static let maximumLast = 1_000_000

    func validate() throws {
        if let last, !(1...Self.maximumLast).contains(last) {
            throw ValidationError("'--last' must be 1 to \(Self.maximumLast)")
        }
        if follow, until != nil { throw ValidationError("'--follow' and '--until' exclude each other") }
    }

    func run() throws {
        let directories = try source.directories()
        let path = JournalLocation.existing(directories)
        if source.directory == nil, !json, isatty(STDERR_FILENO) == 1 {
            Terminal.printError("journal: \(ForeignText.line(path))")
        }
        var printer = HistoryPrinter(isJSON: json, style: .standardOutput(color: colors.color))
        do {
            let reader = try JournalReader(directory: path, includesHistory: true)
            var history = History(
                reader: reader,
                since: since,
                until: until,
                filter: EventFilter(types: types, subject: subject, hiding: hiddenType),
                showsOmitted: json
            )
            history.progress = ReadingProgress(through: try reader.newestSequence ?? 0)
            // Before the first reading, so that nothing is written between the two without notice.
            let watch = try follow ? Self.watch(path) : nil
            if let last { try history.keepNewest(last) }
            try history.forEachChunk { chunk, lines throws(StandardOutput.Failure) in try printer.print(chunk, lines) }
            try printer.flush()
            noteUnknownSubject(history)
            guard let watch else { return }
            history.progress = nil
            OutputReader.endWhenGone()
            while true {
                watch.wait()
                try history.forEachNewChunk { chunk, lines throws(StandardOutput.Failure) in
                    try printer.print(chunk, lines)
                }
                try printer.flush()
            }
        } catch let error as JournalError {
            try? printer.flush()
            throw JournalLocation.status(of: error, directories: directories)
        } catch StandardOutput.Failure.readerGone {
            return
        } catch StandardOutput.Failure.errno(let number) {
            Terminal.printError("reachagent: cannot write to standard output: \(String(cString: strerror(number)))")
            throw ExitCode(ExitStatus.tryAgain)
        }
    }

    /// The types that people see only on request.
    private var hiddenType: EventType? { json || all || !types.isEmpty ? nil : .pathChanged }

    private static func watch(_ directory: String) throws -> JournalWatch {
        guard let watch = JournalWatch(directory: directory) else {
            Terminal.printError("reachagent: cannot watch \(directory): \(String(cString: strerror(errno)))")
            throw ExitCode(ExitStatus.tryAgain)
        }
        return watch
    }

    /// Names the subjects that there are when none is the one that was asked for.
    private func noteUnknownSubject(_ history: History) {
        guard let subject, !history.subjects.isEmpty, !history.subjects.contains(Array(subject.utf8)) else { return }
        let names = history.subjects.map { String(decoding: $0, as: UTF8.self) }.sorted()
        let name = ForeignText.shown(subject, limit: 64)
        let question = KeySuggestion.question(about: subject, among: names)
        let known = names.prefix(16).map { ForeignText.shown($0, limit: 64) }.joined(separator: ", ")
        Terminal.printError("reachagent: no event is about '\(name)'\(question); these events are about \(known)")
    }
}
