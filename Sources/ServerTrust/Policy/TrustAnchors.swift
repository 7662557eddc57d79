/// The trusted ends of certificate chains.
///
/// An anchor is not trusted blindly: chains to an unfit authority (expired, no CA, a weak key) are refused. An anchor
/// that cannot be decoded is skipped and does not affect the others.
public struct TrustAnchors: Sendable {
    private enum Source: Sendable {
        case explicit(AnchorSet)
        case system(SystemTrustStore)
    }

    private let source: Source

    /// Creates anchors that replace the system's.
    public init(certificates: [[UInt8]]) { source = .explicit(AnchorSet(certificates)) }

    /// Creates the anchors of a bundle file.
    ///
    /// - Parameter bundles: Paths; the first that exists counts. It is read on demand, and again when it changes.
    package init(bundles: [String]) { source = .system(SystemTrustStore(bundles: bundles)) }

    /// The anchors of the system's bundle, read on first use and again when the file changes.
    public static var system: TrustAnchors { TrustAnchors(shared: .shared) }

    private init(shared: SystemTrustStore) { source = .system(shared) }

    /// The current certificates in DER.
    public var certificates: [[UInt8]] { current().certificates.map(\.der) }

    func current() -> AnchorSet {
        switch source {
        case .explicit(let set): set
        case .system(let store): store.current()
        }
    }
}
