internal import CheckResults
internal import HTTPSerialization
internal import NIOCore

extension TransferRun {
    /// The suspension of a download that waits for its next path, or for another connection.
    struct Suspension {
        /// The cause of the interruption.
        let finding: Finding
        let since: NIODeadline
        /// The payload bytes received before the interruption.
        let offset: Int
        let interface: String?
        /// The time of the last attempt to connect; nil before the first.
        var attempted: NIODeadline?
        /// Distinguishes an attempt from earlier, abandoned ones.
        var attempt = 0
        var isConnecting = false

        /// The reason to end the transfer if no attempt succeeds; nil while only the path is at fault.
        var reason: Finding? { finding.code == .pathChanged ? nil : failure }

        /// The finding at the deadline: the cause of the interruption, which is not the target's fault if it is the path.
        var failure: Finding {
            let evidence = "\(finding.evidence); it could not be resumed"
            return Finding(finding.code, subject: finding.subject, evidence: evidence)
        }
    }

    /// The time between two attempts.
    private static let retryInterval = TimeAmount.seconds(1)
    /// The maximum number of interruptions and stalled attempts that a transfer survives.
    private static let maximumInterruptions = 8

    /// Handles a change of the path: a resumable download continues over the next path.
    func pathChanged(_ interfaces: Set<String>, _ families: AddressFamilies) {
        let current = run.probe.interface ?? interface
        if case .suspended = state { return reconnect() }
        if let current, !interfaces.isEmpty, !interfaces.contains(current) { return }
        if let family, !families.includes(family) { return }
        lost(
            Finding(.pathChanged, subject: run.probe.target.shown, evidence: "the path changed during the transfer")
        )
    }

    /// The interface of the current connection, which after a resumption is not the check's own; nil if it is unknown.
    private var interface: String? { main.map { $0.owner.hop.interface } ?? run.hop.interface }
    /// The family of the current connection; nil if there is none.
    private var family: HostAddress.Family? {
        (main?.owner.hop ?? run.hop).peerAddress.flatMap { HostAddress(endpoint: $0)?.family }
    }

    /// Handles the loss of the connection.
    func lost(_ finding: Finding) {
        guard plan.resumes, case .leg(.download) = state, isConnectionLoss(finding.code) else {
            return run.fail(finding)
        }
        guard let leg = download, leg.bytes == 0 || object.acceptsRanges && object.validator != nil else {
            let evidence =
                "\(finding.evidence); the server does not support ranges, or the object has neither an ETag nor a date"
            return run.fail(finding.code, subject: finding.subject, evidence: evidence)
        }
        guard !leg.isComplete else {
            // Only the end of the response is missing.
            if let exchange { main?.cancel(exchange) }
            return endLeg(.download)
        }
        interruptions += 1
        guard interruptions <= Self.maximumInterruptions else {
            let evidence = "\(finding.evidence), after \(Self.maximumInterruptions) interruptions before"
            return run.fail(finding.code, subject: finding.subject, evidence: evidence)
        }
        let now = NIODeadline.now()
        // A stall started with the last sign of progress, not with its detection.
        let since = finding.code == .transferStalled ? lastSign : now
        download?.goodput.pause(at: since)
        suspension = Suspension(
            finding: finding,
            since: since,
            offset: leg.bytes,
            interface: interface
        )
        state = .suspended
        dropConnections()
        show(.suspended)
        // The handlers of the lost connection are still on the stack.
        run.loop.assumeIsolated().execute { [weak self] in self?.reconnect() }
    }

    /// Retries once a second.
    func retry(at now: NIODeadline) {
        guard let suspension else { return }
        let last = suspension.attempted ?? suspension.since
        // An attempt over a lost path would wait for a response until the deadline.
        let patience = suspension.isConnecting ? TimeAmount(plan.stallTimeout) : Self.retryInterval
        guard now - last >= patience else { return }
        if suspension.isConnecting, let reason = suspension.reason {
            interruptions += 1
            guard interruptions <= Self.maximumInterruptions else { return run.fail(reason) }
        }
        reconnect()
    }

    /// Reconnects, and abandons any running attempt.
    func reconnect() {
        guard case .suspended = state, let target else { return }
        dropConnections()
        guard isAdmitted() else { return }
        suspension?.attempt += 1
        suspension?.attempted = .now()
        suspension?.isConnecting = true
        let attempt = suspension?.attempt
        part = remainingPart
        open(to: target) { [weak self] result in
            guard let self, case .suspended = state, suspension?.attempt == attempt else { return }
            switch result {
            case .success(let connection):
                // The route may have changed after the last decision.
                guard isAdmitted() else { return }
                main = connection
                requestDownload()
            case .failure(let failure): attemptFailed(failure.finding)
            }
        }
    }

    /// Returns whether the download may continue over the present link; if not, the transfer has ended.
    private func isAdmitted() -> Bool {
        guard let admission = plan.admission else { return true }
        let needed = plan.bytesOnWire(received: download?.bytes ?? 0)
        switch admission(TransferContinuation(bytesOnWire: run.meter.currentOnWire(), neededBytes: needed)) {
        case .unchanged: return true
        case .moved(let budget):
            run.bound(further: budget)
            return true
        case .refused(let finding):
            run.fail(finding)
            return false
        }
    }

    /// Waits for the next attempt.
    func attemptFailed(_ finding: Finding) {
        suspension?.isConnecting = false
        guard isConnectionLoss(finding.code) || finding.code.isLocalFault else { return run.fail(finding) }
    }

    /// Records the seam at the first byte after an interruption.
    func endSuspension(isRestarted: Bool) {
        guard let suspension, case .suspended = state else { return }
        let now = NIODeadline.now()
        download?.goodput.resume(at: now)
        seams.append(
            TransferSeam(
                offset: suspension.offset,
                code: suspension.finding.code,
                pause: Duration(now - suspension.since),
                from: suspension.interface,
                to: main?.owner.hop.interface,
                isRestarted: isRestarted
            )
        )
        self.suspension = nil
        state = .leg(.download)
        show(.resumed)
        reopenSeparate()
    }

    private func dropConnections() {
        if let exchange { main?.cancel(exchange) }
        exchange = nil
        main?.close()
        separate?.close()
        (main, separate) = (nil, nil)
        for part in parts.values { part.cancel() }
        parts = [:]
        isReopening = false
    }

    private func isConnectionLoss(_ code: FindingCode) -> Bool {
        switch code {
        case .pathChanged, .transferStalled, .connectionReset, .connectionClosed, .httpTruncated, .hostUnreachable,
            .noRoute, .linkDown, .noAddress, .connectTimeout, .connectRefused, .connectReset, .connectFailed,
            .dnsTimeout, .dnsFailure, .tlsClosed:
            true
        default: false
        }
    }
}
