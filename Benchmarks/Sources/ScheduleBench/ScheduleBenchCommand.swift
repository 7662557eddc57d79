internal import ArgumentParser

/// `schedule-bench`: what it costs to make many probes on time, and to wait for one.
@main
struct ScheduleBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "schedule-bench",
        abstract: "Measure the probes' scheduler beside a thread for each probe.",
        subcommands: [RunCommand.self, LoadCommand.self],
        defaultSubcommand: RunCommand.self
    )
}
