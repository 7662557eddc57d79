/// What the names in a folder of hooks mean.
enum HookFileName {
    private static let endings = [
        "~", ".bak", ".orig", ".rej", ".swp", ".swo", ".tmp", ".new", ".old", ".disabled",
        ".rpmsave", ".rpmorig", ".rpmnew",
    ].map { Array($0.utf8) }
    private static let parts = [".dpkg-", ".ucf-"].map { Array($0.utf8) }

    /// Whether editors, package managers or people put a file of this name aside, or it is there to be read.
    static func isLeftOver(_ name: [UInt8]) -> Bool {
        if name.first == UInt8(ascii: ".") || name.starts(with: "README".utf8) { return true }
        if name.count > 1, name.first == UInt8(ascii: "#"), name.last == UInt8(ascii: "#") { return true }
        return endings.contains { name.suffix($0.count).elementsEqual($0) }
            || parts.contains { part in
                name.indices.contains { name[$0] == UInt8(ascii: ".") && name[$0...].starts(with: part) }
            }
    }

    /// The name as text; nil when it is no UTF-8, or has characters that would spoil a log or a terminal.
    static func text(_ name: [UInt8]) -> String? {
        guard let text = String(validating: name, as: UTF8.self),
            !text.unicodeScalars.contains(where: ShellWord.isControl)
        else { return nil }
        return text
    }

    /// Something to show in place of a name that is no text.
    static func readable(_ name: [UInt8]) -> String {
        var text = ""
        for scalar in String(decoding: name, as: UTF8.self).unicodeScalars {
            text.unicodeScalars.append(ShellWord.isControl(scalar) ? "?" : scalar)
        }
        return text
    }
}
