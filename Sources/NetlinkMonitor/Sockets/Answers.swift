internal import CLibNL
internal import Glibc

/// The progress of a dump.
struct Progress {
    let sequence: UInt32
    /// `true` if no more of the answer is needed.
    private(set) var isFinished = false
    /// `true` if the kernel has completed the answer.
    private(set) var isAnswered = false
    private(set) var hasEnough = false
    private(set) var wasInterrupted = false
    private(set) var failure: NetlinkError?

    init(sequence: UInt32) { self.sequence = sequence }

    /// Handles one message.
    ///
    /// DONE may share a datagram with data, and data may follow the last message that was needed.
    mutating func take(_ parsed: MessageParser.Parsed, _ body: (NetlinkMessage) -> RequestSocket.Verdict) {
        guard parsed.header.sequence == sequence, !isFinished else { return }
        if parsed.header.flags & UInt16(NLM_F_DUMP_INTR) != 0 { wasInterrupted = true }
        switch parsed.content {
        case .failure(let error): fail(.malformed(error), nil)
        case .success(.done(let code)):
            isAnswered = true
            isFinished = true
            if code != 0 { fail(.errno(code), nil) }
        case .success(.reply(let code, let text)):
            isAnswered = true
            isFinished = true
            if code != 0 { fail(.errno(code), text) }
        case .success(.overrun): fail(.errno(ENOBUFS), nil)
        case .success(let message):
            if case .enough = body(message) {
                hasEnough = true
                isFinished = true
            }
        }
    }

    private mutating func fail(_ cause: NetlinkError.Cause, _ text: String?) {
        isFinished = true
        if failure == nil { failure = NetlinkError(operation: "", cause: cause, kernelMessage: text) }
    }
}

/// The answers to a batch of lookups, matched by sequence number: one or two for each question.
struct LookupAnswers {
    private let firstSequence: UInt32
    private let messagesPerQuestion: Int
    private var answers: [NetlinkMessage?]
    private var missing: Int

    init(questions: Int, messagesPerQuestion: Int, firstSequence: UInt32) {
        self.firstSequence = firstSequence
        self.messagesPerQuestion = messagesPerQuestion
        answers = Array(repeating: nil, count: questions * messagesPerQuestion)
        missing = answers.count
    }

    var messageCount: Int { answers.count }

    var isComplete: Bool { missing == 0 }

    mutating func take(_ parsed: MessageParser.Parsed) {
        let index = Int(parsed.header.sequence &- firstSequence)
        guard answers.indices.contains(index), answers[index] == nil else { return }
        // A malformed answer is still an answer: the lookup has failed.
        answers[index] = (try? parsed.content.get()) ?? .reply(errno: EPROTO, text: nil)
        missing -= 1
    }

    /// The time until the first of the deciding table entries expires.
    var shortestLifetime: Duration? {
        guard messagesPerQuestion > 1 else { return nil }
        var shortest: Duration?
        for position in stride(from: 1, to: answers.count, by: messagesPerQuestion) {
            guard case .route(_, let lifetime?) = answers[position], lifetime > .zero else { continue }
            shortest = min(shortest ?? lifetime, lifetime)
        }
        return shortest
    }

    /// Returns the result for the question at a position.
    func lookup(at position: Int, for destination: IPAddress) -> RouteLookup {
        var matched: Route?
        if messagesPerQuestion > 1, case .route(let route, _) = answers[position * messagesPerQuestion + 1] {
            matched = route
        }
        return RouteLookup(destination: destination, outcome: outcome(at: position), matched: matched)
    }

    /// Returns the outcome for the question at a position.
    func outcome(at position: Int) -> RouteLookup.Outcome { outcome(answers[position * messagesPerQuestion]) }

    private func outcome(_ answer: NetlinkMessage?) -> RouteLookup.Outcome {
        switch answer {
        case .route(let route, _):
            guard let hop = route.nextHops.first, let interface = hop.interfaceIndex else {
                return .refused(refusal(route.type))
            }
            return .route(
                ResolvedRoute(
                    interfaceIndex: interface,
                    gateway: hop.gateway,
                    source: route.preferredSource,
                    table: route.table,
                    type: route.type
                )
            )
        // With a text the kernel rejects the question; without one, the errno is the answer.
        case .reply(let code, nil): return .refused(RouteLookup.Refusal(errno: code))
        case .reply(let code, _): return .refused(.failed(errno: code))
        default: return .refused(.failed(errno: EPROTO))
        }
    }

    private func refusal(_ type: RouteType) -> RouteLookup.Refusal {
        switch type {
        case .unreachable: .unreachable
        case .blackhole: .blackhole
        case .prohibit: .prohibited
        default: .noRoute
        }
    }
}

extension RouteLookup.Refusal {
    /// Creates the refusal for an errno of a route lookup or of connect(2).
    init(errno code: Int32) {
        self =
            switch code {
            case ENETUNREACH, EOPNOTSUPP, EAFNOSUPPORT: .noRoute
            case EHOSTUNREACH: .unreachable
            case EINVAL: .blackhole
            case EACCES: .prohibited
            default: .failed(errno: code)
            }
    }
}
