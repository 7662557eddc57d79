/// The verdict of a check.
public enum CheckVerdict: Sendable, Hashable {
    /// The target answered as expected.
    case ok
    /// The failure is the target's, or on the way to it.
    case failed(FindingCode, Phase)
    /// The failure is this machine's, so nothing is known about the target.
    case unknown(FindingCode, Phase)

    /// The code of the failure; nil on success.
    public var code: FindingCode? {
        switch self {
        case .ok: nil
        case .failed(let code, _), .unknown(let code, _): code
        }
    }

    /// The phase in which the check failed; nil on success.
    public var phase: Phase? {
        switch self {
        case .ok: nil
        case .failed(_, let phase), .unknown(_, let phase): phase
        }
    }
}
