internal import AgentEvents
internal import ArgumentParser
internal import Hooks

/// `reachagent hooks list`: which hooks would run, and why others would not.
struct HooksListCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "Show which hooks run for which event, and why not.",
        usage: "reachagent hooks list [<options>]",
        discussion: """
            Shows the hooks in the order in which they are started, and of others why they do not run. Every file is looked \
            at as it is before it runs. It is judged as the user who asks: the agent may be another one, so ask as the \
            agent's user.

            EXAMPLES
              reachagent hooks list
              reachagent hooks list --event last
              reachagent history --last 1 --json | reachagent hooks list --event -

            EXIT STATUS
              0   done, also when there are hooks that do not run
              69  there is no journal, or no such event in it
              77  no permission to read the event or the journal
              78  the configuration, or the event, is bad
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

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup var source: HookSourceOptions

    func run() throws {
        let survey = try source.survey()
        let event = try event.map { argument in
            try source.event(argument).event(of: []) { _ in true }
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
