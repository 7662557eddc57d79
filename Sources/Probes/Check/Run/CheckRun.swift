internal import FoundationEssentials
internal import NIOCore

/// One check from its beginning to its report.
///
/// Sendable by hand: everything is only used on the event loop. Whatever happens, the completion is called exactly once,
/// at the deadline at the latest.
final class CheckRun: @unchecked Sendable {
    let probe: Probe
    let loop: any EventLoop
    let services: CheckServices
    /// The check's beginning by the monotonic clock.
    let epoch: NIODeadline

    var recorder: PhaseRecorder
    var hop: CheckHop
    var hops: [CheckHop] = []
    var findings: [Finding] = []
    var lookup: NameLookup?
    var lookupFailures: [HostLookupFailure] = []
    var race: AddressRace?
    var channel: (any Channel)?
    var evaluation: PendingVerification?
    var exchange: HTTPExchange?
    var redirects = RedirectTrail()
    /// The exchange by datagrams that is under way.
    var datagram: WireExchange?
    var turn: DatagramTurn?
    let meter = ByteMeter()
    /// What the work on the target's bytes may take; it ends with the check.
    private(set) var budget: WorkBudget

    private let started = Date()
    private var timeout: Duration
    private var deadline: Scheduled<Void>?
    private var completion: ((CheckRun, CheckReport) -> Void)?

    init(
        _ probe: Probe,
        on loop: any EventLoop,
        services: CheckServices,
        completion: @escaping @Sendable (CheckRun, CheckReport) -> Void
    ) {
        self.probe = probe
        self.loop = loop
        self.services = services
        self.completion = completion
        epoch = .now()
        timeout = probe.timeout
        budget = WorkBudget(deadline: .now + timeout, steps: probe.limits.evaluationSteps)
        recorder = PhaseRecorder(epoch: epoch)
        hop = CheckHop(url: probe.target.shown)
    }

    /// Whether the report was given.
    var isOver: Bool { completion == nil }

    // MARK: The beginning

    func start() {
        guard !isOver else { return }
        do {
            try probe.validate()
        } catch {
            return fail(.requestInvalid, subject: probe.target.shown, evidence: error.description)
        }
        switch probe.target {
        case .http(let url):
            do {
                let request = try probe.serializer.serialize(probe.request, to: url)
                if let limit = request.timeoutInterval { timeout = limit }
                arm()
                beginHop(request)
            } catch {
                fail(.requestInvalid, subject: url.authority, evidence: error.description)
            }
        case .tcp(let host, let port):
            arm()
            connect(to: probe.connectTo ?? Probe.Endpoint(host: host, port: port)) { [self] _ in succeed() }
        case .icmp(let host):
            arm()
            beginEcho(host)
        case .dns(let resolver, let port, let name, let type):
            arm()
            beginQuery(resolver, port: port, name: name, type: type)
        }
    }

    private func arm() {
        budget = WorkBudget(deadline: .now + timeLeft, steps: probe.limits.evaluationSteps)
        meter.bound(received: receivedBytes)
        meter.bound(total: probe.limits.budgetBytes ?? .max) { [self] limit in exceeded(limit) }
        deadline = loop.scheduleTask(in: TimeAmount(max(timeLeft, .zero))) { [self] in timeIsUp() }
    }

    /// The time that is left until the deadline.
    var timeLeft: Duration { timeout - Duration(.now() - epoch) }

    // MARK: The end

    /// Ends the check because nobody wants it any more.
    func cancel() {
        fail(.cancelled, subject: probe.target.shown, evidence: "the check was cancelled")
    }

    /// The bytes that may come from each place that is asked.
    var receivedBytes: Int { probe.limits.receivedBytes ?? probe.limits.defaultReceivedBytes }

    private func exceeded(_ limit: ByteMeter.Limit) {
        switch limit {
        case .received:
            fail(.byteLimit, subject: hop.url, evidence: "more than \(receivedBytes) bytes came, of whatever kind")
        case .total:
            let left = probe.limits.budgetBytes ?? 0
            let evidence = "the check was ended when it had used the \(left) bytes that were left for today"
            fail(.budgetExhausted, subject: hop.url, evidence: evidence)
        }
    }

