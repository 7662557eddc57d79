internal import NIOCore

/// The requests of one connection, as far as the hub treats all protocols alike.
protocol RequestHandler: AnyObject {
    /// The time since which the client owes a request: its first one, or the rest of an incomplete one.
    var owesSince: NIODeadline? { get }
    /// The memory of requests that were read but not handled, in bytes.
    var heldBytes: Int { get }

    /// Handles at most one request; `true` if there may be another one.
    func takeTurn() -> Bool
    /// Marks the input as closed.
    func closeInput()
    /// Continues after the connection became writable.
    func resume()
    /// Closes the connection once everything is answered, if the client has closed its side or the agent stops.
    func closeIfDone()
    /// Ends the connection with an error; its input is dropped.
    func refuse(_ failure: ControlFailure)
    /// Drops the input.
    func forget()
}

extension Conversation: RequestHandler {}
extension HTTPExchange: RequestHandler {}
