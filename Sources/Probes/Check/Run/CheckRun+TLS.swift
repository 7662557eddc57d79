internal import CheckResults
internal import EventLoopExecutor
internal import FoundationEssentials
internal import HTTPSerialization
internal import NIOCore
internal import NIOSSL

extension CheckRun {
    /// Starts the TLS handshake with a server; `secured` is called with the protocol selected by ALPN.
    func beginTLS(on channel: any Channel, for url: HTTPURL, then secured: @escaping (String?) -> Void) {
        recorder.begin(.tls)
        let identity = url.host.withoutTrailingDot
        var serverName: String?
        if case .name(let name) = identity { serverName = name }
        hop.tls = TLSReport(serverName: serverName)
        do {
            var options = probe.tls
            if !redirects.isAtFirstOrigin(url) { options.clientIdentity = nil }
            if isHTTPOneRequired { options.applicationProtocols = ["http/1.1"] }
            let context = try services.contexts.context(for: options)
            let opening = TLSOpeningHandler(secrets: services.contexts.secrets)
            let handler = try NIOSSLClientHandler(
                context: context,
                serverHostname: serverName
            ) { [self, unowned opening] certificates, promise in
                opening.forget()
                verify(certificates, of: identity, promise: promise)
            }
            let hasClientCertificate = options.clientIdentity != nil
            let handshake = TLSHandshake { [self, unowned handler] result in
                ended(result, version: handler.tlsVersion, of: url, opening, then: secured) { error in
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

    /// Evaluates the server's certificates, and accepts or rejects the handshake.
    private func verify(
        _ certificates: [NIOSSLCertificate],
        of identity: ServerIdentity,
        promise: EventLoopPromise<NIOSSLVerificationResult>
    ) {
        guard !isOver else { return promise.succeed(.failed) }
        let pending = PendingVerification(promise, on: loop)
        evaluation = pending
        evaluate(certificates.compactMap { try? $0.toDERBytes() }, of: identity) { [self] verdict in
            evaluation = nil
            // A redirect to the same server, and a request that is repeated, meet the same certificates again.
            findings += verdict.findings.filter { !findings.contains($0) }
            pending.answer(verdict.isAccepted)
        }
    }

    /// Evaluates certificates off the event loop, which other checks share, and returns to it with the verdict, unless
    /// the check has ended by then.
    private func evaluate(
        _ presented: [[UInt8]],
        of identity: ServerIdentity,
        then proceed: @escaping (TrustVerdict) -> Void
    ) {
        // One date for the whole check, so that the same certificates have the same findings at each hop.
        let (trust, date) = (probe.trust, probe.evaluationDate ?? started)
        let proceed = NIOLoopBound(proceed, eventLoop: loop)
        run(on: services.evaluations) { [self, gate, budget] in
            let verdict = trust.evaluate(presented: presented, identity: identity, at: date, within: budget)
            gate.execute { [self] in
                guard !isOver else { return }
                hop.tls?.trust = verdict
                proceed.value(verdict)
            }
        }
    }

    private func ended(
        _ result: Result<String?, any Error>,
        version: TLSVersion?,
        of url: HTTPURL,
        _ opening: TLSOpeningHandler,
        then secured: (String?) -> Void,
        failed finding: (any Error) -> Finding
    ) {
        guard !isOver else { return opening.forget() }
        let trust = hop.tls?.trust
        switch result {
        case .failure(let error):
            // The library's errors do not tell a rejected certificate from other failures; the verdict does.
            if let trust, !trust.isAccepted { return finish(trust.code ?? .tlsUntrustedRoot) }
            let finding = finding(error)
            let isRefusal = finding.code == .tlsHandshake || finding.code == .tlsPurpose
            let presented = trust == nil && isRefusal ? opening.certificates() : []
            if presented.isEmpty { return fail(finding) }
            // The library rejected the certificates before it handed them over.
            evaluate(presented, of: url.host.withoutTrailingDot) { [self] verdict in
                findings += verdict.findings.filter { $0.code != finding.code }
                fail(finding, as: verdict.code)
            }
        case .success(let chosen):
            opening.forget()
            hop.tls?.version = version?.text
            hop.tls?.applicationProtocol = chosen
            // Nothing is sent to a server that was not accepted, whatever the TLS library decided.
            guard let trust, trust.isAccepted else {
                return fail(.tlsUntrustedRoot, subject: url.authority, evidence: "the server's trust was not evaluated")
            }
            recorder.end()
            secured(chosen)
        }
    }

    /// Fails the check because the TLS library rejected certificates; the policy's own code is more precise, unless it is
    /// a fault of this machine.
    private func fail(_ finding: Finding, as code: FindingCode?) {
        findings.append(finding)
        finish(code.flatMap { $0.isLocalFault ? nil : $0 } ?? finding.code)
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
