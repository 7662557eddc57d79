internal import FoundationEssentials
internal import NIOCore
internal import NIOSSL

extension CheckRun {
    /// Does the handshake with a server; `secured` is called with the protocol that ALPN chose.
    func beginTLS(on channel: any Channel, for url: HTTPURL, then secured: @escaping (String?) -> Void) {
        recorder.begin(.tls)
        var serverName: String?
        if case .name(let name) = url.host { serverName = name }
        hop.tls = TLSReport(serverName: serverName)
        do {
            var options = probe.tls
            if !redirects.isAtFirstOrigin(url) { options.clientIdentity = nil }
            let context = try services.contexts.context(for: options)
            let handler = try NIOSSLClientHandler(
                context: context,
                serverHostname: serverName
            ) { [self] certificates, promise in evaluate(certificates, of: url.host, promise: promise) }
            let opening = TLSOpeningHandler()
            let hasClientCertificate = options.clientIdentity != nil
            let handshake = TLSHandshake { [self, unowned handler] result in
                ended(result, version: handler.tlsVersion, subject: url.authority, then: secured) { error in
                    TLSFailure.finding(
                        error,
                        subject: url.authority,
                        opening: opening.opening,
                        hasClientCertificate: hasClientCertificate
                    )
                }
            }
            try channel.pipeline.syncOperations.addHandlers([opening, handler, handshake])
        } catch {
            let evidence = "the TLS options cannot be used: \(error)"
            fail(.requestInvalid, subject: url.authority, evidence: evidence)
        }
    }

    /// Asks the trust evaluator about what the server presents, and lets the handshake go on or fail.
    private func evaluate(
        _ certificates: [NIOSSLCertificate],
        of identity: ServerIdentity,
        promise: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        guard !isOver, let executor = services.executor(of: loop) else { return promise.succeed(.failed) }
        let presented = certificates.compactMap { try? $0.toDERBytes() }
        let (trust, date) = (probe.trust, probe.evaluationDate ?? Date())
        evaluation = Task(executorPreference: executor) { [self] in
            let verdict = await trust.evaluate(presented: presented, identity: identity, at: date)
            // The executor's jobs run on the event loop already.
            if loop.inEventLoop {
                evaluated(verdict, promise: promise)
            } else {
                loop.execute { self.evaluated(verdict, promise: promise) }
            }
        }
    }

    private func evaluated(_ verdict: TrustVerdict, promise: EventLoopPromise<NIOSSLVerificationResult>) {
        guard !isOver else { return promise.succeed(.failed) }
        hop.tls?.trust = verdict
        findings += verdict.findings
        promise.succeed(verdict.isAccepted ? .certificateVerified : .failed)
    }

    private func ended(
        _ result: Result<String?, any Error>,
        version: TLSVersion?,
        subject: String,
        then secured: (String?) -> Void,
        failed finding: (any Error) -> Finding
    ) {
        guard !isOver else { return }
        let trust = hop.tls?.trust
        switch result {
        case .failure(let error):
            // The library's errors do not tell a refusal from other failures; the verdict does.
            if let trust, !trust.isAccepted { return finish(trust.code ?? .tlsUntrustedRoot) }
            fail(finding(error))
        case .success(let chosen):
            hop.tls?.version = version?.text
            hop.tls?.applicationProtocol = chosen
            // Nothing is sent to a server that was not accepted, whatever the TLS library thinks of it.
            guard let trust, trust.isAccepted else {
                return fail(.tlsUntrustedRoot, subject: subject, evidence: "the server's trust was not evaluated")
            }
            recorder.end()
            secured(chosen)
        }
    }
}

extension TLSVersion {
    /// The version's usual name.
    fileprivate var text: String {
        switch self {
        case .tlsv1: "TLSv1.0"
        case .tlsv11: "TLSv1.1"
        case .tlsv12: "TLSv1.2"
        case .tlsv13: "TLSv1.3"
        }
    }
}
