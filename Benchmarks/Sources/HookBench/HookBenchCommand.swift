internal import ArgumentParser

/// `hook-bench`: how soon a hook runs, beside other ways to run a program when the network changes.
@main
struct HookBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "hook-bench",
        abstract: "Measure the time from an edge to a hook's first instruction.",
        discussion: """
            Works in network namespaces of its own and leaves nothing behind. Needs iproute2, a C compiler, and root or user
            namespaces. With --check the status is 1 when a target is missed.
            """,
        subcommands: [MeasureCommand.self, FloorCommand.self],
        defaultSubcommand: MeasureCommand.self
    )
}
