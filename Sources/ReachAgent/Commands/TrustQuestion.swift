internal import FoundationEssentials
internal import Probes

/// One question of `trust evaluate --batch`.
struct TrustQuestion: Decodable, Sendable {
    /// What the answer repeats: a string or a whole number.
    enum Identifier: Decodable, Sendable, Hashable {
        case text(String)
        case number(Int)

        init(from decoder: any Decoder) throws {
            let container = try decoder.singleValueContainer()
            if let number = try? container.decode(Int.self) {
                self = .number(number)
            } else {
                self = .text(try container.decode(String.self))
            }
        }
    }

    /// What can still be repeated of a line that is no question.
    struct Identified: Decodable {
        let id: Identifier?
    }

    let id: Identifier?
    let roots: [String]?
    let intermediates: [String]?
    let leaf: String
    let host: String?
    let ip: String?
    let time: String?
    let maximumDepth: Int?
    let mode: String?
    let pins: [String]?
    let allowsInvalid: Bool?
    let validatesDomain: Bool?
    let lists: [String]?
    let isStrict: Bool?

    enum CodingKeys: String, CodingKey {
        case id, roots, intermediates, leaf, host, ip, time, mode, pins
        case maximumDepth = "max_depth"
        case allowsInvalid = "allow_invalid"
        case validatesDomain = "validates_domain"
        case lists = "crls"
        case isStrict = "strict"
    }

    /// Evaluates the question.
    ///
    /// - Throws: ``SecurityPolicyError`` when a part of it cannot be used. Roots and intermediates that cannot be decoded
    ///   are passed over, as in a handshake.
    func verdict() async throws(SecurityPolicyError) -> TrustVerdict {
        guard let mode = SecurityPolicy.PinningMode(rawValue: mode ?? "none") else {
            throw .unreadable(path: "'mode'", reason: "'\(mode ?? "")' is not none, public-key or certificate")
        }
        var date = Date.now
        if let time {
            guard let moment = TrustTime.date(time) else {
                throw .unreadable(path: "'time'", reason: "'\(time)' is no moment of the form 2026-11-21T12:00:00Z")
            }
            date = moment
        }
        var pinned: [PinnedCertificate] = []
        var keys: [PublicKeyPin] = []
        for pin in pins ?? [] {
            if pin.hasPrefix("sha256//") {
                keys.append(try PublicKeyPin(parsing: pin))
            } else {
                for der in try CertificateFile.certificates(decoding: Array(pin.utf8), source: "'pins'") {
                    pinned.append(try PinnedCertificate(der: der))
                }
            }
        }
        var revocationLists: [CertificateRevocationList] = []
        for text in lists ?? [] { revocationLists += try CertificateRevocationList.lists(decoding: Array(text.utf8)) }
        let policy = SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: pinned,
            pinnedPublicKeys: keys,
            allowsInvalidCertificates: allowsInvalid ?? false,
            validatesDomainName: validatesDomain ?? true,
            isStrict: isStrict ?? false
        )
        let evaluator = TrustEvaluator(
            policy: policy,
            anchors: roots.map { TrustAnchors(certificates: Self.certificates($0)) } ?? .system,
            revocationLists: revocationLists,
            maximumPathLength: maximumDepth
        )
        let presented = Self.certificates([leaf]) + Self.certificates(intermediates ?? [])
        return await evaluator.evaluate(presented: presented, identity: try identity(), at: date)
    }

    private func identity() throws(SecurityPolicyError) -> ServerIdentity? {
        if let host { return .name(host.hasSuffix(".") ? String(host.dropLast()) : host) }
        guard let ip else { return nil }
        guard let bytes = IPAddressText.bytes(of: ip) else {
            throw .unreadable(path: "'ip'", reason: "'\(ip)' is no IP address")
        }
        return .address(bytes)
    }

    /// The certificates in PEM texts; a text that holds none stands for one that cannot be decoded.
    private static func certificates(_ texts: [String]) -> [[UInt8]] {
        texts.flatMap { text in
            let found = CertificateFile.blocks(in: Array(text.utf8))
            return found.isEmpty ? [[]] : found
        }
    }
}
