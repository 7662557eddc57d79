internal import AgentEvents
internal import ForeignText
internal import FoundationEssentials
internal import Probes

// Reports on checks as values of the schema: also the lines of `reachagent probe --json` and `trust evaluate --json`.

extension AgentEvents.CheckReport {
    /// The bytes are those that the check's sockets carried: TLS records included, packet headers not; `bytes_on_wire` are
    /// those of the link, with all headers.
    init(_ report: Probes.CheckReport) {
        self.init(
            target: report.target,
            verdict: report.verdict.word,
            code: report.verdict.code?.rawValue,
            phase: report.verdict.phase?.rawValue,
            started: Timestamp(report.started),
            durationMicroseconds: report.duration.microseconds,
            bytesSent: report.bytesSent,
            bytesReceived: report.bytesReceived,
            bytesOnWire: report.bytesOnWire,
            findings: report.findings.map { AgentEvents.Finding($0) },
            hops: report.hops.map { AgentEvents.CheckHop($0) },
            transfer: report.transfer.map { Transfer($0) }
        )
    }
}

extension CheckVerdict {
    /// The verdict's name in the schema.
    fileprivate var word: String {
        switch self {
        case .ok: "ok"
        case .failed: "failed"
        case .unknown: "unknown"
        }
    }
}

extension AgentEvents.Finding {
    init(_ finding: Probes.Finding) {
        self.init(
            code: finding.code.rawValue,
            severity: finding.severity.rawValue,
            subject: finding.subject,
            evidence: finding.evidence
        )
    }
}

extension AgentEvents.CheckHop {
    fileprivate init(_ hop: Probes.CheckHop) {
        self.init(url: hop.url)
        phases = hop.phases.map { timing in
            Phase(
                phase: timing.phase.rawValue,
                startMicroseconds: timing.start.microseconds,
                durationMicroseconds: timing.duration.microseconds,
                isComplete: timing.isComplete ? nil : false
            )
        }
        lookups = hop.lookups.map { lookup in
            Lookup(
                family: lookup.family.rawValue,
                startMicroseconds: lookup.start.microseconds,
                durationMicroseconds: lookup.duration.microseconds,
                addresses: lookup.addresses,
                code: lookup.failure?.code.rawValue,
                evidence: lookup.failure?.evidence
            )
        }
        addresses = hop.addresses
        attempts = hop.attempts.map { attempt in
            Attempt(
                address: attempt.address,
                startMicroseconds: attempt.start.microseconds,
                durationMicroseconds: attempt.duration.microseconds,
                isUsed: attempt.isUsed,
                code: attempt.failure?.code.rawValue,
                evidence: attempt.failure?.evidence
            )
        }
        local = hop.localAddress
        peer = hop.peerAddress
        interface = hop.interface
        tls = hop.tls.map { TLSHandshake($0) }
        response = hop.response.map { Response($0) }
        answer = hop.answer
    }
}

extension AgentEvents.CheckHop.Response {
    /// The head, and the size of the body; never the body, even if the report has it.
    ///
    /// The fields are escaped as by `ForeignText`, up to 1 KiB each: the JSON may be shown on a terminal.
    fileprivate init(_ response: ResponseReport) {
        self.init(
            httpVersion: response.httpVersion,
            status: response.status,
            headers: response.headers.map { field in
                let value = field.isNamed("location") ? SecretName.hidingQuery(of: field.value) : field.value
                return Header(
                    name: ForeignText.shown(field.name),
                    value: field.isSecret ? "(not shown)" : ForeignText.shown(value, limit: 1024)
                )
            },
            bodyBytes: response.bodyBytes,
            decodedBodyBytes: response.decodedBodyBytes
        )
    }
}

extension TLSHandshake {
    fileprivate init(_ tls: TLSReport) {
        self.init(
            version: tls.version,
            cipher: tls.cipher,
            applicationProtocol: tls.applicationProtocol,
            serverName: tls.serverName,
            trust: tls.trust.map { AgentEvents.TrustVerdict($0) }
        )
    }
}

extension AgentEvents.TrustVerdict {
    /// The remaining days of a certificate are counted from the time for which it was judged.
    init(_ verdict: Probes.TrustVerdict) {
        // To the microsecond, as it is written.
        let time = Timestamp(verdict.date)
        self.init(
            isAccepted: verdict.isAccepted,
            code: verdict.code?.rawValue,
            at: time,
            findings: verdict.findings.map { AgentEvents.Finding($0) },
            presented: verdict.presentedChain.map { Certificate($0, at: time.date) },
            validated: verdict.validatedChain.map { Certificate($0, at: time.date) },
            pins: verdict.pinAudit.map { audit in
                audit.entries.map { Pin(pin: $0.pin, isMatched: $0.isMatched, isBackup: $0.isBackup) }
            }
        )
    }
}

extension Certificate {
    fileprivate init(_ certificate: CertificateDescription, at date: Date) {
        self.init(
            subject: certificate.subject,
            names: certificate.subjectAlternativeNames,
            issuer: certificate.issuer,
            notBefore: certificate.notValidBefore.map { Timestamp($0) },
            notAfter: certificate.notValidAfter.map { Timestamp($0) },
            daysLeft: certificate.daysLeft(at: date),
            serial: certificate.serialNumber,
            sha256: certificate.sha256,
            pin: certificate.publicKeyPin?.description,
            key: certificate.key,
            signature: certificate.signature,
            isCertificateAuthority: certificate.isCertificateAuthority
        )
    }
}

/// Publishes each check to the subscribers of `probe.completed`, and the progress of transfers to those of
/// `probe.progress`; it costs nothing without such a subscriber.
struct CheckPublisher: Sendable {
    let origin: EventOrigin
    /// Returns true if a subscriber wants events of a type.
    let isWanted: @Sendable (EventType) -> Bool
    let send: @Sendable (Event) -> Void

    func take(_ check: Probes.CompletedCheck, _ cadence: Cadence) {
        guard isWanted(.probeCompleted) else { return }
        send(EventDraft(check, cadence: cadence))
    }

    func take(_ progress: TransferProgress, of point: Probes.ProbePoint) {
        guard isWanted(.probeProgress) else { return }
        send(EventDraft(progress, of: point))
    }

    private func send(_ draft: EventDraft) {
        // Outside the history: a random number makes its `id` unique.
        send(Event(draft, from: origin, at: .now, number: .random(in: 1 ... .max)))
    }
}
