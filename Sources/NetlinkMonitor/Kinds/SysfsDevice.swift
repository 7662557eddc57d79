internal import Glibc

/// The properties of a network interface in sysfs.
struct SysfsDevice: Sendable, Hashable {
    /// The `DEVTYPE` in the uevent file, such as wlan, wwan, bluetooth or gadget.
    var deviceType: String?
    /// `true` if cfg80211 owns the interface.
    var hasPhy80211 = false
    /// The driver of the parent device, such as `cdc_ether`.
    var driver: String?
    /// The bus of the parent device, such as `pci` or `usb`.
    var bus: String?
}

/// Reads the properties of interfaces from sysfs.
///
/// Sysfs shows the namespace of the process that mounted it, and a name may have changed since the kernel sent it. So a
/// directory is used only if its `ifindex` is the expected one.
struct SysfsReader: Sendable {
    /// The mount point of sysfs: `/sys`, or a test's directory.
    let root: String

    /// Returns an interface's properties; `nil` if sysfs has no such name with this index.
    func device(named name: String, index: UInt32) -> SysfsDevice? {
        guard !name.isEmpty, !name.contains("/"), name != ".", name != ".." else { return nil }
        let directory = "\(root)/class/net/\(name)"
        guard let found = readText("\(directory)/ifindex"), UInt32(found.filter(\.isNumber)) == index else {
            return nil
        }
        var device = SysfsDevice()
        device.deviceType = readText("\(directory)/uevent")?
            .split(separator: "\n")
            .first { $0.hasPrefix("DEVTYPE=") }
            .map { String($0.dropFirst("DEVTYPE=".count)) }
        device.hasPhy80211 = access("\(directory)/phy80211", F_OK) == 0
        device.driver = linkTarget("\(directory)/device/driver")
        device.bus = linkTarget("\(directory)/device/subsystem")
        return device
    }

    /// Returns the last component of a symbolic link's target.
    private func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink(path, &buffer, buffer.count)
        guard length > 0, length < buffer.count else { return nil }
        let target = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return target.split(separator: "/").last.map(String.init)
    }

    /// Returns the first 4 KiB of a file; no relevant attribute is longer.
    private func readText(_ path: String) -> String? {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        guard descriptor >= 0 else { return nil }
        defer { close(descriptor) }
        var buffer = [UInt8](repeating: 0, count: 4096)
        let length = read(descriptor, &buffer, buffer.count)
        guard length >= 0 else { return nil }
        return String(decoding: buffer.prefix(length), as: UTF8.self)
    }
}
