internal import AgentEvents

/// The meaning of names in a hook directory.
enum HookFileName {
    private static let endings = [
        "~", ".bak", ".orig", ".rej", ".swp", ".swo", ".tmp", ".new", ".old", ".disabled",
        ".rpmsave", ".rpmorig", ".rpmnew",
    ].map { Array($0.utf8) }
    private static let parts = [".dpkg-", ".ucf-"].map { Array($0.utf8) }

    /// Returns whether a name is that of a backup or a documentation file.
    static func isLeftOver(_ name: [UInt8]) -> Bool {
        if name.first == UInt8(ascii: ".") || name.starts(with: "README".utf8) { return true }
        if name.count > 1, name.first == UInt8(ascii: "#"), name.last == UInt8(ascii: "#") { return true }
        return endings.contains { name.suffix($0.count).elementsEqual($0) }
            || parts.contains { part in
                name.indices.contains { name[$0] == UInt8(ascii: ".") && name[$0...].starts(with: part) }
            }
    }

    /// Returns the name as a string; nil when it is not UTF-8, or has characters that would disturb a log or a
    /// terminal.
    static func text(_ name: [UInt8]) -> String? {
        guard let text = String(validating: name, as: UTF8.self),
            !text.unicodeScalars.contains(where: ShellWord.isControl)
        else { return nil }
        return text
    }

    /// Returns a printable replacement for a name that is not valid text.
    static func readable(_ name: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
            text.unicodeScalars.append(ShellWord.isControl(scalar) ? "?" : scalar)
        }
        return text
    }
}
