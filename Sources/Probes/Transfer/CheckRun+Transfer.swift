internal import CheckResults
internal import HTTPSerialization
internal import NIOCore

extension CheckRun {
    /// Starts a transfer with a HEAD request to the target, over redirects too.
    func beginTransfer(_ plan: TransferPlan, of request: SerializedRequest) {
        if let upload = plan.uploadURL, request.url.scheme == .https, upload.scheme != .https {
            let evidence = "the target has TLS, and its upload would have none"
            return fail(.requestInvalid, subject: upload.authority, evidence: evidence)
        }
        let transfer = TransferRun(plan, of: self)
        self.transfer = transfer
        transfer.start()
        beginHop(request.variant(method: "HEAD", fields: [HeaderField(name: "Accept-Encoding", value: "identity")]))
    }

    /// Opens an additional connection for another check's transfer, with all phases of a check; the transfer reports
    /// its end.
    func openPart(
        of run: CheckRun,
        to request: SerializedRequest,
        then opened: @escaping (any Channel, String?) -> Void
    ) {
        redirects = run.redirects
        hop = CheckHop(url: run.hop.url)
        reach(request) { [self] channel, chosen in
            // The next phase would belong to the transfer.
            recorder.end()
            opened(channel, chosen)
        }
    }

    /// Closes the connection, and ends the check if it is only an additional connection of a transfer.
    func releaseConnection() { if isPart { cancel() } else { closeConnection() } }

    /// Handles a change of the path: ends the transfer, or resumes it over the next path.
    func pathChanged(_ interfaces: Set<String>, _ families: AddressFamilies) {
        guard !isOver else { return }
        if let transfer { return transfer.pathChanged(interfaces, families) }
        fail(.pathChanged, subject: probe.target.shown, evidence: "the path changed before the transfer began")
    }

    /// Ends the transfer, which yields to the machine's own traffic.
    func yieldTransfer(evidence: String) {
        fail(.transferYielded, subject: probe.target.shown, evidence: evidence)
    }
}
