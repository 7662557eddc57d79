internal import BenchmarkKit

/// Everything that one run has measured.
struct SinkReport: BenchmarkReport {
    private enum Target {
        static let stormSeconds = 60.0
        static let programWakeUps = 0.0
    }

    /// Changes when the meaning of a field does.
    var schema = 1
    var kernel = Host.kernel
    var cpu = Host.cpu
    var cores = Host.cores
    var memoryMegabytes = Host.memoryMegabytes
    var loadBefore = Host.load
    var loadAfter = ""
    var devices: Int
    var events: Int
    var connectSeconds = 0.0
    var eventsPerSecond = 0.0
    var clientMicrosecondsPerEvent = 0.0
    var serverMicrosecondsPerEvent = 0.0
    var clientKilobytesPerDevice = 0.0
    var clientThreadsPerDevice = 0.0
    var serverKilobytesPerDevice = 0.0
    var idleWakeUpsPerDeviceAndMinute: Double?
    var stormSeconds = 0.0
    var stored = 0
    var expected = 0
    var program: ProgramAtRest?
    var verdicts: [Verdict] = []

    init(devices: Int, events: Int) {
        self.devices = devices
        self.events = events
    }

    /// Compares what was measured with the targets; what is missing is not judged.
    mutating func judge() {
        // One event is there from the beginning.
        let all = expected + devices
        verdicts = [
            Verdict("storm settled, s", stormSeconds, atMost: Target.stormSeconds),
            Verdict("events missing at the server", Double(max(0, all - stored)), atMost: 0),
            Verdict("events doubled at the server", Double(max(0, stored - all)), atMost: 0),
        ]
        if let program {
            verdicts.append(
                Verdict("reachagent-sink at rest: wake-ups", Double(program.wakeUps), atMost: Target.programWakeUps)
            )
        }
    }

    var text: String {
        var table = TextTable(["\(devices) devices on one nats-server", ""])
        func add(_ name: String, _ value: Double, _ digits: Int = 1) {
            table.add([name, Figure.text(value, digits: digits)])
        }
        add("all connected after, s", connectSeconds)
        add("events stored per second", eventsPerSecond, 0)
        add("devices' CPU for each event, µs", clientMicrosecondsPerEvent)
        add("server's CPU for each event, µs", serverMicrosecondsPerEvent)
        add("RSS of this process for each device, kB", clientKilobytesPerDevice)
        add("threads for each device", clientThreadsPerDevice)
        add("server's RSS for each device, kB", serverKilobytesPerDevice)
        if let idleWakeUpsPerDeviceAndMinute {
            add("wake-ups of a device at rest, a minute", idleWakeUpsPerDeviceAndMinute, 2)
        }
        add("all connected and shipped after the server's restart, s", stormSeconds)
        if let program {
            table.add(["reachagent-sink at rest: RSS, kB", "\(program.residentKilobytes)"])
            table.add(["of it written to, kB", "\(program.privateDirtyKilobytes)"])
            table.add(["threads", "\(program.threads)"])
            table.add(["wake-ups in \(program.seconds) s", "\(program.wakeUps)"])
        }
        let environment = """
            Linux \(kernel), \(cores) x \(cpu), \(memoryMegabytes) MB
            load \(loadBefore) before, \(loadAfter) after
            """
        return [environment, table.text, "Targets\n" + Verdict.table(verdicts)].joined(separator: "\n\n")
    }
}
