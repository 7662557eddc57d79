internal import AgentEvents
internal import ArgumentParser
internal import Configuration
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// `reachagent probe`: runs one check immediately, and shows every phase.
struct ProbeCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "probe",
        abstract: "Check a target now, and show every phase.",
        usage: "reachagent probe [<options>] <target>",
        discussion: """
            Shows every phase with its time, every attempt to connect, the certificates as the security policy judges them, \
            and each finding with what to do about it. No agent is needed. A target is one of
              NAME                         a probe of the configuration, without its
                                           thresholds, over its only interface, else
                                           the active path; or a target, by an echo
                                           request
              HOST, ADDRESS                https://HOST/, or icmp://ADDRESS; a host
                                           without a dot is a URL, or HOST/
              https://HOST[:PORT]/PATH     a request over TLS, through the security policy
              http://HOST[:PORT]/PATH      a request without TLS
              tcp://HOST:PORT              a connection alone
              icmp://HOST                  one echo request
              dns://RESOLVER/NAME?type=A   one query to a name server

            EXAMPLES
              reachagent probe web
              reachagent probe https://www.example.org/
              reachagent probe https://host.test/ --ca-file ca.pem
              reachagent probe icmp://192.0.2.1 --interface wlan0
              reachagent probe --portal http://www.gstatic.com/generate_204
              reachagent probe 'dns://192.0.2.53/www.example.org?type=AAAA'

            EXIT STATUS
              0   the target answered as expected
              1   it did not, or a captive portal answers
              64  wrong usage, or no such probe or target
              69  no agent answers at the named socket
              75  this machine could not ask: no route, no resolver, no permission; or no
                  answer in time at the named socket
              77  no permission to ask the agent at the named socket
              78  a file that an option names, or the configuration, is bad
            """
    )

    // Parsed here: a transform's error message would repeat the argument, which may contain a password.
    @Argument(help: "The URL, host, or name of the configuration to check.", completion: .agentNames(of: .checks))
    var target: String

    @Flag(help: "Detect a captive portal: check an http:// URL whose answer on the open Internet is known.")
    var portal = false

    @Flag(help: "Print one JSON object.")
    var json = false

    @OptionGroup(title: "Request") var request: RequestOptions
    @OptionGroup(title: "Expectations") var expectations: ExpectationOptions
    @OptionGroup(title: "Connection") var connection: ConnectionOptions
    @OptionGroup(title: "Security policy") var policy: PolicyOptions
    @OptionGroup(title: "Configuration") var source: AgentFileOptions
    @OptionGroup(title: "Expert options") var watch: WatchOptions

    func validate() throws {
        // A name is validated when the configuration is read.
        guard target.firstRange(of: "://") != nil else { return }
        try validate(try Arguments.probeTarget(target))
    }

    /// Rejects options that do not apply to the target.
    private func validate(_ target: ProbeTarget) throws {
        if case .http(let url) = target {
            guard portal, url.scheme == .https else { return }
            throw ValidationError("'--portal' needs an http:// URL: over TLS no portal can answer in its place")
        }
        // A silently ignored option would look like an expectation that was met.
        var meaningless = given + connection.givenForHTTP
        if case .tcp = target {} else if connection.connectTo != nil { meaningless.append("--connect-to") }
        if portal { meaningless.append("--portal") }
        if let option = meaningless.first {
            throw ValidationError("'\(option)' has no meaning for the target \(target)")
        }
    }

    /// The names of the given options that configure the check.
    private var given: [String] {
        request.given + (request.printRequest ? ["--print-request"] : []) + expectations.given + policy.given
    }

    func run() throws {
        // The configuration sets which interfaces are cellular.
        let settings = try source.settings(for: target, isRequired: connection.noCellular)
        let checked = try checkTarget(settings)
        let probe = try BadConfiguration.orExit { try self.probe(checked) }
        if request.printRequest { return try BadConfiguration.orExit { try printRequest(probe) } }
        if connection.givenInterface == nil, case .probe(let definition) = checked, let remark = definition.pathRemark {
            Terminal.printError("reachagent: \(remark)")
        }
        let report = try CellularGuard.refusal(of: probe, watch: watch, settings) ?? self.check(probe)
        let evidence = portalEvidence(report, checked)
        if json {
            Terminal.print(JSONWriter.text(of: ProbeResult(report, expiry: checked.expiry, portal: evidence)))
        } else {
            var text = CheckText(style: .standardOutput(), expiry: checked.expiry, portal: evidence)
            text.isConfigured = checked.isConfigured
            text.egress = connection.egress
            text.path = PathHint(report, of: probe, watch: watch, settings)
            Terminal.print(text.text(report))
        }
        if evidence?.verdict == .portal { throw ExitCode(ExitStatus.finding) }
        switch report.verdict {
        case .ok: break
        case .failed: throw ExitCode(ExitStatus.finding)
        case .unknown: throw ExitCode(ExitStatus.tryAgain)
        }
    }

    /// Returns the check that the argument specifies; rejects options that a configured probe sets itself.
    private func checkTarget(_ settings: Settings) throws -> CheckTarget {
        let checked: CheckTarget
        do {
            checked = try CheckTarget(target, settings)
        } catch {
            throw WrongUsage.exit("\(error)")
        }
        switch checked {
        case .target(let target):
            do {
                try validate(target)
            } catch let error as ValidationError {
                throw WrongUsage.exit(error.message)
            }
        case .probe(let definition):
            let options = request.given + expectations.given + policy.given + connection.givenForHTTP
            let others = [("--connect-to", connection.connectTo != nil), ("--portal", portal)].filter(\.1).map(\.0)
            if let option = (options + others).first {
                throw WrongUsage.exit(
                    "'\(option)' has no meaning for the probe '\(definition.name)', which the configuration sets"
                )
            }
        }
        return checked
    }

    private func portalEvidence(_ report: Probes.CheckReport, _ checked: CheckTarget) -> PortalEvidence? {
        var expectsBody = !expectations.responseExpectations().bodyExpectations.isEmpty
        if case .probe(let definition) = checked {
            guard definition.rule.isPortalCheck else { return nil }
            expectsBody = !definition.probe.expectations.bodyExpectations.isEmpty
        } else if !portal {
            return nil
        }
        return PortalJudge.evidence(in: report, expectsBody: expectsBody)
    }

    private func probe(_ checked: CheckTarget) throws -> Probe {
        var probe: Probe
        switch checked {
        case .probe(let definition):
            probe = definition.probe
            probe.interface = connection.interface ?? definition.onlyInterface
            if connection.families != .any { probe.families = connection.families }
            if let timeout = connection.givenTimeout { probe.timeout = timeout }
            if connection.noCellular { probe.request.allowsCellularAccess = false }
        case .target(let target): probe = try self.probe(target)
        }
        try probe.validate()
        // A request that cannot be serialized is a usage error, not a finding.
        if case .http(let url) = probe.target { _ = try probe.serializer.serialize(probe.request, to: url) }
        return probe
    }

    private func probe(_ target: ProbeTarget) throws -> Probe {
        Probe(
            target: target,
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
    }

    private func check(_ probe: Probe) throws -> Probes.CheckReport {
        let lock = probe.transfer.map { _ in MeasureLock(socket: source.agent.socket) }
        guard lock?.take() != false else {
            Terminal.printError(
                "reachagent: \(MeasureLock.text(lock?.holder)) is under way; 'reachagent measure' waits for it"
            )
            throw ExitCode(ExitStatus.tryAgain)
        }
        // The lock is held until the check has finished.
        defer { withExtendedLifetime(lock) {} }
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
