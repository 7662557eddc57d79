internal import ArgumentParser
internal import NetlinkMonitor

/// The statuses that the agent ends with, beside 0 (sysexits.h).
enum ExitStatus {
    /// Not reachable.
    static let finding: Int32 = 1
    /// Netlink is not available.
    static let unavailable: Int32 = 69
}

/// Netlink cannot be used.
enum Unavailable {
    /// Runs `body`; when netlink refuses, says so in one sentence on standard error and ends with status 69.
    static func orExit<Result>(_ body: () throws(NetlinkError) -> Result) throws -> Result {
        do throws(NetlinkError) {
            return try body()
        } catch {
            Terminal.printError("reachagent: the kernel's netlink is not available: \(error)")
            throw ExitCode(ExitStatus.unavailable)
        }
    }
}
