/// Lines as the agent writes them.
package enum AgentLines {
    /// The stream that lines belong to when nothing else is said.
    package static let stream = "6f1c0000000000000000000000000001"

    /// `agent.hello`.
    package static func hello(_ number: UInt64, stream: String = stream, oldest: UInt64? = 1) -> String {
        let oldest = oldest.map { #","oldest_seq":\#($0)"# } ?? ""
        return envelope(
            "agent.hello",
            subject: "agent",
            data: #"{"version":"0.1.0","schema":1,"stream":"\#(stream)","seq":\#(number)\#(oldest),"pid":812}"#
        )
    }

    /// `network.snapshot`.
    package static func snapshot(_ state: String = state(via: "wifi"), targets: [String: String] = [:]) -> String {
        let targets = targets.sorted { $0.key < $1.key }.map { #"{"name":"\#($0.key)","state":\#($0.value)}"# }
        return envelope(
            "network.snapshot",
            subject: "default",
            data:
                #"{"state":\#(state),"targets":[\#(targets.joined(separator: ","))],"interfaces":[],"synchronized":true}"#
        )
    }

    /// `reachability.changed`.
    package static func changed(_ number: UInt64, from old: String = state(via: "wifi"), to new: String) -> String {
        transition("reachability.changed", number, subject: "default", old, new)
    }

    /// `target.changed`.
    package static func targetChanged(_ number: UInt64, _ target: String, to new: String) -> String {
        transition("target.changed", number, subject: target, state(via: "none", reason: "no_route"), new)
    }

    /// `path.changed`.
    package static func path(_ number: UInt64) -> String {
        transition(
            "path.changed",
            number,
            subject: "default",
            state(via: "none", reason: "no_route"),
            state(via: "wifi")
        )
    }

    private static func transition(
        _ type: String,
        _ number: UInt64,
        subject: String,
        _ old: String,
        _ new: String
    ) -> String {
        let cause = #"{"kind":"link","code":"link_down","interface":"wlan0"}"#
        let observed = "2026-11-21T07:00:00.000001Z"
        return envelope(
            type,
            number: number,
            subject: subject,
            data: #"{"from":\#(old),"to":\#(new),"cause":\#(cause),"observed":"\#(observed)","settled_ms":250}"#
        )
    }

    /// A state.
    package static func state(via: String, connectivity: String = "unknown", reason: String? = nil) -> String {
        let interface = ["wifi": "wlan0", "wwan": "wwan0", "wired": "eth0", "other": "tun0"][via]
        let why = reason.map { #","reason":"\#($0)""# } ?? ""
        let path = interface.map { #"{"via":"\#(via)","interface":"\#($0)"}"# } ?? #"{"via":"\#(via)"\#(why)}"#
        return #"{"via":"\#(via)","af_status":2,"connectivity":"\#(connectivity)"\#(why),"path":\#(path)}"#
    }

    /// An event as a reply that others follow.
    package static func reply(_ event: String) -> String { #"{"parameters":\#(event),"continues":true}"# }

    /// A reply that says that something was refused.
    package static func error(_ code: String, _ parameters: String = "{}") -> String {
        #"{"error":"\#(code)","parameters":\#(parameters)}"#
    }

    private static func envelope(_ type: String, number: UInt64? = nil, subject: String, data: String) -> String {
        let sequence = number.map { #""seq":\#($0),"# } ?? ""
        return #"{"specversion":"1.0","id":"\#(stream)-\#(number ?? 0)","source":"/reachagent/edge-7","#
            + #""type":"reachagent.\#(type)","subject":"\#(subject)","time":"2026-11-21T07:00:00.123456Z","#
            + #"\#(sequence)"data":\#(data)}"#
    }
}
