internal import Glibc
internal import NetlinkTestKit
internal import Testing

@testable internal import NetlinkMonitor

/// The matching of answers to requests, and their parsing.
struct AnswersTests {
    private func parsed(_ messages: MessageBuilder...) -> [MessageParser.Parsed] {
        var all: [MessageParser.Parsed] = []
        NetlinkDatagram(messages).withBytes { bytes in
            do throws(MessageError) {
                try MessageParser.forEachMessage(in: bytes) { all.append($0) }
            } catch {
                Issue.record("\(error)")
            }
        }
        return all
    }

    private func progress(
        _ messages: [MessageParser.Parsed],
        verdict: RequestSocket.Verdict = .more
    ) -> (progress: Progress, taken: Int) {
        var progress = Progress(sequence: 7)
        var taken = 0
        for message in messages {
            progress.take(message) { _ in
                taken += 1
                return verdict
            }
        }
        return (progress, taken)
    }

    @Test("a dump ends with DONE, even in the middle of a datagram")
    func done() {
        let (progress, taken) = progress(
            parsed(
                MessageBuilder.link(1, "lo").answering(7),
                MessageBuilder.done().answering(7),
                MessageBuilder.link(2, "late").answering(7)
            )
        )
        #expect(progress.isFinished && progress.isAnswered && progress.failure == nil)
        #expect(taken == 1)
    }

    @Test("answers to other requests are ignored")
    func otherSequence() {
        let (progress, taken) = progress(
            parsed(MessageBuilder.link(1, "lo").answering(6), MessageBuilder.done().answering(8))
        )
        #expect(!progress.isFinished)
        #expect(taken == 0)
    }

    @Test("reading stops when it has enough, even if the kernel has more messages")
    func enough() {
        let messages = parsed(MessageBuilder.link(1, "a").answering(7), MessageBuilder.link(2, "b").answering(7))
        let (progress, taken) = progress(messages, verdict: .enough)
        #expect(progress.isFinished && progress.hasEnough && !progress.isAnswered)
        #expect(taken == 1)
    }

    @Test("an interruption is detected on any message of the dump")
    func interrupted() {
        let (progress, _) = progress(
            parsed(MessageBuilder.link(1, "lo").answering(7, interrupted: true), MessageBuilder.done().answering(7))
        )
        #expect(progress.wasInterrupted && progress.isFinished)
    }

    @Test("a failure names its cause and the kernel's error message")
    func failures() {
        var broken = MessageBuilder.link(1, "lo").answering(7)
        broken.attributes[0].claimedLength = 1
        var reply = MessageBuilder.reply(errno: EPERM, message: "not you")
        reply.sequence = 7
        let malformed = NetlinkError.Cause.malformed(.badAttributeLength(type: Rtnetlink.newLink, offset: 0))
        #expect(progress(parsed(broken)).progress.failure?.cause == malformed)
        #expect(
            progress(parsed(MessageBuilder.done(errno: EBUSY).answering(7))).progress.failure?.cause == .errno(EBUSY)
        )
        let refused = progress(parsed(reply)).progress.failure?.naming("dump links")
        #expect(refused?.description == "dump links: Operation not permitted (not you)")
    }

    @Test(
        "an errno is mapped to the outcome of a route lookup",
        arguments: [
            (ENETUNREACH, RouteLookup.Refusal.noRoute), (EHOSTUNREACH, .unreachable), (EINVAL, .blackhole),
            (EACCES, .prohibited), (EAFNOSUPPORT, .noRoute), (ENOMEM, .failed(errno: ENOMEM)),
        ]
    )
    func refusals(errno: Int32, expected: RouteLookup.Refusal) throws {
        var answers = LookupAnswers(questions: 1, messagesPerQuestion: 2, firstSequence: 7)
        for sequence: UInt32 in [8, 7] {
            var reply = MessageBuilder.reply(errno: errno)
            reply.sequence = sequence
            for message in parsed(reply) { answers.take(message) }
        }
        #expect(answers.isComplete)
        #expect(try answers.lookup(at: 0, for: ip("192.0.2.1")).outcome == .refused(expected))
    }

    @Test("the two answers to a lookup are matched by sequence number, in any order")
    func lookup() throws {
        let way = Route(
            destination: try prefix("192.0.2.1/32"),
            table: 51820,
            preferredSource: try ip("10.0.0.2"),
            nextHops: [NextHop(interfaceIndex: 3, gateway: try ip("10.0.0.1"))]
        )
        let entry = Route(destination: .everything(.ipv4), table: 51820, nextHops: way.nextHops)
        var answers = LookupAnswers(questions: 1, messagesPerQuestion: 2, firstSequence: 7)
        let messages = parsed(
            MessageBuilder.route(entry).answering(8),
            MessageBuilder.route(way).answering(7),
            MessageBuilder.reply(errno: EINVAL).answering(7),
            MessageBuilder.route(way).answering(99)
        )
        for message in messages { answers.take(message) }
        let lookup = try answers.lookup(at: 0, for: ip("192.0.2.1"))
        #expect(answers.isComplete && lookup.isAnsweredByDefault)
        #expect(
            try lookup.route
                == ResolvedRoute(interfaceIndex: 3, gateway: ip("10.0.0.1"), source: ip("10.0.0.2"), table: 51820)
        )
    }

    @Test("a malformed answer is a failed lookup, not a missing one")
    func unreadableAnswer() throws {
        var broken = MessageBuilder.route(Route(destination: .everything(.ipv4))).answering(7)
        broken.attributes = [NetlinkAttribute(Rtnetlink.Route.interface, [1])]
        var answers = LookupAnswers(questions: 1, messagesPerQuestion: 2, firstSequence: 7)
        for message in parsed(broken, MessageBuilder.reply(errno: ENETUNREACH).answering(8)) { answers.take(message) }
        #expect(answers.isComplete)
        #expect(try answers.lookup(at: 0, for: ip("192.0.2.1")).outcome == .refused(.failed(errno: EPROTO)))
    }
}
