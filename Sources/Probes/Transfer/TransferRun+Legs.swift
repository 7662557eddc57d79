internal import CheckResults
internal import HTTPSerialization
internal import NIOCore

extension TransferRun {
    /// Starts the download, or the upload if there is no download.
    func beginLegs() {
        if plan.downloadBytes > 0 { beginDownload() } else { beginUpload() }
    }

    /// Creates the meter of a direction.
    private func leg(_ direction: TransferDirection, wantedBytes: Int) -> TransferLegMeter {
        var leg = TransferLegMeter(direction, wantedBytes: wantedBytes)
        leg.goodput.roundTrip = idle.figures()?.p50 ?? .zero
        return leg
    }

    // MARK: Download

    private func beginDownload() {
        var wanted = plan.downloadBytes
        if let size = object.size, size < wanted { wanted = size }
        download = leg(.download, wantedBytes: plan.downloadBytes)
        state = .leg(.download)
        lastSign = .now()
        show(.download)
        // With a range, the server need not be cut off after it has put more on the link than requested; servers
        // without range support ignore the field.
        let isPart = wanted > 0 && object.size.map { $0 > wanted } ?? true
        part = RequestedPart(bounds: isPart ? 0...(wanted - 1) : nil)
        guard let target else { return }
        withMain(to: target) { [self] in requestDownload() }
    }

    /// Sends the request for the wanted part.
    func requestDownload() {
        guard let target, let main else { return }
        var fields: [HeaderField] = []
        if let bounds = part.bounds {
            fields.append(HeaderField(name: "Range", value: "bytes=\(bounds.lowerBound)-\(bounds.upperBound)"))
            if bounds.lowerBound > 0, let validator = object.validator {
                fields.append(HeaderField(name: "If-Range", value: validator))
            }
        }
        answer = nil
        lastSign = .now()
        let request = target.variant(method: "GET", fields: fields)
        let timing = RequestTiming()
        let events = HTTPExchange.Events(
            sentRequest: { timing.sent = .now() },
            receivedFirstByte: { [weak self] in
                guard let self, let sent = timing.sent, download?.timeToFirstByte == nil else { return }
                download?.timeToFirstByte = Duration(.now() - sent)
            },
            finished: { [weak self] exchange, finding in self?.endedDownload(exchange, finding) }
        )
        let exchange = main.send(request, sink: { [weak self] count in self?.receive(count) }, events: events)
        guard !exchange.isOver else { return }
        self.exchange = exchange
        run.exchange = exchange
    }

    /// Judges the response before its first byte counts; returns false if the transfer has ended.
    private func accept(_ exchange: HTTPExchange) -> Bool {
        guard answer == nil else { return true }
        guard let response = exchange.response else { return false }
        switch part.judge(response, known: object) {
        case .refused(let code, let evidence):
            run.fail(code, subject: exchange.subject, evidence: evidence)
            return false
        case .accepted(let accepted):
            answer = accepted
            if object.validator == nil || accepted.isRestarted {
                let fresh = TransferObject(response)
                (object.validator, object.acceptsRanges) = (
                    fresh.validator, fresh.acceptsRanges || object.acceptsRanges
                )
            }
            object.size = accepted.size ?? object.size
            if accepted.isRestarted { objectBegin = download?.bytes ?? 0 }
            if run.recorder.phase != .body { run.recorder.begin(.body) }
            main?.paceReads(true)
            let wanted = download?.wantedBytes ?? 0
            if accepted.bodyBytes.map({ $0 > wanted }) ?? true { main?.admit(wanted, of: wanted) }
            endSuspension(isRestarted: accepted.isRestarted)
            return true
        }
    }

    private func receive(_ count: Int) {
        guard let exchange = exchange ?? run.exchange, accept(exchange), let wanted = download?.wantedBytes else {
            return
        }
        let now = NIODeadline.now()
        lastSign = now
        // In place: a copy of the leg would cost more than the count.
        let missing = wanted - (download?.bytes ?? wanted)
        download?.goodput.add(min(count, missing), at: now)
        guard count >= missing else {
            // The response continues after the wanted bytes.
            if answer?.bodyBytes.map({ $0 > wanted }) ?? true { main?.admit(missing - count, of: wanted) }
            return
        }
        // The last announced piece is the end of the response, which is reported next.
        if let announced = answer?.bodyBytes, (exchange.response?.bodyBytes ?? 0) >= announced { return }
        main?.cancel(exchange)
        endLeg(.download)
    }

