internal import ArgumentParser
internal import ForeignText

/// `reachagent completion`: the script that completes the command line.
struct CompletionCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "completion",
        abstract: "Print the completion script for a shell.",
        usage: "reachagent completion <shell>",
        discussion: """
            The package installs the scripts; this is for a program that was built from source. Names of probes, targets, \
            hooks and uplinks come from the running agent, which is asked at each completion.

            EXAMPLES
              source <(reachagent completion bash)
              reachagent completion fish | source

            EXIT STATUS
              0   the script was printed
              64  there is no script for the shell
            """
    )

    @Argument(help: "The shell: bash, zsh or fish.", completion: .list(CompletionShell.allCases.map(\.rawValue)))
    var shell: String

    func validate() throws {
        guard CompletionShell(rawValue: shell) == nil else { return }
        throw ValidationError("expected bash, zsh or fish, got '\(ForeignText.shown(shell, limit: 64))'")
    }

    func run() throws {
        guard let shell = CompletionShell(rawValue: shell) else { return }
        Terminal.write(Array((ReachAgentCommand.completionScript(for: shell) + "\n").utf8))
    }
}
