/// Where a chain of certificates must end to be trusted.
///
/// An anchor is not trusted blindly: what makes an authority unfit (no longer valid, no CA, a weak key) refuses the
/// chains that end there. An anchor that cannot be decoded is skipped and does not disturb the others.
public struct TrustAnchors: Sendable {
    private enum Source: Sendable {
        case explicit(AnchorSet)
        case system(SystemTrustStore)
    }

    private let source: Source

    /// Anchors that replace the system's.
    public init(certificates: [[UInt8]]) { source = .explicit(AnchorSet(certificates)) }

    /// The anchors of a bundle file.
    ///
    /// - Parameter bundles: Paths; the first that exists counts. It is read when it is needed, and again when it changes.
    package init(bundles: [String]) { source = .system(SystemTrustStore(bundles: bundles)) }

    /// The anchors of the system's bundle, read when they are first needed and again when the file changes.
    public static var system: TrustAnchors { TrustAnchors(shared: .shared) }

    private init(shared: SystemTrustStore) { source = .system(shared) }

    /// The certificates in DER, as they are now.
    public var certificates: [[UInt8]] { current().certificates.map(\.der) }

    func current() -> AnchorSet {
        switch source {
        case .explicit(let set): set
        case .system(let store): store.current()
        }
    }
}
