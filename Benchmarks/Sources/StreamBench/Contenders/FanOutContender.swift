/// Who hands events to many subscribers.
enum FanOutContender: String, Sendable, CaseIterable, Codable {
    /// Our `events.sock`.
    case events
    /// Our `control.sock`, with `subscribe`.
    case control
    /// A loop of write(2) over the sockets: the floor.
    case writeLoop = "write-loop"
    /// Redis' PUBLISH and SUBSCRIBE.
    case redis

    var name: String {
        switch self {
        case .events: "events.sock"
        case .control: "control.sock"
        case .writeLoop: "write(2) loop"
        case .redis: "Redis pub/sub"
        }
    }

    /// Whether it is ours.
    var isOurs: Bool { self == .events || self == .control }

    /// The socket's name in the server's directory.
    var socket: String { self == .control ? "control.sock" : "events.sock" }

    /// What a subscriber sends first.
    var request: String? {
        switch self {
        case .events, .writeLoop: nil
        case .control: #"{"method":"subscribe","parameters":{},"more":true}"# + "\n"
        case .redis: "SUBSCRIBE events\r\n"
        }
    }
}
