internal import AgentEvents
internal import FoundationEssentials
internal import Probes

/// One question of `trust evaluate --batch`.
struct TrustQuestion: Sendable {
    /// The member that the answer repeats: a string or a whole number.
    enum Identifier: Sendable, Hashable {
        case text(String)
        case number(Int)
    }

    /// The maximum of values and names in a question: room for every root that a system trusts, many times over.
    static let maximumValues = 1 << 16

    private let roots: [[UInt8]]?
    private let intermediates: [[UInt8]]
    private let leaf: [UInt8]
    private let host: String?
    private let ip: String?
    private let time: String?
    private let maximumDepth: Int?
    private let mode: String
    private let pins: [[UInt8]]
    private let allowsInvalid: Bool
    private let validatesDomain: Bool
    private let lists: [[UInt8]]
    private let isStrict: Bool

    /// Parses a question; unknown members are ignored.
    ///
    /// - Throws: The first member that is missing or malformed: a malformed option must not be treated as absent.
    init(_ object: JSONObject) throws(JSONObject.Flaw) {
        roots = try object.strings("roots")
        intermediates = try object.strings("intermediates") ?? []
        leaf = try object.requiredString("leaf")
        host = try Self.text("host", in: object)
        ip = try Self.text("ip", in: object)
        guard host == nil || ip == nil else { throw .mismatch(member: "ip", expected: "absent beside 'host'") }
        time = try Self.text("time", in: object)
        maximumDepth = try object.integer("max_depth")
        mode = try Self.text("mode", in: object) ?? "none"
        pins = try object.strings("pins") ?? []
        allowsInvalid = try object.boolean("allow_invalid") ?? false
        validatesDomain = try object.boolean("validates_domain") ?? true
        lists = try object.strings("crls") ?? []
        isStrict = try object.boolean("strict") ?? false
    }

    /// The identifier of a question, even if the rest of it is invalid.
    static func identifier(of object: JSONObject) throws(JSONObject.Flaw) -> Identifier? {
        if let number = try? object.integer("id", as: Int.self) { return .number(number) }
        do throws(JSONObject.Flaw) {
            return try text("id", in: object).map { .text($0) }
        } catch {
            throw .mismatch(member: "id", expected: "a string or a whole number")
        }
    }

    private static func text(_ name: String, in object: JSONObject) throws(JSONObject.Flaw) -> String? {
        try object.string(name).map { String(decoding: $0, as: UTF8.self) }
    }

    /// Evaluates the question.
    ///
    /// - Throws: ``SecurityPolicyError`` when a part of it cannot be used. Roots and intermediates that cannot be
    ///   decoded are skipped, as in a handshake.
    func verdict() async throws(SecurityPolicyError) -> Probes.TrustVerdict {
        guard let mode = SecurityPolicy.PinningMode(rawValue: mode) else {
            throw .unreadable(path: "'mode'", reason: "'\(mode)' is not none, public-key or certificate")
        }
        var date = Date.now
        if let time {
            guard let moment = TrustTime.date(time) else {
                throw .unreadable(path: "'time'", reason: "'\(time)' is not a time of the form 2026-11-21T12:00:00Z")
            }
            date = moment
        }
        var pinned: [PinnedCertificate] = []
        var keys: [PublicKeyPin] = []
        for pin in pins {
            if pin.starts(with: "sha256//".utf8) {
                keys.append(try PublicKeyPin(parsing: String(decoding: pin, as: UTF8.self)))
            } else {
                for der in try CertificateFile.certificates(decoding: pin, source: "'pins'") {
                    pinned.append(try PinnedCertificate(der: der))
                }
            }
        }
        var revocationLists: [CertificateRevocationList] = []
        for text in lists { revocationLists += try CertificateRevocationList.lists(decoding: text) }
        let policy = SecurityPolicy(
            pinningMode: mode,
            pinnedCertificates: pinned,
            pinnedPublicKeys: keys,
            allowsInvalidCertificates: allowsInvalid,
            validatesDomainName: validatesDomain,
            isStrict: isStrict
        )
        let evaluator = TrustEvaluator(
            policy: policy,
            anchors: roots.map { TrustAnchors(certificates: Self.certificates($0)) } ?? .system,
            revocationLists: revocationLists,
            maximumPathLength: maximumDepth
        )
        let presented = Self.certificates([leaf]) + Self.certificates(intermediates)
        return await evaluator.evaluate(presented: presented, identity: try identity(), at: date)
    }

    private func identity() throws(SecurityPolicyError) -> ServerIdentity? {
        if let host {
            do throws(RequestedHost.Flaw) {
                return try RequestedHost(host).identity
            } catch {
                throw .unreadable(path: "'host'", reason: error.description)
            }
        }
        guard let ip else { return nil }
        guard let bytes = IPAddressText.bytes(of: ip) else {
            throw .unreadable(path: "'ip'", reason: "'\(ip)' is not a valid IP address")
        }
        return .address(IPAddressText.unmapped(bytes))
    }

    /// The certificates in PEM texts; a text without any counts as one that cannot be decoded.
    private static func certificates(_ texts: [[UInt8]]) -> [[UInt8]] {
        texts.flatMap { text in
            let found = CertificateFile.blocks(in: text)
            return found.isEmpty ? [[]] : found
        }
    }
}