    private func endedDownload(_ exchange: HTTPExchange, _ finding: Finding?) {
        guard !isOver else { return }
        if case .suspended = state, let finding {
            return attemptFailed(finding)
        }
        if let finding { return lost(finding) }
        guard accept(exchange), let leg = download else { return }
        if !leg.isComplete {
            if let announced = answer?.bodyBytes, (exchange.response?.bodyBytes ?? 0) < announced {
                let evidence = "\(leg.bytes) of \(announced) announced bytes arrived"
                return lost(Finding(.httpTruncated, subject: exchange.subject, evidence: evidence))
            }
            // Without a byte nothing was measured, so that no threshold could fail it.
            guard leg.bytes > objectBegin else {
                let evidence = "the object is empty; \(leg.wantedBytes) bytes were requested"
                return run.fail(.httpBody, subject: exchange.subject, evidence: evidence)
            }
            let received = leg.bytes - objectBegin
            if exchange.response?.status == 206, let size = object.size, received < size { return continueDownload() }
            let evidence = "the object has \(received) bytes; \(leg.wantedBytes) were requested"
            run.findings.append(Finding(.httpBody, .note, subject: exchange.subject, evidence: evidence))
            download?.wantedBytes = leg.bytes
        }
        endLeg(.download)
    }

    /// Requests the rest of a part of which the server has sent only the start (RFC 9110, section 15.3.7).
    private func continueDownload() {
        part = remainingPart
        // The handlers of the last exchange are still on the stack.
        run.loop.assumeIsolated().execute { [weak self] in
            guard let self, case .leg(.download) = state, let target else { return }
            withMain(to: target) { [self] in requestDownload() }
        }
    }

    /// The part that is still missing, of which the offsets count from the start of the object: after a restart, of the
    /// resent one.
    var remainingPart: RequestedPart {
        guard let leg = download else { return RequestedPart() }
        let offset = leg.bytes - objectBegin
        return RequestedPart(bounds: offset > 0 ? offset...(offset + leg.wantedBytes - leg.bytes - 1) : nil)
    }

    // MARK: Upload

    private func beginUpload() {
        guard plan.uploadBytes > 0, let target else { return run.succeed() }
        // A server without range support may have sent far more than was read.
        let isAffordable = plan.bytesOnWire - run.meter.currentOnWire() >= plan.uploadBytes
        guard isAffordable else {
            let evidence = "the upload was skipped, because the server sent more than was requested"
            run.findings.append(Finding(.byteLimit, .note, subject: run.hop.url, evidence: evidence))
            return run.succeed()
        }
        let request: SerializedRequest
        do {
            request = try uploadRequest(to: plan.uploadURL ?? target.url, after: target)
        } catch {
            return run.fail(.requestInvalid, subject: run.hop.url, evidence: error.description)
        }
        upload = leg(.upload, wantedBytes: plan.uploadBytes)
        state = .leg(.upload)
        lastSign = .now()
        show(.upload)
        if target.url.origin != request.url.origin {
            main?.close()
            main = nil
        }
        withMain(to: request) { [self] in requestUpload(request) }
    }

    /// Returns the upload request.
    ///
    /// The probe's own fields may be secrets, whatever their names: only the probe's own server receives them.
    private func uploadRequest(
        to url: HTTPURL,
        after target: SerializedRequest
    ) throws(RequestError) -> SerializedRequest {
        let content = [
            HeaderField(name: "Content-Type", value: "application/octet-stream"),
            HeaderField(name: "Content-Length", value: String(plan.uploadBytes)),
        ]
        guard !run.redirects.isAtFirstOrigin(url) else {
            return target.redirected(to: url, status: 307).variant(method: "POST", fields: content)
        }
        var fields = HeaderFields()
        try fields.set("User-Agent", run.probe.serializer.headers.value(of: "User-Agent"))
        let request = try RequestSerializer(headers: fields).serialize(ProbeRequest(method: "POST"), to: url)
        return request.variant(method: "POST", fields: content)
    }

