internal import Glibc
internal import Synchronization

/// The system's bundle of trusted roots.
///
/// X509's own store reads it once in the life of the process; an agent that runs for a year must notice
/// `update-ca-certificates`. So each evaluation checks the file (one stat(2)) and reads it again if it changed.
final class SystemTrustStore: Sendable {
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
