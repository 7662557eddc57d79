internal import ArgumentParser
internal import EventJournal
internal import Glibc
internal import InputRecording
internal import NetlinkMonitor
internal import StateSocket

/// The statuses that the agent ends with, beside 0 (sysexits.h).
enum ExitStatus {
    /// Not reachable, or refused by the policy.
    static let finding: Int32 = 1
    /// The command line is wrong.
    static let usage: Int32 = 64
    /// Something that is needed is missing: netlink, an agent, or a journal.
    static let unavailable: Int32 = 69
    /// This machine could not ask; another time it may.
    static let tryAgain: Int32 = 75
    /// The user has no permission.
    static let notPermitted: Int32 = 77
    /// A file that the command line or the configuration names is bad.
    static let badConfiguration: Int32 = 78
}

/// A word of the command line that only what was read could judge.
enum WrongUsage {
    /// Prints what is wrong in one sentence on standard error, and exits with status 64.
    ///
    /// A `ValidationError` of a running command would be shown with the usage of the whole program.
    static func exit(_ message: String) -> ExitCode {
        Terminal.printError("reachagent: \(message)")
        return ExitCode(ExitStatus.usage)
    }
}

/// Netlink cannot be used.
enum Unavailable {
    /// Runs `body`; when netlink refuses, says so in one sentence on standard error and ends with status 69.
    static func orExit<Result>(_ body: () throws(NetlinkError) -> Result) throws -> Result {
        do throws(NetlinkError) {
            return try body()
        } catch {
            AgentLogger.fail("the kernel's netlink is not available: \(error)")
            throw ExitCode(ExitStatus.unavailable)
        }
    }
}

/// A file that the command line or the configuration names is bad.
enum BadConfiguration {
    /// Runs `body`; when it throws, says why in one sentence on standard error and ends with status 78.
    static func orExit<Result>(_ body: () throws -> Result) throws -> Result {
        do {
            return try body()
        } catch let error as ExitCode {
            throw error
        } catch {
            AgentLogger.fail("\(error)")
            throw ExitCode(ExitStatus.badConfiguration)
        }
    }
}

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

/// The agent cannot start.
enum StartFailure {
    /// Runs `body`; says why it failed in one sentence on standard error, and ends with the status that fits.
    static func orExit(_ body: () throws -> Void) throws {
        let (reason, status): (any Error, Int32)
        do {
            return try body()
        } catch let error as NetlinkError {
            return try Unavailable.orExit { () throws(NetlinkError) in throw error }
        } catch let error as JournalError {
            (reason, status) = (error, exitStatus(error))
        } catch let error as StateSocketError {
            (reason, status) = (error, exitStatus(error))
        } catch let error as RecordingError {
            (reason, status) = (error, exitStatus(error))
        }
        AgentLogger.fail("\(reason)")
        if status == ExitStatus.tryAgain {
            AgentLogger.fail("to watch beside it, use 'reachagent watch', or 'run --no-journal --no-sockets'")
        }
        throw ExitCode(status)
    }

    private static func exitStatus(_ error: JournalError) -> Int32 {
        switch error.cause {
        case .inUse: ExitStatus.tryAgain
        case .errno(let number): exitStatus(errno: number)
        case .malformed: ExitStatus.badConfiguration
        }
    }

    private static func exitStatus(_ error: RecordingError) -> Int32 {
        guard case .errno(let number) = error.cause else { return ExitStatus.badConfiguration }
        return exitStatus(errno: number)
    }

    private static func exitStatus(_ error: StateSocketError) -> Int32 {
        switch error.cause {
        case .inUse: ExitStatus.tryAgain
        case .errno(let number): exitStatus(errno: number)
        case .notASocket, .pathTooLong, .unknownGroup, .unsuitableDescriptor: ExitStatus.badConfiguration
        case .startedBefore, .eventLoop: ExitStatus.unavailable
        }
    }

    private static func exitStatus(errno number: Int32) -> Int32 {
        number == EACCES || number == EPERM ? ExitStatus.notPermitted : ExitStatus.badConfiguration
    }
}
