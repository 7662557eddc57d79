internal import AgentEvents
internal import Availability
internal import ForeignText

/// Devices by their names, folded from their events in the order of the broker.
struct Fleet: Sendable {
    /// The maximum number of devices.
    static let maximumDevices = 200_000

    /// The time of the figures; `nil` for the present state alone.
    let window: Window?
    private(set) var devices: [ForeignText: Device] = [:]
    /// The number of messages that were no events.
    private(set) var unreadable = 0
    /// True when there are more devices than are kept.
    private(set) var isTruncated = false

    /// A fleet without a device.
    ///
    /// - Parameter window: The time of which availability and outages are counted.
    init(window: Window? = nil) { self.window = window }

    /// Adds an event.
    mutating func add(_ message: FleetMessage) {
        // In place: a copy of a device with an account costs more than its events.
        if devices[message.device]?.add(message) ?? insert(message) { return }
        unreadable += 1
    }

    private mutating func insert(_ message: FleetMessage) -> Bool {
        guard !message.device.bytes.isEmpty else { return false }
        guard devices.count < Self.maximumDevices else {
            isTruncated = true
            return true
        }
        var device = Device(window: window, seen: message.stored)
        guard device.add(message) else { return false }
        devices[message.device] = device
        return true
    }

    /// A row for each device.
    ///
    /// Keeps the figures: only a device with newer events is counted again.
    mutating func rows(at now: Timestamp, silentAfter silence: Duration?) -> [FleetRow] {
        var rows: [FleetRow] = []
        rows.reserveCapacity(devices.count)
        for index in devices.indices {
            let name = devices[index].key
            let figures = devices.values[index].figures()
            rows.append(FleetRow(name, devices.values[index], figures, at: now, silentAfter: silence))
        }
        return rows
    }
}

/// A device at a moment.
struct FleetRow: Sendable {
    /// The device, as its subject names it.
    var device: ForeignText
    var host: String
    var state: DeviceState
    /// The beginning of the state.
    var since: Timestamp?
    var path: DevicePath?
    var uplinks: [DeviceUplink]
    var version: String?
    var lastSeen: Timestamp
    var sequence: UInt64
    var lost: UInt64
    var figures: DeviceFigures?

    init(_ name: ForeignText, _ device: Device, _ figures: DeviceFigures?, at now: Timestamp, silentAfter: Duration?) {
        self.device = name
        host = device.host
        (state, since) = device.state(at: now, silentAfter: silentAfter)
        path = device.path
        uplinks = device.uplinks
        version = device.version
        lastSeen = device.lastSeen
        sequence = device.position?.sequence ?? 0
        lost = device.lost
        self.figures = figures
    }
}

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
