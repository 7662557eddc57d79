internal import ArgumentParser
internal import EventJournal
internal import Glibc
internal import InputRecording
internal import LinuxSupport
internal import NetlinkMonitor
internal import StateSocket

/// The nonzero exit statuses of the agent (sysexits.h).
enum ExitStatus {
    /// Not reachable, or refused by the policy.
    static let finding: Int32 = 1
    /// The command line is wrong.
    static let usage: Int32 = 64
    /// A required resource is missing: netlink, an agent, or a journal.
    static let unavailable: Int32 = 69
    /// A temporary failure of this machine; a retry may succeed.
    static let tryAgain: Int32 = 75
    /// The user has no permission.
    static let notPermitted: Int32 = 77
    /// A file that the command line or the configuration names is bad.
    static let badConfiguration: Int32 = 78

    /// The statuses after which the service manager does not start the agent again (`RestartPreventExitStatus=` of
    /// reachagent.service).
    static let preventingRestart: Set<Int32> = [usage, badConfiguration]
}

/// A usage error that is found only after reading the configuration or the agent's status.
enum WrongUsage {
    /// Prints an error of one sentence on standard error, and returns exit status 64.
    ///
    /// A `ValidationError` of a running command would be shown with the usage of the whole program.
    static func exit(_ message: String) -> ExitCode {
        Terminal.printError("reachagent: \(message)")
        return ExitCode(ExitStatus.usage)
    }
}

/// Netlink cannot be used.
enum Unavailable {
    /// Returns the description of a failure, and the remedy if a limit of open files was reached.
    static func explanation(of error: NetlinkError) -> (text: String, remedy: String?) {
        // A process or a machine without a free descriptor says nothing about netlink.
        if case .errno(let number) = error.cause, let remedy = Shortage.remedy(errno: number) {
            return ("cannot \(error)", remedy)
        }
        return ("the kernel's netlink is not available: \(error)", nil)
    }

    /// Runs `body`; if netlink fails, prints the error on standard error and exits with status 69, or 75 if a limit of
    /// open files was reached.
    static func orExit<Result>(_ body: () throws(NetlinkError) -> Result) throws -> Result {
        do throws(NetlinkError) {
            return try body()
        } catch {
            let (text, remedy) = explanation(of: error)
            AgentLogger.fail(text)
            guard let remedy else { throw ExitCode(ExitStatus.unavailable) }
            AgentLogger.fail(remedy)
            throw ExitCode(ExitStatus.tryAgain)
        }
    }
}

/// A limit of open files that was reached.
enum Shortage {
    /// The limit that the service has (`LimitNOFILE=` of reachagent.service).
    private static let usualLimit: UInt64 = 16_384

    /// Returns the remedy for an errno of such a limit, with the command to run; `nil` for any other errno.
    ///
    /// - Parameter limit: The process's limit of open files.
    static func remedy(errno number: Int32, limit: UInt64 = FileLimit.current) -> String? {
        switch number {
        case EMFILE:
            let higher = max(usualLimit, limit > .max / 2 ? .max : limit * 2)
            return "the limit of open files is \(limit): raise it with 'ulimit -n \(higher)', or with "
                + "LimitNOFILE=\(higher) in the unit of a service"
        case ENFILE:
            return
                "the machine's limit of open files is reached ('sysctl fs.file-nr'): raise it with 'sysctl fs.file-max=1000000'"
        default: return nil
        }
    }
}

/// A file that the command line or the configuration names is bad.
enum BadConfiguration {
    /// Runs `body`; if it throws, prints the error on standard error and exits with status 78.
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

/// The exit of the program after an error, or after the output of a built-in option such as `--help`.
enum CommandEnd {
    /// Prints the message of an error, and returns the exit status.
    ///
    /// Help, completion scripts and completions are trusted text and are printed unchanged; text that repeats arguments
    /// passes through ``Terminal/printError(_:)``.
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
            // The command has already printed the reason for its exit status.
            guard !message.isEmpty else { return code.rawValue }
            Terminal.printError("reachagent: \(message)")
            return ExitStatus.tryAgain
        }
    }
}

/// The agent cannot start.
enum StartFailure {
    /// Runs `body`; if it fails, prints the reason on standard error and exits with the matching status.
    static func orExit(_ body: () throws -> Void) throws {
        let (reason, text, status): (any Error, String, Int32)
        do {
            return try body()
        } catch let error as NetlinkError {
            return try Unavailable.orExit { () throws(NetlinkError) in throw error }
        } catch let error as SystemError {
            (reason, text) = (error, "cannot create the agent's threads and their descriptors: \(error)")
            status = exitStatus(errno: error.errno)
        } catch let error as JournalError {
            (reason, text, status) = (error, "\(error)", exitStatus(error))
        } catch let error as StateSocketError {
            (reason, text, status) = (error, "\(error)", exitStatus(error))
        } catch let error as RecordingError {
            (reason, text, status) = (error, "\(error)", exitStatus(error))
        }
        AgentLogger.fail(text)
        if let remedy = number(reason).flatMap({ Shortage.remedy(errno: $0) }) { AgentLogger.fail(remedy) }
        if isInUse(reason) {
            let beside = "run --no-journal --no-sockets --no-hooks"
            AgentLogger.fail("to watch beside it, use 'reachagent watch', or '\(beside)'")
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

    static func exitStatus(_ error: StateSocketError) -> Int32 {
        switch error.cause {
        case .inUse, .replaced, .failedLookup: ExitStatus.tryAgain
        case .errno(let number): exitStatus(errno: number)
        case .foreignGroup: ExitStatus.notPermitted
        case .notASocket, .pathTooLong, .unknownGroup, .unsuitableDescriptor: ExitStatus.badConfiguration
        case .startedBefore, .eventLoop: ExitStatus.unavailable
        }
    }

    /// Returns the exit status for a failed system call: only what stays wrong until an operator changes something is
    /// a bad configuration, after which the service manager starts the agent no more.
    static func exitStatus(errno number: Int32) -> Int32 {
        switch number {
        case EACCES, EPERM: ExitStatus.notPermitted
        case ENOSPC, EDQUOT, EIO, EUCLEAN, EROFS, ESTALE, ETIMEDOUT, EINTR: ExitStatus.tryAgain
        case EAGAIN, EMFILE, ENFILE, ENOMEM, ENOBUFS, ENOLCK, EADDRINUSE, EADDRNOTAVAIL: ExitStatus.tryAgain
        default: ExitStatus.badConfiguration
        }
    }

    /// Returns the errno of the failed system call, if any.
    private static func number(_ reason: any Error) -> Int32? {
        if let error = reason as? SystemError { return error.errno }
        if case .errno(let number)? = (reason as? JournalError)?.cause { return number }
        if case .errno(let number)? = (reason as? StateSocketError)?.cause { return number }
        if case .errno(let number)? = (reason as? RecordingError)?.cause { return number }
        return nil
    }

    /// Returns whether another agent uses the files.
    private static func isInUse(_ reason: any Error) -> Bool {
        if case .inUse? = (reason as? JournalError)?.cause { return true }
        if case .inUse? = (reason as? StateSocketError)?.cause { return true }
        return false
    }
}
