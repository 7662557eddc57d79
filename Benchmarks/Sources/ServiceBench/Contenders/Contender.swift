internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed
internal import WebTestbed

/// A program that is started and, in most cases, keeps running.
struct Contender {
    /// The sign that a program is ready.
    enum Readiness {
        /// A notification to the service manager.
        case notification
        /// A port that accepts connections.
        case listening(UInt16)
        /// The exit with status 0.
        case end
        /// No sign.
        case unknown
    }

    let name: String
    let path: String
    let arguments: [String]
    let readiness: Readiness

    /// Starts the program; it inherits standard error, so that its errors are shown.
    func start() throws(BenchmarkError) -> ChildProcess { try ChildProcess(path, arguments, error: STDERR_FILENO) }
}

extension Contender {
    static let agentName = "reachagent run"

    /// Returns the agent as a service: with its journal and sockets, and one HTTPS probe every 60 s.
    static func agent(
        _ path: String,
        _ server: NginxServer,
        _ certificates: ServerCertificates,
        in directory: TemporaryDirectory
    ) throws(BenchmarkError) -> Contender {
        let configuration = try directory.write(
            """
            [probe.bench]
            target = "\(server.url)"
            interval = "60s"
            ca_file = "\(certificates.rootFile)"

            """,
            to: "reachagent.toml"
        )
        return Contender(
            name: agentName,
            path: path,
            arguments: [
                "run", "--format", "none", "--log-level", "critical", "--config", configuration,
                "--journal-directory", directory.path(of: "journal"), "--socket-directory", directory.path,
            ],
            readiness: .notification
        )
    }

    /// Returns `reachagent --version`: the share of the dynamic loader and the command line in the agent's start.
    static func agentVersion(_ path: String) -> Contender {
        Contender(name: "reachagent --version", path: path, arguments: ["--version"], readiness: .end)
    }

    /// Returns `systemd-notify`, the minimum that a program does to be ready; `nil` if it is not installed.
    static func systemdNotify() -> Contender? {
        Executable.find("systemd-notify").map {
            Contender(name: "systemd-notify --ready", path: $0, arguments: ["--ready"], readiness: .notification)
        }
    }

    /// Returns `ip -o monitor`, which only listens to the kernel.
    static func ipMonitor(_ ip: IPCommand) -> Contender {
        Contender(name: "ip -o monitor", path: ip.path, arguments: ["-o", "monitor"], readiness: .unknown)
    }

    /// Returns blackbox_exporter, a third-party daemon for HTTPS probes; `nil` if it is not installed.
    static func blackbox(
        _ certificates: ServerCertificates,
        in directory: TemporaryDirectory
    ) throws(BenchmarkError) -> Contender? {
        guard let path = Executable.find("prometheus-blackbox-exporter") else { return nil }
        let configuration = try directory.write(
            BlackboxModule.configuration(caFile: certificates.rootFile),
            to: "blackbox.yml"
        )
        let port = try Loopback.freePort()
        return Contender(
            name: "blackbox_exporter",
            path: path,
            arguments: [
                "--config.file=\(configuration)", "--web.listen-address=127.0.0.1:\(port)", "--log.level=error",
            ],
            readiness: .listening(port)
        )
    }
}
