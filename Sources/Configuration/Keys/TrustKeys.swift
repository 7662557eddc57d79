internal import Probes
internal import Reachability

/// The security policy of a probe or a webhook.
struct TrustKeys: KeyTable {
    let caFile = Key(
        "ca_file",
        optional: .path,
        says: "the system's roots",
        example: "\"/etc/reachagent/our-ca.pem\"",
        for: .requests,
        "These roots instead: a file or a directory"
    )
    let pinMode = Key(
        "pin_mode",
        .choice,
        default: SecurityPolicy.PinningMode.none,
        for: .requests,
        "`\"public-key\"` or `\"certificate\"`"
    )
    let pins = Key(
        "pins",
        optional: ValueFormat<PublicKeyPin>.pin.list(1...64),
        example: "[\"sha256//47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU=\"]",
        for: .requests,
        "Hashes of public keys"
    )
    let backupPins = Key(
        "backup_pins",
        optional: ValueFormat<PublicKeyPin>.pin.list(1...64),
        example: "[\"sha256//AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=\"]",
        for: .requests,
        "Hashes of the next keys; when only such a pin matches, the check warns"
    )
    let pinCertificates = Key(
        "pin_certificates",
        optional: ValueFormat<String>.path.list(1...64),
        example: "[\"/etc/reachagent/web.pem\"]",
        for: .requests,
        "Files or directories with certificates"
    )
    let allowInvalidCertificates = Key(
        "allow_invalid_certificates",
        .boolean,
        default: false,
        for: .requests,
        "Accept a chain that does not verify, if the pins allow it"
    )
    let validateDomainName = Key(
        "validate_domain_name",
        .boolean,
        default: true,
        for: .requests,
        "The certificate must be for the name"
    )
    let afnetworkingCompatible = Key(
        "afnetworking_compatible",
        .boolean,
        default: false,
        for: .requests,
        "Keep AFNetworking's gap: with pinned keys and invalid certificates allowed the name is not checked"
    )
    let strictCertificates = Key(
        "strict_certificates",
        .boolean,
        default: false,
        for: .requests,
        """
        Refuse a server's certificate that is an authority's or has no authority key identifier, instead of warning \
        ([findings.md](findings.md#choices-about-certificates))
        """
    )
    let maxDepth = Key(
        "max_depth",
        .integer(0...TrustEvaluator.longestPath),
        default: TrustEvaluator.longestPath,
        for: .requests,
        "The maximum number of certificates between the server's own and its root"
    )
    let crlFiles = Key(
        "crl_files",
        optional: ValueFormat<String>.path.list(1...64),
        example: "[\"/etc/reachagent/our-ca.crl\"]",
        for: .requests,
        """
        Revocation lists; a server's certificate that none of them covers is refused, also with \
        `allow_invalid_certificates`; an authority's is a warning
        """
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The TLS settings of a probe or a webhook.
struct TLSKeys: KeyTable {
    let clientCertificate = Key(
        "client_certificate",
        optional: .path,
        example: "\"/etc/reachagent/client.pem\"",
        for: .requests,
        "The client's certificate and its authorities, in PEM"
    )
    let clientKey = Key(
        "client_key",
        optional: .path,
        example: "\"/etc/reachagent/client.key\"",
        for: .requests,
        "Its private key, in PEM; both or neither"
    )
    let tlsMinimum = Key(
        "tls_minimum",
        .choice,
        default: TLSOptions().minimumVersion,
        for: .requests,
        "`\"1.2\"` or `\"1.3\"`"
    )
    let http1Only = Key("http1_only", .boolean, default: false, for: .requests, "Do not offer HTTP/2")

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The thresholds below which a certificate counts as expiring.
struct ExpiryKeys: KeyTable {
    let expiryPercent = Key(
        "expiry_percent",
        ValueFormat<Int>.integer(1...99).list(0...16),
        default: ExpiryPolicy().lifetimePercents,
        for: [.web, .portal, .transfer],
        reload: .applies,
        "A certificate counts as expiring when this percentage of its lifetime is left"
    )
    let expiryDays = Key(
        "expiry_days",
        ValueFormat<Int>.integer(0...3650).list(0...16),
        default: ExpiryPolicy().days,
        for: [.web, .portal, .transfer],
        reload: .applies,
        "And when this many days are left"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}
