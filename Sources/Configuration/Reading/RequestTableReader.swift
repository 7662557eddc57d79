internal import Probes

/// Reads a table that describes the request of a probe or of a webhook.
protocol RequestTableReader {
    /// The table.
    var table: TableReader { get set }
    /// The material shared by all tables.
    var material: ProbeMaterial { get }
    /// The number of errors before this table was read.
    var errorsBefore: Int { get }
    /// The key that contains the address of the request.
    var addressKey: String { get }
}

extension RequestTableReader {
    /// True if there are no errors in this table so far.
    var isClean: Bool { table.notes.errorCount == errorsBefore }

    /// Reports an error if the request cannot be sent, now rather than at the first check.
    func check(_ probe: Probe) {
        guard isClean else { return }
        do throws(SecurityPolicyError) {
            try probe.validate()
        } catch {
            table.report("pin_mode", error.description)
        }
        guard case .http(let url) = probe.target else { return }
        do throws(RequestError) {
            _ = try probe.serializer.serialize(probe.request, to: url)
        } catch {
            table.report(key(for: error), error.description)
        }
        warnOfOpenSecrets(probe.request, to: url)
    }

    /// Warns about secrets that are sent to another machine without encryption.
    private func warnOfOpenSecrets(_ request: ProbeRequest, to url: HTTPURL) {
        guard url.scheme == .http, !Self.isLoopback(url.host) else { return }
        let advice = "sent unencrypted; an address over TLS begins with https://"
        if request.credentials != nil { table.warn("basic_auth_file", "the password is \(advice)") }
        if !request.hiddenFields.isEmpty { table.warn("header_files", "the header fields are \(advice)") }
    }

    private static func isLoopback(_ host: ServerIdentity) -> Bool {
        switch host {
        case .name(let name): name.lowercased() == "localhost"
        case .address(let bytes):
            bytes.count == 4 ? bytes.first == 127 : bytes.dropLast().allSatisfy { $0 == 0 } && bytes.last == 1
        }
    }

    private func key(for error: RequestError) -> String {
        switch error {
        case .invalidMethod: "method"
        case .invalidFieldName, .invalidFieldValue, .computedField, .headerTooLarge: "headers"
        default: addressKey
        }
    }

    // MARK: Header

    /// Reads the header fields; secret values come from separate files.
    mutating func readHeaders(into request: inout ProbeRequest) {
        let keys = HeaderKeys.keys
        let fields = table.read(keys.headers) ?? [:]
        for name in fields.keys.sorted() where SecretName.isSecret(name) {
            table.warn("headers", "'\(name)' is a secret: write it to a file, and name that in 'header_files'")
        }
        for (name, value) in fields.sorted(by: { $0.key < $1.key }) {
            set(name, value, from: "headers", in: &request.headers)
        }
        for (name, path) in table.read(keys.headerFiles).sorted(by: { $0.key < $1.key }) {
            guard let secret = SecretLine(at: path, of: "header_files", in: &table) else { continue }
            set(name, secret.text, from: "header_files", in: &request.headers)
            request.hiddenFields.insert(name.lowercased())
        }
        guard let path = table.read(keys.basicAuthFile) else { return }
        do throws(RequestError) {
            request.credentials = try BasicCredentials(file: path)
            table.amend("basic_auth_file", material.digest(ofFile: path))
        } catch {
            table.report("basic_auth_file", error.description)
        }
    }

    private func set(_ name: String, _ value: String, from key: String, in headers: inout HeaderFields) {
        guard headers.value(of: name) == nil else {
            return table.report(key, "the header field '\(name)' is given twice")
        }
        do throws(RequestError) {
            try headers.set(name, value)
        } catch {
            table.report(key, error.description)
        }
    }

    // MARK: Trust

    mutating func readTLS() -> TLSOptions {
        let keys = TLSKeys.keys
        var options = TLSOptions()
        options.minimumVersion = table.read(keys.tlsMinimum)
        if table.read(keys.http1Only) { options.applicationProtocols = ["http/1.1"] }
        let certificate = table.read(keys.clientCertificate)
        let key = table.read(keys.clientKey)
        if table.has("client_certificate") != table.has("client_key") {
            let given = table.has("client_key") ? "client_key" : "client_certificate"
            table.report(given, "'client_certificate' and 'client_key' need each other")
        }
        guard let certificate, let key, let identity = table.clientIdentity(certificate, key) else { return options }
        options.clientIdentity = identity
        table.amend("client_certificate", material.digest(ofFile: certificate))
        table.amend("client_key", material.digest(ofFile: key))
        return options
    }

