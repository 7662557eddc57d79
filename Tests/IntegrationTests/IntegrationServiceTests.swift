import AgentTestKit
import Foundation
import Testing

/// The notifications of the built agent to its service manager, in order.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationServiceTests {
    let namespace: NetworkNamespace
    let directory: StreamDirectory

    private static let ready = "READY=1 & STATUS=reachable through other eth0 IPv4"

    init() throws {
        namespace = try NetworkNamespace()
        try namespace.makeLink("eth0", peer: "far0", address: "192.0.2.2/24", gateway: "192.0.2.1")
        directory = try StreamDirectory(in: namespace)
    }

    private func write(_ text: String) throws -> String {
        let path = "\(directory.path)/reachagent.toml"
        try text.write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    @Test func `the service manager is notified from start to stop, with every settled state in words`() async throws {
        let agent = try ServiceAgent(in: namespace, directory, ["--config", try write("")])
        #expect(await agent.next() == Self.ready)
        try namespace.ip("link set far0 down")
        #expect(await agent.next()?.hasPrefix("STATUS=not reachable: ") == true)
        try namespace.run("ip link set far0 up")
        #expect(await agent.next() == "STATUS=reachable through other eth0 IPv4")

        agent.command("signal \(SIGHUP)")
        #expect(await agent.next() == "RELOADING=1 & MONOTONIC_USEC=…")
        // The log and the notifications are different streams: only the order within each is known.
        #expect(try await agent.next(containing: "READY") == Self.ready)
        _ = try write("[nonsense]\n")
        agent.command("signal \(SIGHUP)")
        #expect(try await agent.next(containing: "RELOADING") == "RELOADING=1 & MONOTONIC_USEC=…")
        let refused = try await agent.next(containing: "READY")
        #expect(refused.hasPrefix(Self.ready + "; the last reload was rejected: "))
        #expect(refused.contains("reachagent.toml:1:1: nonsense: unknown key"))

        agent.command("signal \(SIGTERM)")
        #expect(try await agent.next(containing: "STOPPING") == "STOPPING=1 & STATUS=stopping: SIGTERM")
        #expect(try await agent.next(containing: "exited") == "exited 0")
    }

    @Test func `when it is ready it answers requests, and the journal has its first events`() async throws {
        let agent = try ServiceAgent(in: namespace, directory)
        #expect(await agent.next() == Self.ready)
        #expect(try await directory.status()["agent"] != nil)
        #expect(try await directory.history().starts(with: [1, 2]))
        withExtendedLifetime(agent) {}
    }

    @Test func `a reload without a configuration file still starts and finishes`() async throws {
        let agent = try ServiceAgent(in: namespace, directory, ["--no-config"])
        #expect(await agent.next() == Self.ready)
        agent.command("signal \(SIGHUP)")
        #expect(try await agent.next(containing: "RELOADING") == "RELOADING=1 & MONOTONIC_USEC=…")
        #expect(try await agent.next(containing: "READY") == Self.ready)
    }

    @Test func `an agent that cannot start is never ready`() async throws {
        let first = try ServiceAgent(in: namespace, directory)
        #expect(await first.next() == Self.ready)
        let second = try ServiceAgent(in: namespace, directory)
        let lines = try await second.lines(to: "exited")
        #expect(lines.last == "exited 75")
        #expect(!lines.contains { $0.contains("READY") })
        withExtendedLifetime(first) {}
    }

    @Test(
        .asRoot,
        .enabled(if: BuiltAgent.isForOtherUsers, "another user must be able to run the executable"),
        arguments: [SIGKILL, SIGTERM]
    )
    func `in the directories of its user, the service starts after an agent of root, however that ended`(
        number: Int32
    ) async throws {
        let namespace = try NetworkNamespace(root: .machine)
        let directory = try StreamDirectory(in: namespace)
        let user = ThreadShortage.user
        try #require(mkdir(directory.sockets, 0o755) == 0)
        for path in [directory.path, directory.sockets] { try #require(chown(path, user, user) == 0) }
        let first = try await directory.agent("--no-config", "--no-hooks")
        _ = try await first.stop(number)
        let arguments = directory.arguments(["--no-config", "--no-hooks", "--format", "json"])
        let identity = ["--reuid", "\(user)", "--regid", "\(user)", "--clear-groups"]
        let service = try CommandLines(namespace.command("setpriv", identity + [BuiltAgent.path] + arguments))
        _ = try await service.next(containing: "reachagent.reachability.changed")
        #expect(try await directory.status()["agent"] != nil)
        service.signal(SIGTERM)
        _ = await service.rest()
        #expect(await service.status() == 0)
    }

    @Test(arguments: ["hooks", "netlink", "sockets"])
    func `one stuck thread stops the keep-alives, and is named`(thread: String) async throws {
        let configuration = try write("[hook.h]\ncommand = [\"/bin/true\"]\n")
        let agent = try ServiceAgent(
            in: namespace,
            directory,
            ["--config", configuration],
            environment: ["WATCHDOG_USEC": "400000"]
        )
        #expect(await agent.next() == Self.ready)
        for _ in 0..<3 { #expect(await agent.next() == "WATCHDOG=1") }

        agent.command("freeze \(thread)")
        #expect(try await agent.next(containing: "frozen") != "frozen 0")
        // A sign that was due already may still come; the next one takes an answer.
        let silence = try await agent.lines(to: "does not answer")
        #expect(silence.filter { $0 == "WATCHDOG=1" }.count <= 1)
        agent.command("thaw")
        try await agent.next(containing: "thawed")
        #expect(try await agent.next(containing: "WATCHDOG") == "WATCHDOG=1")
        agent.command("signal \(SIGTERM)")
        #expect(try await agent.next(containing: "exited") == "exited 0")
    }

    @Test func `an invalid notify socket is a single warning, and the agent continues`() async throws {
        let agent = try CommandLines(
            "NOTIFY_SOCKET=nowhere "
                + namespace.command(BuiltAgent.path, directory.arguments(["--format", "json"])).dropFirst("exec ".count)
                + " 2>&1"
        )
        let complaint = try await agent.next(containing: "NOTIFY_SOCKET")
        #expect(complaint.hasSuffix("reachagent: warning: NOTIFY_SOCKET is not the address of a socket: 'nowhere'"))
        let rest = try await agent.lines(to: "reachagent.reachability.changed")
        #expect(!rest.contains { $0.contains("NOTIFY_SOCKET") })
        agent.end()
    }
}
