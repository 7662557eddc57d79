extension FindingCode {
    /// `true` for a code with which a check over TLS ends when a portal, or an interceptor, answers in the server's
    /// place.
    ///
    /// A signature that does not verify is what a forger gives who calls himself by the true issuer's name.
    public var isCertificateSuspicious: Bool {
        switch self {
        case .tlsUntrustedRoot, .tlsSelfSigned, .tlsHostname, .tlsMissingIntermediate, .tlsPinMismatch,
            .tlsSignatureInvalid:
            true
        default: false
        }
    }
}