    /// Reads the security policy and returns its evaluator; `nil` after an error.
    mutating func readPolicy() -> TrustEvaluator? {
        let keys = TrustKeys.keys
        let anchors = readAnchors()
        let pinned = readPinnedCertificates()
        let lists = readRevocationLists()
        let policy = SecurityPolicy(
            pinningMode: table.read(keys.pinMode),
            pinnedCertificates: pinned,
            pinnedPublicKeys: table.read(keys.pins) ?? [],
            backupPublicKeys: table.read(keys.backupPins) ?? [],
            allowsInvalidCertificates: table.read(keys.allowInvalidCertificates),
            validatesDomainName: table.read(keys.validateDomainName),
            isAFNetworkingCompatible: table.read(keys.afnetworkingCompatible),
            isStrict: table.read(keys.strictCertificates)
        )
        let depth = table.read(keys.maxDepth)
        checkPins(policy)
        warn(of: policy)
        guard isClean else { return nil }
        let identity = TrustKeys.all.names.map { "\($0)=\(table.changes[$0] ?? "")" }.joined(separator: "\n")
        return material.evaluator(identity: identity) {
            TrustEvaluator(policy: policy, anchors: anchors, revocationLists: lists, maximumPathLength: depth)
        }
    }

    private mutating func readAnchors() -> TrustAnchors {
        guard let path = table.read(TrustKeys.keys.caFile) else { return .system }
        do throws(SecurityPolicyError) {
            let certificates = try material.certificates(at: path)
            table.amend("ca_file", RegularFile.digest(certificates.flatMap(\.self)))
            return TrustAnchors(certificates: certificates)
        } catch {
            table.report("ca_file", error.description)
            return .system
        }
    }

    private mutating func readPinnedCertificates() -> [PinnedCertificate] {
        var pinned: [PinnedCertificate] = []
        for path in table.read(TrustKeys.keys.pinCertificates) ?? [] {
            do throws(SecurityPolicyError) {
                let certificates = try material.certificates(at: path)
                for der in certificates { pinned.append(try PinnedCertificate(der: der)) }
                table.amend("pin_certificates", RegularFile.digest(certificates.flatMap(\.self)))
            } catch {
                table.report("pin_certificates", error.description)
            }
        }
        return pinned
    }

    private mutating func readRevocationLists() -> [CertificateRevocationList] {
        var lists: [CertificateRevocationList] = []
        for path in table.read(TrustKeys.keys.crlFiles) ?? [] {
            do throws(SecurityPolicyError) {
                let found = try material.revocationLists(at: path)
                lists += found
                table.amend("crl_files", RegularFile.digest(found.flatMap(\.der)))
            } catch {
                table.report("crl_files", error.description)
            }
        }
        return lists
    }

    private func checkPins(_ policy: SecurityPolicy) {
        let given = ["pins", "backup_pins", "pin_certificates"].filter(table.has)
        switch policy.pinningMode {
        case .none:
            for key in given {
                table.report(key, "has no effect without 'pin_mode'; accepted are public-key and certificate")
            }
        case .publicKey:
            if given.isEmpty { table.report("pin_mode", "nothing is pinned: 'pins' or 'pin_certificates' is missing") }
            if given == ["backup_pins"] { table.report("backup_pins", "a backup needs a pin that it replaces") }
        case .certificate:
            for key in given where key != "pin_certificates" {
                table.report(key, "only has an effect with 'pin_mode = \"public-key\"'")
            }
            if !given.contains("pin_certificates") {
                table.report("pin_mode", "nothing is pinned: 'pin_certificates' is missing")
            }
        }
        for pin in policy.backupPublicKeys where policy.pinnedPublicKeys.contains(pin) {
            table.report("backup_pins", "'\(pin)' is among 'pins' too")
        }
    }

    private func warn(of policy: SecurityPolicy) {
        guard policy.allowsInvalidCertificates else { return }
        let ignoresName =
            !policy.validatesDomainName || policy.isAFNetworkingCompatible && policy.pinningMode == .publicKey
        let key = "allow_invalid_certificates"
        if policy.pinningMode != .none {
            if ignoresName { table.warn(key, "neither the chain nor the name is checked; the pins alone decide") }
        } else if ignoresName {
            let any = "any certificate of any server is accepted"
            table.warn(key, table.has("crl_files") ? "\(any) that 'crl_files' covers and does not revoke" : any)
        } else {
            table.warn(key, "every server is refused: its name needs 'pins', or 'validate_domain_name = false'")
        }
    }
}

/// The first line of a file that contains a secret.
struct SecretLine {
    let text: String

    /// The maximum size of such a file.
    static let maxBytes = 16 << 10

    /// Reads a file that others can neither read nor write, and adds its content to the identity of the table; `nil`
    /// after an error, which is reported at the key.
    init?(at path: String, of key: String, in table: inout TableReader) {
        do throws(RegularFile.Failure) {
            let bytes = try RegularFile.bytes(of: path, max: Self.maxBytes, isSecret: true)
            let line = bytes.prefix { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
            guard let text = String(validating: line, as: UTF8.self), !text.isEmpty else {
                throw RegularFile.Failure(description: "contains no text in its first line")
            }
            self.text = text
            table.amend(key, RegularFile.digest(bytes))
        } catch {
            table.report(key, "\(path) \(error)")
            return nil
        }
    }
}
