internal import CheckResults
internal import NIOCore

extension TransferRun {
    /// The mean time between two small requests on a connection.
    private static let smallInterval = TimeAmount.milliseconds(100)
    /// The maximum number of concurrent small requests on an HTTP/2 connection.
    ///
    /// Enough for one every 100 ms with round trips of three seconds: with fewer, long round trips would be sampled
    /// less often than short ones.
    private static let smallAtATime = 32
    /// The maximum number of times that the connection for small requests is reopened.
    private static let maximumReopenings = 4

    /// Polls the clock and the counters, twenty times a second.
    func poll() {
        guard !isOver else { return }
        let now = NIODeadline.now()
        guard run.meter.currentOnWire() <= plan.bytesOnWire else {
            let evidence = "the transfer was ended when it had put \(plan.bytesOnWire) bytes on the link"
            // The attempts to resume used up the rest, and whatever interrupted the download is the reason for them.
            if let failure = suspension?.failure {
                return run.fail(failure.code, subject: failure.subject, evidence: "\(failure.evidence): \(evidence)")
            }
            return run.fail(.byteLimit, subject: run.hop.url, evidence: evidence)
        }
        switch state {
        case .opening, .over: break
        case .idle: checkForStall(at: now)
        case .settling: settle(at: now)
        case .suspended: retry(at: now)
        case .leg(let direction):
            if direction == .upload { countUpload(at: now) }
            if direction == .upload, isUploadAnswered, let content = exchange?.upload {
                // The rest is the TLS and HTTP overhead in the acknowledged bytes.
                if main?.counters == nil || content.isAtEnd { upload?.goodput.reach(plan.uploadBytes, at: now) }
                if upload?.isComplete == true { return endLeg(.upload) }
            }
            planSmallRequests(at: now)
            showLeg(direction, at: now)
            checkForStall(at: now)
        }
    }

    private func checkForStall(at now: NIODeadline) {
        guard Duration(now - lastSign) > plan.stallTimeout else { return }
        let evidence = "no byte came or went for \(plan.stallTimeout.secondsText): \(stateText)"
        lost(Finding(.transferStalled, subject: run.hop.url, evidence: evidence))
    }

    /// Schedules the small requests until after the next poll, as long as they stay a small share of the transfer's
    /// bytes.
    private func planSmallRequests(at now: NIODeadline) {
        guard small != nil, let leg = currentLeg else { return }
        let isShared = main?.isHTTPTwo == true
        guard let least = self[keyPath: leg]?.smallRequestInterval(of: smallBytes, times: isShared ? 2 : 1, at: now)
        else { return }
        let interval = max(Self.smallInterval, least)
        for path in isShared ? [SmallPath.separate, .same] : [.separate] {
            // A poll may be late, by less than one interval.
            while let time = self[keyPath: leg]?.next(path, before: now + 2 * Self.tick, every: interval, at: now) {
                run.loop.assumeIsolated().scheduleTask(deadline: time) { [weak self] in
                    self?.sendSmallRequest(on: path, for: leg)
                }
            }
        }
    }

    /// Sends a small request, unless the leg has ended or too many requests are pending.
    private func sendSmallRequest(on path: SmallPath, for leg: ReferenceWritableKeyPath<TransferRun, TransferLegMeter?>)
    {
        guard currentLeg == leg else { return }
        switch path {
        case .separate:
            guard let separate else { return }
            guard separate.isUsable else { return reopenSeparate() }
            if separate.canSend, separate.outstanding < Self.smallAtATime {
                sendLoaded(on: separate, for: leg, \.separate)
            }
        case .same:
            if let main, main.canSend, main.outstanding <= Self.smallAtATime { sendLoaded(on: main, for: leg, \.same) }
        }
    }

    /// The running leg.
    private var currentLeg: ReferenceWritableKeyPath<TransferRun, TransferLegMeter?>? {
        guard case .leg(let direction) = state else { return nil }
        return direction == .download ? \.download : \.upload
    }

    private func sendLoaded(
        on connection: TransferConnection,
        for leg: ReferenceWritableKeyPath<TransferRun, TransferLegMeter?>,
        _ meter: WritableKeyPath<LoadedMeter, RoundTripMeter>
    ) {
        self[keyPath: leg]?.smallRequests += 1
        sendSmall(on: connection) { [weak self] duration, sent in
            self?[keyPath: leg]?.loaded[keyPath: meter].add(duration, sent: sent)
        } ended: { [weak self] finding in
            guard let self, !isOver else { return }
            // Another connection may answer the next one, and is opened only a few times.
            if finding != nil, connection === separate { connection.close() }
            settle(at: .now())
        }
    }

    /// Reopens the connection for small requests, which the server has closed or ended, or which was lost with its path.
    func reopenSeparate() {
        guard let target, small != nil, !isReopening, reopenings < Self.maximumReopenings else { return }
        isReopening = true
        reopenings += 1
        open(to: target) { [weak self] result in
            guard let self, !isOver else { return }
            isReopening = false
            if case .success(let connection) = result { separate = connection }
        }
    }
}
