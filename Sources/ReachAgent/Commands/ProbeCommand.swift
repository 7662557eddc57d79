internal import ArgumentParser
internal import EventEnvelope
internal import EventSchema
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// `reachagent probe URL`: one check, now, with every phase shown.
struct ProbeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Check one target now, and show every phase.",
        usage: "reachagent probe [<options>] <target>",
        discussion: """
            Shows every phase with its time, every attempt to connect, the certificates as the security policy judges them, \
            and each finding with what to do about it. No agent is needed. A target is one of
              https://HOST[:PORT]/PATH     a request over TLS, through the security policy
              http://HOST[:PORT]/PATH      a request without TLS
              tcp://HOST:PORT              a connection alone
              icmp://HOST                  one echo request
              dns://RESOLVER/NAME?type=A   one query to a name server

            EXAMPLES
              reachagent probe https://www.example.org/
              reachagent probe https://host.test/ --ca-file ca.pem
              reachagent probe icmp://192.0.2.1 --interface wlan0
              reachagent probe 'dns://192.0.2.53/www.example.org?type=AAAA'

            EXIT STATUS
              0   the target answered as expected
              1   it did not
              75  this machine could not ask: no route, no resolver, no permission
              78  a file that an option names is bad
            """
    )

    // Parsed by us: a transform's error message would repeat the argument, and there may be a password in it.
    @Argument(help: "What to check.", completion: .list(["https://", "http://", "tcp://", "icmp://", "dns://"]))
    var target: String

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Expectations") var expectations: ExpectationOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Security policy") var policy: PolicyOptions
    @OptionGroup(title: "Interfaces") var watch: WatchOptions

    func validate() throws {
        let target = try Arguments.probeTarget(target)
        if case .http = target { return }
        // An option that is passed over in silence would look like an expectation that was met.
        var meaningless = request.given + expectations.given + connection.givenForHTTP + policy.given
        if case .tcp = target {} else if connection.connectTo != nil { meaningless.append("--connect-to") }
        if let option = meaningless.first {
            throw ValidationError("'\(option)' has no meaning for the target \(target)")
        }
    }

    func run() throws {
        let probe = try BadConfiguration.orExit { try self.probe() }
        if request.printRequest { return try BadConfiguration.orExit { try printRequest(probe) } }
        let report = try CellularGuard.refusal(of: probe, watch: watch) ?? check(probe)
        if json {
            var text = JSONWriter()
            report.write(to: &text)
            Terminal.print(text.bytes)
        } else {
            Terminal.print(CheckText(style: .standardOutput()).text(report))
        }
        switch report.verdict {
        case .ok: break
        case .failed: throw ExitCode(ExitStatus.finding)
        case .unknown: throw ExitCode(ExitStatus.tryAgain)
        }
    }

    private func probe() throws -> Probe {
        let probe = Probe(
            target: try Arguments.probeTarget(target),
            request: try request.request(allowsCellularAccess: !connection.noCellular),
            serializer: RequestOptions.serializer(),
            expectations: expectations.responseExpectations(),
            trust: try policy.trustEvaluator(),
            tls: try connection.tlsOptions(),
            interface: connection.interface,
            families: connection.families,
            connectTo: connection.connectTo,
            timeout: connection.timeout,
            maximumRedirects: connection.maxRedirects,
            limits: expectations.limits(),
            evaluationDate: policy.date
        )
        try probe.validate()
        // What cannot be sent is the command line's fault, and no finding.
        if case .http(let url) = probe.target { _ = try probe.serializer.serialize(probe.request, to: url) }
        return probe
    }

    private func check(_ probe: Probe) -> CheckReport {
        let prober = Prober()
        defer { prober.shutDownAndWait() }
        return Blocking.run { await prober.check(probe) }
    }

    /// The bytes of an HTTP/1.1 request as they are; over HTTP/2 the same fields go out in another form.
    private func printRequest(_ probe: Probe) throws {
        guard case .http(let url) = probe.target else { return }
        let serialized = try probe.serializer.serialize(probe.request, to: url)
        let connection = HeaderField(name: "Connection", value: "close")
        try serialized.write(adding: [connection]) { Terminal.write($0) }
    }
}
