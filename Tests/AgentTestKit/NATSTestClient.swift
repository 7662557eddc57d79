package import Foundation
import Glibc

/// A client of a nats-server that knows as much of the protocol as a test needs, and shares no code with the product.
///
/// It blocks; use it through `onThread`, or in a suite with the trait `.onOwnThread`.
package final class NATSTestClient {
    /// A message as it came.
    package struct Message {
        /// The subject.
        package var subject: String
        /// The header lines by name; `Status` is the status of one without a payload, such as 503.
        package var headers: [String: String]
        /// The payload.
        package var payload: Data

        /// The payload as a JSON object.
        package var json: [String: Any] {
            (try? JSONSerialization.jsonObject(with: payload)) as? [String: Any] ?? [:]
        }
    }

    /// A message in a stream.
    package struct Stored {
        /// The number in the stream.
        package var sequence: UInt64
        /// The message.
        package var message: Message
    }

    private let descriptor: Int32
    private var received: [UInt8] = []
    private var inbox = "_INBOX.\(UUID().uuidString).1"
    private var number = 1

    /// Connects.
    ///
    /// - Parameters:
    ///   - options: The members of `CONNECT`'s object besides those that always count, such as `"user":"a"`.
    ///   - patience: The seconds after which an answer that has not come is an error.
    package init(port: UInt16, options: String = "", patience: Int = 30) throws {
        descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue), 0)
        var address = sockaddr_in()
        address.sin_family = sa_family_t(AF_INET)
        address.sin_port = port.bigEndian
        address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
        let result = withUnsafePointer(to: &address) { address in
            address.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                connect(descriptor, $0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
        guard result == 0 else { throw FinishedCommand.Failure(description: "cannot connect to port \(port)") }
        var patience = timeval(tv_sec: patience, tv_usec: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_RCVTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
        let more = options.isEmpty ? "" : "," + options
        try send(#"CONNECT {"verbose":false,"pedantic":false,"headers":true,"no_responders":true\#(more)}"# + "\r\n")
        try send("SUB _INBOX.\(inbox.split(separator: ".")[1]).* 1\r\nPING\r\n")
        while try line() != "PONG" {}
    }

    deinit { close(descriptor) }

    /// Sends a request and returns the answer.
    package func request(_ subject: String, _ payload: String = "") throws -> Message {
        try requests([(subject, payload)])[0]
    }

    /// Sends requests at once, and returns the answers in their order.
    package func requests(_ requests: [(subject: String, payload: String)]) throws -> [Message] {
        var text = ""
        var places: [String: Int] = [:]
        for (place, request) in requests.enumerated() {
            number += 1
            let reply = "\(inbox.prefix(inbox.count - 2)).\(number)"
            places[reply] = place
            text += "PUB \(request.subject) \(reply) \(request.payload.utf8.count)\r\n\(request.payload)\r\n"
        }
        try send(text)
        var answers = [Message?](repeating: nil, count: requests.count)
        while !places.isEmpty {
            let message = try next()
            if let place = places.removeValue(forKey: message.subject) { answers[place] = message }
        }
        return answers.compactMap(\.self)
    }

    /// Makes a stream.
    ///
    /// - Parameter options: Members of the configuration besides name and subjects, such as `"max_age":1000000000`.
    package func makeStream(_ name: String, subjects: String = "reachagent.>", options: String = "") throws {
        try configure("CREATE", name, subjects, options)
    }

    /// Changes a stream; what the options do not name has its default again.
    package func changeStream(_ name: String, subjects: String = "reachagent.>", options: String) throws {
        try configure("UPDATE", name, subjects, options)
    }

    private func configure(_ verb: String, _ name: String, _ subjects: String, _ options: String) throws {
        let more = options.isEmpty ? "" : "," + options
        let answer = try request(
            "$JS.API.STREAM.\(verb).\(name)",
            #"{"name":"\#(name)","subjects":["\#(subjects)"],"storage":"file"\#(more)}"#
        )
        guard answer.json["error"] == nil else {
            throw FinishedCommand.Failure(description: String(decoding: answer.payload, as: UTF8.self))
        }
    }

    /// The first and last number of a stream, and the number of its messages.
    package func state(of stream: String) throws -> (first: UInt64, last: UInt64, messages: UInt64) {
        let state = try request("$JS.API.STREAM.INFO.\(stream)").json["state"] as? [String: Any] ?? [:]
        func value(_ name: String) -> UInt64 { (state[name] as? NSNumber)?.uint64Value ?? 0 }
        return (value("first_seq"), value("last_seq"), value("messages"))
    }

    /// All messages of a stream, in order.
    package func messages(of stream: String) throws -> [Stored] {
        let (first, last, count) = try state(of: stream)
        guard count > 0 else { return [] }
        var all: [Stored] = []
        var next = first
        while next <= last {
            let numbers = next...min(next + 255, last)
            next = numbers.upperBound + 1
            let answers = try requests(numbers.map { ("$JS.API.STREAM.MSG.GET.\(stream)", #"{"seq":\#($0)}"#) })
            for (number, answer) in zip(numbers, answers) {
                guard let message = answer.json["message"] as? [String: Any] else { continue }
                let headers = (message["hdrs"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
                let payload = (message["data"] as? String).flatMap { Data(base64Encoded: $0) } ?? Data()
                let subject = message["subject"] as? String ?? ""
                all.append(
                    Stored(
                        sequence: number,
                        message: Message(subject: subject, headers: Self.headers(headers), payload: payload)
                    )
                )
            }
        }
        return all
    }

    /// Subscribes to a subject; its messages come from ``next()``.
    package func subscribe(_ subject: String) throws {
        number += 1
        try send("SUB \(subject) \(number)\r\nPING\r\n")
        while try line() != "PONG" {}
    }

    /// Publishes a message.
    package func publish(_ subject: String, _ payload: String) throws {
        try send("PUB \(subject) \(payload.utf8.count)\r\n\(payload)\r\n")
    }

    /// The next message.
    package func next() throws -> Message {
        while true {
            let words = try line().split(separator: " ").map(String.init)
            switch words.first {
            case "PING": try send("PONG\r\n")
            case "MSG":
                let payload = try bytes(Int(words.last ?? "") ?? 0)
                return Message(subject: words[1], headers: [:], payload: Data(payload))
            case "HMSG":
                let total = try bytes(Int(words.last ?? "") ?? 0)
                let headers = total.prefix(Int(words[words.count - 2]) ?? 0)
                return Message(
                    subject: words[1],
                    headers: Self.headers(Data(headers)),
                    payload: Data(total.dropFirst(headers.count))
                )
            case "-ERR": throw FinishedCommand.Failure(description: words.joined(separator: " "))
            default: break
            }
        }
    }

    private static func headers(_ bytes: Data) -> [String: String] {
        var headers: [String: String] = [:]
        for (number, line) in String(decoding: bytes, as: UTF8.self).split(separator: "\r\n").enumerated() {
            if number == 0 {
                headers["Status"] = line.split(separator: " ").dropFirst().first.map(String.init)
            } else if let colon = line.firstIndex(of: ":") {
                headers[String(line[..<colon])] = line[line.index(after: colon)...].trimmingCharacters(in: .whitespaces)
            }
        }
        return headers
    }

    private func send(_ text: String) throws {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Glibc.send(descriptor, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL)) }
            guard count > 0 else { throw FinishedCommand.Failure(description: "the server has gone") }
            rest = rest.dropFirst(count)
        }
    }

    private func line() throws -> String {
        while true {
            if let end = received.firstIndex(of: 0x0A) {
                let line = String(decoding: received[..<end], as: UTF8.self).trimmingCharacters(in: .whitespaces)
                received.removeFirst(end + 1)
                return line.hasSuffix("\r") ? String(line.dropLast()) : line
            }
            try receive()
        }
    }

    private func bytes(_ count: Int) throws -> [UInt8] {
        while received.count < count + 2 { try receive() }
        defer { received.removeFirst(count + 2) }
        return Array(received[..<count])
    }

    private func receive() throws {
        var chunk = [UInt8](repeating: 0, count: 65_536)
        let count = recv(descriptor, &chunk, chunk.count, 0)
        guard count > 0 else { throw FinishedCommand.Failure(description: "the server says nothing more") }
        received += chunk[..<count]
    }
}
