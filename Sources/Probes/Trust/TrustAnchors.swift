/// Where a chain of certificates must end to be trusted.
public struct TrustAnchors: Sendable {
    /// The certificates in DER.
    public let certificates: [[UInt8]]

    /// Anchors that replace the system's.
    public init(certificates: [[UInt8]]) { self.certificates = certificates }
}
