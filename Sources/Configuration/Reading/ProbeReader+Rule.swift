internal import Probes
internal import Reachability

/// The evaluation of a probe's checks.
extension ProbeReader {
    mutating func readRule(
        timeout: Duration,
        connectTo: Probe.Endpoint?,
        plan: TransferPlan?
    ) -> ProbeRule {
        let keys = ProbeKeys.keys
        var usesTLS = false
        if case .http(let url) = target { usesTLS = url.scheme == .https }
        let rise = table.read(keys.rise)
        let fall = table.read(keys.fall)
        let latency = isTransfer ? nil : readLatency(timeout: timeout)
        let (loss, window) = readLoss()
        let interfaces = table.read(keys.interfaces)
        if case .matching(let names) = interfaces { warn(ofInterfaces: names, "interfaces") }
        let families = readFamilies(connectTo: connectTo)
        let isRequired = table.read(keys.required, default: !isPortalCheck && !isTransfer)
        if isTransfer, isRequired {
            table.report(
                keys.required.facts.name,
                "the connectivity never depends on a transfer, which is made only while it is full"
            )
        }
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
            transfer: isTransfer ? TransferReader.rule(in: table, plan: plan, timeout: timeout) : nil,
            interfaces: interfaces,
            families: families,
            expiry: isRequest ? readExpiry() : ExpiryPolicy()
        )
    }

    private mutating func readLatency(timeout: Duration) -> DeadBand? {
        guard var band = table.table(ProbeKeys.keys.latency) else { return nil }
        let good = band.read(LatencyKeys.keys.good)
        let bad = band.read(LatencyKeys.keys.bad)
        band.finish()
        guard let good, let bad else { return nil }
        guard good < bad else {
            band.report("good", "\(TOMLText.duration(good)) is not shorter than 'bad', \(TOMLText.duration(bad))")
            return nil
        }
        if bad > timeout {
            band.warn("bad", "is longer than the timeout of \(TOMLText.duration(timeout)), so no check takes so long")
        }
        return DeadBand(good: good / .milliseconds(1), bad: bad / .milliseconds(1))
    }

    private mutating func readLoss() -> (DeadBand?, window: Int) {
        let keys = LossKeys.keys
        guard var band = table.table(ProbeKeys.keys.loss) else { return (nil, keys.window.standard) }
        let good = band.read(keys.good)
        let bad = band.read(keys.bad)
        let window = band.read(keys.window)
        band.finish()
        guard let good, let bad else { return (nil, window) }
        guard let result = DeadBand(good: good, bad: bad) else {
            band.report(
                "good",
                "\(ValueFormat.percent.text(good)) is not less than 'bad', \(ValueFormat.percent.text(bad))"
            )
            return (nil, window)
        }
        return (result, window)
    }

    private mutating func readExpiry() -> ExpiryPolicy {
        ExpiryPolicy(
            lifetimePercents: table.read(ExpiryKeys.keys.expiryPercent),
            days: table.read(ExpiryKeys.keys.expiryDays)
        )
    }

    /// Reads the address families: an IP address has one, a name may have both.
    private mutating func readFamilies(connectTo: Probe.Endpoint?) -> ProbeRule.Families {
        let fixed = literalFamily(connectTo)
        let families = table.read(ProbeKeys.keys.families, default: fixed ?? (isTransfer ? .any : .each))
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

    static func addressFamilies(_ families: ProbeRule.Families) -> AddressFamilies {
        switch families {
        case .any, .each: .any
        case .ipv4: .ipv4
        case .ipv6: .ipv6
        }
    }
}
