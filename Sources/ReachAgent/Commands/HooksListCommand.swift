internal import ArgumentParser
internal import EventEnvelope
internal import Hooks

/// `reachagent hooks list`: which hooks would run, and why others would not.
struct HooksListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show which hooks would run for which event, in order, and why others would not.",
        discussion: """
            Every file is looked at as it is before it runs. It is judged as the user who asks: the agent may be another \
            one, so ask as the agent's user.

            EXAMPLES
              reachagent hooks list
              reachagent hooks list --event last
              reachagent history --type target.changed --last 1 --json | reachagent hooks list --event -

            EXIT STATUS
              0   done, also when there are hooks that do not run    77  no permission to read the event or the journal
              69  there is no journal, or no such event in it        78  the configuration, or the event, is bad
            """
    )

    @Option(
        help: ArgumentHelp(
            "Only what would happen for this event: a file with one line of JSON, '-', or 'last' of the journal.",
            valueName: "file|last"
        ),
        completion: .file()
    )
    var event: String?

    @Option(help: ArgumentHelp("The journal's directory, for '--event last'.", valueName: "directory"))
    var directory: String?

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var source: HookSourceOptions

    func run() throws {
        let survey = try source.survey()
        let event = try event.map { argument in
            try HookEventSource(argument: argument, directory: directory).event(of: []) { _ in true }
        }
        if json {
            var writer = JSONWriter()
            HookListJSON(survey: survey, event: event).write(to: &writer)
            Terminal.print(writer.bytes)
        } else {
            Terminal.print(HookListText(survey: survey, style: .standardOutput(), event: event).text)
        }
    }
}
