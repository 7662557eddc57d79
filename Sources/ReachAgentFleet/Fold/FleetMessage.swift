internal import AgentEvents
internal import ForeignText

/// One stored event of one device.
struct FleetMessage: Sendable {
    /// The device as in its subject; empty if the subject has none.
    var device: ForeignText
    /// The id by which the broker knows the event: `<epoch>-<seq>`; `nil` if it has none, as with an MQTT bridge.
    var id: String?
    /// The moment at which the broker stored it.
    var stored: Timestamp
    /// The event: a CloudEvents object in JSON.
    var payload: [UInt8]

    /// The maximum size in bytes of an event whose content is read; a change of a path with many legs takes some
    /// thousand.
    static let maximumContentBytes = 64 << 10

    /// Returns the stream of numbers that the event belongs to, which changes after a snapshot of the device was
    /// restored.
    ///
    /// - Parameter own: The id in the event itself.
    func epoch(own: String?) -> ForeignText? {
        guard let id = id ?? own, let end = id.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
        let name = id.utf8[..<end]
        return name.count <= Self.maximumEpochBytes ? ForeignText(name) : nil
    }

    private static let maximumEpochBytes = 128
}

/// An event with its position in the stream.
struct DeliveredMessage: Sendable {
    var message: FleetMessage
    /// The position in the stream.
    var position: UInt64
    /// The number of events that wait at the broker after this one.
    var pending: UInt64
}
