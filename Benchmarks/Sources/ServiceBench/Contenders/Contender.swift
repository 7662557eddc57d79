internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed
internal import WebTestbed

/// A program that is started, and in most cases stays.
struct Contender {
    /// How it is seen that it is ready.
    enum Readiness {
        /// It says so, to the service manager.
        case notification
        /// It accepts connections.
        case listening(UInt16)
        /// It has ended with status 0.
        case end
        /// Nothing shows it.
        case unknown
    }

    let name: String
    let path: String
    let arguments: [String]
    let readiness: Readiness

    /// Starts it; what it has to say against that is shown.
    func start() throws(BenchmarkError) -> ChildProcess { try ChildProcess(path, arguments, error: STDERR_FILENO) }
}

extension Contender {
    static let agentName = "reachagent run"

    /// The agent as a service runs it: with its journal and sockets, and one HTTPS probe every 60 s.
    static func agent(
        _ path: String,
        _ server: NginxServer,
        _ certificates: ServerCertificates,
        in folder: TemporaryFolder
    ) throws(BenchmarkError) -> Contender {
        let configuration = try folder.write(
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
                "--journal-directory", folder.path(of: "journal"), "--socket-directory", folder.path,
            ],
            readiness: .notification
        )
    }

    /// What of the agent's start is the loader's and the command line's.
    static func agentVersion(_ path: String) -> Contender {
        Contender(name: "reachagent --version", path: path, arguments: ["--version"], readiness: .end)
    }

    /// The least that a program can do to be ready.
    static func systemdNotify() -> Contender? {
        Executable.find("systemd-notify").map {
            Contender(name: "systemd-notify --ready", path: $0, arguments: ["--ready"], readiness: .notification)
        }
    }

    /// What only listens to the kernel.
    static func ipMonitor(_ ip: IPCommand) -> Contender {
        Contender(name: "ip -o monitor", path: ip.path, arguments: ["-o", "monitor"], readiness: .unknown)
    }

    /// A daemon for HTTPS probes, by others.
    static func blackbox(
        _ certificates: ServerCertificates,
        in folder: TemporaryFolder
    ) throws(BenchmarkError) -> Contender? {
        guard let path = Executable.find("prometheus-blackbox-exporter") else { return nil }
        let configuration = try folder.write(
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
