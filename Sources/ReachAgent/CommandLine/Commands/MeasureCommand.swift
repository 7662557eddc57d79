internal import AgentEvents
internal import ArgumentParser
internal import Configuration
internal import Glibc
internal import LinuxSupport
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// `reachagent measure`: makes a bounded transfer immediately.
struct MeasureCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "measure",
        abstract: "Measure throughput and latency under load.",
        usage: "reachagent measure [<options>] [<target>]",
        discussion: """
            Downloads a large object of your own server, and uploads where it takes that, within the given bytes and time. \
            While each transfer runs, small requests on the same and on a second connection measure its latency: on a link \
            with a full queue they wait. The rates are those of the payload in windows of 100 ms without slow start; the \
            added latency is the median under load less the idle one. No agent is needed; one that makes a transfer itself \
            is waited for. A target is one of
              NAME                       a probe of the configuration, with its sizes,
                                         headers, security policy and only interface;
                                         without a target the only one with a transfer
              https://HOST[:PORT]/PATH   an object; http:// without TLS
              HOST                       https://HOST/

            A live display is shown while standard error is a terminal; the summary is on standard output, on one line \
            where that is no terminal. Ctrl-C ends the transfer, and what was measured so far is printed.

            EXAMPLES
              reachagent measure
              reachagent measure https://speed.example.org/large --upload 5M
              reachagent measure speed --each
              reachagent measure speed --interface wlan0 --json >>speed.jsonl

            EXIT STATUS
              0    every uplink was measured, apart from metered ones
              1    a transfer failed, or did not meet the thresholds of the probe
              64   wrong usage, or no such probe
              69   no agent answers at the named socket, or the kernel's netlink is
                   missing
              75   a transfer could not be made: no uplink or route, no uplink that is
                   not metered, or another transfer did not end; or no answer in time at
                   the named socket
              77   no permission to ask the agent at the named socket
              78   a file that an option names, or the configuration, is bad
              130  Ctrl-C; the partial result was printed
            """
    )

    // Parsed here: a transform's error message would repeat the argument, which may contain a password.
    @Argument(help: "The URL, host, or probe of the configuration to measure.", completion: .agentNames(of: .checks))
    var target: String?

    @Flag(help: "Measure each uplink, one after another, and show them side by side.")
    var each = false

    @Flag(help: "With --each, measure metered uplinks too.")
    var metered = false

    @Flag(help: "Print one JSON object for each measurement, one a line.")
    var json = false

    @OptionGroup(title: "Transfer") var transfer: MeasureOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Security policy") var policy: PolicyOptions
    @OptionGroup(title: "Configuration") var source: AgentFileOptions
    @OptionGroup(title: "Expert options") var watch: WatchOptions
    @OptionGroup var colors: ColorOptions

    func validate() throws {
        if each, connection.givenInterface != nil {
            throw ValidationError("'--each' and '--interface' exclude each other")
        }
        if metered, !each { throw ValidationError("'--metered' has no meaning without '--each'") }
        // A name is validated when the configuration is read.
        guard let target, target.firstRange(of: "://") != nil else { return }
        guard case .http = try Arguments.probeTarget(target) else {
            throw ValidationError("a transfer needs an https:// or http:// URL")
        }
    }

    func run() throws {
        // The configuration sets which interfaces are metered or cellular.
        let settings = try source.settings(for: target, isRequired: each || connection.noCellular)
        let subject = try MeasureSubject(target, settings)
        try refuseOptions(of: subject)
        let probe = try BadConfiguration.orExit { try self.probe(subject) }
        let session = try session(subject, probe, settings)
        if !each, connection.givenInterface == nil, let remark = subject.definition?.measurementRemark {
            Terminal.printError("reachagent: \(remark)")
        }
        let rule = subject.definition?.rule.transfer
        let shown = probe.target.shown
        let isLine = json || isatty(STDOUT_FILENO) != 1
        let kernel = watch.monitorConfiguration(
            targets: probe.address.map { [$0] } ?? [],
            kindOverrides: settings.kindOverrides,
            internetAddresses: settings.internetAddresses
        )
        session.run(MeasureLock(socket: source.agent.socket), kernel) { measurement in
            var probe = probe
            if let interface = measurement.interface { probe.interface = interface }
            return probe
        } judge: { report in
            rule.map { MeasureVerdict($0).judged(report) } ?? report
        } whenMeasured: { measurement in
            if isLine { printLine(shown, measurement) }
        }
        if !isLine {
            var text = MeasureText(style: .standardOutput(color: colors.color))
            text.isConfigured = subject.definition != nil
            Terminal.print(text.text(shown, session.measurements))
        }
        if let signal = session.signal { throw ExitCode(128 + signal) }
        let statuses = session.measurements.compactMap(\.status)
        if statuses.contains(ExitStatus.finding) { throw ExitCode(ExitStatus.finding) }
        if statuses.isEmpty || statuses.contains(where: { $0 != 0 }) { throw ExitCode(ExitStatus.tryAgain) }
    }

    private func printLine(_ target: String, _ measurement: UplinkMeasurement) {
        if json {
            Terminal.print(JSONWriter.text(of: MeasureResult(target, measurement)))
        } else {
            Terminal.print(MeasureLine().text(target, measurement))
        }
    }

    /// Rejects options that a configured probe sets itself: a silently ignored option would appear to take effect.
    private func refuseOptions(of subject: MeasureSubject) throws {
        guard let definition = subject.definition else { return }
        let options = transfer.givenForRequest + policy.given + connection.givenForHTTP
        if let option = (options + (connection.connectTo != nil ? ["--connect-to"] : [])).first {
            throw WrongUsage.exit(
                "'\(option)' has no meaning for the probe '\(definition.name)', which the configuration sets"
            )
        }
    }

    /// The check with its transfer.
    private func probe(_ subject: MeasureSubject) throws -> Probe {
        var probe = try subject.probe(standard, transfer, timeout: connection.givenTimeout)
        if let interface = connection.interface { probe.interface = interface }
        if connection.families != .any { probe.families = connection.families }
        if connection.noCellular { probe.request.allowsCellularAccess = false }
        try probe.validate()
        // A request that cannot be serialized is a usage error, not a finding.
        if case .http(let url) = probe.target { _ = try probe.serializer.serialize(probe.request, to: url) }
        return probe
    }

    /// The check of a URL.
    private func standard(_ target: ProbeTarget) throws -> Probe {
        Probe(
            target: target,
            request: try transfer.request(allowsCellularAccess: !connection.noCellular),
            serializer: RequestOptions.serializer(),
            trust: try policy.trustEvaluator(),
            tls: try connection.tlsOptions(),
            interface: connection.interface,
            families: connection.families,
            connectTo: connection.connectTo,
            maximumRedirects: connection.maxRedirects,
            evaluationDate: policy.date
        )
    }

    /// The measurements to make; one over a cellular interface is skipped if '--no-cellular' is set.
    private func session(_ subject: MeasureSubject, _ probe: Probe, _ settings: Settings) throws -> MeasureSession {
        var measurements = [
            UplinkMeasurement(interface: connection.interface ?? subject.definition?.onlyInterface)
        ]
        if each {
            measurements = try MeasureUplinks.measurements(
                settings,
                definition: subject.definition,
                includesMetered: metered || probe.transfer?.allowsMetered == true,
                watch: watch
            )
            guard !measurements.isEmpty else {
                Terminal.printError("reachagent: no uplink to measure: no interface has a default route")
                throw ExitCode(ExitStatus.tryAgain)
            }
        }
        for index in measurements.indices where measurements[index].outcome == nil {
            var probe = probe
            probe.interface = measurements[index].interface
            if let report = try CellularGuard.refusal(of: probe, watch: watch, settings) {
                measurements[index].outcome = .report(report)
            }
        }
        do throws(SystemError) {
            return try MeasureSession(measurements, color: colors.color)
        } catch {
            Terminal.printError("reachagent: no wake-up could be made: \(error)")
            throw ExitCode(ExitStatus.tryAgain)
        }
    }
}
