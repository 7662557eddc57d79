internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// The keys of `[settle]`.
struct SettleKeys: KeyTable {
    private static let format = ValueFormat<Duration>.duration(.zero ... .seconds(3600))

    let up = Setting(
        "up",
        \.settleUp,
        Self.format,
        "For a change to something better, or to another path of the same worth"
    )
    let down = Setting("down", \.settleDown, Self.format, "For a loss")

    static let keys = Self()
    static let all = KeyList(of: keys)
}

extension Settings {
    fileprivate var settleUp: Duration {
        get { settle.up }
        set { settle = SettlePolicy(up: newValue, down: settle.down) }
    }
    fileprivate var settleDown: Duration {
        get { settle.down }
        set { settle = SettlePolicy(up: settle.up, down: newValue) }
    }
}

/// The keys of `[interfaces]`.
struct InterfaceKeys: KeyTable {
    let kinds = KindsSetting()
    let internetAddresses = Setting(
        "internet_addresses",
        \.internetAddresses,
        ValueFormat<IPAddress>.address.list(1...16),
        inEffect: MonitorConfiguration.defaultInternetAddresses,
        says: "root name servers",
        example: "[\"198.41.0.4\", \"2001:503:ba3e::2:30\"]",
        "Up to 16 addresses that stand for the Internet; nothing is sent to them. They replace the defaults of their family"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of `[metered]`.
struct MeteredKeys: KeyTable {
    let interfaces = Setting(
        "interfaces",
        \.metered.interfaces,
        ValueFormat<String>.string(1...64).list(0...64),
        "Patterns of the names of metered interfaces, own or alternative"
    )
    let cellular = Setting(
        "cellular",
        \.metered.includesCellular,
        .boolean,
        "Every cellular interface (`wwan`) is metered"
    )
    let intervalFactor = Setting(
        "interval_factor",
        \.metered.intervalFactor,
        .integer(1...1000),
        "The factor by which the interval of a probe is longer over such a link"
    )
    let bytesPerDay = Setting(
        "bytes_per_day",
        unset: \.metered.bytesPerDay,
        .size(1...(1 << 40)),
        says: "unlimited",
        example: "\"5M\"",
        """
        The maximum for all checks over such a link in a day (UTC), with all headers; a quarter of it for checks on \
        request. The count outlives a restart when there is a journal
        """
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of `[portal]`.
struct PortalKeys: KeyTable {
    let recheck = Setting(
        "recheck",
        \.portal.recheck,
        .duration(.milliseconds(100)...SettingsReader.longestInterval),
        "The time between two checks while a captive portal answers"
    )
    let askNetwork = Setting(
        "ask_network",
        \.portal.asksNetwork,
        .boolean,
        "Ask the address that the network announces (RFC 8908 and RFC 8910, through systemd-networkd)"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of `[connectivity]`.
struct ConnectivityKeys: KeyTable {
    let quorum = Setting(
        "quorum",
        \.quorum,
        .quorum,
        "The number of required probes that must be up: `\"all\"` or a number"
    )
    let firstHop = Setting(
        "first_hop",
        \.checksFirstHops,
        .boolean,
        """
        Check the gateway of each uplink along with the probes, by ICMP echo and the kernel's neighbour entry: reports can \
        then tell its silence from the provider's ([report.md](report.md#first-hop)). Never part of the connectivity
        """
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of `[limits]`.
struct LimitKeys: KeyTable {
    let checks = Setting("checks", \.limits.checks, .integer(1...10_000), "Checks at the same time")
    let checksPerTarget = Setting(
        "checks_per_target",
        \.limits.checksPerTarget,
        .integer(1...10_000),
        "Of those, to one host and port"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of `[http]`.
struct HTTPKeys: KeyTable {
    let listen = Setting(
        "listen",
        \.http.listen,
        ValueFormat<HTTPListenAddress>.listenAddresses,
        example: "[\"127.0.0.1:9718\", \"[::1]:9718\"]",
        reload: .needsRestart,
        """
        Addresses at which metrics, the page and the event stream are served besides `http.sock`: on the loopback to root \
        and the members of the sockets' group, on others over TLS to clients with a certificate or a password \
        ([page.md](page.md#a-port))
        """
    )
    let names = Setting(
        "names",
        \.http.names,
        ValueFormat<String>.hostName.list(0...64),
        example: "[\"status.example.org\"]",
        reload: .needsRestart,
        "Names of hosts that a request may have besides `localhost` and addresses: this machine's, or a reverse proxy's"
    )
    let tlsCertificate = Setting(
        "tls_certificate",
        unset: \.http.tlsCertificate,
        .path,
        example: "\"/etc/reachagent/http.pem\"",
        "The certificate for addresses that other machines reach, with its intermediates, in PEM; read again at a reload"
    )
    let tlsKey = Setting(
        "tls_key",
        unset: \.http.tlsKey,
        .path,
        example: "\"credential:http-key\"",
        "Its private key, in PEM, which others can neither read nor write"
    )
    let clientCAFile = Setting(
        "client_ca_file",
        unset: \.http.clientCAFile,
        .path,
        example: "\"/etc/reachagent/clients-ca.pem\"",
        "Each client at those addresses needs a certificate of one of these authorities"
    )
    let basicAuthFile = Setting(
        "basic_auth_file",
        unset: \.http.basicAuthFile,
        .path,
        example: "\"/etc/reachagent/http.htpasswd\"",
        """
        Each request at those addresses needs a password: lines `user:hash` of `htpasswd -nB` or `mkpasswd`, which others \
        can neither read nor write. Beside `client_ca_file` both are needed
        """
    )
    let insecure = Setting(
        "insecure",
        \.http.isInsecure,
        .boolean,
        "Serve other machines although encryption or the check of clients is missing"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of `[target.NAME]`.
struct TargetKeys: KeyTable {
    let address = Key(
        "address",
        required: .address,
        example: "\"192.0.2.7\"",
        "An IPv4 or IPv6 address, whose path is watched; nothing is sent. At most 64 targets"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// `kinds` of `[interfaces]`: a table whose keys are patterns.
struct KindsSetting: SettingDeclaration {
    let facts = KeyFacts(
        name: "kinds",
        kind: "table of strings",
        standard: "none",
        sentence: """
            A table of patterns of names, own or alternative, and kinds. The first pattern that matches counts; those of \
            later files come first, those of one file in the order of the text. Kinds: \(InterfaceKind.allCases.map { "`\($0.rawValue)`" }.joined(separator: ", "))
            """,
        example: "{ \"usb*\" = \"wwan\" }",
        isRequired: false,
        scope: .all,
        reload: .applies
    )

    func errors(in node: Node) -> [ValueError] {
        var errors: [ValueError] = []
        _ = ValueFormat<InterfaceKind>.choice.table(max: 10_000).read(node, &errors)
        return errors
    }

    /// Reads the patterns of later files first, because the first match is used.
    func read(from table: inout TableReader, into settings: inout Settings) {
        let key = Subtable(facts.name, KeyList([]), example: facts.example)
        guard var kinds = table.table(key) else { return }
        for pattern in kinds.names(latestFilesFirst: true) {
            let key = Key(pattern, optional: ValueFormat<InterfaceKind>.choice, "")
            let kind = kinds.read(key)
            guard (1...64).contains(pattern.utf8.count) else {
                kinds.report(pattern, "a pattern has 1 to 64 characters")
                continue
            }
            if let kind { settings.kindOverrides.append(KindOverride(pattern: pattern, kind: kind)) }
        }
    }

    func differs(_ one: Settings, _ other: Settings) -> Bool { one.kindOverrides != other.kindOverrides }
}
