internal import ArgumentParser
internal import FoundationEssentials
internal import Probes

/// The trust settings: the options of AFSecurityPolicy, the anchors and the revocation lists.
struct PolicyOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "Trust these roots instead of the system's: a file in PEM or DER, or a directory.",
            valueName: "path"
        ),
        completion: .file()
    )
    var caFile: String?

    @Option(
        help: ArgumentHelp(
            """
            The pinning mode: 'none'; 'public-key', one certificate of the validated chain must have a pinned key; or \
            'certificate', the chain must lead to a pinned certificate (default: none).
            """,
            valueName: "mode"
        ),
        completion: .list(["none", "public-key", "certificate"]),
        transform: Self.mode
    )
    var pinMode: SecurityPolicy.PinningMode?

    @Option(
        name: .customLong("pin-certificate"),
        help: ArgumentHelp(
            "Pin these certificates: a file in PEM or DER, or a directory (repeatable).",
            valueName: "path"
        ),
        completion: .file()
    )
    var pinCertificates: [String] = []

    @Option(
        name: .customLong("pin-spki"),
        help: ArgumentHelp(
            "Pin a public key by its hash, as sha256//BASE64 (repeatable; for the mode public-key).",
            valueName: "pin"
        ),
        transform: Self.pin
    )
    var pins: [PublicKeyPin] = []

    @Option(
        name: .customLong("pin-backup-spki"),
        help: ArgumentHelp(
            """
            Pin the key that the server will use next; one that matches no other pin is accepted with the warning \
            tls_backup_pin_only (repeatable; like --pin-spki).
            """,
            valueName: "pin"
        ),
        transform: Self.pin
    )
    var backupPins: [PublicKeyPin] = []

    @Flag(help: "Accept a chain that does not verify, if the pinning mode allows it.")
    var allowInvalidCertificates = false

    @Flag(name: .customLong("no-validate-domain-name"), help: "Do not check that the certificate is for the name.")
    var ignoresDomainName = false

    @Flag(
        name: .customLong("afnetworking-compatible"),
        help: "Keep AFNetworking's gap: public keys with invalid certificates allowed are accepted for any name."
    )
    var isAFNetworkingCompatible = false

    @Flag(
        name: .customLong("strict-certificates"),
        help: "Refuse a server's certificate that is an authority's or has no authority key identifier: warnings else."
    )
    var isStrict = false

    @Option(
        help: ArgumentHelp(
            "The maximum number of certificates between the server's own and its root, 0 to 16 (default: 16).",
            valueName: "count"
        )
    )
    var maxDepth: Int?

    @Option(
        name: .customLong("crl"),
        help: ArgumentHelp(
            """
            Look the certificates up in these revocation lists, a file in PEM or DER; a server's certificate that none \
            of them covers is refused, an authority's is a warning (repeatable).
            """,
            valueName: "file"
        ),
        completion: .file()
    )
    var revocationLists: [String] = []

    @Option(
        name: .customLong("at"),
        help: ArgumentHelp("Judge for this moment, such as 2026-11-21T12:00:00Z, instead of now.", valueName: "time"),
        transform: TrustTime.argument
    )
    var date: Date?

    /// The names of the options that were given.
    var given: [String] {
        let options = [
            ("--ca-file", caFile != nil), ("--pin-mode", pinMode != nil),
            ("--pin-certificate", !pinCertificates.isEmpty), ("--pin-spki", !pins.isEmpty),
            ("--pin-backup-spki", !backupPins.isEmpty),
            ("--allow-invalid-certificates", allowInvalidCertificates),
            ("--no-validate-domain-name", ignoresDomainName), ("--afnetworking-compatible", isAFNetworkingCompatible),
            ("--strict-certificates", isStrict), ("--max-depth", maxDepth != nil), ("--crl", !revocationLists.isEmpty),
            ("--at", date != nil),
        ]
        return options.filter(\.1).map(\.0)
    }

    func validate() throws {
        if let maxDepth, !(0...TrustEvaluator.longestPath).contains(maxDepth) {
            throw ValidationError("'--max-depth' must be from 0 to \(TrustEvaluator.longestPath), got \(maxDepth)")
        }
        if pinMode == nil, !pinCertificates.isEmpty || !pins.isEmpty || !backupPins.isEmpty {
            throw ValidationError("pins are given without '--pin-mode'; accepted are public-key and certificate")
        }
        if pinMode == .certificate, !pins.isEmpty {
            throw ValidationError("'--pin-spki' only counts with '--pin-mode public-key'")
        }
        if pinMode == .certificate, !backupPins.isEmpty {
            throw ValidationError("'--pin-backup-spki' only counts with '--pin-mode public-key'")
        }
    }

    /// The evaluator for these options; an invalid file is reported on standard error, with exit status 78.
    ///
    /// - Parameter roots: A file that replaces the system's roots where `--ca-file` does not.
    func trustEvaluator(roots: String? = nil) throws -> TrustEvaluator {
        do throws(SecurityPolicyError) {
            return try makeTrustEvaluator(roots: roots)
        } catch {
            Terminal.printError("reachagent: \(error)")
            throw ExitCode(ExitStatus.badConfiguration)
        }
    }

    private func makeTrustEvaluator(roots: String?) throws(SecurityPolicyError) -> TrustEvaluator {
        var pinned: [PinnedCertificate] = []
        for path in pinCertificates {
            for der in try CertificateFile.certificates(at: path) { pinned.append(try PinnedCertificate(der: der)) }
        }
        var lists: [CertificateRevocationList] = []
        for path in revocationLists { lists += try CertificateRevocationList.lists(at: path) }
        var anchors = TrustAnchors.system
        if let path = caFile ?? roots {
            anchors = TrustAnchors(certificates: try CertificateFile.certificates(at: path))
        }
        let policy = SecurityPolicy(
            pinningMode: pinMode ?? .none,
            pinnedCertificates: pinned,
            pinnedPublicKeys: pins,
            backupPublicKeys: backupPins,
            allowsInvalidCertificates: allowInvalidCertificates,
            validatesDomainName: !ignoresDomainName,
            isAFNetworkingCompatible: isAFNetworkingCompatible,
            isStrict: isStrict
        )
        return TrustEvaluator(
            policy: policy,
            anchors: anchors,
            revocationLists: lists,
            maximumPathLength: maxDepth
        )
    }

    private static func mode(_ text: String) throws -> SecurityPolicy.PinningMode {
        guard let mode = SecurityPolicy.PinningMode(rawValue: text) else {
            throw ValidationError("'\(text)' is not a pinning mode; accepted are none, public-key and certificate")
        }
        return mode
    }

    private static func pin(_ text: String) throws -> PublicKeyPin {
        do throws(SecurityPolicyError) {
            return try PublicKeyPin(parsing: text)
        } catch {
            throw ValidationError(error.description)
        }
    }
}
