package import EventLoopExecutor
internal import LinuxSupport
internal import NIOCore
package import Probes

/// Sends one webhook, with retries until it is accepted or abandoned.
///
/// The timeout is that of each attempt; the time for which the machine is offline has no limit. Redirects are not
/// followed. A response is evaluated by the probe's expectations; a 4xx status other than 408, 425 and 429 is final, and
/// so is a request that cannot be built. Everything else is retried, including a server whose certificate is rejected,
/// which may be a temporary captive portal, and a secret that cannot be read for lack of descriptors, memory or threads.
/// The secret is read for each attempt, because it may have been replaced since the last one.
///
/// `@unchecked Sendable`: mutable state is used only on the event loop.
package final class WebhookRun: @unchecked Sendable {
    /// The result of the run.
    package typealias End = HookRunEnd

    /// The maximum number of attempts that do not count: connectivity that keeps changing must not hide a receiver that
    /// never answers.
    static let maximumUncountedAttempts = 8

    private let webhook: Webhook
    private let event: HookEvent
    private let body: [UInt8]
    private let timeout: Duration
    private let prober: Prober
    private let gate: LoopGate
    private let pace: WebhookPace
    private let waiting: (@Sendable (String) -> Void)?
    private let retrying: (@Sendable (WebhookRetry) -> Void)?
    private let beginning = NIODeadline.now()

    private var attempts = 0
    /// `true` once the secret has been read for an attempt.
    private var hasHadSecret = false
    /// The attempts that count: those that failed for another reason than the loss of the network.
    private var failures = 0
    private var last: WebhookAttempt?
    private var cancelCheck: (@Sendable () -> Void)?
    /// The end of the time after which a secret that is still being read is reported.
    private var patience: Scheduled<Void>?
    /// The end of the pause before the next attempt, or the next check of a link that it must not use; nil without one.
    private var nextAttempt: Scheduled<Void>?
    /// The chances of a request, as far as is known.
    private var network: RequestNetwork
    /// `true` if the chances were worse than good during the current attempt.
    private var wasDoubtful = false
    /// Returns whether a request would leave through a link that it must not use.
    private let isExcluded: @Sendable () -> Bool
    /// `true` if the run ends before its next attempt, because its hook has another definition.
    private var isObsolete = false
    /// `true` if the run ends as soon as it waits for the network.
    private var isStopping = false
    /// `true` if the next attempt is due, and waits for the machine to be online, or for another link.
    private(set) var isSuspended = false
    private var ended: (@Sendable (End) -> Void)?

    private init(
        _ webhook: Webhook,
        event: HookEvent,
        variables: [String: String],
        timeout: Duration,
        prober: Prober,
        gate: LoopGate,
        pace: WebhookPace,
        network: RequestNetwork,
        isExcluded: @escaping @Sendable () -> Bool,
        waiting: (@Sendable (String) -> Void)?,
        retrying: (@Sendable (WebhookRetry) -> Void)?,
        ended: @escaping @Sendable (End) -> Void
    ) {
        self.webhook = webhook
        self.isExcluded = isExcluded
        self.event = event
        body = webhook.body?.bytes(variables) ?? event.line
        self.timeout = timeout
        self.prober = prober
        self.gate = gate
        self.pace = pace
        self.network = network
        self.waiting = waiting
        self.retrying = retrying
        self.ended = ended
    }

    /// Starts to send, and returns immediately.
    ///
    /// - Parameters:
    ///   - webhook: The webhook.
    ///   - event: The event to send.
    ///   - variables: The values for the placeholders, by the names of ``HookEnvironment``.
    ///   - timeout: The timeout of each attempt.
    ///   - prober: The prober that sends the requests.
    ///   - gate: The access to the event loop on which the end is reported; never before this method has returned if it
    ///     is called on that loop.
    ///   - pace: The retry delays.
    ///   - network: The chances of a request, until they change.
    ///   - isExcluded: Returns whether a request would leave now through a link that it must not use; called on the loop
    ///     before each attempt, which waits while it would.
    ///   - waiting: Called on the loop with the path of the secret if it could not be read within the timeout; the
    ///     attempt continues once it can.
    ///   - retrying: Called on the loop for each failed attempt that is retried.
    ///   - ended: Called once.
    @discardableResult
    package static func start(
        _ webhook: Webhook,
        event: HookEvent,
        variables: [String: String],
        timeout: Duration,
        prober: Prober,
        on gate: LoopGate,
        pace: WebhookPace = WebhookPace(),
        network: RequestNetwork = .online,
        isExcluded: @escaping @Sendable () -> Bool = { false },
        waiting: (@Sendable (String) -> Void)? = nil,
        retrying: (@Sendable (WebhookRetry) -> Void)? = nil,
        ended: @escaping @Sendable (End) -> Void
    ) -> WebhookRun {
        let run = WebhookRun(
            webhook,
            event: event,
            variables: variables,
            timeout: timeout,
            prober: prober,
            gate: gate,
            pace: pace,
            network: network,
            isExcluded: isExcluded,
            waiting: waiting,
            retrying: retrying,
            ended: ended
        )
        gate.execute { run.attempt() }
        return run
    }

    /// Stops the webhook: it ends as `stopped`, and a running attempt is cancelled.
    ///
    /// Safe to call from any thread, and after the end.
    package func stop() {
        gate.execute { [self] in
            let cancel = cancelCheck
            finish(.stopped)
            cancel?()
        }
    }

    /// Stops the webhook if it waits for its secret or for the network, which may take any time, or as soon as it waits
    /// for the network.
    ///
    /// Safe to call from any thread, and after the end.
    func stopIfWaiting() {
        gate.execute { [self] in
            isStopping = true
            finishIfWaiting()
        }
    }

    private func finishIfWaiting() {
        guard isStopping, cancelCheck == nil else { return }
        if nextAttempt == nil || isSuspended || network == .offline { finish(.stopped) }
    }

    /// Ends the run as `stopped` before its next attempt, if there would be one.
    ///
    /// Safe to call from any thread, and after the end.
    func endBeforeNextAttempt() {
        gate.execute { [self] in
            isObsolete = true
            if cancelCheck == nil { finish(.stopped) }
        }
    }

    /// Starts no attempt while the machine is offline, and the one that is due as soon as it is not.
    ///
    /// A running attempt continues: its response may have been sent already. Safe to call from any thread, and after
    /// the end.
    func networkChanged(_ network: RequestNetwork) {
        gate.execute { [self] in
            self.network = network
            if network != .online { wasDoubtful = true }
            if network == .offline { finishIfWaiting() } else if isSuspended { attempt() }
        }
    }

    /// Starts an attempt, as soon as the network allows it.
    private func attempt() {
        nextAttempt?.cancel()
        nextAttempt = nil
        guard ended != nil, mayAttempt() else { return }
        if let path = webhook.secretFile { readSecret(path) } else { send(signedBy: nil) }
    }

    /// Returns whether the network allows an attempt now; if not, it is due once that has changed.
    private func mayAttempt() -> Bool {
        isSuspended = network == .offline || isExcluded()
        guard isSuspended else { return true }
        if network == .offline { finishIfWaiting() } else { pause(pace.recheck) }
        return false
    }

    /// Reads the secret on a thread of its own, because its file system may hang.
    private func readSecret(_ path: String) {
        patience = gate.eventLoop.scheduleTask(in: TimeAmount(timeout)) { [self] in waiting?(path) }
        do throws(SystemError) {
            try NamedThread.start("hook-secret") { [self] in
                let result = Result { () throws(RequestError) in try WebhookSignature(secretFile: path) }
                gate.execute { self.secretRead(result) }
            }
        } catch {
            secretIsUnavailable(.resourcesExhausted, "no thread to read \(path): \(error)")
        }
    }

    private func secretRead(_ result: Result<WebhookSignature, RequestError>) {
        guard ended != nil else { return }
        patience?.cancel()
        switch result {
        case .success(let signature):
            hasHadSecret = true
            // The reading may have taken any time.
            if mayAttempt() { send(signedBy: signature) }
        case .failure(let error):
            if case .shortage = error { return secretIsUnavailable(.resourcesExhausted, error.description) }
            // Somebody is about to replace the file.
            if hasHadSecret { return secretIsUnavailable(.requestInvalid, error.description) }
            finish(.undelivered(code: FindingCode.requestInvalid.rawValue, detail: error.description))
        }
    }

    /// Counts a failed attempt, because the secret cannot be read now.
    private func secretIsUnavailable(_ code: FindingCode, _ detail: String) {
        patience?.cancel()
        attempts += 1
        attemptEnded(WebhookAttempt(unsent: code, detail: detail))
    }

    private func send(signedBy signature: WebhookSignature?) {
        let probe: Probe
        do throws(RequestError) {
            probe = try makeProbe(signedBy: signature)
        } catch {
            return finish(.undelivered(code: FindingCode.requestInvalid.rawValue, detail: error.description))
        }
        attempts += 1
        wasDoubtful = network != .online
        cancelCheck = prober.start(probe) { [self] report in
            let attempt = WebhookAttempt(report, expecting: probe.expectations, now: pace.timestamp())
            gate.execute { self.attemptEnded(attempt) }
        }
    }

    private func makeProbe(signedBy signature: WebhookSignature?) throws(RequestError) -> Probe {
        var probe = webhook.probe
        probe.timeout = timeout
        probe.serializer.timeoutInterval = nil
        probe.maximumRedirects = 0
        probe.limits.keptBodyBytes = Snippet.limit + 1
        probe.request.timeoutInterval = nil
        probe.request.parameters = nil
        probe.request.body = .bytes(body, contentType: "application/json")
        if case .http(let url) = probe.target, url.requestTarget.utf8.count > 1 {
            let parts = url.requestTarget.split { "/?&=".contains($0) }.map(String.init).filter { $0.utf8.count >= 12 }
            probe.request.hiddenTexts.formUnion([url.requestTarget] + parts)
        }
        for field in signature?.headers(id: event.id, timestamp: pace.timestamp(), body: body) ?? [] {
            try probe.request.headers.set(field.name, field.value)
        }
        return probe
    }

    private func attemptEnded(_ attempt: WebhookAttempt) {
        guard ended != nil else { return }
        cancelCheck = nil
        // It had less than its time, or no way, and proves nothing about the receiver.
        let isUncounted =
            wasDoubtful && attempt.isUnanswered && attempts - failures <= Self.maximumUncountedAttempts
        if isObsolete, isUncounted || attempt.sequel == .repeatable {
            last = attempt
            return finish(.stopped)
        }
        guard !isUncounted else { return pause(pace.pause(attempts, nil)) }
        last = attempt
        failures += 1
        switch attempt.sequel {
        case .delivered: finish(.succeeded)
        case .cancelled: finish(.stopped)
        case .repeatable where failures <= webhook.retries:
            let delay = pace.pause(attempts, attempt.requestedPause)
            retrying?(WebhookRetry(attempt, number: failures, maximum: webhook.retries + 1, pause: delay))
            pause(delay)
        case .repeatable, .final:
            let code = attempt.code ?? .requestInvalid
            finish(.undelivered(code: code.rawValue, detail: attempt.detail))
        }
    }

    private func pause(_ delay: Duration) {
        nextAttempt = gate.eventLoop.scheduleTask(in: TimeAmount(delay)) { [self] in attempt() }
        finishIfWaiting()
    }

    private func finish(_ outcome: HookRunEnd.Outcome) {
        guard let ended else { return }
        self.ended = nil
        patience?.cancel()
        nextAttempt?.cancel()
        (nextAttempt, cancelCheck) = (nil, nil)
        let end = End(
            outcome: outcome,
            output: last?.output ?? HookOutput(),
            duration: Duration(.now() - beginning),
            attempts: attempts,
            httpStatus: last?.httpStatus,
            requestedPause: last?.requestedPause.map { pace.pause(1, $0) }
        )
        ended(end)
    }
}
