internal import AgentEvents
internal import ForeignText

extension ControlRequest {
    /// The maximum length of the texts for people in a report, in bytes; longer ones are truncated.
    private static let detailLimit = 512

    /// Returns the report in a `sink` request.
    func sinkReport() throws(ControlFailure) -> SinkReport {
        // Optional parameters are read first, so that an error names an invalid one before a missing one.
        let device = try text("device")
        let stream = try text("stream")
        let bytes: UInt64? = try parameter { parameters throws(JSONObject.Flaw) in try parameters.integer("bytes") }
        let loss = try parameter { parameters throws(JSONObject.Flaw) in try parameters.object("lost") }
        let members = try parameter { parameters throws(JSONObject.Flaw) in try parameters.object("status") }
        guard let members else { throw Self.invalidParameters("the parameter 'status' is missing") }
        let status = try Self.status(members)
        return SinkReport(
            status: status,
            device: device ?? "",
            stream: stream,
            bytes: bytes ?? 0,
            lost: try loss.map { members throws(ControlFailure) in try Self.loss(members, of: status.name) }
        )
    }

    private static func status(_ members: JSONObject) throws(ControlFailure) -> SinkStatus {
        let state = SinkStatus.State(try requiredText("state", of: members))
        guard [.waiting, .connecting, .connected].contains(state) else {
            throw invalidParameters("'state' must be \"waiting\", \"connecting\" or \"connected\"")
        }
        var status = SinkStatus(
            name: try requiredText("name", of: members),
            broker: try exact("broker", of: members) ?? "",
            state: state
        )
        status.since = try time("since", of: members)
        status.code = try code(of: members)
        status.detail = try shown("detail", of: members)
        status.acknowledged = try number("acknowledged_seq", of: members)
        status.acknowledgedTime = try time("acknowledged_time", of: members)
        return status
    }

    private static func loss(_ members: JSONObject, of sink: String) throws(ControlFailure) -> SinkLoss {
        guard let first = try number("first_seq", of: members), let last = try number("last_seq", of: members),
            let code = try code(of: members), 1 <= first, first <= last
        else { throw invalidParameters("'lost' needs 'code', 'first_seq' and a 'last_seq' that is not smaller") }
        return SinkLoss(sink: sink, firstSequence: first, lastSequence: last, code: code)
    }

    // MARK: Members

    /// Returns the short text of a parameter.
    private func text(_ name: String) throws(ControlFailure) -> String? {
        guard let bytes = try parameter({ parameters throws(JSONObject.Flaw) in try parameters.string(name) }) else {
            return nil
        }
        return try Self.word(bytes, name)
    }

    private static func requiredText(_ name: String, of members: JSONObject) throws(ControlFailure) -> String {
        try word(member { () throws(JSONObject.Flaw) in try members.requiredString(name) }, name)
    }

    /// Returns a code in snake_case; `nil` if there is none.
    private static func code(of members: JSONObject) throws(ControlFailure) -> String? {
        guard let bytes = try member({ () throws(JSONObject.Flaw) in try members.string("code") }) else { return nil }
        let code = try word(bytes, "code")
        let isCode = code.utf8.allSatisfy { (0x61...0x7A).contains($0) || (0x30...0x39).contains($0) || $0 == 0x5F }
        guard isCode else { throw invalidParameters("'code' must be a word of small letters, digits and '_'") }
        return code
    }

    private static func word(_ bytes: [UInt8], _ name: String) throws(ControlFailure) -> String {
        guard (1...shownLimit).contains(bytes.count), bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else {
            throw invalidParameters("'\(name)' must have 1 to \(shownLimit) characters of ASCII")
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Returns a text that is compared, and never shown unless it is equal to one of ours.
    private static func exact(_ name: String, of members: JSONObject) throws(ControlFailure) -> String? {
        let bytes = try member { () throws(JSONObject.Flaw) in try members.string(name) }
        return bytes.map { String(decoding: $0, as: UTF8.self) }
    }

    /// Returns a text for people, with any content.
    private static func shown(_ name: String, of members: JSONObject) throws(ControlFailure) -> String? {
        try member { () throws(JSONObject.Flaw) in try members.string(name) }
            .map { ForeignText.shown($0, limit: detailLimit) }
    }

    private static func number(_ name: String, of members: JSONObject) throws(ControlFailure) -> UInt64? {
        let number: UInt64? = try member { () throws(JSONObject.Flaw) in try members.integer(name) }
        guard number ?? 0 <= UInt64(Int64.max) else {
            throw invalidParameters("'\(name)' must be a number of an event")
        }
        return number
    }

    private static func time(_ name: String, of members: JSONObject) throws(ControlFailure) -> Timestamp? {
        guard let text = try member({ () throws(JSONObject.Flaw) in try members.string(name) }) else { return nil }
        guard let time = Timestamp(utc: text.span) else {
            throw invalidParameters("'\(name)' must be an RFC 3339 time in UTC, such as \"2026-11-21T07:00:00Z\"")
        }
        return time
    }

    /// Reads a member of an object among the parameters.
    private static func member<Value>(_ body: () throws(JSONObject.Flaw) -> Value) throws(ControlFailure) -> Value {
        try read("member", code: .invalidParameters, body)
    }
}
