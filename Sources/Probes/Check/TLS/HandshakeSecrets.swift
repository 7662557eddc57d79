internal import NIOCore
internal import Synchronization

/// The keys of handshakes that are under way: with them the certificates of a server can be read that the TLS library refuses
/// before it has handed them over.
///
/// The library tells secrets as lines of the `SSLKEYLOGFILE` format. Only the one that protects the server's side of the
/// handshake is kept, only for a connection that wants it, and only until the connection's handshake is over; no key that
/// protects data is.
final class HandshakeSecrets: Sendable {
    private static let label = Array("SERVER_HANDSHAKE_TRAFFIC_SECRET".utf8)

    /// By the client's random number, which names a connection; empty until the library tells the secret.
    private let secrets = Mutex<[[UInt8]: [UInt8]]>([:])

    /// Keeps the secret of a connection when it comes.
    func expect(_ random: [UInt8]) { secrets.withLock { $0[random] = [] } }

    /// Forgets a connection; gives its secret if there is one.
    @discardableResult
    func take(_ random: [UInt8]) -> [UInt8]? {
        secrets.withLock { $0.removeValue(forKey: random) }.flatMap { $0.isEmpty ? nil : $0 }
    }

    /// The number of connections whose secret is wanted.
    var count: Int { secrets.withLock { $0.count } }

    /// Takes a line of the library's.
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
