internal import CheckResults

extension CheckRun {
    /// Ends the transfer because its path has changed, or has it go on over the next one.
    func pathChanged(_ interfaces: Set<String>) {
        if let interface = probe.interface ?? hop.interface, !interfaces.isEmpty, !interfaces.contains(interface) {
            return
        }
        fail(.pathChanged, subject: probe.target.shown, evidence: "the path changed during the transfer")
    }

    /// Ends the transfer in favour of the machine's own traffic.
    func yieldTransfer(evidence: String) {
        fail(.transferYielded, subject: probe.target.shown, evidence: evidence)
    }
}
