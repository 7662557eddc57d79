/// What `reachagent --experimental-dump-help` tells of the command line, as far as the manual needs it.
///
/// The types that swift-argument-parser decodes it with are no product of that package.
struct ToolDescription: Decodable {
    /// The only form that this reader knows.
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

        /// The commands that do something by themselves, with the names that lead to them.
        var leaves: [(path: [String], command: Command)] {
            let below = (subcommands ?? []).filter { $0.shouldDisplay && $0.commandName != "help" }
            guard !below.isEmpty else { return [([commandName], self)] }
            return below.flatMap { command in command.leaves.map { ([commandName] + $0.path, $0.command) } }
        }
    }

    /// An argument or an option.
    struct Argument: Decodable {
        /// What the command line has of it.
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

        /// Whether every command has it.
        var isCommon: Bool { names?.contains { ["help", "version"].contains($0.name) } ?? false }
    }
}
