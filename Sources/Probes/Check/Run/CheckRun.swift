internal import CheckResults
internal import EventLoopExecutor
internal import ForeignText
internal import FoundationEssentials
internal import HTTPSerialization
internal import LinuxSupport
internal import NIOCore

/// One check from its start to its report.
///
/// `@unchecked Sendable`: used only on the event loop. The completion is called exactly once in all cases, at the latest
/// at the ``Deadline``.
final class CheckRun: @unchecked Sendable {
    let probe: Probe
    /// The access to the event loop from threads that may outlive it.
    let gate: LoopGate
    var loop: any EventLoop { gate.eventLoop }
    let services: CheckServices
    /// The start of the check, by the monotonic clock.
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
    var redirects = RedirectChain()
    /// `true` while the hop repeats a request whose server requires HTTP/1.1.
    var isHTTPOneRequired = false
    /// The pending datagram exchange.
    var datagram: WireExchange?
    var attempts: DatagramAttempts?
    let meter: ByteMeter
    /// The bytes set aside for the check; nil for no limit.
    private var budgetBytes: Int?
    /// The transfer in place of the check's single request.
    var transfer: TransferRun?
    /// The budget of work on the target's bytes; it ends with the check, which alone knows its deadline.
    let budget: WorkBudget

    /// `true` for an additional connection of another check's transfer; that check counts its bytes and ends it.
    let isPart: Bool
    /// The start of the check, by the wall clock.
    let started = Date()
    private var timeout: Duration
    private var deadline: DeadlineTimer?
    private var completion: ((CheckRun, CheckReport) -> Void)?

    init(
        _ probe: Probe,
        on gate: LoopGate,
        services: CheckServices,
        meter: ByteMeter? = nil,
        completion: @escaping @Sendable (CheckRun, CheckReport) -> Void
    ) {
        self.probe = probe
        budgetBytes = probe.limits.budgetBytes
        self.gate = gate
        self.services = services
        self.completion = completion
        isPart = meter != nil
        self.meter = meter ?? ByteMeter()
        epoch = .now()
        timeout = probe.timeout
        budget = WorkBudget(deadline: nil, steps: probe.limits.evaluationSteps)
        recorder = PhaseRecorder(epoch: epoch)
        hop = CheckHop(url: probe.target.shown)
    }

    /// `true` once the report was delivered.
    var isOver: Bool { completion == nil }

