internal import ArgumentParser

/// `stream-load`: one contender of `stream-bench` and `http-bench`, in a process of its own, so that its CPU time is nobody else's.
@main
struct StreamLoadCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "stream-load",
        abstract: "Publish, record or write events for stream-bench and http-bench.",
        subcommands: [ServeCommand.self, RecordCommand.self, FillCommand.self]
    )
}
