internal import ArgumentParser
internal import Configuration
internal import ForeignText

/// The messages on standard error.
struct LogOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The least important messages to log: trace, debug, info, notice, warning, error or critical.",
            discussion: """
                Default: 'log_level' of the configuration, or notice. With '--format none' every change of the state is \
                logged too, a loss as a warning; where events are printed, only from debug on. What comes again and again \
                is counted instead. SIGUSR1 has the state logged, whatever the level.
                """,
            valueName: "level"
        ),
        completion: .list(LogLevel.allCases.map(\.rawValue)),
        transform: Self.level
    )
    var logLevel: LogLevel?

    private static func level(_ text: String) throws -> LogLevel {
        guard let level = LogLevel(rawValue: text) else {
            let words = LogLevel.allCases.map(\.rawValue).joined(separator: ", ")
            throw ValidationError("'\(ForeignText.shown(text, limit: 64))' is no level; accepted are \(words)")
        }
        return level
    }
}
