internal import AgentEvents
internal import Availability
internal import ForeignText

/// Devices by name, folded from their events in the order of the broker.
struct Fleet: Sendable {
    /// The maximum number of devices.
    static let maximumDevices = 200_000

    /// The window of the figures; `nil` for only the current state.
    let window: Window?
    private(set) var devices: [ForeignText: Device] = [:]
    /// The number of messages that were not events.
    private(set) var unreadable = 0
    /// True if some devices were omitted because there were too many.
    private(set) var isTruncated = false

    /// Creates a fleet without devices.
    ///
    /// - Parameter window: The window in which availability and outages are counted.
    init(window: Window? = nil) { self.window = window }

    /// Adds an event.
    mutating func add(_ message: FleetMessage) {
        // In place, because a copy of a device with an account costs more than its events.
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

    /// Returns a row for each device.
    ///
    /// Keeps the figures: they are computed again only for a device with newer events.
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

/// The state of a device at a moment.
struct FleetRow: Sendable {
    /// The device as in its subject.
    var device: ForeignText
    var host: String
    var state: DeviceState
    /// The start of the state.
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
        sequence = device.sequence
        lost = device.lost
        self.figures = figures
    }
}
