internal import CheckResults
internal import EventLoopExecutor
internal import HTTPSerialization
internal import NIOCore

extension CheckRun {
    /// Starts a hop: the target, or the target of a redirect.
    func beginHop(_ request: SerializedRequest) {
        redirects.visit(request)
        hop = CheckHop(url: SecretName.hidingQuery(of: request.url.description))
        recorder = PhaseRecorder(epoch: epoch)
        meter.bound(received: receivedBytes)
        reach(request) { [self] channel, chosen in
            if let transfer { return transfer.opened(channel, applicationProtocol: chosen, for: request) }
            send(request, on: channel, applicationProtocol: chosen)
        }
    }

    /// Connects to a request's server, over TLS if the URL requires it; `reached` is called with the protocol selected
    /// by ALPN.
    func reach(_ request: SerializedRequest, then reached: @escaping (any Channel, String?) -> Void) {
        lookupFailures = []
        var endpoint = Probe.Endpoint(host: request.url.host, port: UInt16(clamping: request.url.port))
        if let other = probe.connectTo, redirects.isAtFirstOrigin(request.url) { endpoint = other }
        connect(to: endpoint) { [self] channel in
            guard request.url.scheme == .https else { return reached(channel, nil) }
            beginTLS(on: channel, for: request.url) { chosen in reached(channel, chosen) }
        }
    }

    private func send(_ request: SerializedRequest, on channel: any Channel, applicationProtocol: String?) {
        recorder.begin(.request)
        let events = HTTPExchange.Events(
            sentRequest: { [self] in if recorder.phase == .request { recorder.begin(.firstByte) } },
            receivedFirstByte: { [self] in
                // A server may respond before it has read the whole request.
                if recorder.phase == .request { recorder.interrupt() }
                recorder.begin(.body)
            },
            finished: { [self] exchange, finding in ended(exchange, finding) }
        )
        let exchange = HTTPExchange(request: request, limits: probe.limits, events: events)
        if exchange.contentLength > 0 {
            exchange.feed = RequestBodyFeed(request.body, on: gate) { [weak self] body in
                if let self { run(on: services.files, body) }
            }
        }
        self.exchange = exchange
        do {
            if applicationProtocol == "h2" {
                try HTTPTwoConnection.begin(exchange, on: channel)
            } else {
                try HTTPOneConnection.begin(exchange, on: channel)
            }
        } catch {
            exchange.fail(HTTPFailure.finding(error, in: exchange))
        }
    }

    private func ended(_ exchange: HTTPExchange, _ finding: Finding?) {
        if let finding {
            // A server that closes while it waits for the request is not at fault.
            if exchange.feed?.isStuck == true {
                let evidence = "the file of the request's body was not read; meanwhile: \(finding.evidence)"
                return fail(.requestInvalid, subject: exchange.subject, evidence: evidence)
            }
            if !repeatOverHTTPOne(exchange) { failed(exchange, finding) }
            return
        }
        guard let response = exchange.response else { return }
        recorder.end()
        if !follow(response, of: exchange.request) { evaluate(response, exchange) }
    }

    /// Handles an exchange that failed.
    ///
    /// A redirect is followed, and a refused status is the cause, whatever is wrong with the content that comes with it: to
    /// AFNetworking, content in an encoding that is not supported is a body like any other.
    private func failed(_ exchange: HTTPExchange, _ finding: Finding) {
        let isAboutContent = finding.code == .httpContentEncoding || finding.code == .httpTooLarge
        guard isAboutContent, let response = exchange.response else { return fail(finding) }
        guard !follow(response, of: exchange.request) else { return }
        findings += [probe.expectations.refusal(ofStatus: response.status), finding].compactMap(\.self)
        succeed()
    }

    /// Repeats a request whose server requires HTTP/1.1 (RFC 9113, section 7), once per hop and within the same deadline;
    /// returns false for any other failure.
    private func repeatOverHTTPOne(_ exchange: HTTPExchange) -> Bool {
        guard exchange.requiresHTTPOne, !isHTTPOneRequired else { return false }
        let name = HTTPTwoCode.name(HTTPTwoCode.httpOneRequired)
        let evidence = "the server answered HTTP/2 with \(name), and the request was repeated over HTTP/1.1"
        let note = Finding(.httpProtocol, .note, subject: exchange.subject, evidence: evidence)
        // A redirect to the same server meets the same answer.
        if !findings.contains(note) { findings.append(note) }
        isHTTPOneRequired = true
        nextHop(exchange.request)
        return true
    }

    /// Starts the next hop, in place of the current one.
    private func nextHop(_ request: SerializedRequest) {
        // The handlers of the closed connection are still on the stack.
        loop.assumeIsolated().execute { [self] in
            guard !isOver else { return }
            endHop()
            beginHop(request)
        }
    }

    /// Follows a redirect, or fails if that is impossible; returns false for any other response, or if redirects are
    /// disabled.
    func follow(_ response: ResponseReport, of request: SerializedRequest) -> Bool {
        guard redirects.isRedirect(response), probe.maximumRedirects > 0 else { return false }
        switch redirects.follow(response, of: request, maximum: probe.maximumRedirects) {
        case .success(let next):
            isHTTPOneRequired = false
            nextHop(next)
        case .failure(let refusal): fail(refusal.finding)
        }
        return true
    }

    private func evaluate(_ response: ResponseReport, _ exchange: HTTPExchange) {
        let received = ReceivedResponse(
            status: response.status,
            headers: response.headers,
            body: Array(exchange.body.readableBytesView),
            httpVersion: response.httpVersion
        )
        let expectations = probe.expectations
        if expectations.areQuick { return judged(expectations.evaluate(received)) }
        // Evaluating a hostile body takes time, which must not delay other checks or this check's deadline.
        run(on: services.evaluations) { [self, gate, budget] in
            let verdict = expectations.evaluate(received, within: budget)
            gate.execute { self.judged(verdict) }
        }
    }

    private func judged(_ verdict: ResponseVerdict) {
        guard !isOver else { return }
        findings += verdict.findings
        succeed()
    }
}
