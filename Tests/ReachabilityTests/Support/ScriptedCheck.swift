import CheckResults
import NetlinkMonitor

@testable import Reachability

/// A check of one letter, for tables in which a row is a word.
enum ScriptedCheck {
    static let start = ContinuousClock.now
    static let point = ProbePoint(probe: "web", vantage: Vantage(families: .ipv4))

    static func time(_ milliseconds: Int) -> Observed {
        Observed(
            instant: start.advanced(by: .milliseconds(milliseconds)),
            microsecondsSince1970: 1_790_000_000_000_000 + Int64(milliseconds) * 1000
        )
    }

    /// `s` succeeds in 10 ms, `m` in 150 ms and `l` in 500 ms; `f` and `g` fail, and `n` because the name has no address; `r`, `u`, `v` and `b` are this
    /// machine's fault; `P` and `Q` meet a portal, `O` meets none, and of `c` nothing can be said but that it failed.
    static func sample(_ letter: Character, at milliseconds: Int = 0, point: ProbePoint = point) -> ProbeSample {
        var sample = ProbeSample(point: point, outcome: .ok, latency: .milliseconds(10), observed: time(milliseconds))
        func fails(_ code: FindingCode, _ outcome: ProbeSample.Outcome = .failed) {
            sample.outcome = outcome
            sample.code = code
            sample.detail = "as scripted"
        }
        switch letter {
        case "m": sample.latency = .milliseconds(150)
        case "l": sample.latency = .milliseconds(500)
        case "f": fails(.connectTimeout)
        case "g": fails(.httpStatus)
        case "n": fails(.dnsNoAddress)
        case "t": fails(.tlsUntrustedRoot)
        case "r": fails(.noRoute, .unknown)
        case "u": fails(.dnsTimeout, .unknown)
        case "v": fails(.resolverBusy, .unknown)
        case "b": fails(.budgetExhausted, .unknown)
        case "P", "Q":
            fails(.httpStatus)
            let url = letter == "P" ? "http://portal.test/" : "http://portal.test/\(milliseconds)"
            sample.portal = PortalEvidence(.portal, code: .portalRedirect, url: url)
        case "O": sample.portal = PortalEvidence(.open)
        case "c":
            fails(.connectTimeout)
            sample.portal = PortalEvidence(.unclear, code: .connectTimeout)
        default: break
        }
        return sample
    }
}
