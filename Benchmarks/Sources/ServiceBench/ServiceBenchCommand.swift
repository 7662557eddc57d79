internal import ArgumentParser
internal import BenchmarkCommand
internal import BenchmarkKit
internal import Glibc
internal import NetworkTestbed
internal import WebTestbed

/// `service-bench`: what the agent costs a machine on which nothing happens.
@main
struct ServiceBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "service-bench",
        abstract: "Measure the agent as a service: its start, its memory, its wake-ups.",
        discussion: """
            One HTTPS probe every 60 s against an nginx of its own, journal, sockets and watchdog on. Needs iproute2 and \
            nginx, and root or user namespaces unless --no-namespace is given. A peer that is not installed is left out. \
            With --check the status is 1 when a target is missed.
            """
    )

    @Option(help: ArgumentHelp("The agent's program.", valueName: "path"))
    var agent = "../.build/release/reachagent"

    @Option(help: "The number of starts of each program; 0 to leave that out.")
    var starts = 100

    @Option(help: "The measured time of the idle programs; 0 to leave that out.")
    var idleSeconds = 180

    @Option(help: "The time to come to rest before that.")
    var settleSeconds = 20

    @Flag(inversion: .prefixedNo, help: "Run in a network namespace with a default route of its own.")
    var namespace = true

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard 0...100_000 ~= starts else { throw ValidationError("--starts must be from 0 to 100000") }
        guard 0...86_400 ~= idleSeconds else { throw ValidationError("--idle-seconds must be from 0 to 86400") }
        guard 0...3600 ~= settleSeconds else { throw ValidationError("--settle-seconds must be from 0 to 3600") }
    }

    func run() throws { try output.print(of: "service-bench", measure) }

    private func measure() throws(BenchmarkError) -> ServiceReport {
        var file = stat()
        guard access(agent, X_OK) == 0, stat(agent, &file) == 0 else {
            throw BenchmarkError("find \(agent)", cause: "it is not built; --agent names another one")
        }
        guard let nginx = Executable.find("nginx") else {
            throw BenchmarkError("find 'nginx'", cause: "it is not installed (apt-get install nginx-light)")
        }
        let ip = try IPCommand()
        var report = ServiceReport(
            environment: try HostEnvironment(agentPath: agent, ip: ip),
            isInNamespace: namespace,
            agentKilobytes: UInt64(file.st_size) / 1000
        )
        // Keeps the namespace, and its cable, for as long as it is measured in.
        let testbed = namespace ? try Testbed(ip: ip, pauseMicroseconds: 0) : nil
        defer { withExtendedLifetime(testbed) {} }
        let directory = try TemporaryDirectory("service-bench")
        let certificates = try ServerCertificates(in: directory)
        let server = try NginxServer(nginx, certificates: certificates, in: directory)
        let socket = try NotifySocket(at: directory.path(of: "notify"))
        setenv("WATCHDOG_USEC", "180000000", 1)

        let service = try Contender.agent(agent, server, certificates, in: directory)
        let blackbox = try Contender.blackbox(certificates, in: directory)
        if blackbox == nil { Output.tell("blackbox_exporter: left out, as it is not installed") }
        if starts > 0 {
            let contenders = [service, .agentVersion(agent), .systemdNotify(), blackbox].compactMap { $0 }
            report.start = try StartBenchmark(socket: socket, starts: starts).run(contenders) { Output.tell($0) }
        }
        if idleSeconds > 0 {
            let contenders = [service, .ipMonitor(ip), blackbox].compactMap { $0 }
            let idle = IdleBenchmark(settleSeconds: settleSeconds, seconds: idleSeconds)
            report.idle = try idle.run(contenders, server.url) { Output.tell($0) }
        }
        report.environment.loadAfter = Host.load
        report.judge()
        return report
    }
}
