package import Probes
internal import Reachability

/// The keys of `[probe.NAME]`.
struct ProbeKeys: KeyTable {
    private static let intervals = ValueFormat<Duration>.duration(.milliseconds(100)...SettingsReader.longestInterval)
    private static let counts = ValueFormat<Int>.integer(1...1000)

    let target = Key(
        "target",
        required: .target,
        example: "\"https://example.org/\"",
        "`https://…`, `http://…`, `tcp://HOST:PORT`, `icmp://HOST`, `dns://RESOLVER/NAME?type=A`"
    ).hiding { TOMLText.quoted($0.shown) }
    let enabled = Key(
        "enabled",
        .boolean,
        default: true,
        reload: .applies,
        "`false`: the probe is not made, as if its table were not there; errors in the table are reported all the same"
    )
    let interval = Key(
        "interval",
        Self.intervals,
        default: ProbePace.standardInterval,
        says: "`\"60s\"`; `\"6h\"` for a transfer",
        reload: .applies,
        "Between two checks while the verdict is settled: 100 ms to 30 days"
    )
    let fastInterval = Key(
        "fast_interval",
        Self.intervals,
        default: ProbePace.standardFastInterval,
        says: "`\"2s\"`, `\"10m\"` for a transfer, at most the interval",
        reload: .applies,
        "While the verdict is in doubt"
    )
    let maxBackoff = Key(
        "max_backoff",
        Self.intervals,
        default: ProbePace.standardInterval,
        says: "the interval",
        reload: .applies,
        "The maximum interval while the probe is down: each check doubles the fast interval up to this"
    )
    let timeout = Key(
        "timeout",
        .duration(.milliseconds(10) ... .seconds(3600)),
        default: .seconds(10),
        says: "`\"10s\"`, `\"2m\"` for a transfer, at most the interval",
        "The timeout of the whole check"
    )
    let rise = Key("rise", Self.counts, default: 2, reload: .applies, "Successes in a row that make the probe up again")
    let fall = Key("fall", Self.counts, default: 3, reload: .applies, "Failures in a row that make it down")
    let latency = Subtable(
        "latency",
        LatencyKeys.all,
        example: "{ good = \"200ms\", bad = \"1s\" }",
        for: KeyScope.all.subtracting(.transfer),
        reload: .applies,
        "A check that takes at least `bad` is a failure; one between `good` and `bad` changes nothing"
    )
    let loss = Subtable(
        "loss",
        LossKeys.all,
        example: "{ good = 10, bad = 40, window = 20 }",
        reload: .applies,
        "The percentage of failures among the last `window` checks, likewise"
    )
    let interfaces = Key(
        "interfaces",
        .vantages,
        default: .default,
        reload: .applies,
        """
        `"default"`: the active path; `"each"`: also bound to every uplink (an interface with a default route, or of the \
        route to the Internet); an array of names or kinds: bound to the interfaces of these names, own or alternative, \
        uplinks or not, and to the uplinks of these kinds
        """
    )
    let families = Key(
        "families",
        .choice,
        default: ProbeRule.Families.each,
        says: "`\"each\"`; `\"any\"` for a transfer",
        reload: .applies,
        """
        `"each"`: once in each family; `"any"`: once, in either; `"ipv4"`, `"ipv6"`. A literal address has one family, \
        of which `::ffff:192.0.2.7` is IPv4; a name with addresses of one family only is not judged in the other
        """
    )
    let required = Key(
        "required",
        .boolean,
        default: true,
        says: "`true`; `false` for a portal check and a transfer",
        reload: .applies,
        "The connectivity depends on the probe; never on a transfer"
    )
    let portal = Key("portal", .boolean, default: false, "The probe looks for captive portals: see below")
    let transfer = Subtable(
        "transfer",
        TransferKeys.all,
        example: "{ download = \"5M\", upload = \"1M\" }",
        for: [.web, .transfer],
        "A bounded transfer in place of the single request ([transfer.md](transfer.md)); for `https` and `http`"
    )
    let throughput = Subtable(
        "throughput",
        ThroughputKeys.all,
        example: "{ good = \"5Mbit/s\", bad = \"1Mbit/s\" }",
        for: [.web, .transfer],
        reload: .applies,
        """
        The throughput of the download, or of the upload where there is no download: at most `bad` is a failure \
        (`throughput_low`), between `bad` and `good` nothing changes
        """
    )
    let addedLatency = Subtable(
        "added_latency",
        AddedLatencyKeys.all,
        example: "{ good = \"50ms\", bad = \"300ms\" }",
        for: [.web, .transfer],
        reload: .applies,
        """
        The latency that the transfer adds to small requests, in the direction that adds more: at least `bad` is a \
        failure (`added_latency_high`), between the two nothing changes
        """
    )
    let allowCellular = Key("allow_cellular", .boolean, default: true, "Check over cellular links too")
    let connectTo = Key(
        "connect_to",
        optional: .endpoint,
        says: "the target's",
        example: "\"192.0.2.80:443\"",
        for: [.web, .portal, .transfer, .tcp],
        "`HOST:PORT` to connect to instead; for `https`, `http` and `tcp`"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
    /// All keys of a probe.
    static let everything =
        all + RequestKeys.all + ResponseKeys.all + TrustKeys.all + TLSKeys.all + ExpiryKeys.all
    /// The keys that do not change the check: its schedule, the evaluation of its results, and its vantages.
    static let judging = Set(everything.names { $0.reload == .applies })
}

/// `latency` of a probe.
struct LatencyKeys: KeyTable {
    private static let format = ValueFormat<Duration>.duration(.milliseconds(1) ... .seconds(3600))

