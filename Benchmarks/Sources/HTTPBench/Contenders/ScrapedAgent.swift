internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed
internal import WebTestbed

/// The built agent with HTTPS probes and two uplinks, each of whose checks has been made.
///
/// It serves the same page at a port of the loopback and at `http.sock`.
struct ScrapedAgent {
    let servers: [MetricsServer]

    /// Starts it, and waits for the first check of each probe.
    init(
        _ path: String,
        probes: Int,
        of server: NginxServer,
        _ certificates: ServerCertificates,
        in directory: TemporaryDirectory
    ) throws(BenchmarkError) {
        let port = try Loopback.freePort()
        let configuration = try directory.write(
            Self.configuration(port: port, probes: probes, of: server, certificates),
            to: "reachagent.toml"
        )
        let socket = directory.path(of: "http.sock")
        let child = try MetricsServer.start(
            path,
            [
                "run", "--format", "none", "--log-level", "critical", "--config", configuration,
                "--journal-directory", directory.path(of: "journal"), "--socket-directory", directory.path,
            ],
            error: STDERR_FILENO
        )
        try Loopback.waitForListener(on: port, of: child, named: path)
        servers = [
            MetricsServer("reachagent, TCP", isOurs: true, at: .port(port), of: child),
            MetricsServer("reachagent, http.sock", isOurs: true, at: .socket(socket), of: child),
        ]
        let scraper = try Scraper(.socket(socket))
        for _ in 0..<1000 {
            let page = try scraper.page()
            if page.lines.count(where: { $0.hasPrefix("probe_success{") && $0.hasSuffix(" 1") }) == probes { return }
            usleep(20_000)
        }
        throw BenchmarkError("wait for the agent's probes", cause: "not all of them succeed")
    }

    /// Gives the machine a second uplink, whose far end is an interface of the same namespace.
    static func addUplink(_ ip: IPCommand) throws(BenchmarkError) {
        try ip.run("link add wwan0 type veth peer name far0")
        try ip.run("address add 198.51.100.2/24 dev wwan0")
        try ip.run("link set far0 up")
        try ip.run("link set wwan0 up")
        try ip.run("route add default via 198.51.100.1 dev wwan0 metric 700")
    }

    private static func configuration(
        port: UInt16,
        probes: Int,
        of server: NginxServer,
        _ certificates: ServerCertificates
    ) -> String {
        var text = "[http]\nlisten = \"127.0.0.1:\(port)\"\n"
        for number in 1...probes {
            text += """

                [probe.service-\(number)]
                target = "\(server.url)\(number)"
                interval = "60s"
                ca_file = "\(certificates.rootFile)"

                """
        }
        return text
    }
}
