internal import Glibc

/// What sysfs tells about one network interface beyond rtnetlink.
struct SysfsDevice: Sendable, Hashable {
    /// What the uevent file names as `DEVTYPE`, such as wlan, wwan, bluetooth or gadget.
    var deviceType: String?
    /// cfg80211 owns the interface.
    var hasPhy80211 = false
    /// The driver of the parent device, such as `cdc_ether`.
    var driver: String?
    /// The bus of the parent device, such as `pci` or `usb`.
    var bus: String?
}

/// Reads what sysfs tells about interfaces.
///
/// Sysfs shows the namespace of whoever mounted it, and a name may have changed since the kernel sent it. So a directory
/// counts only while its `ifindex` is the one that was asked for.
struct SysfsReader: Sendable {
    /// Where sysfs is mounted: `/sys`, or a tree that a test made.
    let root: String

    /// What sysfs tells about an interface, or `nil` where it knows no such name with this index.
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

    /// The last component of what a symbolic link points to.
    private func linkTarget(_ path: String) -> String? {
        var buffer = [CChar](repeating: 0, count: 4096)
        let length = readlink(path, &buffer, buffer.count)
        guard length > 0, length < buffer.count else { return nil }
        let target = String(decoding: buffer.prefix(length).map { UInt8(bitPattern: $0) }, as: UTF8.self)
        return target.split(separator: "/").last.map(String.init)
    }

    /// The first 4 KiB of a file; no attribute of interest is longer.
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
