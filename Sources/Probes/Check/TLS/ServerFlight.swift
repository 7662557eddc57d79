internal import FoundationEssentials
internal import Nettle

/// The server's bytes up to its certificates, which are read from here if the TLS library does not hand them over.
///
/// The library checks the server's certificate before the verification callback: in TLS 1.3 a key usage without
/// digitalSignature fails the handshake, in all versions a key that the library cannot use does. The operator still
/// needs the reason and the certificate's expiry date.
struct ServerFlight {
    /// The maximum number of bytes kept; the library itself accepts at most 100 KB of certificates.
    static let maximumSize = 160 << 10

    private(set) var bytes: [UInt8] = []

    mutating func append(_ more: some Collection<UInt8>) {
        bytes += more.prefix(Self.maximumSize - bytes.count)
    }

    /// Returns the certificates in DER, the server's own first; none when they cannot be read.
    ///
    /// - Parameter secret: The server's handshake traffic secret of TLS 1.3 (RFC 8446, section 7.1); in TLS 1.2 the
    ///   certificates are not encrypted.
    func certificates(secret: [UInt8]?) -> [[UInt8]] {
        var plain = HandshakeMessages()
        var hidden = HandshakeMessages()
        var protection: RecordProtection?
        var rest = bytes[...]
        while let header = rest.taking(5),
            let body = rest.taking(Int(header[header.startIndex + 3]) << 8 | Int(header[header.startIndex + 4]))
        {
            switch header.first {
            case 22:
                plain.append(body)
                if let found = plain.certificates(hasContext: false) { return found }
            case 23:
                if protection == nil, let secret, let suite = plain.cipherSuite {
                    protection = RecordProtection(secret: secret, suite: suite)
                }
                guard var content = protection?.open(body, header: header) else { return [] }
                // The content is followed by its type and optional zeros (section 5.2).
                while content.last == 0 { content.removeLast() }
                guard content.popLast() == 22 else { return [] }
                hidden.append(content[...])
                if let found = hidden.certificates(hasContext: true) { return found }
            case 20: continue
            default: return []
            }
        }
        return []
    }
}

/// The handshake messages received so far.
private struct HandshakeMessages {
    private var rest: ArraySlice<UInt8> = []
    /// The cipher suite of the last ServerHello.
    private(set) var cipherSuite: UInt16?
    private var certificate: ArraySlice<UInt8>?

    mutating func append(_ bytes: ArraySlice<UInt8>) {
        rest += bytes
        while true {
            var copy = rest
            guard let type = copy.popFirst(), let body = copy.vector(lengthBytes: 3) else { return }
            rest = copy
            switch type {
            case 2: readHello(body)
            case 11: certificate = certificate ?? body
            default: break
            }
        }
    }

    private mutating func readHello(_ body: ArraySlice<UInt8>) {
        var body = body
        guard body.taking(34) != nil, body.vector(lengthBytes: 1) != nil, let suite = body.taking(2) else { return }
        cipherSuite = suite.reduce(0) { $0 << 8 | UInt16($1) }
    }

    /// Returns the certificates, once their message is complete; in TLS 1.3 it starts with a context, and extensions
    /// follow each certificate.
    func certificates(hasContext: Bool) -> [[UInt8]]? {
        guard var body = certificate else { return nil }
        if hasContext, body.vector(lengthBytes: 1) == nil { return [] }
        guard var list = body.vector(lengthBytes: 3) else { return [] }
        var found: [[UInt8]] = []
        while let certificate = list.vector(lengthBytes: 3) {
            found.append(Array(certificate))
            if hasContext, list.vector(lengthBytes: 2) == nil { break }
        }
        return found
    }
}

/// The record protection of one direction in TLS 1.3 (RFC 8446, section 5.2).
private struct RecordProtection {
    private let cipher: AuthenticatedCipher
    private let key: [UInt8]
    private let vector: [UInt8]
    private var number: UInt64 = 0

    /// Creates the protection; nil for a cipher suite that the client does not offer.
    init?(secret: [UInt8], suite: UInt16) {
        let hash: SHA2
        switch suite {
        case 0x1301: (cipher, hash) = (.aes128GCM, .sha256)
        case 0x1302: (cipher, hash) = (.aes256GCM, .sha384)
        case 0x1303: (cipher, hash) = (.chaCha20Poly1305, .sha256)
        default: return nil
        }
        key = Self.expand(secret, "key", cipher.keySize, by: hash)
        vector = Self.expand(secret, "iv", AuthenticatedCipher.nonceSize, by: hash)
    }

    /// HKDF-Expand-Label (section 7.1) without a context.
    private static func expand(_ secret: [UInt8], _ label: String, _ count: Int, by hash: SHA2) -> [UInt8] {
        let label = Array("tls13 \(label)".utf8)
        return hash.expand(secret, info: [0, UInt8(count), UInt8(label.count)] + label + [0], count: count)
    }

    /// Decrypts the next record; nil when it was not protected with this key.
    mutating func open(_ body: ArraySlice<UInt8>, header: ArraySlice<UInt8>) -> [UInt8]? {
        guard body.count > AuthenticatedCipher.tagSize else { return nil }
        let nonce = zip(vector, Array(repeating: 0, count: 4) + withUnsafeBytes(of: number.bigEndian) { Array($0) })
            .map { $0 ^ $1 }
        number += 1
        return cipher.open(Array(body), key: key, nonce: nonce, authenticating: Array(header))
    }
}

extension ArraySlice<UInt8> {
    /// Removes and returns the first bytes; nil when there are fewer.
    fileprivate mutating func taking(_ count: Int) -> ArraySlice<UInt8>? {
        guard self.count >= count else { return nil }
        defer { removeFirst(count) }
        return prefix(count)
    }

    /// Removes and returns a vector with a length prefix; nil when it is incomplete.
    fileprivate mutating func vector(lengthBytes: Int) -> ArraySlice<UInt8>? {
        var copy = self
        guard let length = copy.taking(lengthBytes), let body = copy.taking(length.reduce(0) { $0 << 8 | Int($1) })
        else {
            return nil
        }
        self = copy
        return body
    }
}
