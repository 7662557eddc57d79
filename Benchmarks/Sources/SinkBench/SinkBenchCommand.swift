internal import ArgumentParser
internal import BenchmarkCommand
internal import BenchmarkKit

/// `sink-bench`: what many devices cost one nats-server, and one sink its machine.
@main
struct SinkBenchCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sink-bench",
        abstract: "Measure many devices on one nats-server, a reconnect storm, and a sink at rest.",
        discussion: """
            Each device has an engine and a connection of its own, all in this process; the journal is a stand-in. nats-server
            runs on the loopback with its store in a temporary directory. With --check the status is 1 when a target is missed.
            """
    )

    @Option(help: "The number of devices.")
    var devices = 1000

    @Option(help: "The number of waiting events of each device.")
    var events = 100

    @Option(help: "The measured seconds of the devices, and then of the program, at rest; 0 to leave that out.")
    var idleSeconds = 60

    @Option(
        help: ArgumentHelp(
            "The directory of the built programs; without it the program is left out.",
            valueName: "path"
        )
    )
    var programs: String?

    @OptionGroup var output: ReportOptions

    func validate() throws {
        guard 1...10_000 ~= devices, 1...100_000 ~= events, 0...3600 ~= idleSeconds else {
            throw ValidationError("--devices, --events and --idle-seconds must be at most 10000, 100000 and 3600")
        }
    }

    func run() throws { try output.print(of: "sink-bench", measure) }

    private func measure() throws(BenchmarkError) -> SinkReport {
        let directory = try TemporaryDirectory("sink-bench")
        let server = try JetStreamServer(in: directory)
        var report = SinkReport(devices: devices, events: events)
        let fleet = try Fleet(devices: devices, port: server.port)
        try measureFleet(fleet, server, &report)
        fleet.stop()
        if let programs, idleSeconds > 0 {
            Output.tell("reachagent-sink at rest: \(idleSeconds) s")
            report.program = try ProgramAtRest.measure(programs, port: server.port, seconds: idleSeconds, directory)
        }
        report.loadAfter = Host.load
        report.judge()
        return report
    }

    private func measureFleet(
        _ fleet: Fleet,
        _ server: JetStreamServer,
        _ report: inout SinkReport
    ) throws(BenchmarkError) {
        Output.tell("\(devices) devices connect")
        report.connectSeconds = try fleet.waitUntil("all devices are connected") { $0.isConnected }

        Output.tell("\(devices) devices ship \(events) events each")
        let (own, its) = (ProcessUsage.ownCPUNanoseconds, server.usage)
        fleet.publish(events)
        let seconds = try fleet.waitUntil("all events are stored") { $0.isDone }
        let count = Double(devices * events)
        report.eventsPerSecond = count / seconds
        report.clientMicrosecondsPerEvent = Double(ProcessUsage.ownCPUNanoseconds - own) / 1000 / count
        report.serverMicrosecondsPerEvent = Double(server.usage.cpuNanoseconds(since: its)) / 1000 / count
        let usage = fleet.usage
        report.clientKilobytesPerDevice = Double(usage.residentKilobytes) / Double(devices)
        report.clientThreadsPerDevice = Double(usage.threads) / Double(devices)
        report.serverKilobytesPerDevice = Double(server.usage.residentKilobytes) / Double(devices)

        if idleSeconds > 0 {
            Output.tell("\(devices) devices at rest: \(Fleet.settlingSeconds) s to settle, and \(idleSeconds) s")
            report.idleWakeUpsPerDeviceAndMinute = fleet.wakeUpsAtRest(seconds: idleSeconds) / Double(devices)
        }

        Output.tell("the server is killed and started again")
        try server.restart()
        fleet.publish(10)
        report.stormSeconds = try fleet.waitUntil("the storm has settled") { $0.isDone && $0.isConnected }
        report.stored = try server.count()
        report.expected = devices * (events + 10)
    }
}
