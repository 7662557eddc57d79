/// The output of `reachagent --experimental-dump-help`, as far as the manual needs it.
///
/// swift-argument-parser's own types for it are not a product of that package.
struct ToolDescription: Decodable {
    /// The only supported version.
    static let knownVersion = 0

    let serializationVersion: Int
    let command: Command

    /// A command with its subcommands.
    struct Command: Decodable {
        let commandName: String
        let abstract: String?
        let discussion: String?
        let shouldDisplay: Bool
        let subcommands: [Command]?
        let arguments: [Argument]?

        /// The commands with an action of their own, with their names.
        var leaves: [(path: [String], command: Command)] {
            let below = (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
            guard !below.isEmpty else { return [([commandName], self)] }
            return below.flatMap { command in command.leaves.map { ([commandName] + $0.path, $0.command) } }
        }
    }

    /// An argument or an option.
    struct Argument: Decodable {
        /// The kind of an argument.
        enum Kind: String, Decodable {
            case positional, option, flag
        }

        /// One of an option's names.
        struct Name: Decodable {
            let kind: String
            let name: String

            /// The name with its dashes.
            var text: String { kind == "long" ? "--\(name)" : "-\(name)" }
        }

        let kind: Kind
        let shouldDisplay: Bool
        let sectionTitle: String?
        let isOptional: Bool
        let isRepeating: Bool
        let names: [Name]?
        let valueName: String?
        let defaultValue: String?
        let allValues: [String]?
        let abstract: String?
        let discussion: String?

        /// `true` if every command has it.
        var isCommon: Bool { names?.contains { ["help", "version"].contains($0.name) } ?? false }
    }
}
