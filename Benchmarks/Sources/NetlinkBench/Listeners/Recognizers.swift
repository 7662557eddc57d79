internal import CTestbed

/// The recognizers of edges in the output of each listener.
///
/// They run on the reader's thread, for every line of a flood.
enum Recognizers {
    /// The first event of an edge: `path.changed`, before anything settles.
    static let agent: EventReader.Recognizer = { line in
        guard contains(line, #""type":"reachagent.path.changed""#) else { return nil }
        return !contains(line, #""to":{"via":"none""#)
    }

    /// A line such as `50: dut0@if60: <BROADCAST,MULTICAST,UP,LOWER_UP> …`.
    static let ipLink: EventReader.Recognizer = { line in
        guard hasPrefix(line, "50: dut0") else { return nil }
        return contains(line, "LOWER_UP")
    }

    /// `default via …`, or `Deleted default via …`.
    static let ipDefaultRoute: EventReader.Recognizer = { line in
        if hasPrefix(line, "default") { return true }
        return hasPrefix(line, "Deleted default") ? false : nil
    }

    /// A `PropertiesChanged` signal of systemd-networkd with the link's CarrierState.
    static let networkd: EventReader.Recognizer = { line in
        guard contains(line, "'org.freedesktop.network1.Link'") else { return nil }
        if contains(line, "'CarrierState': <'carrier'>") { return true }
        return contains(line, "'CarrierState': <'no-carrier'>") ? false : nil
    }

    private static func hasPrefix(_ line: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        line.count >= text.utf8CodeUnitCount && contains(.init(rebasing: line[..<text.utf8CodeUnitCount]), text)
    }

    private static func contains(_ line: UnsafeRawBufferPointer, _ text: StaticString) -> Bool {
        text.withUTF8Buffer { bytes in
            bytes.withMemoryRebound(to: CChar.self) {
                testbed_contains(line.baseAddress, line.count, $0.baseAddress, $0.count)
            }
        }
    }
}
