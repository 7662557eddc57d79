import AgentTestKit
internal import Foundation

/// A tree like `/sys` in a temporary directory, removed with the object.
final class SysfsTree {
    private let temporary: TemporaryDirectory
    var root: String { temporary.path }

    init() throws {
        temporary = try TemporaryDirectory()
        try FileManager.default.createDirectory(atPath: "\(root)/class/net", withIntermediateDirectories: true)
    }

    /// Adds an interface, laid out as the kernel does it: `device` leads to a device with a driver and a bus.
    func add(
        _ name: String,
        index: UInt32,
        deviceType: String? = nil,
        phy80211: Bool = false,
        driver: String? = nil,
        bus: String? = nil
    ) throws {
        let files = FileManager.default
        let directory = "\(root)/class/net/\(name)"
        try? files.removeItem(atPath: directory)
        try files.createDirectory(atPath: directory, withIntermediateDirectories: true)
        try "\(index)\n".write(toFile: "\(directory)/ifindex", atomically: false, encoding: .utf8)
        let type = deviceType.map { "DEVTYPE=\($0)\n" } ?? ""
        let uevent = "\(type)INTERFACE=\(name)\nIFINDEX=\(index)\n"
        try uevent.write(toFile: "\(directory)/uevent", atomically: false, encoding: .utf8)
        if phy80211 {
            try files.createSymbolicLink(atPath: "\(directory)/phy80211", withDestinationPath: root)
        }
        guard driver != nil || bus != nil else { return }
        try files.createDirectory(atPath: "\(directory)/device", withIntermediateDirectories: true)
        if let driver {
            try files.createSymbolicLink(
                atPath: "\(directory)/device/driver",
                withDestinationPath: "../../../../bus/any/drivers/\(driver)"
            )
        }
        if let bus {
            try files.createSymbolicLink(
                atPath: "\(directory)/device/subsystem",
                withDestinationPath: "../../../../bus/\(bus)"
            )
        }
    }
}
