import AgentTestKit
import Foundation
import Testing

/// Commands where a part of the system is missing, as in a chroot, an initramfs or a service's sandbox.
@Suite(.inNamespace, .onOwnThread)
struct IntegrationSandboxTests {
    private let namespace: NetworkNamespace
    private let directory: TemporaryDirectory

    init() throws { (namespace, directory) = (try NetworkNamespace(), try TemporaryDirectory()) }

    /// Runs one of the programs in a mount namespace of its own, after a command that changes its mounts.
    private func run(after mount: String, _ program: String, _ arguments: String) async throws -> FinishedCommand {
        let path = BuiltAgent.productsDirectory.appending(path: program).path()
        let words = ["--mount", "sh", "-c", "\(mount) && exec \"$@\"", "sh", path]
        return try await namespace.finished("unshare", words + arguments.split(separator: " ").map(String.init))
    }

    @Test(
        arguments: [
            ("reachagent", "run --nonsense", 64, "there is no option '--nonsense'"),
            ("reachagent", "wait-online --timeout 1s --socket /nonexistent.sock", 69, "no agent answers"),
            ("reachagent", "config check /nonexistent.toml", 78, "/nonexistent.toml"),
            ("reachagent-sink", "--nonsense", 64, "there is no option '--nonsense'"),
            ("reachagent-fleet", "status --nonsense", 64, "there is no option '--nonsense'"),
        ] as [(String, String, Int32, String)]
    )
    func `without /proc a program has its arguments`(
        program: String,
        arguments: String,
        status: Int32,
        words: String
    ) async throws {
        let result = try await run(after: "mount -t tmpfs tmpfs /proc", program, arguments)
        #expect(result.status == status)
        #expect(result.error.contains(words), "\(result.output)\(result.error)")
    }

    @Test func `a configuration that a read-only file system does not take is tried again, and not with sudo`()
        async throws
    {
        let file = "\(directory.path)/a.toml"
        let mount = "mount -t tmpfs -o ro tmpfs \(directory.path)"
        let result = try await run(after: mount, "reachagent", "config init --output \(file)")
        #expect(result.status == 75)
        #expect(result.error == "reachagent: cannot write \(file): Read-only file system\n")
    }

    @Test func `diagnose without netlink ends with status 75, whatever else it warns of`() async throws {
        let sandbox = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "without-netlink.py").path()
        let words = [sandbox, BuiltAgent.path, "diagnose", "--socket", "/nonexistent.sock"]
        let result = try await namespace.finished("python3", words)
        #expect(result.status == 75)
        #expect(result.output.hasPrefix("not checked  link: the kernel's netlink is not available"), "\(result.output)")
    }

    @Test func `a limit of open files that leaves little room is logged with the remedy, and is no problem by itself`()
        async throws
    {
        let stream = try StreamDirectory(in: namespace)
        let words = [BuiltAgent.path] + stream.arguments(["--format", "none", "--log-level", "warning"])
        let line = "ulimit -n 64; exec \(words.joined(separator: " ")) 2>&1"
        let agent = try CommandLines(namespace.command("/bin/sh", ["-c", line]))
        let warning = await agent.next()
        #expect(
            warning?.contains("at most 1 connection to the sockets: the limit of open files is 64: raise it") == true
        )
        let status = try await stream.command("status", "--socket", stream.control)
        #expect(
            status.output.contains("NOT REACHABLE") && !status.output.contains("connections are in use"),
            "\(status.output)"
        )
        agent.signal(SIGTERM)
        _ = await agent.rest()
    }
}
