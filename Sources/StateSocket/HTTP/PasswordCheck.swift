internal import FoundationEssentials
internal import NIOCore
internal import Nettle
internal import PortAccess

/// Checks the passwords of requests (RFC 7617).
///
/// Password hashing is slow by design, so it runs on its own thread, and an accepted password stays valid while it is
/// used. Guessing is rate-limited per host, which does not affect passwords that have already been accepted. Used only on
/// the event loop.
final class PasswordCheck {
    /// A hash that is queued or being computed, and the requests that wait for it.
    private final class Job {
        var waiting: [(Outcome) -> Void]

        init(_ whenDone: @escaping (Outcome) -> Void) { waiting = [whenDone] }
    }

    /// The result of a check.
    enum Outcome: Hashable {
        case accepted, refused
        /// Not checked, because of too many failures or too many concurrent checks.
        case tooMany
        /// Not checked, for a reason with a text for people.
        case failed(String)
    }

    /// The time for which an accepted password stays valid after its last use, so that guesses of others, which all
    /// wait for the same thread, do not keep a regular client out.
    private static let validity: TimeAmount = .seconds(300)
    /// As many as there may be users: one who is not remembered costs a hash with each request.
    private static let maximumAccepted = PasswordFile.maximumUsers
    /// The maximum number of wrong passwords of one host within ``failureTime``.
    static let maximumFailures = 10
    private static let failureTime: TimeAmount = .seconds(60)
    static let maximumHosts = 1024

    private let now: () -> NIODeadline
    private let queue = WorkQueue("password-", share: 4)
    /// The key of the digests by which passwords are remembered; it exists only in memory.
    private let key = (0..<32).map { _ in UInt8.random(in: .min ... .max) }
    private var accepted: [[UInt8]: NIODeadline] = [:]
    private var pending: [[UInt8]: Job] = [:]
    private var failures: [ClientOrigin: (count: Int, until: NIODeadline)] = [:]

    /// - Parameter now: The present time.
    init(now: @escaping () -> NIODeadline = NIODeadline.now) { self.now = now }

    /// Checks the `Authorization` header of a request.
    ///
    /// - Parameter whenDone: Called once, immediately or later.
    func check(
        _ values: [String],
        against file: PasswordFile,
        from origin: ClientOrigin,
        in hub: StreamHub,
        _ whenDone: @escaping (Outcome) -> Void
    ) {
        guard values.count == 1, let value = values.first, let (user, password) = Self.credentials(value) else {
            return whenDone(.refused)
        }
        let now = now()
        let digest = SHA2.sha256.authenticationCode(for: Array(value.utf8), key: key)
        if let until = accepted[digest], until > now {
            accepted[digest] = now + Self.validity
            return whenDone(.accepted)
        }
        guard mayTry(origin, at: now) else { return whenDone(.tooMany) }
        // A browser sends several requests at the same time.
        if let job = pending[digest] {
            job.waiting.append(whenDone)
            return
        }
        let job = Job(whenDone)
        pending[digest] = job
        let isTaken = queue.add(for: origin, in: hub) {
            file.accepts(user: user, password: password)
        } _: { [self] result in
            finish(job, of: digest, result, from: origin)
        }
        guard !isTaken else { return }
        pending[digest] = nil
        whenDone(.tooMany)
    }

    /// Forgets all results, because the passwords have changed; those of jobs that have not finished do not count.
    func forget() {
        accepted = [:]
        pending = [:]
        failures = [:]
    }

    /// Ends the thread.
    func stop() { queue.stop() }

    private func finish(_ job: Job, of digest: [UInt8], _ result: Result<Bool, any Error>, from origin: ClientOrigin) {
        // A job that is no longer pending has compared with passwords that have changed since.
        guard pending[digest] === job else {
            for whenDone in job.waiting { whenDone(.refused) }
            return
        }
        pending[digest] = nil
        let outcome: Outcome
        switch result {
        case .success(true):
            remember(digest)
            outcome = .accepted
        case .success(false):
            noteFailure(of: origin, at: now())
            outcome = .refused
        case .failure(let error): outcome = .failed("\(error)")
        }
        for whenDone in job.waiting { whenDone(outcome) }
    }

    private func remember(_ digest: [UInt8]) {
        let now = now()
        if accepted.count >= Self.maximumAccepted { accepted = accepted.filter { $0.value > now } }
        if accepted.count < Self.maximumAccepted { accepted[digest] = now + Self.validity }
    }

    private func mayTry(_ origin: ClientOrigin, at now: NIODeadline) -> Bool {
        guard let known = failures[origin], known.until > now else { return true }
        return known.count < Self.maximumFailures
    }

    private func noteFailure(of origin: ClientOrigin, at now: NIODeadline) {
        let known = failures[origin].flatMap { $0.until > now ? $0 : nil }
        // A full table must not refuse hosts that are not in it: an attacker with a /54 could fill it.
        if failures[origin] == nil, failures.count >= Self.maximumHosts,
            let oldest = failures.min(by: { $0.value.until < $1.value.until })?.key
        {
            failures[oldest] = nil
        }
        failures[origin] = ((known?.count ?? 0) + 1, known?.until ?? now + Self.failureTime)
    }

    /// Parses `Basic BASE64`.
    static func credentials(_ value: String) -> (user: [UInt8], password: [UInt8])? {
        let parts = value.utf8.split(separator: UInt8(ascii: " "), maxSplits: 1)
        guard parts.count == 2, let scheme = parts.first, let text = parts.last, text.count <= 1024,
            scheme.equalsIgnoringCase("basic"),
            let decoded = Data(base64Encoded: Data(text)),
            let colon = decoded.firstIndex(of: UInt8(ascii: ":"))
        else { return nil }
        return (Array(decoded[..<colon]), Array(decoded[(colon + 1)...]))
    }
}
