internal import ArgumentParser

/// `transfer-bench`: bounded transfers beside curl, and other probes while one runs.
@main
struct TransferBenchCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "transfer-bench",
        abstract: "Measure the cost of bounded transfers beside curl, and the lateness of other probes meanwhile.",
        subcommands: [RunCommand.self, LoadCommand.self, LatenessCommand.self],
        defaultSubcommand: RunCommand.self
    )
}
