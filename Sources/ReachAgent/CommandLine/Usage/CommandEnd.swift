internal import ArgumentParser
internal import Glibc

/// The end of the program with an error, or with what a built-in option such as `--help` asks for.
enum CommandEnd {
    /// Prints what an error says, and returns the exit status.
    ///
    /// Help, completion scripts and completions are our own text and go out as they are; whatever repeats arguments passes
    /// ``Terminal/printError(_:)``.
    static func status(of error: any Error, arguments: [String]) -> Int32 {
        if let code = error as? ExitCode { return code.rawValue }
        switch ReachAgentCommand.exitCode(for: error) {
        case .success:
            Terminal.write(Array((ReachAgentCommand.fullMessage(for: error) + "\n").utf8))
            return 0
        case .validationFailure:
            let columns = isatty(STDERR_FILENO) == 1 ? TerminalStyle.size(of: STDERR_FILENO)?.columns : nil
            Terminal.printError(UsageError(error, arguments).text(columns: columns.map { max($0, 40) }))
            return ExitStatus.usage
        case let code:
            let message = ReachAgentCommand.message(for: error)
            // An exit status of a command has said why already.
            guard !message.isEmpty else { return code.rawValue }
            Terminal.printError("reachagent: \(message)")
            return ExitStatus.tryAgain
        }
    }
}
