public import AgentEvents
internal import Glibc
internal import LinuxSupport

/// A client of the agent's control socket, for single requests and for the stream of events.
///
/// The value holds no connection: each call makes its own connection, on its own thread. It may be used from any task.
public struct StateClient: Sendable, Hashable {
    /// The location that was named; `nil` for the one by ``explicit``.
    private let named: SocketLocation?
    /// The path of the socket or its directory, as it was named; `nil` for the default location.
    private let explicit: String?

    /// The location of the agent's control socket at this moment: the default one may change, and a directory may appear.
    public var location: SocketLocation { named ?? .control(explicit: explicit) }

    /// Returns the ``location`` at the moment of the call.
    var locate: @Sendable () -> SocketLocation { { [self] in location } }

    /// Creates a client of the agent behind a control socket.
    ///
    /// - Parameter socket: The path of the socket or its directory; `nil` for the default one. The socket is looked for
    ///   anew for each connection, see ``SocketLocation/control(explicit:)``.
    public init(socket: String? = nil) { (named, explicit) = (nil, socket) }

    /// Creates a client of the agent behind a control socket.
    public init(location: SocketLocation) { (named, explicit) = (location, nil) }

    /// Sends one request and waits for its one reply.
    ///
    /// No thread of Swift's cooperative pool is blocked. A cancelled task gets ``StateClientError/cancelled`` immediately,
    /// but the agent may still handle the request.
    ///
    /// - Parameters:
    ///   - method: The method, such as `status`.
    ///   - parameters: The parameters as one JSON object; empty for none.
    ///   - timeout: The timeout of the whole call.
    /// - Returns: The reply's parameters, as the text of one JSON object.
    /// - Throws: ``StateClientError/refused(code:message:)`` if the agent answers with an error, and the other errors if it
    ///   does not answer.
    public func call(
        _ method: String,
        parameters: [UInt8] = [],
        timeout: Duration = .seconds(5)
    ) async throws(StateClientError) -> [UInt8] {
        let wakeup = try Wakeup.make()
        let location = location
        let deadline = ContinuousClock.now.advanced(by: timeout)
        let reply: Result<[UInt8], StateClientError> = await withTaskCancellationHandler {
            await withCheckedContinuation { continuation in
                do throws(StateClientError) {
                    try NamedThread.startOrThrow("state-request") {
                        continuation.resume(
                            returning: Result { () throws(StateClientError) in
                                try Self.call(method, parameters, at: location, wakeup, deadline)
                            }
                        )
                    }
                } catch {
                    continuation.resume(returning: .failure(error))
                }
            }
        } onCancel: {
            wakeup.signal()
        }
        return try reply.get()
    }

    /// Sends one request and decodes its one reply.
    ///
    /// - Throws: The errors of ``call(_:parameters:timeout:)``, and ``StateClientError/malformed(_:)`` if the reply cannot
    ///   be decoded.
    public func call<Reply: Decodable>(
        _ method: String,
        parameters: [UInt8] = [],
        timeout: Duration = .seconds(5),
        as type: Reply.Type
    ) async throws(StateClientError) -> Reply {
        try Self.decode(type, from: try await call(method, parameters: parameters, timeout: timeout), to: method)
    }

    /// Requests the agent's status.
    ///
    /// - Throws: As ``call(_:parameters:timeout:as:)``.
    public func status(timeout: Duration = .seconds(5)) async throws(StateClientError) -> AgentStatus {
        try await call("status", timeout: timeout, as: AgentStatus.self)
    }

    /// Requests the list of the agent's connections.
    ///
    /// - Throws: As ``call(_:parameters:timeout:as:)``.
    public func subscribers(timeout: Duration = .seconds(5)) async throws(StateClientError) -> SubscriberList {
        try await call("subscribers", timeout: timeout, as: SubscriberList.self)
    }

    /// Decodes the parameters of a reply.
    ///
    /// - Throws: ``StateClientError/malformed(_:)`` if they cannot be decoded.
    package static func decode<Reply: Decodable>(
        _ type: Reply.Type,
        from parameters: [UInt8],
        to method: String
    ) throws(StateClientError) -> Reply {
        do {
            return try EventDecoder.decode(type, from: parameters)
        } catch {
            throw .undecodable("the reply to '\(method)'", error)
        }
    }

    /// Sends one request and waits for its one reply on the calling thread.
    static func call(
        _ method: String,
        _ parameters: [UInt8],
        at location: SocketLocation,
        _ wakeup: Wakeup,
        _ deadline: ContinuousClock.Instant
    ) throws(StateClientError) -> [UInt8] {
        var connection = try AgentConnection(to: location, wakeup: wakeup, deadline: deadline)
        try connection.send(method, parameters: parameters, deadline: deadline)
        let line = try connection.nextLine(deadline: deadline)
        switch try Reply(line) {
        case .error(let error): throw error.clientError
        case .parameters(let parameters, _):
            guard parameters.first == UInt8(ascii: "{") else {
                throw .malformed("the parameters of the reply to '\(method)' are not a JSON object")
            }
            return Array(parameters)
        }
    }
}
