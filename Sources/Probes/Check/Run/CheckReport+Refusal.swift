package import CheckResults
internal import FoundationEssentials

extension CheckReport {
    /// The report of a check that is not made for a reason of this machine; without the secrets of the target's URL.
    package init(refusing probe: Probe, because finding: Finding) {
        self.init(
            target: probe.target.shown,
            verdict: .unknown(finding.code, .connect),
            findings: [finding],
            hops: [],
            started: Date(),
            duration: .zero
        )
    }
}