    /// Ends the check because of one finding.
    func fail(_ code: FindingCode, subject: String, evidence: String) {
        fail(Finding(code, subject: subject, evidence: evidence))
    }

    /// Ends the check because of one finding.
    func fail(_ finding: Finding) {
        guard !isOver else { return }
        findings.append(finding)
        finish(finding.code)
    }

    /// Ends the check; what was found so far decides.
    func succeed() { finish(findings.first { $0.severity == .refusal }?.code) }

    /// Ends the check: with a code it did not succeed.
    func finish(_ code: FindingCode?) {
        guard let completion else { return }
        self.completion = nil
        deadline?.cancel()
        services.evaluations.cancel(budget, of: probe.target.description)
        let phase = recorder.phase ?? .resolve
        let verdict: CheckVerdict =
            switch code {
            case nil: .ok
            // A name server that was the target itself is at fault when it is silent.
            case .dnsTimeout? where phase == .query: .failed(.dnsTimeout, phase)
            case let code? where code.isLocalFault: .unknown(code, phase)
            case let code?: .failed(code, phase)
            }
        endHop()
        datagram?.cancel()
        turn?.advance = nil
        var report = CheckReport(
            target: probe.target.shown,
            verdict: verdict,
            findings: findings.filter { $0.severity == .refusal } + findings.filter { $0.severity != .refusal },
            hops: hops,
            started: started,
            duration: Duration(.now() - epoch)
        )
        meter.finish()
        (report.bytesSent, report.bytesReceived) = (meter.sent, meter.received)
        report.bytesOnWire = meter.onWire
        completion(self, KnownSecrets(probe.request).removed(from: report))
    }

    /// Closes what the hop has open, and puts it to the report.
    func endHop() {
        lookup?.abandon()
        race?.abandon()
        exchange?.abandon()
        hop.response = exchange?.response
        if let exchange, probe.limits.keptBodyBytes > 0 {
            hop.response?.body = Array(exchange.body.readableBytesView.prefix(probe.limits.keptBodyBytes))
        }
        evaluation?.cancel()
        closeConnection()
        hop.addresses = race?.addresses.map(\.description) ?? hop.addresses
        hop.attempts = race?.reports ?? []
        hop.phases = recorder.finish()
        hops.append(hop)
        (lookup, race, exchange, evaluation, channel) = (nil, nil, nil, nil, nil)
    }

    func timeIsUp() {
        let limit = "within \(timeout.secondsText)"
        let subject = hop.url
        switch recorder.phase {
        case .resolve where lookup?.isStuckInQueue == true:
            fail(.resolverBusy, subject: subject, evidence: "the lookup did not get its turn \(limit)")
        case .resolve: fail(.dnsTimeout, subject: subject, evidence: "the name was not looked up \(limit)")
        case .connect:
            let addresses = race?.reports.filter { $0.failure == nil }.map(\.address) ?? []
            // Every address refused, and the answer that might bring others never came.
            if addresses.isEmpty, let failure = race?.failure { return fail(failure) }
            let names = addresses.joined(separator: ", ")
            fail(.connectTimeout, subject: subject, evidence: "no connection to \(names) \(limit)")
        case .query: fail(.dnsTimeout, subject: subject, evidence: "the name server did not answer \(limit)")
        case let phase?:
            fail(
                .timeout,
                subject: subject,
                evidence: "the check did not end \(limit); it was in phase \(phase.rawValue)"
            )
        case nil: fail(.timeout, subject: subject, evidence: "the check did not end \(limit)")
        }
    }
}

extension Duration {
    /// The duration in seconds with up to three decimal places: `2.5 s`.
    var secondsText: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "\(seconds) s" }
        var digits = String(milliseconds + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(seconds).\(digits) s"
    }
}
