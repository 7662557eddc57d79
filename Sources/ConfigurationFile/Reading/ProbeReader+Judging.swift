internal import Probes
internal import Reachability

/// When a check is made, and how it is judged.
extension ProbeReader {
    mutating func readPace() -> ProbePace {
        let form = Form<Duration>.duration(.milliseconds(100)...SettingsReader.longestInterval)
        let interval = table.read("interval", form, default: ProbePace.standardInterval)
        let fast = table.read("fast_interval", form, default: min(interval, ProbePace.standardFastInterval))
        let ceiling = table.read("ceiling", form, default: max(interval, fast))
        let shown = TOMLText.duration
        if fast > interval, table.has("fast_interval") {
            table.report("fast_interval", "\(shown(fast)) is longer than the interval of \(shown(interval))")
        }
        if ceiling < fast, table.has("ceiling") {
            table.report("ceiling", "\(shown(ceiling)) is shorter than the fast interval of \(shown(fast))")
        }
        return ProbePace(
            interval: interval,
            fastInterval: fast,
            ceiling: ceiling,
            portalInterval: material.portalInterval
        )
    }

    mutating func readTimeout(interval: Duration) -> Duration {
        let form = Form<Duration>.duration(.milliseconds(10) ... .seconds(3600))
        let timeout = table.read("timeout", form, default: min(interval, .seconds(10)))
        if timeout > interval, table.has("timeout") {
            let (timeout, interval) = (TOMLText.duration(timeout), TOMLText.duration(interval))
            table.report("timeout", "\(timeout) is longer than the interval of \(interval)")
        }
        return timeout
    }

    /// For requests and connections; others have no use for it, which was said before.
    mutating func readConnectTo() -> Probe.Endpoint? {
        switch target {
        case .icmp, .dns: nil
        default: table.read("connect_to", .endpoint)
        }
    }

    mutating func readRule(timeout: Duration, connectTo: Probe.Endpoint?) -> ProbeRule {
        let counts = Form<Int>.integer(1...1000)
        var usesTLS = false
        if case .http(let url) = target { usesTLS = url.scheme == .https }
        let rise = table.read("rise", counts, default: 2)
        let fall = table.read("fall", counts, default: 3)
        let latency = readLatency(timeout: timeout)
        let (loss, window) = readLoss()
        let interfaces = table.read("interfaces", .vantages, default: .default)
        let families = readFamilies(connectTo: connectTo)
        let isRequired = table.read("required", .boolean, default: !isPortalCheck)
        return ProbeRule(
            name: name,
            isRequired: isRequired,
            isPortalCheck: isPortalCheck,
            usesTLS: usesTLS,
            fall: fall,
            rise: rise,
            latency: latency,
            loss: loss,
            lossWindow: window,
            interfaces: interfaces,
            families: families,
            expiry: isRequest ? readExpiry() : ExpiryPolicy()
        )
    }

    private mutating func readLatency(timeout: Duration) -> DeadBand? {
        guard var band = table.table("latency") else { return nil }
        let form = Form<Duration>.duration(.milliseconds(1) ... .seconds(3600))
        let good = band.require("good", form, such: "\"200ms\"")
        let bad = band.require("bad", form, such: "\"1s\"")
        band.finish()
        guard let good, let bad else { return nil }
        guard good < bad else {
            band.report("good", "\(TOMLText.duration(good)) is not shorter than 'bad', \(TOMLText.duration(bad))")
            return nil
        }
        if bad > timeout {
            band.warn("bad", "is longer than the timeout of \(TOMLText.duration(timeout)), so no check takes so long")
        }
        return DeadBand(good: Self.milliseconds(good), bad: Self.milliseconds(bad))
    }

    private mutating func readLoss() -> (DeadBand?, window: Int) {
        let standard = ProbeRule(name: name).lossWindow
        guard var band = table.table("loss") else { return (nil, standard) }
        let good = band.require("good", .percent, such: "10")
        let bad = band.require("bad", .percent, such: "40")
        let window = band.read("window", .integer(2...1000), default: standard)
        band.finish()
        guard let good, let bad else { return (nil, window) }
        guard let result = DeadBand(good: good, bad: bad) else {
            band.report("good", "\(Form.percent.text(good)) is not less than 'bad', \(Form.percent.text(bad))")
            return (nil, window)
        }
        return (result, window)
    }

    private mutating func readExpiry() -> ExpiryPolicy {
        let standard = ExpiryPolicy()
        let percents = Form<Int>.integer(1...99).list(0...16)
        let days = Form<Int>.integer(0...3650).list(0...16)
        return ExpiryPolicy(
            lifetimePercents: table.read("expiry_percent", percents, default: standard.lifetimePercents),
            days: table.read("expiry_days", days, default: standard.days)
        )
    }

    /// An address has one family; a name may have both.
    private mutating func readFamilies(connectTo: Probe.Endpoint?) -> ProbeRule.Families {
        let fixed = literalFamily(connectTo)
        let families = table.read("families", .choice, default: fixed ?? ProbeRule.Families.each)
        guard let fixed else { return families }
        if families != fixed, families == .ipv4 || families == .ipv6 {
            let text = fixed == .ipv4 ? "IPv4" : "IPv6"
            table.report("families", "'\(families.rawValue)' contradicts the address that is checked, which is \(text)")
        }
        return fixed
    }

    private func literalFamily(_ connectTo: Probe.Endpoint?) -> ProbeRule.Families? {
        let host: ServerIdentity
        switch target {
        case nil: return nil
        case .http(let url): host = connectTo?.host ?? url.host
        case .tcp(let name, _): host = connectTo?.host ?? name
        case .icmp(let name), .dns(let name, _, _, _): host = name
        }
        guard case .address(let bytes) = host else { return nil }
        return bytes.count == 4 ? .ipv4 : .ipv6
    }

    func addressFamilies(_ families: ProbeRule.Families) -> AddressFamilies {
        switch families {
        case .any, .each: .any
        case .ipv4: .ipv4
        case .ipv6: .ipv6
        }
    }

    private static func milliseconds(_ duration: Duration) -> Double {
        let (seconds, attoseconds) = duration.components
        return Double(seconds) * 1000 + Double(attoseconds) / 1e15
    }
}
