import AgentTestKit
import Testing

/// The agent on a machine whose name servers change while its path stays.
@Suite(.inNamespace, .onOwnThread, .serialized)
struct IntegrationResolverChangeTests {
    /// One check an hour, whatever the last one found: every other check is a recheck.
    private static let configuration = """
        [probe.web]
        target = "tcp://\(ConnectivityNetwork.host):80"
        interval = "1h"
        fast_interval = "1h"
        timeout = "5s"
        fall = 1
        rise = 1
        families = "ipv4"
        """

    /// A way to change `/etc/resolv.conf`, as shell scripts: the file at the start, without a name server that listens,
    /// and with one again.
    struct Way: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let start: String
        let toBad: String
        let toGood: String
    }

    @Test(arguments: [
        Way(
            testDescription: "in place",
            start: "cp /run/good /etc/resolv.conf",
            toBad: "cat /run/bad > /etc/resolv.conf",
            toGood: "cat /run/good > /etc/resolv.conf"
        ),
        Way(
            testDescription: "by a rename",
            start: "cp /run/good /etc/resolv.conf",
            toBad: "cp /run/bad /etc/new; mv /etc/new /etc/resolv.conf",
            toGood: "cp /run/good /etc/new; mv /etc/new /etc/resolv.conf"
        ),
        Way(
            testDescription: "by another link",
            start: "ln -s ../run/good /etc/resolv.conf",
            toBad: "ln -s ../run/bad /etc/new; mv -T /etc/new /etc/resolv.conf",
            toGood: "ln -s ../run/good /etc/new; mv -T /etc/new /etc/resolv.conf"
        ),
        Way(
            testDescription: "behind a link to a directory that comes and goes",
            start: "mkdir /run/late; cp /run/good /run/late/stub; ln -s ../run/late/stub /etc/resolv.conf",
            toBad: "rm -r /run/late",
            toGood: "mkdir /run/late; cp /run/good /run/late/stub"
        ),
    ])
    func `other name servers are asked at once`(_ way: Way) async throws {
        let network = try ConnectivityNetwork(usesHosts: false)
        try await network.webServer()
        let address = ConnectivityNetwork.serverAddress
        let names = try network.machine.serve("dns", at: address, port: 53, on: "web")
        let namespace = network.machine.namespace
        // A directory of its own, because the file that a mount covers cannot be replaced. The caller may not read all of
        // the machine's.
        try namespace.run(
            """
            mkdir /run/etc; cp -a /etc/. /run/etc 2> /dev/null || true
            mount --bind /run/etc /etc
            rm -f /etc/resolv.conf
            printf 'nameserver \(address)\\noptions timeout:1 attempts:2\\n' > /run/good
            echo 'nameserver 127.0.0.1' > /run/bad
            \(way.start)
            """
        )
        let agent = try ConnectivityAgent(on: network, Self.configuration)
        try await agent.settles("wired full")
        try namespace.run(way.toBad)
        try await agent.probe("web ipv4", is: "unknown dns_failure")
        try namespace.run(way.toGood)
        try await agent.probe("web ipv4", is: "up")
        #expect(try await agent.stop() == 0)
        #expect(agent.states(of: "web ipv4") == ["up", "unknown dns_failure", "up"])
        #expect(names.stop().filter { $0 == "A web.test" }.count >= 2)
    }
}
