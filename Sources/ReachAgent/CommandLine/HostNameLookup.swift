internal import LinuxSupport
internal import NetlinkMonitor
internal import Probes

/// Looks host names up in the system's resolver, for a command that waits for the answer.
enum HostNameLookup {
    /// The time that the resolver has.
    static let patience: Duration = .seconds(5)

    /// The addresses of both families, or the failure; blocks until both have answered, at most for the timeout.
    ///
    /// One family without an address is no failure. The thread of a lookup that is not answered stays in the C library.
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
        let silence = HostLookupFailure(.dnsTimeout, reason: "no answer within \(Self.seconds(timeout))")
        guard failures.count == families.count else { return .failure(silence) }
        // A name that does not exist says more than one without an address of a family.
        return .failure(failures.first { $0.code != .dnsNoAddress } ?? failures.first ?? silence)
    }

    private static func seconds(_ duration: Duration) -> String { "\(duration.components.seconds) s" }
}
