internal import Glibc
internal import Synchronization

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

    /// Creates anchors that replace those of the system.
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

/// The system's bundle of trusted roots.
///
/// X509's own store reads it once in the life of the process; an agent that runs for a year must notice
/// `update-ca-certificates`. So each evaluation checks the file (one stat(2)) and reads it again if it changed.
private final class SystemTrustStore: Sendable {
    static let shared = SystemTrustStore(bundles: [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ])

    private struct Version: Equatable {
        let path: String
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let seconds: Int
        let nanoseconds: Int
    }

    private struct State {
        var version: Version?
        var anchors = AnchorSet([])
    }

    private let bundles: [String]
    private let state = Mutex(State())

    init(bundles: [String]) { self.bundles = bundles }

    /// Returns the current roots of the bundle; none when there is no bundle or it cannot be read.
    func current() -> AnchorSet {
        let version = currentVersion()
        return state.withLock { state in
            guard state.version != version else { return state.anchors }
            let encoded = version.flatMap { try? CertificateFile.certificates(inBundle: $0.path) } ?? []
            state.version = version
            state.anchors = AnchorSet(encoded)
            return state.anchors
        }
    }

    private func currentVersion() -> Version? {
        for path in bundles {
            var status = stat()
            guard stat(path, &status) == 0 else { continue }
            return Version(
                path: path,
                device: UInt64(status.st_dev),
                inode: UInt64(status.st_ino),
                size: Int64(status.st_size),
                seconds: Int(status.st_mtim.tv_sec),
                nanoseconds: Int(status.st_mtim.tv_nsec)
            )
        }
        return nil
    }
}

/// Decoded trust anchors, indexed by normalized subject; immutable and shared by evaluations.
final class AnchorSet: Sendable {
    private static let generations = Atomic<UInt64>(0)

    let certificates: [DecodedCertificate]
    /// The number that identifies a set, for cached verdicts.
    let generation: UInt64
    private let bySubject: [[UInt8]: [DecodedCertificate]]

    /// Decodes anchors; one without a name or a key is skipped, because no chain can lead to it.
    init(_ encoded: [[UInt8]]) {
        certificates = encoded.map { DecodedCertificate(der: $0) }.filter { $0.publicKey != nil }
        bySubject = Dictionary(grouping: certificates) { $0.subject.normalized }
        generation = Self.generations.add(1, ordering: .relaxed).newValue
    }

    /// Returns the anchors whose subject is the certificate's issuer.
    func issuers(of certificate: DecodedCertificate) -> [DecodedCertificate] {
        bySubject[certificate.issuer.normalized] ?? []
    }

    /// Returns whether this very certificate is an anchor.
    func contains(_ certificate: DecodedCertificate) -> Bool {
        bySubject[certificate.subject.normalized]?.contains { $0.der == certificate.der } ?? false
    }
}
