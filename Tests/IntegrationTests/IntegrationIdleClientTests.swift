import AgentTestKit
import Foundation
import Testing

/// Connections of one user that are kept without a request.
@Suite(.onOwnThread)
struct IntegrationIdleClientTests {
    @Test(.asRoot)
    func `4,096 idle connections of one user keep out neither root nor another user`() async throws {
        let namespace = try NetworkNamespace(root: .machine)
        let directory = try StreamDirectory(in: namespace)
        let agent = try await directory.agent()
        let input = Pipe()
        let idle = ["--idle", "4096", directory.control, "12345"]
        let clients = try GreedyClients.start(idle, in: namespace, input)
        #expect(await clients.next() == "ready 256 3840")
        let status = try await directory.command("status", "--json", "--socket", directory.control)
        #expect(status.output.contains(#""via":"none""#), "\(status.error)")
        let wait = try await directory.command("wait-online", "--socket", directory.control, "--timeout", "3s")
        // It was answered that there is no path.
        #expect(wait.status == 1)
        #expect(wait.error.contains("no_route"), "\(wait.error)")
        let words = ["--reuid", "12346", "--regid", "0", "--clear-groups", "nc", "-U", "-N", directory.control]
        let client = namespace.command("setpriv", words).dropFirst("exec ".count)
        let other = try CommandLines("echo '{\"method\":\"status\"}' | \(client)")
        #expect(await other.next()?.hasPrefix(#"{"parameters":{"#) == true)
        #expect(try await agent.stop().status == 0)
        withExtendedLifetime(clients) {}
    }
}
