/// The streams to which events are delivered, and those that wait for the events of their snapshots.
///
/// Used only on the event loop.
struct LiveStreams {
    /// The streams that get numbered events, in any order.
    private(set) var all: [EventStream] = []
    /// Those that select unnumbered events too.
    private var listening: [EventStream] = []
    private var parked: [EventStream] = []
    private let broadcasts: Broadcasts

    /// Creates an empty list.
    ///
    /// - Parameter broadcasts: The unnumbered events, of which only the selected types are queued.
    init(_ broadcasts: Broadcasts) { self.broadcasts = broadcasts }

    /// `true` if no stream waits for any event.
    var isEmpty: Bool { all.isEmpty && parked.isEmpty }

    /// Adds a stream that waits until the bus has released the events in its snapshot.
    mutating func park(_ stream: EventStream) { parked.append(stream) }

    /// Takes the streams that wait.
    mutating func takeParked() -> [EventStream] {
        defer { parked = [] }
        return parked
    }

    /// Adds a stream, once.
    mutating func add(_ stream: EventStream) {
        guard stream.liveIndex == nil else { return }
        stream.liveIndex = all.count
        all.append(stream)
        guard stream.listener != nil else { return }
        listening.append(stream)
        selectTypes()
    }

    /// Removes a stream, whether it is live, parked or neither.
    ///
    /// One of a thousand live streams is found by its index.
    mutating func remove(_ stream: EventStream) {
        parked.removeAll { $0 === stream }
        guard let index = stream.liveIndex else { return }
        stream.liveIndex = nil
        if stream.listener != nil {
            listening.removeAll { $0 === stream }
            selectTypes()
        }
        all.swapAt(index, all.count - 1)
        all.removeLast()
        if index < all.count { all[index].liveIndex = index }
    }

    /// Takes the queued unnumbered events, and the streams that get them.
    func takeBroadcasts() -> (batch: Broadcasts.Batch, streams: [EventStream]) { (broadcasts.take(), listening) }

    private func selectTypes() { broadcasts.select(listening.lazy.flatMap { $0.listener?.types ?? [] }) }
}
