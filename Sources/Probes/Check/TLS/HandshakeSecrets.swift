internal import NIOCore
internal import Synchronization

/// The keys of pending handshakes, which decrypt the certificates that the TLS library rejects before handing them
/// over.
///
/// The library reports secrets as lines of the `SSLKEYLOGFILE` format. Only the server's handshake traffic secret is
/// kept, only for connections that expect it, and only until the handshake ends; keys that protect data never are.
final class HandshakeSecrets: Sendable {
    private static let label = Array("SERVER_HANDSHAKE_TRAFFIC_SECRET".utf8)

    /// The secrets by client random, which identifies a connection; empty until the library reports the secret.
    private let secrets = Mutex<[[UInt8]: [UInt8]]>([:])

    /// Keeps the secret of a connection when the library reports it.
    func expect(_ random: [UInt8]) { secrets.withLock { $0[random] = [] } }

    /// Removes a connection, and returns its secret if there is one.
    @discardableResult
    func take(_ random: [UInt8]) -> [UInt8]? {
        secrets.withLock { $0.removeValue(forKey: random) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The number of connections that expect a secret.
    var count: Int { secrets.withLock { $0.count } }

    /// Handles a line of the library's key log.
    func read(_ line: ByteBuffer) {
        let words = line.readableBytesView.split { $0 == 0x20 || $0 == 0x0A }
        guard words.count == 3, words[0].elementsEqual(Self.label), let random = Self.bytes(words[1]),
            let secret = Self.bytes(words[2])
        else { return }
        secrets.withLock { secrets in
            if secrets[random] != nil { secrets[random] = secret }
        }
    }

    private static func bytes(_ digits: ByteBufferView) -> [UInt8]? {
        guard digits.count.isMultiple(of: 2), digits.count <= 256 else { return nil }
        var bytes: [UInt8] = []
        var high: Int?
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            if let first = high {
                bytes.append(UInt8(first << 4 | value))
                high = nil
            } else {
                high = value
            }
        }
        return bytes
    }
}
