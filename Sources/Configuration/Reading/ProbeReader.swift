internal import NetlinkMonitor
public import Probes
internal import Reachability

/// Reads one table `[probe.NAME]`.
///
/// All keys are read, even after an error, so that all errors are reported at once. A key that applies only to another
/// kind of target is an error: if it were ignored, it would look like a fulfilled expectation.
struct ProbeReader: RequestTableReader {
    let name: String
    let material: ProbeMaterial
    var table: TableReader
    /// The target; `nil` if it is missing or invalid.
    private(set) var target: ProbeTarget?
    private(set) var isPortalCheck = false
    /// True if a transfer replaces the request.
    private(set) var isTransfer = false
    let errorsBefore: Int
    let addressKey = "target"

    /// Returns the definition in a table and the value of `enabled`; `nil` after an error, which is in the notes.
    static func definition(
        name: String,
        of table: TableReader,
        material: ProbeMaterial
    ) -> (probe: ProbeDefinition, isEnabled: Bool)? {
        var reader = ProbeReader(name: name, material: material, table: table)
        let isEnabled = reader.table.read(ProbeKeys.keys.enabled)
        return reader.definition().map { ($0, isEnabled) }
    }

    private init(name: String, material: ProbeMaterial, table: TableReader) {
        self.name = name
        self.material = material
        self.table = table
        errorsBefore = table.notes.errorCount
    }

    /// True if the target is checked by a request.
    var isRequest: Bool {
        if case .http = target { return true }
        return target == nil
    }

    private mutating func definition() -> ProbeDefinition? {
        target = table.read(ProbeKeys.keys.target)
        isPortalCheck = readPortal()
        isTransfer = isRequest && !isPortalCheck && table.has(ProbeKeys.keys.transfer.facts.name)
        refuseMeaningless()
        let plan = isTransfer ? TransferReader.plan(in: &table, target: target) : nil
        let pace = readPace()
        let timeout = readTimeout(interval: pace.interval)
        let connectTo = readConnectTo()
        let rule = readRule(timeout: timeout, connectTo: connectTo, plan: plan)
        var request = ProbeRequest()
        request.allowsCellularAccess = table.read(ProbeKeys.keys.allowCellular)
        var expectations = ResponseExpectations()
        var limits = ProbeLimits()
        var redirects = 0
        var tls = TLSOptions()
        var evaluator: TrustEvaluator?
        if isRequest {
            readRequest(into: &request)
            redirects = isPortalCheck ? 0 : table.read(RequestKeys.keys.maxRedirects)
            (expectations, limits) = readExpectations()
            tls = readTLS()
            evaluator = readPolicy()
        }
        table.finish()
        guard let target else { return nil }
        var probe = Probe(
            target: target,
            request: request,
            serializer: material.serializer,
            expectations: expectations,
            trust: evaluator ?? material.evaluator(identity: "") { TrustEvaluator(anchors: .system) },
            tls: tls,
            families: Self.addressFamilies(rule.families),
            connectTo: connectTo,
            timeout: timeout,
            maximumRedirects: redirects,
            limits: limits
        )
        probe.transfer = plan
        if let plan { TransferReader.warn(of: plan, in: table, interval: pace.interval, timeout: timeout) }
        check(probe)
        let identity = table.identity(without: ProbeKeys.judging)
        return ProbeDefinition(name: name, probe: probe, identity: identity, pace: pace, rule: rule)
    }

    private mutating func readPortal() -> Bool {
        guard table.read(ProbeKeys.keys.portal) else { return false }
        if let target {
            if case .http(let url) = target, url.scheme == .http { return true }
            table.report(
                "portal",
                "a portal check needs an http:// target; \(Self.scope(of: target).scheme):// is checked here"
            )
        }
        return true
    }

    private mutating func refuseMeaningless() {
        if let target, !isRequest {
            table.refuse(keysWithout: Self.scope(of: target).scope, "has no meaning for the target \(target)")
        } else if isPortalCheck {
            let message = "has no meaning for a portal check, which is a plain GET that follows no redirect"
            table.refuse(keysWithout: .portal, message)
        } else if isTransfer {
            table.refuse(
                ProbeKeys.keys.latency.facts.name,
                "would judge how long the bytes take; write 'throughput' or 'added_latency'"
            )
            table.refuse(keysWithout: .transfer, "has no meaning for a transfer, whose body is counted and not kept")
        } else {
            for key in [ProbeKeys.keys.throughput, ProbeKeys.keys.addedLatency] {
                table.refuse(key.facts.name, "is measured by a transfer; 'transfer' is missing")
            }
        }
    }

    private static func scope(of target: ProbeTarget) -> (scope: KeyScope, scheme: String) {
        switch target {
        case .http(let url): (.web, url.scheme.rawValue)
        case .tcp: (.tcp, "tcp")
        case .icmp: (.icmp, "icmp")
        case .dns: (.dns, "dns")
        }
    }

    // MARK: Schedule

    private mutating func readPace() -> ProbePace {
        let keys = ProbeKeys.keys
        let interval = table.read(
            keys.interval,
            default: isTransfer ? TransferPlan.standardInterval : ProbePace.standardInterval
        )
        let standardFast = isTransfer ? TransferPlan.standardFastInterval : ProbePace.standardFastInterval
        let fast = table.read(keys.fastInterval, default: min(interval, standardFast))
        let maximumBackoff = table.read(keys.maxBackoff, default: max(interval, fast))
        let shown = TOMLText.duration
        if fast > interval, table.has("fast_interval"), !table.isInvalid("interval") {
            table.report("fast_interval", "\(shown(fast)) is longer than the interval of \(shown(interval))")
        }
        // Without a value of its own, the fast interval depends on the interval.
        let isFastKnown = !table.isInvalid(table.has("fast_interval") ? "fast_interval" : "interval")
        if maximumBackoff < fast, table.has(keys.maxBackoff.facts.name), isFastKnown {
            let message = "\(shown(maximumBackoff)) is shorter than the fast interval of \(shown(fast))"
            table.report(keys.maxBackoff.facts.name, message)
        }
        return ProbePace(
            interval: interval,
            fastInterval: fast,
            maximumBackoff: maximumBackoff,
            portalInterval: material.portalInterval
        )
    }

