internal import AgentEvents
internal import ForeignText

/// One stored event of one device.
struct FleetMessage: Sendable {
    /// The device, as its subject names it; empty where it does not.
    var device: ForeignText
    /// The id by which the broker knows the event: `<epoch>-<seq>`; `nil` where it has none, as behind an MQTT bridge.
    var id: String?
    /// The moment at which the broker stored it.
    var stored: Timestamp
    /// The event: a CloudEvents object in JSON.
    var payload: [UInt8]

    /// The maximum number of bytes of an event whose content is read; a change of a path with many legs has some thousand.
    static let maximumContentBytes = 64 << 10

    /// The stream of numbers that the event belongs to, which is another one after a snapshot of the device was restored.
    ///
    /// - Parameter own: The id in the event itself.
    func epoch(own: String?) -> ForeignText? {
        guard let id = id ?? own, let end = id.utf8.lastIndex(of: UInt8(ascii: "-")) else { return nil }
        let name = id.utf8[..<end]
        return name.count <= Self.maximumEpochBytes ? ForeignText(name) : nil
    }

    private static let maximumEpochBytes = 128
}