    private func requestUpload(_ request: SerializedRequest) {
        guard let main else { return }
        if run.recorder.phase != .body { run.recorder.begin(.body) }
        let counters = main.counters
        acknowledgedBefore = counters?.acknowledged
        upload?.startRetransmissions(at: counters?.retransmissions)
        upload?.goodput.start(at: .now())
        lastSign = .now()
        let content = UploadContent(length: plan.uploadBytes)
        let events = HTTPExchange.Events(
            sentRequest: {},
            receivedFirstByte: {},
            finished: { [weak self] exchange, finding in self?.endedUpload(exchange, finding) }
        )
        var answered = 0
        let sink: (Int) -> Void = { [weak self] count in
            answered += count
            // The response body is not needed; a large one is not awaited.
            guard answered > Self.largestSmallBody, content.isAtEnd, let self, let exchange = self.exchange,
                !exchange.isOver
            else {
                return
            }
            self.main?.cancel(exchange)
            endedUpload(exchange, nil)
        }
        let exchange = main.send(request, upload: content, sink: sink, events: events)
        guard !exchange.isOver else { return }
        self.exchange = exchange
        // The reported response is that of the download, if there is one.
        if download == nil { run.exchange = exchange }
    }

    private func endedUpload(_ exchange: HTTPExchange, _ finding: Finding?) {
        guard !isOver else { return }
        countUpload(at: .now())
        if let finding { return run.fail(finding) }
        guard let status = exchange.response?.status, (200..<300).contains(status) else {
            let evidence = "the upload was answered with status \(exchange.response?.status ?? 0)"
            return run.fail(.httpStatus, subject: exchange.subject, evidence: evidence)
        }
        isUploadAnswered = true
        // The response proves that the content has arrived, unless it was received before the content was sent.
        if acknowledgedBefore == nil || main?.counters == nil {
            upload?.goodput.reach(plan.uploadBytes, at: .now())
        }
        if upload?.isComplete == true { endLeg(.upload) }
    }

    /// Counts the bytes of the upload that the server's kernel has acknowledged.
    func countUpload(at now: NIODeadline) {
        guard let content = exchange?.upload, let before = acknowledgedBefore, let counters = main?.counters else {
            return
        }
        // TLS and HTTP add less than a hundredth, which is corrected at the end.
        let count = min(content.taken, max(0, counters.acknowledged - before))
        guard count > (upload?.bytes ?? 0) else { return }
        upload?.goodput.reach(count, at: now)
        lastSign = now
    }

    /// Counts the retransmitted segments of the upload while the connection can still be queried.
    func noteRetransmissions() { upload?.endRetransmissions(at: main?.counters?.retransmissions) }

    // MARK: End

    /// Ends a leg, and waits for the running small requests, which its load has delayed.
    func endLeg(_ direction: TransferDirection) {
        if direction == .upload { noteRetransmissions() }
        exchange = nil
        main?.paceReads(false)
        state = .settling(direction)
        lastSign = .now()
        show(direction == .download ? .download : .upload)
        settle(at: .now())
    }

    /// Continues when no small request is running, or after a second.
    func settle(at now: NIODeadline) {
        guard case .settling(let direction) = state else { return }
        let outstanding = (separate?.outstanding ?? 0) + (main?.outstanding ?? 0)
        guard outstanding == 0 || now - lastSign > .seconds(1) else { return }
        run.recorder.end()
        // The handlers of the last exchange are still on the stack.
        state = .idle
        run.loop.assumeIsolated().execute { [weak self] in
            guard let self, !isOver else { return }
            if direction == .download { beginUpload() } else { run.succeed() }
        }
    }
}

/// The time at which a request was sent.
private final class RequestTiming {
    var sent: NIODeadline?
}