    let good = Key("good", required: Self.format, example: "\"200ms\"", "A check that takes no longer is a success")
    let bad = Key("bad", required: Self.format, example: "\"1s\"", "A check that takes at least this long is a failure")

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// `loss` of a probe.
struct LossKeys: KeyTable {
    let good = Key("good", required: .percent, example: "10", "The percentage of failures that is good")
    let bad = Key("bad", required: .percent, example: "40", "The percentage that is a failure")
    let window = Key(
        "window",
        .integer(2...1000),
        default: ProbeRule(name: "").lossWindow,
        "The number of checks that are counted"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The request of a probe.
struct RequestKeys: KeyTable {
    let method = Key(
        "method",
        .string(1...32),
        default: "GET",
        says: "`\"GET\"`; with a body `\"POST\"`",
        for: .web,
        "The method"
    )
    let headers = HeaderKeys.keys.headers
    let headerFiles = HeaderKeys.keys.headerFiles
    let query = Key(
        "query",
        optional: .parameters,
        says: "`{}`",
        example: "{ verbose = \"1\", tag = [\"a\", \"b\"] }",
        for: [.web, .portal, .transfer],
        """
        Parameters added to the URL's query: a table of strings, of arrays of strings (the name is repeated, in that \
        order) and of tables (`user[name]`); or an array of strings as on the command line: `["tag=b", "tag=a", "flag", \
        "list[]=1", "user[name]=x"]`. Names are written in the order of their bytes
        """
    ).hiding { ValueFormat<ParameterValue>.parameters.text($0.withoutSecrets) }
    let form = Key(
        "form",
        optional: .parameters,
        example: "{ name = \"value\" }",
        for: .web,
        "The body as parameters of a form, written as `query`. A request has one body at most"
    ).hiding(isDigested: true) { ValueFormat<ParameterValue>.parameters.text($0.withoutSecrets) }
    let jsonBody = Key(
        "json_body",
        optional: .jsonBody,
        example: "'{\"ping\": true}'",
        for: .web,
        "The body as JSON: a string that is sent as it is, a table or an array"
    ).hiding(isDigested: true, SecretText.shown(json:))
    let bodyFile = Key(
        "body_file",
        optional: .path,
        example: "\"/etc/reachagent/web.body\"",
        for: .web,
        "The body as a file"
    )
    let basicAuthFile = HeaderKeys.keys.basicAuthFile
    let maxRedirects = Key(
        "max_redirects",
        .integer(0...50),
        default: 0,
        for: [.web, .transfer],
        "The maximum number of redirects; with 0 a redirect is a response like any other. None is followed from `https` to `http`"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The keys of a header, which probes and webhooks share.
struct HeaderKeys: KeyTable {
    let headers = Key(
        "headers",
        optional: .headerFields,
        says: "`{}`",
        example: "{ Accept = \"application/json\" }",
        for: .requests,
        "Header fields: a table of strings"
    ).hiding(SecretText.shown(fields:))
    let headerFiles = Key(
        "header_files",
        .headerFiles,
        default: [:],
        example: "{ Authorization = \"/etc/reachagent/web.token\" }",
        for: .requests,
        "Header fields for secrets: a table of paths; the first line of each file is the value"
    )
    let basicAuthFile = Key(
        "basic_auth_file",
        optional: .path,
        example: "\"/etc/reachagent/web.password\"",
        for: .requests,
        "A file with one line `USER:PASSWORD`"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The expected response of a probe.
struct ResponseKeys: KeyTable {
    let expectStatus = Key(
        "expect_status",
        .statusCodes,
        default: .success,
        for: .web,
        "Codes and ranges: `\"200-299,304\"`, or one integer"
    )
    let expectContentType = Key(
        "expect_content_type",
        optional: ValueFormat.mediaType.list(1...64),
        says: "any",
        example: "[\"application/json\"]",
        for: .web,
        "The accepted media types"
    )
    let expectFormat = Key(
        "expect_format",
        optional: ValueFormat<BodyFormat>.choice,
        says: "any",
        example: "\"json\"",
        for: .web,
        "The format that the body must have: \(ValueFormat<BodyFormat>.words)"
    )
    let expectBodyContains = Key(
        "expect_body_contains",
        ValueFormat<String>.string(1...4096).list(0...64),
        default: [],
        for: [.web, .portal],
        "Strings that must be in the body"
    )
    let expectBodyMatches = Key(
        "expect_body_matches",
        ValueFormat<BodyPattern>.pattern.list(0...64),
        default: [],
        for: [.web, .portal],
        "Regular expressions (PCRE2) that must match in it"
    )
    let expectJSON = Key(
        "expect_json",
        ValueFormat<JSONExpectation>.member.list(0...64),
        default: [],
        for: .web,
        "Expected members of a JSON body: `[\"status=ok\", \"load<5\"]`"
    )
    let maxBodyBytes = Key(
        "max_body_bytes",
        .size(0...(1 << 30)),
        default: 1 << 20,
        for: [.web, .portal],
        "The maximum size of the body"
    )

    static let keys = Self()
    static let all = KeyList(of: keys)
}

/// The formats that a probe can require of a body.
package enum BodyFormat: String, CaseIterable, Sendable {
    case json, xml, image
    case propertyList = "property-list"

    /// The serializer that accepts the format alone.
    package var serializer: ResponseSerializer {
        switch self {
        case .json: .json()
        case .xml: .xml
        case .image: .image
        case .propertyList: .propertyList
        }
    }
}
