import AgentTestKit
import ArgumentParser
import Glibc
import NetlinkMonitor
import StateSocket
import Testing

@testable import ReachAgent

/// The messages and the exit status of an agent that cannot start, and the failures that do not prevent a start.
@Suite struct StartFailureTests {
    /// A directory with the configuration `a.toml`, and the arguments of an agent that keeps everything in it.
    private static func scratch(_ configuration: String = "") throws -> (
        directory: TemporaryDirectory, arguments: [String]
    ) {
        let directory = try TemporaryDirectory()
        let file = try directory.file("a.toml", configuration)
        let arguments = [
            "run", "--config", file, "--format", "none", "--no-hooks", "--socket-directory", directory.path,
            "--journal-directory", "\(directory.path)/journal",
        ]
        return (directory, arguments)
    }

    @Test func `an agent runs without a port that cannot be opened, and its log, status and diagnosis name it`()
        async throws
    {
        // An address of documentation (RFC 5737), which no machine has.
        let (directory, arguments) = try Self.scratch("[http]\nlisten = '192.0.2.1:9718'\ninsecure = true\n")
        defer { withExtendedLifetime(directory) {} }
        let agent = try CommandLines("exec \(BuiltAgent.path) \(arguments.joined(separator: " ")) 2>&1")
        defer { agent.end() }
        let reason = "192.0.2.1:9718, an address of 'listen' in [http]: Cannot assign requested address"
        _ = try await agent.next(containing: "cannot listen on \(reason); retrying every 30 s")
        let socket = ["--socket", "\(directory.path)/control.sock"]
        let status = try await FinishedCommand.run(["status", "--json"] + socket)
        let member = #""unavailable":[{"address":"192.0.2.1:9718","detail":"Cannot assign requested address"}]"#
        #expect(status.output.contains(member), "\(status.output)")
        let diagnosis = try await FinishedCommand.run(["diagnose", "--json"] + socket)
        #expect(diagnosis.output.contains("the agent cannot listen on 192.0.2.1:9718"), "\(diagnosis.output)")
    }

    @Test func `an agent without its Unix sockets does not start`() async throws {
        let (directory, arguments) = try Self.scratch()
        defer { withExtendedLifetime(directory) {} }
        let result = try await FinishedCommand.run(arguments + ["--socket-group", "no-such-group"])
        #expect(result.status == 78)
        #expect(result.output.isEmpty)
        #expect(result.error.contains("there is no group 'no-such-group'"), "\(result.error)")
        #expect(!result.error.contains("to watch beside it"), "\(result.error)")
    }

    @Test func `an agent that may not give its sockets to their group names the remedy`() async throws {
        let (directory, arguments) = try Self.scratch()
        defer { withExtendedLifetime(directory) {} }
        // Root may, unless it lacks the capability.
        let unprivileged = #"$([ "$(id -u)" != 0 ] || echo setpriv --bounding-set=-chown)"#
        let command = "exec \(unprivileged) \(BuiltAgent.path) \(arguments.joined(separator: " ")) --socket-group 12345"
        let result = try await FinishedCommand.run(["-c", command], of: "/bin/sh")
        let reason = "the agent's user is not a member of the group 12345; SupplementaryGroups=12345 in the unit"
        #expect(result.error.contains(reason), "\(result.error)")
        #expect(result.status == 77)
    }

    /// Limits below what a start needs, from the agent's first descriptors to its journal, its sockets and netlink.
    @Test(arguments: [8, 24, 36, 40, 44, 48, 52])
    func `a start without enough file descriptors names the limit and the remedy, and is a temporary failure`(
        limit: Int
    ) async throws {
        let (directory, arguments) = try Self.scratch()
        defer { withExtendedLifetime(directory) {} }
        let command = "ulimit -n \(limit); exec \(BuiltAgent.path) \(arguments.joined(separator: " "))"
        let result = try await FinishedCommand.run(["-c", command], of: "/bin/sh")
        let lines = result.error.split(separator: "\n")
        try #require(lines.count >= 2, "\(result.error)")
        #expect(lines[lines.count - 2].hasPrefix("reachagent: cannot "), "\(result.error)")
        #expect(lines[lines.count - 2].hasSuffix(": Too many open files"), "\(result.error)")
        let remedy = "raise it with 'ulimit -n 16384', or with LimitNOFILE=16384 in the unit of a service"
        #expect(lines[lines.count - 1] == "reachagent: the limit of open files is \(limit): \(remedy)")
        #expect(result.status == 75)
    }

    @Test(arguments: [(1024, 16_384), (8192, 16_384), (16_384, 32_768), (20_000, 40_000)] as [(UInt64, Int)])
    func `the remedy raises the limit of open files`(limit: UInt64, higher: Int) {
        let remedy = "raise it with 'ulimit -n \(higher)', or with LimitNOFILE=\(higher) in the unit of a service"
        #expect(Shortage.remedy(errno: EMFILE, limit: limit) == "the limit of open files is \(limit): \(remedy)")
    }

    private static let netlinkCauses: [(cause: NetlinkError.Cause, status: Int32)] = [
        (.errno(EMFILE), 75), (.errno(ENFILE), 75), (.errno(EPERM), 69), (.errno(ENOBUFS), 69), (.timedOut, 69),
    ]

    @Test(arguments: netlinkCauses)
    func `a netlink socket without a free descriptor does not mean that netlink is not available`(
        cause: NetlinkError.Cause,
        status: Int32
    ) {
        #expect(throws: ExitCode(status)) {
            try Unavailable.orExit { () throws(NetlinkError) in
                throw NetlinkError(operation: "open a netlink socket", cause: cause)
            }
        }
    }

    private static let statuses: [(number: Int32, status: Int32)] = [
        (EACCES, 77), (EPERM, 77), (ENOSPC, 75), (EDQUOT, 75), (EIO, 75), (EROFS, 75), (EMFILE, 75), (ENFILE, 75),
        (ENOMEM, 75), (ENOBUFS, 75), (EADDRINUSE, 75), (EADDRNOTAVAIL, 75), (EAGAIN, 75), (ESTALE, 75), (ETIMEDOUT, 75),
        (EINTR, 75), (ENOLCK, 75), (EUCLEAN, 75), (ENOENT, 78), (ENOTDIR, 78),
    ]

    @Test(arguments: statuses)
    func `a used-up resource or a failing disk ends a start as a temporary failure`(number: Int32, status: Int32) {
        #expect(StartFailure.exitStatus(errno: number) == status)
    }

    @Test func `a failed lookup of a group is a temporary failure, and a missing group or another's is not`() {
        func error(_ cause: StateSocketError.Cause) -> StateSocketError {
            StateSocketError(operation: "set the group of", path: "/run/reachagent", cause: cause)
        }
        let failed = error(.failedLookup(group: "staff", errno: ECONNREFUSED))
        #expect(StartFailure.exitStatus(failed) == 75)
        let text = "cannot set the group of /run/reachagent: cannot look up the group 'staff': Connection refused"
        #expect(failed.description == text)
        #expect(StartFailure.exitStatus(error(.unknownGroup("staff"))) == 78)
        #expect(StartFailure.exitStatus(error(.foreignGroup(50))) == 77)
    }
}
