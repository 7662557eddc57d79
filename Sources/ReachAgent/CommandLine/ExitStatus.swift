internal import ArgumentParser
internal import NetlinkMonitor

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
    /// Says what is wrong in one sentence on standard error, and ends with status 64.
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
