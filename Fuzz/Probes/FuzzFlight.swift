internal import Crypto
internal import FoundationEssentials
internal import FuzzKit

@testable import Probes

/// A TLS server's bytes up to its certificates.
///
/// The first byte chooses the rest: records, or handshake messages in the records of TLS 1.2, or of a cipher suite of
/// TLS 1.3. The second byte is the size of the pieces in which it comes.
enum FuzzFlight {
    static let maximumLength = ServerFlight.maximumSize + 1024
    private static let secret = [UInt8](repeating: 7, count: 32)
    /// `true` if a certificate of one byte arrives in each kind of records; otherwise nothing behind them would be read.
    private static let isReadable = FlightSender.Kind.allCases.allSatisfy { kind in
        let message: [UInt8] =
            kind == .plain ? [11, 0, 0, 7, 0, 0, 4, 0, 0, 1, 9] : [11, 0, 0, 10, 0, 0, 0, 6, 0, 0, 1, 9, 0, 0]
        return certificates(FlightSender.flight(kind, of: message, piece: 2, secret: secret)) == [[9]]
    }

    static func run(_ input: [UInt8]) {
        require(isReadable, "the sender and the reader disagree")
        guard input.count >= 2 else { return }
        let piece = Int(input[1]) + 1 + input.count / 4096
        let rest = Array(input.dropFirst(2))
        guard let kind = FlightSender.Kind(rawValue: input[0] % 5) else { return read(rest, piece) }
        let spread = FlightSender.flight(kind, of: rest, piece: piece, secret: secret)
        let whole = FlightSender.flight(kind, of: rest, piece: 1 << 14, secret: secret)
        read(spread, piece)
        guard max(spread.count, whole.count) <= ServerFlight.maximumSize else { return }
        require(certificates(spread) == certificates(whole), "the records make a difference")
    }

    private static func certificates(_ bytes: [UInt8]) -> [[UInt8]] {
        var flight = ServerFlight()
        flight.append(bytes)
        let found = flight.certificates(secret: secret)
        require(found.reduce(0) { $0 + 3 + $1.count } <= bytes.count, "more certificates than bytes")
        return found
    }

    /// Reads records in pieces and as a whole, with the same result.
    private static func read(_ bytes: [UInt8], _ piece: Int) {
        var (flight, opening, whole) = (ServerFlight(), TLSOpening(), TLSOpening())
        var rest = bytes[...]
        while !rest.isEmpty {
            flight.append(rest.prefix(piece))
            opening.take(rest.prefix(piece))
            rest = rest.dropFirst(piece)
        }
        whole.take(bytes)
        require(flight.bytes.elementsEqual(bytes.prefix(ServerFlight.maximumSize)), "other bytes are kept")
        _ = certificates(bytes)
        _ = flight.certificates(secret: nil)
        require(opening.isForeign == whole.isForeign, "the pieces make a difference")
        require(opening.asksForCertificate == whole.asksForCertificate, "the pieces make a difference")
        require(opening.beginning == whole.beginning && bytes.starts(with: opening.beginning), "another beginning")
        require(opening.beginning.count <= 48 && opening.firstLine.utf8.count < 512, "a beginning without a bound")
    }
}

/// The sender's side of a handshake (RFC 8446, sections 5 and 7.1): without it, no mutation gets beyond the encryption.
private struct FlightSender {
    enum Kind: UInt8, CaseIterable {
        case plain = 1
        case aes128, aes256, chacha
    }

    private let kind: Kind
    private let key: SymmetricKey
    private let vector: [UInt8]
    private var number: UInt64 = 0

    private init(_ kind: Kind, secret: [UInt8]) {
        func expand(_ label: String, _ count: Int) -> SymmetricKey {
            let label = Array("tls13 \(label)".utf8)
            let info = [0, UInt8(count), UInt8(label.count)] + label + [0]
            let secret = SymmetricKey(data: secret)
            return kind == .aes256
                ? HKDF<SHA384>.expand(pseudoRandomKey: secret, info: info, outputByteCount: count)
                : HKDF<SHA256>.expand(pseudoRandomKey: secret, info: info, outputByteCount: count)
        }
        self.kind = kind
        key = expand("key", kind == .aes128 ? 16 : 32)
        vector = expand("iv", 12).withUnsafeBytes { Array($0) }
    }

    /// Returns a ServerHello, and handshake messages in records of a size.
    static func flight(_ kind: Kind, of messages: [UInt8], piece: Int, secret: [UInt8]) -> [UInt8] {
        var sender = FlightSender(kind, secret: secret)
        let suite: [UInt8] = kind == .plain ? [0xC0, 0x2B] : [0x13, kind.rawValue - 1]
        var flight = record(22, [2, 0, 0, 38, 3, 3] + [UInt8](repeating: 7, count: 32) + [0] + suite + [0])
        var rest = messages[...]
        while !rest.isEmpty {
            let content = Array(rest.prefix(piece))
            flight += kind == .plain ? record(22, content) : sender.protected(content)
            rest = rest.dropFirst(piece)
        }
        return flight
    }

    private static func record(_ type: UInt8, _ body: [UInt8]) -> [UInt8] {
        header(type, body.count) + body
    }

    private static func header(_ type: UInt8, _ count: Int) -> [UInt8] {
        [type, 3, 3, UInt8(truncatingIfNeeded: count >> 8), UInt8(truncatingIfNeeded: count)]
    }

    private mutating func protected(_ content: [UInt8]) -> [UInt8] {
        let nonce = zip(vector, [0, 0, 0, 0] + withUnsafeBytes(of: number.bigEndian) { Array($0) }).map { $0 ^ $1 }
        number += 1
        // The type of the content, and zeros that hide its length.
        let text = content + [22, 0, 0]
        let header = Self.header(23, text.count + 16)
        guard let sealed = seal(text, nonce, header) else {
            require(false, "a record cannot be encrypted")
            return []
        }
        return header + sealed
    }

    private func seal(_ text: [UInt8], _ nonce: [UInt8], _ header: [UInt8]) -> [UInt8]? {
        if kind == .chacha {
            let box = (try? ChaChaPoly.Nonce(data: nonce)).flatMap {
                try? ChaChaPoly.seal(text, using: key, nonce: $0, authenticating: header)
            }
            return box.map { Array($0.ciphertext) + Array($0.tag) }
        }
        let box = (try? AES.GCM.Nonce(data: nonce)).flatMap {
            try? AES.GCM.seal(text, using: key, nonce: $0, authenticating: header)
        }
        return box.map { Array($0.ciphertext) + Array($0.tag) }
    }
}
