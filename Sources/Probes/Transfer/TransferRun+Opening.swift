internal import CheckResults
internal import HTTPSerialization
internal import NIOCore

extension TransferRun {
    /// The number of idle round trips.
    private static let idleRoundTrips = 8
    /// The maximum size of a small request's response body that is awaited.
    static let largestSmallBody = 4 << 10

    /// Continues with the check's own connection, to the target or to the target of a redirect.
    func opened(_ channel: any Channel, applicationProtocol: String?, for request: SerializedRequest) {
        target = request
        do {
            main = try TransferConnection(
                channel,
                applicationProtocol: applicationProtocol,
                owner: run,
                window: window
            )
        } catch {
            return run.fail(.httpProtocol, subject: request.url.authority, evidence: String(describing: error))
        }
        ask(request)
    }

    /// Requests the target's head; this is the check's own request, whose phases are reported.
    private func ask(_ request: SerializedRequest) {
        run.recorder.begin(.request)
        let events = HTTPExchange.Events(
            sentRequest: { [run] in if run.recorder.phase == .request { run.recorder.begin(.firstByte) } },
            receivedFirstByte: { [run] in run.recorder.end() },
            finished: { [weak self] exchange, finding in self?.asked(exchange, finding) }
        )
        run.exchange = main?.send(request, sink: request.method == "HEAD" ? nil : smallSink(), events: events)
    }

    private func asked(_ exchange: HTTPExchange, _ finding: Finding?) {
        if let finding { return run.fail(finding) }
        guard let response = exchange.response, !run.follow(response, of: exchange.request) else { return }
        let isAccepted = (200..<300).contains(response.status)
        // The server of an upload need not offer a download.
        if isAccepted || plan.downloadBytes == 0 && response.status < 500 {
            if isAccepted { object = TransferObject(response) }
            small = exchange.request
            return beginIdle()
        }
        guard exchange.request.method == "HEAD", !run.redirects.isRedirect(response) else {
            let evidence = "the target was answered with status \(response.status)"
            return run.fail(.httpStatus, subject: exchange.subject, evidence: evidence)
        }
        askForByte(exchange.request)
    }

    /// Requests one byte if the server rejects HEAD.
    private func askForByte(_ request: SerializedRequest) {
        let request = request.variant(method: "GET", fields: [HeaderField(name: "Range", value: "bytes=0-0")])
        withMain(to: request) { [self] in ask(request) }
    }

    /// Calls a closure once the main connection can send; opens a new one if the server has closed it.
    func withMain(to request: SerializedRequest, then body: @escaping () -> Void) {
        if main?.canSend == true { return body() }
        main?.close()
        open(to: request) { [weak self] result in
            guard let self, !isOver else { return }
            switch result {
            case .success(let connection):
                main = connection
                body()
            case .failure(let failure):
                // The attempt was abandoned because the path was lost in the meantime.
                if case .suspended = state { return }
                // The rest of a part is lost as the part itself would be.
                if case .leg(.download) = state, let leg = download, leg.bytes > 0 { return lost(failure.finding) }
                run.fail(failure.finding)
            }
        }
    }

    /// Returns a sink that ends a response that is not small because the server ignored the range.
    private func smallSink() -> (Int) -> Void {
        var received = 0
        return { [weak self] count in
            received += count
            guard received > Self.largestSmallBody, let self, let exchange = run.exchange, !exchange.isOver else {
                return
            }
            // Without small requests, the transfer continues, but has no round trips.
            main?.cancel(exchange)
            guard exchange.response?.status == 200 else {
                let evidence = "the target was answered with status \(exchange.response?.status ?? 0)"
                return run.fail(.httpStatus, subject: exchange.subject, evidence: evidence)
            }
            beginIdle()
        }
    }

    // MARK: Idle round trips

    private func beginIdle() {
        state = .idle
        lastSign = .now()
        startTimer()
        guard let target, small != nil else { return beginLegs() }
        open(to: target) { [weak self] result in
            guard let self, !isOver else { return }
            switch result {
            case .success(let connection):
                separate = connection
                askIdle(from: .now(), bytesBefore: run.meter.currentOnWire())
            case .failure(let failure): run.fail(failure.finding)
            }
        }
    }

    /// Sends the next small request on the idle connection, until there are enough round trips.
    private func askIdle(from start: NIODeadline, bytesBefore: Int) {
        guard case .idle = state else { return }
        let isLate = Duration(.now() - start) > run.probe.timeout / 5
        // A server that closes the connection, or announces its end, leaves none to measure on.
        guard idle.count < Self.idleRoundTrips, !(isLate && idle.count > 0), separate?.canSend == true else {
            return endIdle(bytesBefore: bytesBefore)
        }
        sendSmall(on: separate) { [weak self] duration, sent in
            self?.idle.add(duration, sent: sent)
            self?.lastSign = .now()
        } ended: { [weak self] finding in
            guard let self, case .idle = state else { return }
            if let finding {
                guard idle.count > 0 else { return run.fail(finding) }
                // The next one would fail like this one.
                separate?.close()
                return endIdle(bytesBefore: bytesBefore)
            }
            run.loop.assumeIsolated().execute { [weak self] in self?.askIdle(from: start, bytesBefore: bytesBefore) }
        }
    }

    private func endIdle(bytesBefore: Int) {
        if idle.count > 0 { smallBytes = max(200, (run.meter.currentOnWire() - bytesBefore) / idle.count) }
        beginLegs()
    }

    /// Sends a small request.
    ///
    /// - Parameters:
    ///   - answered: Called with the time from the request to the first byte of the response, and the time of the
    ///     request.
    ///   - ended: Called when the exchange has ended, with a finding if it failed.
    func sendSmall(
        on connection: TransferConnection?,
        answered: @escaping (Duration, NIODeadline) -> Void,
        ended: @escaping (Finding?) -> Void
    ) {
        guard let connection, let small else { return }
        let sent = NIODeadline.now()
        let events = HTTPExchange.Events(
            sentRequest: {},
            receivedFirstByte: { answered(Duration(.now() - sent), sent) },
            finished: { _, finding in ended(finding) }
        )
        let counted = SmallBody()
        let exchange = connection.send(
            small,
            sink: { count in
                counted.bytes += count
                guard counted.bytes > Self.largestSmallBody, let exchange = counted.exchange else { return }
                connection.cancel(exchange)
                ended(nil)
            },
            events: events
        )
        counted.exchange = exchange
    }
}

/// The response body of a small request.
private final class SmallBody {
    var bytes = 0
    weak var exchange: HTTPExchange?
}