    private mutating func readTimeout(interval: Duration) -> Duration {
        let key = ProbeKeys.keys.timeout
        let standard = isTransfer ? TransferPlan.standardTimeout : key.standard
        let timeout = table.read(key, default: min(interval, standard))
        // A short interval, which is not part of the identity, limits the check as a timeout in the file does.
        table.amend(key, inEffect: timeout, default: standard)
        if timeout > interval, table.has("timeout"), !table.isInvalid("interval") {
            let (timeout, interval) = (TOMLText.duration(timeout), TOMLText.duration(interval))
            table.report("timeout", "\(timeout) is longer than the interval of \(interval)")
        }
        return timeout
    }

    /// Reads the endpoint for requests and connections; for other targets the key has already been rejected.
    private mutating func readConnectTo() -> Probe.Endpoint? {
        switch target {
        case .icmp, .dns: nil
        default: table.read(ProbeKeys.keys.connectTo)
        }
    }

    // MARK: Request and response

    private mutating func readRequest(into request: inout ProbeRequest) {
        readHeaders(into: &request)
        request.query = readParameters(RequestKeys.keys.query)
        guard !isPortalCheck, !isTransfer else { return }
        readBody(into: &request)
        let hasBody = request.body != nil || request.parameters != nil
        request.method = table.read(RequestKeys.keys.method, default: hasBody ? "POST" : "GET")
        warn(ofMethod: request.method)
    }

    private mutating func readBody(into request: inout ProbeRequest) {
        let given = ["json_body", "body_file", "form"].filter(table.has)
        if given.count > 1, let last = given.last {
            table.report(last, "only one of 'json_body', 'body_file' and 'form' can be the body")
        }
        request.parameters = readParameters(RequestKeys.keys.form)
        if let json = table.read(RequestKeys.keys.jsonBody) {
            request.body = .bytes(Array(json.utf8), contentType: RequestSerializer.Format.json.contentType)
        }
        if let path = table.read(RequestKeys.keys.bodyFile) {
            do throws(RequestError) {
                request.body = .file(try FileContent(path: path))
                table.amend("body_file", material.digest(ofFile: path))
            } catch {
                table.report("body_file", error.description)
            }
        }
    }

    private mutating func readParameters(_ key: Key<ParameterValue?>) -> ParameterValue? {
        let value = table.read(key)
        return value == .dictionary([:]) ? nil : value
    }

    private mutating func readExpectations() -> (ResponseExpectations, ProbeLimits) {
        guard !isTransfer else { return (ResponseExpectations(), ProbeLimits()) }
        let keys = ResponseKeys.keys
        let maxBytes = table.read(keys.maxBodyBytes)
        let limits = ProbeLimits(bodyBytes: maxBytes, inflatedBodyBytes: maxBytes)
        let strings: [BodyExpectation] = table.read(keys.expectBodyContains).map { .contains($0) }
        let body = strings + table.read(keys.expectBodyMatches).map { .matches($0) }
        guard !isPortalCheck else { return (ResponseExpectations(bodyExpectations: body), limits) }
        let codes = table.read(keys.expectStatus)
        let types = table.read(keys.expectContentType)
        let serializer = table.read(keys.expectFormat)?.serializer ?? .http
        let expectations = ResponseExpectations(
            acceptableStatusCodes: codes,
            acceptableContentTypes: types.map { Set($0) } ?? serializer.contentTypes,
            serializer: serializer,
            bodyExpectations: body + table.read(keys.expectJSON).map { .json($0) }
        )
        return (expectations, limits)
    }
}

extension ProbeDefinition {
    /// The names that no probe, target, hook or sink may have: they are subjects of the agent's own events.
    public static let reservedNames: Set<String> = ["default", "agent", ProbeRule.firstHopName]

    /// Returns a probe of one target with all defaults, as requested by `run --probe URL`.
    ///
    /// - Parameters:
    ///   - url: The target, as in a configuration file.
    ///   - name: The name of the probe.
    ///   - serializer: The builder of its request.
    /// - Throws: All errors; they name `--probe` as the file.
    public static func adHoc(
        _ url: String,
        name: String,
        serializer: RequestSerializer = RequestSerializer()
    ) throws(ConfigurationErrors) -> ProbeDefinition {
        let notes = Notes()
        let origin = Origin(file: "--probe")
        let table = TableReader(
            ["target": Node(value: .string(url), origin: origin)],
            keys: ProbeKeys.everything,
            path: TOMLPath(["probe", name]),
            origin: origin,
            notes: notes
        )
        if let flaw = SettingsReader.flaw(ofName: name) { notes.error(flaw, key: table.path, at: origin) }
        let material = ProbeMaterial(serializer: serializer, portalInterval: PortalSettings().recheck)
        let definition = ProbeReader.definition(name: name, of: table, material: material)?.probe
        if let errors = notes.allErrors { throw errors }
        guard let definition else { throw ConfigurationErrors([]) }
        return definition
    }
}
