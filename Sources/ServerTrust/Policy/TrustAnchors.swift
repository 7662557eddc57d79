internal import ForeignText
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
    ///
    /// While the bundle cannot be read, the anchors of the last read are used; a missing bundle has none. A chain that
    /// other anchors could accept is refused with `tls_roots_unavailable` then, a fault of this machine.
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
/// `update-ca-certificates`. So each evaluation checks the file (one stat(2)) and reads it again if it changed, or if the
/// last read failed: a shortage of descriptors passes, and permissions are corrected.
private final class SystemTrustStore: Sendable {
    static let shared = SystemTrustStore(bundles: [
        "/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt", "/etc/ssl/ca-bundle.pem",
        "/etc/ssl/cert.pem",
    ])

    private enum Bundle: Equatable {
        case missing
        case file(Version)
    }

    private struct Version: Equatable {
        let path: String
        let device: UInt64
        let inode: UInt64
        let size: Int64
        let modified: Time
        /// The time of the last change of the contents, the permissions or the owner.
        let changed: Time
    }

    private struct Time: Equatable {
        let seconds: Int
        let nanoseconds: Int

        init(_ time: timespec) { (seconds, nanoseconds) = (Int(time.tv_sec), Int(time.tv_nsec)) }
    }

    private struct State {
        /// The bundle that was read last; nil before the first successful read.
        var bundle: Bundle?
        var anchors = AnchorSet([])
        /// The same anchors after a failed read.
        var outdated: AnchorSet?
    }

    private let bundles: [String]
    private let state = Mutex(State())

    init(bundles: [String]) { self.bundles = bundles }

    /// Returns the current roots of the bundle; after a failed read, those of the last successful one.
    func current() -> AnchorSet {
        let found = Result { () throws(SecurityPolicyError) in try currentBundle() }
        return state.withLock { state in
            do throws(SecurityPolicyError) {
                let bundle = try found.get()
                guard state.bundle != bundle else { return state.anchors }
                state.anchors = try read(bundle)
                (state.bundle, state.outdated) = (bundle, nil)
                return state.anchors
            } catch {
                if let outdated = state.outdated, outdated.obstacle == error { return outdated }
                let outdated = AnchorSet(state.anchors, obstacle: error)
                state.outdated = outdated
                return outdated
            }
        }
    }

    private func read(_ bundle: Bundle) throws(SecurityPolicyError) -> AnchorSet {
        switch bundle {
        case .missing:
            let path = bundles.joined(separator: ", ")
            return AnchorSet([], obstacle: .unreadable(path: path, reason: CertificateFile.reason(ENOENT)))
        case .file(let version):
            let anchors = AnchorSet(try CertificateFile.certificates(inBundle: version.path))
            guard anchors.certificates.isEmpty else { return anchors }
            return AnchorSet(anchors, obstacle: .noCertificate(source: version.path))
        }
    }

    private func currentBundle() throws(SecurityPolicyError) -> Bundle {
        var failure: SecurityPolicyError?
        for path in bundles {
            var status = stat()
            guard stat(path, &status) == 0 else {
                let error = errno
                if error != ENOENT, error != ENOTDIR, failure == nil {
                    failure = .unreadable(path: path, reason: CertificateFile.reason(error))
                }
                continue
            }
            let version = Version(
                path: path,
                device: UInt64(status.st_dev),
                inode: UInt64(status.st_ino),
                size: Int64(status.st_size),
                modified: Time(status.st_mtim),
                changed: Time(status.st_ctim)
            )
            return .file(version)
        }
        if let failure { throw failure }
        return .missing
    }
}

/// Decoded trust anchors, indexed by normalized subject; immutable and shared by evaluations.
final class AnchorSet: Sendable {
    private static let generations = Atomic<UInt64>(0)

    let certificates: [DecodedCertificate]
    /// The reason that these are not the system's current roots; nil when they are, and for all other anchors.
    let obstacle: SecurityPolicyError?
    /// The number that identifies a set and its obstacle, for cached verdicts.
    let generation: UInt64
    private let bySubject: [[UInt8]: [DecodedCertificate]]

    /// Decodes anchors; one without a name or a key is skipped, because no chain can lead to it.
    init(_ encoded: [[UInt8]], obstacle: SecurityPolicyError? = nil) {
        certificates = encoded.map { DecodedCertificate(der: $0, within: .unlimited()) }.filter { $0.publicKey != nil }
        bySubject = Dictionary(grouping: certificates) { $0.subject.normalized }
        self.obstacle = obstacle
        generation = Self.generations.add(1, ordering: .relaxed).newValue
    }

    /// Creates a set of the same anchors with an obstacle.
    init(_ other: AnchorSet, obstacle: SecurityPolicyError) {
        (certificates, bySubject) = (other.certificates, other.bySubject)
        self.obstacle = obstacle
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
