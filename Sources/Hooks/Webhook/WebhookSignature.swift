internal import FoundationEssentials
internal import Nettle
package import Probes

/// Signs requests by the Standard Webhooks specification, with a shared secret.
///
/// Neither the description nor the mirror of a value shows the secret.
package struct WebhookSignature: Sendable {
    /// The maximum size of a file, in bytes.
    package static let longestFile = 4096
    /// The prefix of a secret in base64.
    private static let encodedPrefix = Array("whsec_".utf8)

    private let key: [UInt8]

    /// Reads the secret from a file.
    ///
    /// The file must be a regular file that others can neither read nor write. The text after `whsec_` is base64; any
    /// other content is the secret itself, without its trailing newline.
    /// - Throws: `RequestError.file(path:reason:)`, or `.shortage(path:reason:)` for lack of descriptors or memory, which
    ///   name the file and never show its content.
    package init(secretFile path: String) throws(RequestError) {
        var secret = try SecretFile.bytes(of: path, atMost: Self.longestFile)[...]
        if secret.last == UInt8(ascii: "\n") { secret.removeLast() }
        if secret.last == UInt8(ascii: "\r") { secret.removeLast() }
        if secret.starts(with: Self.encodedPrefix) {
            guard let bytes = Data(base64Encoded: Data(secret.dropFirst(Self.encodedPrefix.count))) else {
                throw .file(path: path, reason: "does not hold base64 behind 'whsec_'")
            }
            secret = Array(bytes)[...]
        }
        guard !secret.isEmpty else { throw .file(path: path, reason: "holds no secret") }
        key = Array(secret)
    }

    /// Returns the header fields that authenticate a body and its time.
    ///
    /// - Parameters:
    ///   - id: The ID of the message; the same for every attempt to send it.
    ///   - timestamp: The time of sending, in seconds since 1970.
    ///   - body: The exact bytes of the body.
    package func headers(id: String, timestamp: Int, body: [UInt8]) -> [HeaderField] {
        let code = SHA2.sha256.authenticationCode(for: Array("\(id).\(timestamp).".utf8) + body, key: key)
        return [
            HeaderField(name: "webhook-id", value: id),
            HeaderField(name: "webhook-timestamp", value: String(timestamp)),
            HeaderField(name: "webhook-signature", value: "v1," + Data(code).base64EncodedString()),
        ]
    }
}

extension WebhookSignature: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    /// A constant that does not show the secret.
    package var description: String { "webhook signature" }
    /// The same as the description.
    package var debugDescription: String { description }
    /// An empty mirror, which does not show the secret.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
