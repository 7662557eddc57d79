internal import AgentEvents
internal import Glibc
internal import LinuxSupport
internal import Sinks

/// The file beside the sockets in which the sinks are handed over to `reachagent-sink`, and whose presence starts it.
///
/// It has no secrets, only the paths of their files, and is replaced as a whole.
struct SinkDocumentFile: Sendable {
    private static let mode: mode_t = 0o640

    /// The path of the file.
    let path: String
    /// The host's name.
    let host: String

    /// The file in the directory of the sockets.
    init(in directory: String, host: String) {
        path = "\(directory)/\(SinkDocument.fileName)"
        self.host = host
    }

    /// Removes the file that an earlier start left in the service's runtime directory, unless the sockets are there now.
    ///
    /// The directory outlives the service (`RuntimeDirectoryPreserve=`), and `reachagent-sink` would ship to the former
    /// sinks until the next boot. Without `RUNTIME_DIRECTORY` nothing is removed: the agent may run beside the service.
    ///
    /// - Parameter directory: The directory of the sockets; `nil` without sockets.
    static func removeLeftOver(besides directory: String?, environment: [String: String]) {
        // systemd separates several directories by colons (systemd.exec(5)).
        guard let runtime = environment["RUNTIME_DIRECTORY"]?.split(separator: ":").first.map(String.init),
            runtime != directory
        else { return }
        unlink("\(runtime)/\(SinkDocument.fileName)")
    }

    /// `false` if there is no file.
    var exists: Bool { access(path, F_OK) == 0 }

    /// Writes the file, or removes it if there is no sink; returns the error if that fails.
    func write(_ sinks: [SinkSettings]) -> String? {
        guard !sinks.isEmpty else {
            unlink(path)
            return nil
        }
        let document = SinkDocument(host: host, sinks: sinks.map(\.withAbsolutePaths))
        let bytes = JSONWriter.text(of: document) + [UInt8(ascii: "\n")]
        guard bytes.count <= SinkDocument.maximumBytes else {
            return "they have more than \(SinkDocument.maximumBytes) bytes"
        }
        do throws(FileError) {
            try FileReplacement.write(bytes, to: path, mode: Self.mode, options: [.exactMode, .directoryOwner])
            return nil
        } catch {
            return "\(error.path): \(error.reason)"
        }
    }
}

extension SinkSettings {
    /// The settings for a program with another working directory.
    fileprivate var withAbsolutePaths: SinkSettings {
        var settings = self
        settings.authorities = authorities.map(AbsolutePath.of)
        settings.credentials.passwordFile = credentials.passwordFile.map(AbsolutePath.of)
        settings.credentials.tokenFile = credentials.tokenFile.map(AbsolutePath.of)
        settings.credentials.credentialsFile = credentials.credentialsFile.map(AbsolutePath.of)
        settings.credentials.nkeyFile = credentials.nkeyFile.map(AbsolutePath.of)
        settings.credentials.clientCertificate = credentials.clientCertificate.map(AbsolutePath.of)
        settings.credentials.clientKey = credentials.clientKey.map(AbsolutePath.of)
        return settings
    }
}
