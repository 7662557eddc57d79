internal import CheckResults

extension PinAudit {
    /// Audits a policy's pins; nil when the policy has none.
    ///
    /// Pins that the mode ignores are left out.
    init?(_ policy: SecurityPolicy, of certificates: [DecodedCertificate]) {
        switch policy.pinningMode {
        case .none: return nil
        case .publicKey:
            let keys = Set(certificates.compactMap(\.publicKeyPin))
            let present = policy.pinnedPublicKeys + policy.pinnedCertificates.map(\.publicKeyPin)
            self.init(
                entries: present.map { Entry(pin: $0.description, isMatched: keys.contains($0), isBackup: false) }
                    + policy.backupPublicKeys.map {
                        Entry(pin: $0.description, isMatched: keys.contains($0), isBackup: true)
                    }
            )
        case .certificate:
            let known = Set(certificates.map(\.der))
            self.init(
                entries: policy.pinnedCertificates.map { pinned in
                    let hash = CertificateDescription(der: pinned.der).sha256
                    return Entry(pin: hash, isMatched: known.contains(pinned.der), isBackup: false)
                }
            )
        }
    }
}
