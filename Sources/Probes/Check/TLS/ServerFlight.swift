internal import Crypto
internal import FoundationEssentials

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
    private enum Cipher { case aes, chacha }

    private let cipher: Cipher
    private let key: SymmetricKey
    private let vector: [UInt8]
    private var number: UInt64 = 0

    /// Creates the protection; nil for a cipher suite that the client does not offer.
    init?(secret: [UInt8], suite: UInt16) {
        switch suite {
        case 0x1301: (cipher, key) = (.aes, Self.expand(SHA256.self, secret, "key", 16))
        case 0x1302: (cipher, key) = (.aes, Self.expand(SHA384.self, secret, "key", 32))
        case 0x1303: (cipher, key) = (.chacha, Self.expand(SHA256.self, secret, "key", 32))
        default: return nil
        }
        let initial =
            suite == 0x1302 ? Self.expand(SHA384.self, secret, "iv", 12) : Self.expand(SHA256.self, secret, "iv", 12)
        vector = initial.withUnsafeBytes { Array($0) }
    }

    /// HKDF-Expand-Label (section 7.1) without a context.
    private static func expand<Hash: HashFunction>(
        _ hash: Hash.Type,
        _ secret: [UInt8],
        _ label: String,
        _ count: Int
    ) -> SymmetricKey {
        let label = Array("tls13 \(label)".utf8)
        let info = [0, UInt8(count), UInt8(label.count)] + label + [0]
        return HKDF<Hash>.expand(pseudoRandomKey: SymmetricKey(data: secret), info: info, outputByteCount: count)
    }

    /// Decrypts the next record; nil when it was not protected with this key.
    mutating func open(_ body: ArraySlice<UInt8>, header: ArraySlice<UInt8>) -> [UInt8]? {
        guard body.count > 16 else { return nil }
        let (text, tag) = (body.dropLast(16), body.suffix(16))
        let nonce = zip(vector, Array(repeating: 0, count: 4) + withUnsafeBytes(of: number.bigEndian) { Array($0) })
            .map { $0 ^ $1 }
        number += 1
        switch cipher {
        case .aes:
            guard let nonce = try? AES.GCM.Nonce(data: nonce),
                let box = try? AES.GCM.SealedBox(nonce: nonce, ciphertext: text, tag: tag)
            else { return nil }
            return (try? AES.GCM.open(box, using: key, authenticating: header)).map { Array($0) }
        case .chacha:
            guard let nonce = try? ChaChaPoly.Nonce(data: nonce),
                let box = try? ChaChaPoly.SealedBox(nonce: nonce, ciphertext: text, tag: tag)
            else { return nil }
            return (try? ChaChaPoly.open(box, using: key, authenticating: header)).map { Array($0) }
        }
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
