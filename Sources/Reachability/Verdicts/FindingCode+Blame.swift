internal import Probes

extension FindingCode {
    /// The name could not be looked up: nobody's target's fault, and nothing is reached without it either.
    var isResolverFault: Bool {
        switch self {
        case .dnsTimeout, .dnsFailure, .resolverBusy: true
        default: false
        }
    }
}
