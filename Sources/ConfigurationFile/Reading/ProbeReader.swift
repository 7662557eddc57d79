internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// Reads one table `[probe.NAME]`.
///
/// Everything is read, also after something was wrong, so that everything is said at once. What a key means for another
/// kind of target is refused: passed over in silence it would look like an expectation that was met.
struct ProbeReader: RequestTableReader {
    /// The keys that only a request has a use for, and the policy of TLS.
    static let requestKeys =
        trustKeys + [
            "method", "headers", "header_files", "query", "form", "json_body", "body_file", "basic_auth_file",
            "max_redirects", "expect_status", "expect_content_type", "expect_format", "expect_body_contains",
            "expect_body_matches", "expect_json", "max_body_bytes", "expiry_percent", "expiry_days",
        ]
    /// The keys whose value a portal check fixes.
    static let keysWithoutPortal = [
        "method", "form", "json_body", "body_file", "max_redirects", "expect_status", "expect_content_type",
        "expect_format", "expect_json",
    ]
    /// The keys that do not make another check: its schedule, how it is judged, and from where it is made.
    static let judgingKeys: Set<String> = [
        "interval", "fast_interval", "ceiling", "rise", "fall", "latency", "loss", "interfaces", "families", "required",
        "expiry_percent", "expiry_days",
    ]

    let name: String
    let material: ProbeMaterial
    var table: TableReader
    /// What is checked; nil when that is missing or wrong.
    var target: ProbeTarget?
    /// Whether it looks for captive portals.
    var isPortalCheck = false
    let errorsBefore: Int
    let addressKey = "target"

    /// The definition in a table; nil when something in it is wrong, which is in the notes then.
    static func definition(name: String, of table: TableReader, material: ProbeMaterial) -> ProbeDefinition? {
        var reader = ProbeReader(name: name, material: material, table: table)
        return reader.definition()
    }

    private init(name: String, material: ProbeMaterial, table: TableReader) {
        self.name = name
        self.material = material
        self.table = table
        errorsBefore = table.notes.errorCount
    }

    /// Whether the target is reached by a request.
    var isRequest: Bool {
        if case .http = target { return true }
        return target == nil
    }

    private mutating func definition() -> ProbeDefinition? {
        if !table.has("target") {
            target = table.require("target", .target, such: "\"https://example.org/\"")
        } else {
            target = table.readGuarded("target", .target) { TOMLText.quoted($0.shown) }
        }
        isPortalCheck = readPortal()
        refuseMeaningless()
        let pace = readPace()
        let timeout = readTimeout(interval: pace.interval)
        let connectTo = readConnectTo()
        let rule = readRule(timeout: timeout, connectTo: connectTo)
        var request = ProbeRequest()
        request.allowsCellularAccess = table.read("allow_cellular", .boolean, default: true)
        var expectations = ResponseExpectations()
        var limits = ProbeLimits()
        var redirects = 0
        var tls = TLSOptions()
        var evaluator: TrustEvaluator?
        if isRequest {
            readRequest(into: &request)
            redirects = isPortalCheck ? 0 : table.read("max_redirects", .integer(0...50), default: 0)
            (expectations, limits) = readExpectations()
            tls = readTLS()
            evaluator = readPolicy()
        }
        table.finish()
        guard let target else { return nil }
        let probe = Probe(
            target: target,
            request: request,
            serializer: material.serializer,
            expectations: expectations,
            trust: evaluator ?? material.evaluator(identity: "") { TrustEvaluator(anchors: .system) },
            tls: tls,
            families: addressFamilies(rule.families),
            connectTo: connectTo,
            timeout: timeout,
            maximumRedirects: redirects,
            limits: limits
        )
        check(probe)
        let identity = table.identity(without: Self.judgingKeys)
        return ProbeDefinition(name: name, probe: probe, identity: identity, pace: pace, rule: rule)
    }

    private mutating func readPortal() -> Bool {
        guard table.read("portal", .boolean, default: false) else { return false }
        if let target {
            if case .http(let url) = target, url.scheme == .http { return true }
            table.report(
                "portal",
                "a portal check needs an http:// target; \(Self.scheme(of: target)):// is checked here"
            )
        }
        return true
    }

    private mutating func refuseMeaningless() {
        if let target, !isRequest {
            for key in Self.requestKeys { table.refuse(key, "has no meaning for the target \(target)") }
            if case .tcp = target {} else { table.refuse("connect_to", "has no meaning for the target \(target)") }
        } else if isPortalCheck {
            for key in Self.keysWithoutPortal {
                table.refuse(key, "has no meaning for a portal check, which is a plain GET that follows no redirect")
            }
        }
    }

    static func scheme(of target: ProbeTarget) -> String {
        switch target {
        case .http(let url): url.scheme.rawValue
        case .tcp: "tcp"
        case .icmp: "icmp"
        case .dns: "dns"
        }
    }
}
