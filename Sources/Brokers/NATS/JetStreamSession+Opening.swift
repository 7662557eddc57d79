internal import AgentEvents
internal import Sinks

// The steps from the connection to the newest event of the stream.
extension JetStreamSession {
    static let noAnswer = TransportFailure(
        code: "broker_no_stream",
        detail: "JetStream does not answer: it is not enabled for this account, or the stream does not exist"
    )

    /// Starts with the first request.
    mutating func begin(_ now: ContinuousClock.Instant) {
        guard let configuredStream else {
            phase = .findingStream
            return ask("$JS.API.STREAM.NAMES", Self.object("subject", filter), now)
        }
        askNewest(of: configuredStream, now)
    }

    /// Handles the reply to the request.
    mutating func answered(_ message: NATSMessage, _ now: ContinuousClock.Instant) {
        do {
            switch phase {
            case .findingStream: try found(JetStreamReply.streamNames(message.payload), now)
            case .askingNewest: opened(try JetStreamReply.stored(message.payload, device: deviceToken))
            case .askingNewestDirectly: opened(try JetStreamReply.stored(message, device: deviceToken))
            case .connecting, .ready, .refusing, .closed: break
            }
        } catch let failure as JetStreamReply.Failure {
            let code = failure.isTemporary ? "broker_timeout" : "broker_no_stream"
            end(TransportFailure(code: code, detail: "the broker says: \(secrets.shown(failure.text))"))
        } catch let flaw as JetStreamReply.Flaw {
            let sender = stream.isEmpty ? "the broker" : "the stream '\(secrets.shown(stream))'"
            let subject = flaw.foreignSubject.map { ": '\(secrets.shown($0))'" }
            let code = subject == nil ? "broker_protocol" : "broker_conflict"
            end(TransportFailure(code: code, detail: "\(sender) \(flaw.text)\(subject ?? "")"))
        } catch {
            end(TransportFailure(code: "broker_protocol", detail: "the broker has sent an answer that cannot be read"))
        }
    }

    /// Handles a request without a usable reply.
    mutating func questionFailed(_ failure: TransportFailure, _ now: ContinuousClock.Instant) {
        guard phase == .askingNewest, failure.code == "broker_denied" else { return end(failure) }
        // A device without permission to see other devices' events may request only its own. The replying server may
        // lag behind the stream's leader, so this comes second: the leader then recognises the repeated events by their
        // ids.
        phase = .askingNewestDirectly
        ask("$JS.API.DIRECT.GET.\(stream).\(filter)", [], now)
    }

    private mutating func found(_ streams: [String], _ now: ContinuousClock.Instant) throws {
        guard let stream = streams.first else {
            return end(
                TransportFailure(
                    code: "broker_no_stream",
                    detail: "no stream of the broker's takes '\(filter)': make one, or correct 'subject'"
                )
            )
        }
        guard streams.count == 1 else {
            let names = streams.prefix(4).map { secrets.shown($0, limit: 64) }.joined(separator: ", ")
            return end(
                TransportFailure(
                    code: "broker_no_stream",
                    detail:
                        "several streams of the broker's take a part of '\(filter)': \(names); name one with 'stream'"
                )
            )
        }
        // A name is one token; anything else would change the subject of the request.
        guard (1...Self.maximumNameBytes).contains(stream.utf8.count),
            stream.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && !".*>".utf8.contains($0) })
        else { throw JetStreamReply.Flaw.unreadable }
        askNewest(of: stream, now)
    }

    private mutating func askNewest(of stream: String, _ now: ContinuousClock.Instant) {
        self.stream = stream
        phase = .askingNewest
        ask("$JS.API.STREAM.MSG.GET.\(stream)", Self.object("last_by_subj", filter), now)
    }

    private mutating func opened(_ stored: JetStreamReply.Stored?) {
        question = nil
        phase = .ready
        if let stored { newest[stored.subject] = stored.sequence }
        outputs.append(.report(.connected(newest: stored?.position)))
    }

    private mutating func ask(_ subject: String, _ payload: [UInt8], _ now: ContinuousClock.Instant) {
        number += 1
        question = Question(number: number, subject: subject, deadline: now + answerLimit)
        outputs.append(.send(NATSRequest(subject: subject, reply: "\(inbox).\(number)", payload: payload)))
    }

    private static func object(_ name: StaticString, _ value: String) -> [UInt8] {
        var json = JSONWriter()
        json.object { $0.member(name, value) }
        return json.bytes
    }
}
