/// An element of a stream.
public enum StreamItem: Sendable, Hashable {
    /// A connection was made, for the first time or again.
    case connected(Hello)
    /// The complete state, after the number of the hello before it.
    case snapshot(StreamLine)
    /// An event.
    ///
    /// Each number comes once and in order, over all connections.
    case event(StreamLine)
    /// The connection was lost, or could not be made; it is tried again after a while, or when the socket appears.
    case interrupted(ClientError, retryIn: Duration)
    /// The events with these numbers are no longer to be had; those among them that no filter holds back are lost.
    case missed(ClosedRange<UInt64>)
    /// The agent counts anew: the numbers so far mean nothing any more. The snapshot follows.
    case restarted(from: String?, to: String)
}
