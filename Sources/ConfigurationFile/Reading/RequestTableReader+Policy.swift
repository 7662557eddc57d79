internal import Probes

/// Whom to trust, and how TLS is spoken.
extension RequestTableReader {
    private static var policyKeys: [String] {
        [
            "ca_file", "pin_mode", "pins", "backup_pins", "pin_certificates", "allow_invalid_certificates",
            "validate_domain_name", "afnetworking_compatible", "strict_certificates", "max_depth", "crl_files",
        ]
    }

    /// The keys that ``readTLS()`` and ``readPolicy()`` read.
    static var trustKeys: [String] {
        policyKeys + ["client_certificate", "client_key", "tls_minimum", "http1_only"]
    }

    mutating func readTLS() -> TLSOptions {
        var options = TLSOptions()
        options.minimumVersion = table.read("tls_minimum", .choice, default: options.minimumVersion)
        if table.read("http1_only", .boolean, default: false) { options.applicationProtocols = ["http/1.1"] }
        let certificate = table.read("client_certificate", .path)
        let key = table.read("client_key", .path)
        if table.has("client_certificate") != table.has("client_key") {
            let given = table.has("client_key") ? "client_key" : "client_certificate"
            table.report(given, "'client_certificate' and 'client_key' need each other")
        }
        guard let certificate, let key else { return options }
        do throws(ClientIdentity.LoadError) {
            options.clientIdentity = try ClientIdentity(certificateFile: certificate, keyFile: key)
            table.amend("client_certificate", material.digest(ofFile: certificate))
            table.amend("client_key", material.digest(ofFile: key))
        } catch {
            table.report("client_certificate", error.description)
        }
        return options
    }

    mutating func readPolicy() -> TrustEvaluator? {
        let anchors = readAnchors()
        let pinned = readPinnedCertificates()
        let lists = readRevocationLists()
        let pins = table.read("pins", Form<PublicKeyPin>.pin.list(1...64)) ?? []
        let backups = table.read("backup_pins", Form<PublicKeyPin>.pin.list(1...64)) ?? []
        let policy = SecurityPolicy(
            pinningMode: table.read("pin_mode", .choice, default: .none),
            pinnedCertificates: pinned,
            pinnedPublicKeys: pins,
            backupPublicKeys: backups,
            allowsInvalidCertificates: table.read("allow_invalid_certificates", .boolean, default: false),
            validatesDomainName: table.read("validate_domain_name", .boolean, default: true),
            isAFNetworkingCompatible: table.read("afnetworking_compatible", .boolean, default: false),
            isStrict: table.read("strict_certificates", .boolean, default: false)
        )
        let depth = table.read(
            "max_depth",
            .integer(0...TrustEvaluator.longestPath),
            default: TrustEvaluator.longestPath
        )
        checkPins(policy)
        warn(of: policy)
        guard isClean else { return nil }
        let identity = Self.policyKeys.map { "\($0)=\(table.changes[$0] ?? "")" }.joined(separator: "\n")
        return material.evaluator(identity: identity) {
            TrustEvaluator(policy: policy, anchors: anchors, revocationLists: lists, maximumPathLength: depth)
        }
    }

    private mutating func readAnchors() -> TrustAnchors {
        guard let path = table.read("ca_file", .path) else { return .system }
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
        for path in table.read("pin_certificates", Form<String>.path.list(1...64)) ?? [] {
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
        for path in table.read("crl_files", Form<String>.path.list(1...64)) ?? [] {
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
                table.report(key, "counts for nothing without 'pin_mode'; accepted are public-key and certificate")
            }
        case .publicKey:
            if given.isEmpty { table.report("pin_mode", "nothing is pinned: 'pins' or 'pin_certificates' is missing") }
            if given == ["backup_pins"] { table.report("backup_pins", "a backup needs a pin that it stands in for") }
        case .certificate:
            for key in given where key != "pin_certificates" {
                table.report(key, "only counts with 'pin_mode = \"public-key\"'")
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
            table.warn(key, "any certificate of anybody is accepted")
        } else {
            table.warn(key, "anybody's certificate is accepted, as long as it has the name")
        }
    }
}
