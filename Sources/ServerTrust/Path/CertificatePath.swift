/// A candidate path: the server's certificate first, each signed by the next one.
struct CertificatePath {
    /// The end of a path.
    enum End {
        /// The path ends at one of the trusted roots.
        case root
        /// The path ends at a certificate that the policy pins.
        case pinned
        /// The path has no trusted end.
        case open
    }

    let certificates: [DecodedCertificate]
    /// The verdicts on the signature of each certificate by the next one.
    let signatures: [SignatureVerdict]
    let end: End

    /// `true` if each signature is valid.
    var isVerified: Bool { signatures.allSatisfy { $0 == .valid } }

    /// Returns the place of the certificate at `index`.
    func place(at index: Int) -> CertificateRules.Place {
        let isLast = index == certificates.count - 1
        switch end {
        case .root where isLast: return index == 0 ? .trustedServer(isPinned: false) : .anchor(isPinned: false)
        case .pinned where isLast: return index == 0 ? .trustedServer(isPinned: true) : .anchor(isPinned: true)
        case .root, .pinned, .open: return index == 0 ? .server : .intermediate
        }
    }
}
