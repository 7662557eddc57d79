import Glibc
import Probes

/// Checks one HTTPS server whose key is known, and says what is wrong with it.
@main
struct PinnedCheck {
    static func main() async {
        let arguments = CommandLine.arguments
        guard 3...4 ~= arguments.count else {
            print("usage: pinned-check https://HOST/ sha256//PIN [CA-FILE]")
            exit(EX_USAGE)
        }
        do {
            let policy = SecurityPolicy(
                pinningMode: .publicKey,
                pinnedPublicKeys: [try PublicKeyPin(parsing: arguments[2])]
            )
            let anchors: TrustAnchors =
                arguments.count == 4
                ? TrustAnchors(certificates: try CertificateFile.certificates(at: arguments[3])) : .system
            let probe = Probe(
                target: try ProbeTarget(parsing: arguments[1]),
                trust: TrustEvaluator(policy: policy, anchors: anchors)
            )
            // A pin without TLS would look like protection; this refuses it.
            try probe.validate()
            exit(show(await Prober().check(probe)))
        } catch {
            print("pinned-check: \(error)")
            exit(EX_USAGE)
        }
    }

    /// Prints the findings and the verdict.
    ///
    /// - Returns: the exit status: 0 when all is well, 1 when the server is at fault, 75 when this machine is.
    private static func show(_ report: CheckReport) -> Int32 {
        for finding in report.findings {
            print("\(finding.severity.rawValue) \(finding)")
            print("  \(finding.code.sentence) \(finding.code.remedy)")
        }
        switch report.verdict {
        case .ok:
            print("ok: \(report.target) answered in \(report.duration)")
            return EX_OK
        case .failed(let code, let phase):
            print("failed: \(code.rawValue) in phase \(phase.rawValue)")
            return 1
        case .unknown(let code, let phase):
            print("unknown: this machine could not ask, \(code.rawValue) in phase \(phase.rawValue)")
            return EX_TEMPFAIL
        }
    }
}
