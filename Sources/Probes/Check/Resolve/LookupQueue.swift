internal import CheckResults

/// The lookups of a pool, running and queued, and the clients that share them.
///
/// The C library reads resolv.conf(5) once for each lookup, so a running lookup asks the name servers of the network on
/// which it started. A check of the next network must neither get their answer nor wait for their silence: a running
/// lookup is superseded, which means that later questions do not join it, once its clients have all left or the network
/// has changed. Nothing can end it, so superseded lookups occupy threads until the C library gives up.
struct LookupQueue: Sendable {
    /// The key of a lookup; equal questions share one lookup.
    struct Question: Sendable, Hashable {
        let name: String
        let family: HostAddress.Family
    }

    /// A lookup for a thread to make.
    struct Job: Sendable, Hashable {
        let number: UInt64
        let question: Question
    }

    /// One client's share of a lookup.
    struct Ticket: Sendable, Hashable {
        fileprivate let lookup: UInt64
        fileprivate let client: UInt64
    }

    typealias Answer = Result<[HostAddress], HostLookupFailure>
    typealias Completion = @Sendable (Answer) -> Void

    /// The maximum number of queued questions.
    static let maximumWaiting = 1024

    /// The maximum number of running lookups of one question that were superseded; the next one waits for their end.
    static let maximumSuperseded = 2

    private struct Lookup {
        let question: Question
        var completions: [UInt64: Completion]
        var isRunning: Bool
    }

    private let maximumRunning: Int
    private var lookups: [UInt64: Lookup] = [:]
    /// The lookups that equal questions join.
    private var shared: [Question: UInt64] = [:]
    /// The number of running lookups that equal questions do not join.
    private var superseded: [Question: Int] = [:]
    private var waiting: [UInt64] = []
    private var running = 0
    private var nextNumber: UInt64 = 0

    init(maximumRunning: Int) { self.maximumRunning = maximumRunning }

    /// Adds a client's question.
    ///
    /// - Returns: The client's ticket, and the lookup if it starts now; nil when the queue is full.
    mutating func add(_ question: Question, completion: @escaping Completion) -> (Ticket, Job?)? {
        let client = takeNumber()
        if let number = shared[question] {
            lookups[number]?.completions[client] = completion
            return (Ticket(lookup: number, client: client), nil)
        }
        let isRunning = mayStart(question)
        guard isRunning || waiting.count < Self.maximumWaiting else { return nil }
        let number = takeNumber()
        lookups[number] = Lookup(question: question, completions: [client: completion], isRunning: isRunning)
        shared[question] = number
        if isRunning { running += 1 } else { waiting.append(number) }
        return (Ticket(lookup: number, client: client), isRunning ? Job(number: number, question: question) : nil)
    }

    /// Returns the queued lookup to start in the place of one that ended, if there is one.
    mutating func takeNext() -> Job? {
        let index =
            waiting.firstIndex { lookups[$0].map { superseded[$0.question] == nil && mayStart($0.question) } ?? false }
            ?? waiting.firstIndex { lookups[$0].map { mayStart($0.question) } ?? false }
        guard let index else { return nil }
        let number = waiting.remove(at: index)
        guard let question = lookups[number]?.question else { return nil }
        lookups[number]?.isRunning = true
        running += 1
        return Job(number: number, question: question)
    }

    /// Removes a running lookup, which has ended, and returns the completions of its clients.
    mutating func remove(_ job: Job) -> [Completion] {
        guard let lookup = lookups.removeValue(forKey: job.number) else { return [] }
        running -= 1
        if shared[job.question] == job.number {
            shared[job.question] = nil
        } else {
            let others = superseded[job.question, default: 1] - 1
            superseded[job.question] = others > 0 ? others : nil
        }
        return Array(lookup.completions.values)
    }

    /// Removes a client; a running lookup without clients is superseded, and a queued one leaves the queue.
    mutating func abandon(_ ticket: Ticket) {
        guard var lookup = lookups[ticket.lookup], lookup.completions.removeValue(forKey: ticket.client) != nil else {
            return
        }
        lookups[ticket.lookup] = lookup
        guard lookup.completions.isEmpty else { return }
        if lookup.isRunning { return supersede(ticket.lookup, of: lookup.question) }
        lookups[ticket.lookup] = nil
        shared[lookup.question] = nil
        waiting.removeAll { $0 == ticket.lookup }
    }

    /// Supersedes the running lookups; their clients get their answers as before.
    mutating func supersedeAll() {
        for (question, number) in shared where lookups[number]?.isRunning == true { supersede(number, of: question) }
    }

    /// `true` while a client's lookup is queued behind those of other questions.
    ///
    /// Not while it waits for superseded ones of its own: then its name is what the name servers do not answer.
    func isWaiting(_ ticket: Ticket) -> Bool {
        guard let lookup = lookups[ticket.lookup], lookup.completions[ticket.client] != nil else { return false }
        return !lookup.isRunning && superseded[lookup.question] == nil
    }

    private mutating func supersede(_ number: UInt64, of question: Question) {
        guard shared[question] == number else { return }
        shared[question] = nil
        superseded[question, default: 0] += 1
    }

    /// Returns `true` if a thread is free for a question.
    ///
    /// A quarter of the threads is reserved for questions without superseded lookups: new lookups of names that hang must
    /// not use the threads of the others.
    private func mayStart(_ question: Question) -> Bool {
        guard let count = superseded[question] else { return running < maximumRunning }
        return count < Self.maximumSuperseded && running < maximumRunning - maximumRunning / 4
    }

    private mutating func takeNumber() -> UInt64 {
        defer { nextNumber &+= 1 }
        return nextNumber
    }
}
