internal import ArgumentParser

/// The help of the program as a whole: every command on one screen, in its group.
///
/// swift-argument-parser gives each group a heading, which takes two screens; `reachagent help COMMAND` is its own.
enum RootHelp {
    /// The arguments that ask for the help of the program.
    private static let requests = [[], ["-h"], ["--help"], ["help"]]

    /// True for a command line that asks for the help of the program.
    static func isRequested(by arguments: [String]) -> Bool { requests.contains(arguments) }

    /// The first word that leads to no command; `nil` where all do.
    static func unknownTopic(of words: ArraySlice<String>) -> String? {
        var type: any ParsableCommand.Type = ReachAgentCommand.self
        for word in words where !word.hasPrefix("-") {
            guard let next = type.configuration.subcommands.first(where: { $0.configuration.commandName == word })
            else {
                return word
            }
            type = next
        }
        return nil
    }

    /// The text; the commands of a group without room for abstracts are on one line.
    static var text: String {
        let root = ReachAgentCommand.configuration
        var lines = ["reachagent \(Agent.version): \(root.abstract)", "", "Usage: reachagent <command> [<options>]"]
        let width = (root.groupedSubcommands.map(\.name.count).max() ?? 0) + 2
        let nameWidth = (root.subcommands.map { name($0).count }.max() ?? 0) + 2
        for group in root.groupedSubcommands {
            guard group.name != ReachAgentCommand.rest else {
                let names = group.subcommands.map(name).joined(separator: ", ")
                lines.append(group.name.padded(to: width) + "\(names), help")
                continue
            }
            for (index, command) in group.subcommands.enumerated() {
                let start = (index == 0 ? group.name : "").padded(to: width) + name(command).padded(to: nameWidth)
                lines.append(start + command.configuration.abstract)
            }
        }
        return
            (lines + [
                "", "Next: reachagent status, or reachagent diagnose when something is wrong.",
                "More: reachagent help <command>, man reachagent",
            ]).joined(separator: "\n")
    }

    private static func name(_ command: any ParsableCommand.Type) -> String { command.configuration.commandName ?? "" }
}
