import ConfigurationFile
import Foundation

/// What kind of value the keys of the configuration take, as the reader of the configuration says it.
///
/// No list of kinds can be wrong that nobody wrote: each key is given a date, which none takes, and the error tells what is
/// wanted instead.
struct KeyTypes {
    /// What has to stand in the table of a key for the key to be looked at.
    private static let company = [
        "target": ["address = '192.0.2.7'"],
        "probe": ["target = 'https://host.example/'"],
        "hook": ["command = ['x']", "url = 'https://host.example/'"],
    ]

    private let folder: URL

    /// Kinds that are asked for with files in a folder, which exists.
    init(folder: URL) { self.folder = folder }

    /// The kind of value of a key, such as `duration`; nil when there is no such key.
    ///
    /// - Parameter table: The table's name as in a heading: `agent`, `probe.NAME`, `hook.NAME.when`.
    func type(of key: String, in table: String) throws -> String? {
        let names = table.split(separator: ".").map { $0 == "NAME" ? "x" : String($0) }
        guard let kind = names.first else { return nil }
        for given in Self.company[kind] ?? [""] {
            // In a table below, what has to be given stands in the table above.
            let above = names.prefix(2).joined(separator: ".")
            let head = names.count > 2 ? "[\(above)]\n\(given)\n[\(names.joined(separator: "."))]\n" : "[\(above)]\n"
            let lines = names.count > 2 || given.hasPrefix("\(key) ") ? "" : "\(given)\n"
            let path = (names + [key]).joined(separator: ".")
            guard let wanted = try self.wanted(at: path, in: head + lines + "\(key) = \(Self.stranger)\n") else {
                continue
            }
            guard wanted == "an array" else { return Self.short(wanted) }
            let element = try self.wanted(at: path, in: head + lines + "\(key) = [\(Self.stranger)]\n")
            return element.map { "array of \(Self.plural(Self.short($0)))" } ?? "array"
        }
        return nil
    }

    /// A value that no key takes.
    private static let stranger = "2026-11-21"

    /// What the reader wants in the place of a date.
    private func wanted(at path: String, in text: String) throws -> String? {
        let file = folder.appending(path: "question.toml")
        try Data(text.utf8).write(to: file)
        do throws(ConfigurationErrors) {
            _ = try ConfigurationFile.load(file.path(percentEncoded: false))
            return nil
        } catch {
            let messages = error.errors.filter { $0.key == path }.map(\.message)
            return messages.lazy.compactMap { message in
                message.firstRange(of: " is wanted, but ").map { String(message[..<$0.lowerBound]) }
            }.first
        }
    }

    /// The kinds have names in the page, which tells their forms once.
    private static func short(_ wanted: String) -> String {
        if wanted.hasPrefix("a duration in quotes") { return "duration" }
        if wanted.hasPrefix("a number of bytes") { return "size" }
        if wanted == "true or false" { return "boolean" }
        let end = wanted.firstRange(of: " such as ")?.lowerBound ?? wanted.endIndex
        let words = wanted[..<end].replacing(" in quotes", with: "").split(separator: " ")
        return words.filter { !["a", "an"].contains($0) }.joined(separator: " ")
    }

    private static func plural(_ kind: String) -> String {
        switch kind {
        case "IP address": "IP addresses"
        case "number of percent": "numbers of percent"
        default: kind + "s"
        }
    }
}
