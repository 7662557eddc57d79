internal import ArgumentParser

/// The command that the first arguments of a command line select.
struct CommandPath {
    /// The name, as in `reachagent config check`.
    private(set) var name = "reachagent"
    /// The type.
    private(set) var type: any ParsableCommand.Type = ReachAgentCommand.self
    /// The arguments after the command name.
    private(set) var rest: ArraySlice<String>

    /// True for a command that can be run; the others are groups of commands.
    var isComplete: Bool { type.configuration.subcommands.isEmpty }

    /// Finds the command that these arguments select.
    init(_ words: ArraySlice<String>) {
        rest = words
        while let word = rest.first,
            let next = type.configuration.subcommands.first(where: { $0.configuration.commandName == word })
        {
            (name, type) = ("\(name) \(word)", next)
            rest = rest.dropFirst()
        }
    }
}
