/// A contender that delivers events to many subscribers.
package enum FanOutContender: String, Sendable, CaseIterable, Codable {
    /// Our `events.sock`.
    case events
    /// Our `control.sock`, with `subscribe`.
    case control
    /// Server-sent events over our `http.sock`.
    case http
    /// A loop of write(2) over the sockets: the floor.
    case writeLoop = "write-loop"
    /// Redis' PUBLISH and SUBSCRIBE.
    case redis

    package var name: String {
        switch self {
        case .events: "events.sock"
        case .control: "control.sock"
        case .http: "http.sock, /events"
        case .writeLoop: "write(2) loop"
        case .redis: "Redis pub/sub"
        }
    }

    /// A Boolean value that indicates whether the contender is this project's.
    package var isOurs: Bool { self == .events || self == .control || self == .http }

    /// The socket's name in the server's directory.
    package var socket: String {
        switch self {
        case .control: "control.sock"
        case .http: "http.sock"
        case .events, .writeLoop, .redis: "events.sock"
        }
    }

    /// The request that a subscriber sends first, if there is one.
    package var request: String? {
        switch self {
        case .events, .writeLoop: nil
        case .control: #"{"method":"subscribe","parameters":{},"more":true}"# + "\n"
        case .http: "GET /events HTTP/1.1\r\nHost: localhost\r\nAccept: text/event-stream\r\n\r\n"
        case .redis: "SUBSCRIBE events\r\n"
        }
    }
}
