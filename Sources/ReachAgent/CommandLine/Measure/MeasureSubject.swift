internal import ArgumentParser
internal import Configuration
internal import ForeignText
internal import Probes

/// The server that `reachagent measure` transfers from and to: a URL, or a configured probe with its headers and trust.
struct MeasureSubject {
    /// The payload bytes of a download if neither the command line nor the probe sets them.
    static let standardDownload = 20 << 20
    /// The payload bytes of an upload to `--upload-url` if nothing sets them.
    static let standardUpload = 5 << 20
    /// The duration of a transfer if neither the command line nor the probe sets it.
    static let standardTimeout: Duration = .seconds(120)

    /// The configured probe; nil for a URL.
    let definition: ProbeDefinition?
    private let target: ProbeTarget

    /// Finds the subject.
    ///
    /// - Parameter text: A URL, a host, or the name of a probe; nil for the only probe with a transfer.
    init(_ text: String?, _ settings: Settings) throws {
        let checked: CheckTarget
        if let text {
            do {
                checked = try CheckTarget(text, settings)
            } catch {
                throw WrongUsage.exit("\(error)")
            }
        } else {
            checked = .probe(try Self.onlyProbe(settings))
        }
        switch checked {
        case .probe(let definition): (self.definition, target) = (definition, definition.probe.target)
        case .target(let target): (definition, self.target) = (nil, target)
        }
        guard case .http = target else {
            throw WrongUsage.exit("a transfer needs an https:// or http:// URL, not \(target)")
        }
    }

    private static func onlyProbe(_ settings: Settings) throws -> ProbeDefinition {
        let probes = settings.probes.filter { $0.probe.transfer != nil }
        guard let probe = probes.first else {
            throw WrongUsage.exit(
                "the configuration has no probe with a transfer; name a URL: reachagent measure https://HOST/LARGE"
            )
        }
        guard probes.count == 1 else {
            let names = probes.prefix(8).map { ForeignText.shown($0.name, limit: 64) }.joined(separator: ", ")
            throw WrongUsage.exit("several probes have a transfer; name one of \(names)")
        }
        return probe
    }

    /// The check with its transfer, over the default path.
    ///
    /// - Parameters:
    ///   - standard: The check of a URL.
    ///   - options: The bytes, which override those of the probe.
    ///   - timeout: The maximum duration, which overrides that of the probe.
    func probe(_ standard: (ProbeTarget) throws -> Probe, _ options: MeasureOptions, timeout: Duration?) throws -> Probe
    {
        var probe = try definition?.probe ?? standard(target)
        if probe.transfer == nil {
            // An ordinary check's method, body and expectations are about its answer, not about a large object.
            var request = ProbeRequest(headers: probe.request.headers, query: probe.request.query)
            request.credentials = probe.request.credentials
            request.allowsCellularAccess = probe.request.allowsCellularAccess
            request.hiddenTexts = probe.request.hiddenTexts
            request.hiddenFields = probe.request.hiddenFields
            probe.request = request
            probe.expectations = ResponseExpectations()
            probe.timeout = Self.standardTimeout
        }
        if let timeout {
            probe.timeout = timeout
            probe.request.timeoutInterval = nil
        }
        probe.transfer = try options.plan(probe.transfer)
        return probe
    }
}
