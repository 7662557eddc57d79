// A probe whose target has addresses of one family only fails in the other one, and the agent does not judge it there.

/// The codes of lookups that find no address, which are the target's fault unless the agent excuses them.
private let codesWithoutAddress: Set<String> = ["dns_no_address", "dns_nxdomain"]

extension CheckReport {
    /// True for a check that found no address of its family while the target has one of the other family.
    package var isExcused: Bool { verdict == "unknown" && code.map(codesWithoutAddress.contains) == true }
}

extension AgentStatus.ProbeStatus {
    /// True for a probe about which nothing is known in its family, because its target has an address of the other one
    /// only.
    package var isExcused: Bool {
        guard verdict == "unknown", lastOutcome == "unknown", let code = lastCode ?? code else { return false }
        return codesWithoutAddress.contains(code)
    }
}
