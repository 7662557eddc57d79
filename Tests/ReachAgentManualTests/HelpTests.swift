import AgentTestKit
import ArgumentParser
import Testing

@testable import ReachAgent
@testable import ReachAgentManual

/// The output of `--help`, for terminals with 80 columns.
@Suite struct HelpTests {
    /// A command with the words that lead to it.
    struct Case: CustomTestStringConvertible, Sendable {
        let name: String
        let type: any ParsableCommand.Type
        var testDescription: String { name }
    }

    /// Every command that there is, nested ones too.
    static let commands: [Case] = all(ReachAgentCommand.self, below: "")

    private static func all(_ type: any ParsableCommand.Type, below path: String) -> [Case] {
        let name = (path.isEmpty ? "" : "\(path) ") + (type.configuration.commandName ?? "")
        return [Case(name: name, type: type)] + type.configuration.subcommands.flatMap { all($0, below: name) }
    }

    private static func help(_ command: Case) -> [Substring] {
        ReachAgentCommand.helpMessage(for: command.type, columns: 80).split(separator: "\n")
    }

    @Test func `the commands of the documentation exist`() {
        #expect(Self.commands.count > 17)
        #expect(Self.commands.contains { $0.name == "reachagent hooks run" })
    }

    @Test func `the help of the program is one screen with every command in its group`() {
        let lines = RootHelp.text.split(separator: "\n", omittingEmptySubsequences: false)
        #expect(lines.count < 24)
        for line in lines { #expect(line.count <= 80, "\(line)") }
        let words = Set(RootHelp.text.split { !$0.isLetter && $0 != "-" }.map(String.init))
        for type in ReachAgentCommand.configuration.subcommands {
            #expect(words.contains(type.configuration.commandName ?? ""))
        }
    }

    @Test(arguments: ["", "-h", "--help", "help", "help help"])
    func `a request for help shows one screen`(line: String) async throws {
        let result = try await FinishedCommand.run(line.split(separator: " ").map(String.init))
        #expect(result.output == RootHelp.text + "\n")
        #expect(result.status == 0)
    }

    @Test(arguments: commands.filter { $0.name != "reachagent" })
    func `help knows every command`(command: Case) {
        let topic = command.name.split(separator: " ").dropFirst().map(String.init)
        let error = #expect(throws: (any Error).self) {
            var command = try ReachAgentCommand.command(for: ["help"] + topic)
            try command.run()
        }
        #expect(error.map { ReachAgentCommand.exitCode(for: $0) } == .success)
    }

    @Test(arguments: commands)
    func `no line of a help is longer than 80 columns`(command: Case) {
        let lines = Self.help(command)
        #expect(lines.count > 5)
        for line in lines { #expect(line.count <= 80, "\(command.name): \(line)") }
    }

    @Test(arguments: commands)
    func `an abstract fits the line that lists it`(command: Case) throws {
        let abstract = command.type.configuration.abstract
        #expect(abstract.hasSuffix("."))
        // The list of subcommands begins the texts in column 27; the root's own stands behind 'OVERVIEW: '.
        #expect(abstract.count <= (command.name == "reachagent" ? 70 : 54), "\(abstract)")
    }

    @Test(arguments: commands)
    func `verbatim text of a help is not broken, neither there nor on the page`(command: Case) {
        let help = ReachAgentCommand.helpMessage(for: command.type, columns: 80)
        for line in command.type.configuration.discussion.split(separator: "\n") where line.hasPrefix("  ") {
            #expect(help.contains("\n\(line)\n"), "\(line)")
        }
        for case .example(let lines) in HelpText.blocks(command.type.configuration.discussion) {
            for line in lines { #expect(line.count <= RoffPage.exampleWidth, "\(line)") }
        }
    }

    @Test func `every argument and every option has a description`() throws {
        for (path, command) in try Project.tool().command.leaves {
            for argument in command.arguments ?? [] {
                #expect(argument.abstract?.isEmpty == false, "\(path) \(argument.valueName ?? "")")
                #expect(argument.abstract?.hasSuffix(" ") == false)
            }
        }
    }

    /// The arguments with which a command that has `--socket` asks an agent, and ends.
    private static let questions = [
        "check": ["web"], "config check": [], "config init": [], "config show": [], "diagnose": [], "history": [],
        "hooks list": [], "hooks run": ["x", "--event", "last"], "interfaces": [], "measure": ["web"], "probe": ["web"],
        "reload": [], "report": [], "route": ["office"], "status": [], "subscribers": [],
        "wait-online": ["--timeout", "1s"], "watch": ["--no-reconnect"],
    ]

    @Test(arguments: commands.filter { help($0).contains { $0.hasPrefix("  --socket <") } })
    func `the help has the status that a command ends with if the agent does not answer`(command: Case) async throws {
        let name = command.name.split(separator: " ").dropFirst().joined(separator: " ")
        let question = try #require(Self.questions[name])
        let agent = try ScriptedAgent(ScriptedAgent.silence, ScriptedAgent.silence)
        let words = name.split(separator: " ").map(String.init) + question + ["--socket", agent.path]
        let result = try await FinishedCommand.run(words)
        let blocks = HelpText.blocks(command.type.configuration.discussion)
        let place = try #require(blocks.firstIndex(of: .heading("EXIT STATUS")))
        guard case .rows(let rows) = blocks[place + 1] else { throw CancellationError() }
        #expect(rows.contains { Int32($0.tag) == result.status }, "\(result.status): \(result.error)")
    }

    @Test(arguments: commands.filter { $0.type.configuration.subcommands.isEmpty })
    func `a command says with which status it ends`(command: Case) {
        let blocks = HelpText.blocks(command.type.configuration.discussion)
        guard let place = blocks.firstIndex(of: .heading("EXIT STATUS")) else {
            // The agent's own are those of the root.
            #expect(command.name == "reachagent run")
            return
        }
        guard case .rows(let rows) = blocks[place + 1] else {
            Issue.record("no rows in \(command.name)")
            return
        }
        #expect(rows.count > 1)
        for row in rows { #expect(Int(row.tag) != nil && !row.text.isEmpty) }
    }
}
