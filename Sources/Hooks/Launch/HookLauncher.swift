import Glibc

/// Finds the program between the agent and a hook, which becomes the file that was checked, by its descriptor.
package enum HookLauncher {
    /// The program's name.
    package static let name = "reachagent-hook-launcher"

    /// Where it is looked for, in this order.
    package static var places: [String] {
        var places = ["/usr/libexec/reachagent/\(name)", "/usr/lib/reachagent/\(name)"]
        if let folder = ownFolder { places.insert(folder + "/" + name, at: 0) }
        return places
    }

    /// The first of the places that has it; nil when none has.
    package static func find() -> String? { places.first { access($0, X_OK) == 0 } }

    /// The folder of the agent's own executable.
    private static var ownFolder: String? {
        var bytes = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = bytes.withUnsafeMutableBytes { buffer in
            buffer.withMemoryRebound(to: CChar.self) { characters in
                characters.baseAddress.map { readlink("/proc/self/exe", $0, characters.count) } ?? -1
            }
        }
        guard count > 0, count < bytes.count, let slash = bytes[..<count].lastIndex(of: UInt8(ascii: "/")) else {
            return nil
        }
        return String(decoding: bytes[..<slash], as: UTF8.self)
    }
}
