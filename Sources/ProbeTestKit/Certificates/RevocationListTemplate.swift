public import struct FoundationEssentials.Date

/// Everything that a revocation list says, right or wrong, before a key signs it (RFC 5280, section 5).
public struct RevocationListTemplate: Sendable, Hashable {
    /// One certificate that was revoked.
    public struct Entry: Sendable, Hashable {
        /// The certificate's serial number as its bytes are encoded.
        public var serialNumber: [UInt8]
        /// When it was revoked.
        public var date: Date
        /// The number of the reason, such as 1 for a compromised key; nil leaves the extension out.
        public var reason: UInt8?

        /// Creates an entry.
        public init(serialNumber: [UInt8], date: Date = TestDate.utc(2026, 3), reason: UInt8? = nil) {
            self.serialNumber = serialNumber
            self.date = date
            self.reason = reason
        }
    }

    /// The version as it is encoded: 1 for version 2; nil leaves it out.
    public var version: Int? = 1
    /// Who is named as the issuer; nil for the subject of the certificate that issues.
    public var issuer: CertificateName?
    /// When the list was made.
    public var thisUpdate: Date
    /// When the next one will be there; nil leaves it out.
    public var nextUpdate: Date?
    /// The revoked certificates.
    public var entries: [Entry]
    /// The list's extensions.
    public var extensions: [CertificateExtension]
    /// Whether the identifier of the issuer's key is added, unless the extensions have one already.
    public var addsKeyIdentifier = true
    /// The signature algorithm; nil for the default one of the issuer's key.
    public var signatureScheme: SignatureScheme?
    /// The signature algorithm that the signed part names; nil for the same as outside, as it must be.
    public var innerSignatureScheme: SignatureScheme?
    /// What is wrong with the signature.
    public var signatureDefect = SignatureDefect.none
    /// Bytes behind the list.
    public var trailingBytes: [UInt8] = []

    /// A list of revoked certificates, made in May 2026 and good until July, unless the dates say otherwise.
    public init(
        revoking entries: [Entry] = [],
        thisUpdate: Date = TestDate.utc(2026, 5),
        nextUpdate: Date? = TestDate.utc(2026, 7),
        number: Int = 1
    ) {
        self.entries = entries
        self.thisUpdate = thisUpdate
        self.nextUpdate = nextUpdate
        extensions = [.raw(.revocationListNumber, DERForm.integer(number))]
    }
}
