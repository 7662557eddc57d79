internal import Configuration
internal import ForeignText
internal import LinuxSupport
internal import NetlinkMonitor
internal import Probes
internal import Reachability

/// The addresses that an argument specifies: an address, the name of a target or probe, a host as in ``CheckTarget``, or a
/// URL.
struct RouteDestination: Sendable {
    /// The maximum number of addresses of one name.
    private static let maximumAddresses = 8

    /// The host name that was looked up; `nil` for an address.
    let name: String?
    /// The addresses, IPv4 first.
    let addresses: [IPAddress]

    /// A host without an address.
    struct Failure: Error, Sendable, CustomStringConvertible {
        let description: String
    }

    /// Finds the addresses; targets take precedence over probes of the same name, and both over hosts.
    ///
    /// Blocks during the lookup by the system's resolver.
    ///
    /// - Throws: ``Failure``, which a retry may avoid, or an error of ``CheckTarget`` for what is neither a host nor a URL,
    ///   or has only link-local addresses of IPv6.
    init(_ text: String, _ settings: Settings, resolver: any HostResolver = SystemResolver()) throws {
        if let target = settings.targets.first(where: { $0.name == text }) {
            (name, addresses) = (nil, [target.address])
            return
        }
        if let address = IPAddress(text) {
            (name, addresses) = (nil, try Self.withPath([address.unmapped]))
            return
        }
        let identity: ServerIdentity? =
            if let definition = settings.probes.first(where: { $0.name == text }) {
                definition.probe.connectTo?.host ?? definition.probe.target.host
            } else if let host = try? HTTPURL.host(text) {
                host
            } else if text.contains(where: { $0 == "/" || $0 == ":" }) {
                // A URL, or a host with a port or a path; the names of the configuration are looked for above.
                if case .target(let target) = try CheckTarget(text, settings) { target.host } else { nil }
            } else {
                nil
            }
        switch identity {
        case .address(let bytes)?:
            (name, addresses) = (nil, try Self.withPath([IPAddress(networkBytes: bytes)].compactMap(\.self)))
        case .name(let host)?:
            name = host
            switch HostNameLookup.addresses(of: host, resolver: resolver) {
            case .success(let found): addresses = Array(try Self.withPath(found).prefix(Self.maximumAddresses))
            case .failure(let failure): throw Failure(description: Self.text(text, host, failure, settings))
            }
        case nil:
            let reason = "'\(ForeignText.shown(text, limit: 64))' is neither an address nor a host name"
            throw CheckTarget.Unknown(description: "\(reason), and \(CheckTarget.unknown(text, settings))")
        }
    }

    /// Returns the addresses that have a path without an interface.
    private static func withPath(_ addresses: [IPAddress]) throws -> [IPAddress] {
        let found = addresses.filter { !$0.needsInterface }
        if found.isEmpty, let address = addresses.first {
            throw CheckTarget.Unknown(description: address.missingInterface)
        }
        return found
    }

    private static func text(
        _ text: String,
        _ host: String,
        _ failure: HostLookupFailure,
        _ settings: Settings
    ) -> String {
        let reason = "the host '\(ForeignText.shown(host, limit: 253))' was not found: \(failure.reason)"
        // A name without a dot was probably meant as a name of the configuration.
        guard text == host, !text.contains("." as Character) else { return "\(reason) [\(failure.code.rawValue)]" }
        return "\(reason) [\(failure.code.rawValue)]; \(CheckTarget.unknown(text, settings))"
    }
}

/// Looks host names up in the system's resolver, for a command that waits for the answer.
enum HostNameLookup {
    /// The timeout of the resolver.
    static let patience: Duration = .seconds(5)

    /// The addresses of both families, or the failure; blocks until both have answered, at most for the timeout.
    ///
    /// A family without an address is not a failure. The thread of an unanswered lookup stays in the C library.
    static func addresses(
        of name: String,
        timeout: Duration = patience,
        resolver: any HostResolver = SystemResolver()
    ) -> Result<[IPAddress], HostLookupFailure> {
        let answers = Monitor<[HostAddress.Family: Result<[HostAddress], HostLookupFailure>]>([:])
        let families: [HostAddress.Family] = [.ipv4, .ipv6]
        let lookups = families.map { family in
            resolver.lookUp(name, family: family) { answer in
                answers.withLock { $0[family] = answer }
                answers.wakeAll()
            }
        }
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let all = answers.wait { answers in
            let rest = ContinuousClock.now.duration(to: deadline)
            return answers.count == families.count || rest <= .zero ? .done(answers) : .sleep(rest)
        }
        for lookup in lookups { lookup.abandon() }
        let found = families.flatMap { (try? all[$0]?.get()) ?? [] }.compactMap { IPAddress(networkBytes: $0.bytes) }
        guard found.isEmpty else { return .success(found) }
        let failures = families.compactMap { family -> HostLookupFailure? in
            guard case .failure(let failure)? = all[family] else { return nil }
            return failure
        }
        let silence = HostLookupFailure(.dnsTimeout, reason: "no answer within \(timeout.secondsText)")
        guard failures.count == families.count else { return .failure(silence) }
        // A name that does not exist is a more specific failure than one without an address of a family.
        return .failure(failures.first { $0.code != .dnsNoAddress } ?? failures.first ?? silence)
    }
}
