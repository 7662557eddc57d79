/// A candidate path: the server's certificate first, each signed by the next one.
struct CertificatePath {
    /// How a path ends.
    enum End {
        /// At an anchor of the list of roots.
        case root
        /// At a certificate that the policy pins.
        case pinned
        /// Nowhere that is trusted.
        case open
    }

    let certificates: [DecodedCertificate]
    /// What the signature of each certificate by the next one is worth.
    let signatures: [SignatureVerdict]
    let end: End

    /// Whether each signature was verified.
    var isVerified: Bool { signatures.allSatisfy { $0 == .valid } }

    /// The place of the certificate at `index`.
    func place(at index: Int) -> CertificateRules.Place {
        let isLast = index == certificates.count - 1
        switch end {
        case .root where isLast: return index == 0 ? .trustedServer(isPinned: false) : .anchor(isPinned: false)
        case .pinned where isLast: return index == 0 ? .trustedServer(isPinned: true) : .anchor(isPinned: true)
        case .root, .pinned, .open: return index == 0 ? .server : .intermediate
        }
    }
}