    // MARK: Start

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
                if let plan = probe.transfer { beginTransfer(plan, of: request) } else { beginHop(request) }
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
        meter.bound(received: receivedBytes)
        meter.bound(total: budgetBytes ?? .max) { [self] limit in exceeded(limit) }
        deadline = DeadlineTimer(Deadline(after: timeout, from: epoch), on: loop) { [self] in timeIsUp() }
    }

    /// The time left until the deadline.
    var timeLeft: Duration { deadline?.timeLeft ?? timeout }

    /// Runs the check's work away from the event loop, which other checks share, and fails the check if there is no thread
    /// for it.
    func run(on threads: TargetThreads, _ body: @escaping @Sendable () -> Void) {
        do throws(SystemError) {
            try threads.submit(for: probe.target.description, within: budget, body)
        } catch {
            fail(.resourcesExhausted, subject: hop.url, evidence: "start a thread: \(error)")
        }
    }

    // MARK: End

    /// Cancels the check.
    func cancel() {
        fail(.cancelled, subject: probe.target.shown, evidence: "the check was cancelled")
    }

    /// Replaces the check's share of a budget by one for the bytes from now on; nil for none.
    func bound(further bytes: Int?) {
        budgetBytes = bytes
        meter.bound(further: bytes)
    }

    /// The maximum number of bytes received for each hop.
    var receivedBytes: Int {
        max(probe.limits.receivedBytes ?? probe.limits.defaultReceivedBytes, probe.transfer?.bytesOnWire ?? 0)
    }

    private func exceeded(_ limit: ByteMeter.Limit) {
        switch limit {
        case .received:
            fail(.byteLimit, subject: hop.url, evidence: "more than \(receivedBytes) bytes came, of whatever kind")
        case .total:
            let left = budgetBytes ?? 0
            let evidence =
                "the check was ended when it had used the \(left) bytes of today's budget that were set aside for it"
            fail(.budgetExhausted, subject: hop.url, evidence: evidence)
        }
    }

    /// Fails the check with one finding.
    func fail(_ code: FindingCode, subject: String, evidence: String) {
        fail(Finding(code, subject: subject, evidence: evidence))
    }

    /// Fails the check with one finding.
    func fail(_ finding: Finding) {
        guard !isOver else { return }
        findings.append(finding)
        finish(finding.code)
    }

    /// Completes the check; the findings so far determine the verdict.
    func succeed() { finish(findings.first { $0.severity == .refusal }?.code) }

    /// Ends the check, as failed if there is a code.
    func finish(_ code: FindingCode?) {
        guard let completion else { return }
        self.completion = nil
        deadline?.cancel()
        services.cancel(budget, of: probe.target.description)
        let phase = recorder.phase ?? .resolve
        let verdict: CheckVerdict =
            switch code {
            case nil: .ok
            // A silent name server that is itself the target is at fault.
            case .dnsTimeout? where phase == .query: .failed(.dnsTimeout, phase)
            case let code? where code.isLocalFault: .unknown(code, phase)
            case let code?: .failed(code, phase)
            }
        let measurements = transfer?.end(isComplete: code == nil)
        transfer = nil
        endHop()
        datagram?.cancel()
        attempts?.advance = nil
        var report = CheckReport(
            target: probe.target.shown,
            verdict: verdict,
            findings: findings.filter { $0.severity == .refusal } + findings.filter { $0.severity != .refusal },
            hops: hops,
            started: started,
            duration: Duration(.now() - epoch)
        )
        report.transfer = measurements
        if !isPart { meter.finish() }
        (report.bytesSent, report.bytesReceived) = (meter.sent, meter.received)
        report.bytesOnWire = meter.onWire
        completion(self, probe.secrets.known.removed(from: report, exceptBodies: !probe.isBodyRedacted))
    }

    /// Closes the resources of the hop, and adds it to the report.
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
        // A server that stalled or disappeared, or a path that did, is the reason, not the time spent waiting for it.
        if let failure = transfer?.suspension?.failure { return fail(failure) }
        if let transfer, transfer.isUnderWay {
            let evidence = "the transfer did not end \(limit): \(transfer.stateText)"
            return fail(.timeout, subject: subject, evidence: evidence)
        }
        switch recorder.phase {
        case .resolve where lookup?.isStuckInQueue == true:
            fail(.resolverBusy, subject: subject, evidence: "the lookup did not get its turn \(limit)")
        case .resolve: fail(.dnsTimeout, subject: subject, evidence: "the name was not looked up \(limit)")
        case .connect:
            race?.explainSilence()
            let addresses = race?.reports.filter { $0.failure == nil }.map(\.address) ?? []
            // Every known address failed, or this machine is the reason for its silence, and the lookup that might have
            // returned others did not complete.
            if addresses.isEmpty, let failure = race?.failure { return fail(failure) }
            let silence = "no connection to \(addresses.joined(separator: ", ")) \(limit)"
            // An address that refused has answered, whatever the silent ones would have done.
            if let refusal = race?.refusal {
                return fail(refusal.code, subject: refusal.subject, evidence: "\(refusal.evidence); \(silence)")
            }
            fail(.connectTimeout, subject: subject, evidence: silence)
        case .some where exchange?.feed?.isSlow == true:
            fail(.requestInvalid, subject: subject, evidence: "the file of the request's body was not read \(limit)")
        case let phase?:
            // A running query or echo request knows what came instead of the answer, and ends the check.
            datagram?.expire(after: timeout)
            // This machine cannot send to the addresses so far, and the lookup of others did not complete.
            if let failure = attempts?.failure { return fail(failure) }
            let evidence = "the check did not end \(limit); it was in phase \(phase.rawValue)"
            fail(.timeout, subject: subject, evidence: evidence)
        case nil: fail(.timeout, subject: subject, evidence: "the check did not end \(limit)")
        }
    }
}

extension Duration {
    /// The duration in seconds with up to three decimal places: `2.5 s`.
    package var secondsText: String {
        let (seconds, attoseconds) = components
        let milliseconds = attoseconds / 1_000_000_000_000_000
        guard milliseconds != 0 else { return "\(seconds) s" }
        var digits = String(milliseconds + 1000).dropFirst()
        while digits.last == "0" { digits.removeLast() }
        return "\(seconds).\(digits) s"
    }
}
