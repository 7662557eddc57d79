internal import FuzzKit
internal import Probes

@testable import ConfigurationFile

/// Configuration files: the scanner, the TOML library behind it, and every reader of a section.
enum FuzzConfiguration {
    static func run(_ input: [UInt8]) {
        guard let source = try? SourceText(input, file: "fuzz.toml") else { return }
        guard let root = try? TOMLDocument.parse(source, order: 0) else { return }
        // What the library accepts was scanned to its end: otherwise the bound on nesting could be passed by.
        requireLines(root)
        let notes = Notes(listsEffective: true)
        let settings = SettingsReader.settings(of: root, notes: notes, serializer: RequestSerializer())
        guard notes.isClean else {
            for error in notes.allErrors?.errors ?? [] {
                let isPlain = error.description.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
                require(isPlain, "a message has control characters in it")
            }
            return
        }
        requireFixpoint(notes.effective, probes: settings.probes.count)
    }

    /// Every value has a line.
    private static func requireLines(_ node: Node) {
        require(node.origin.line != nil, "a value has no line")
        switch node.value {
        case .array(let nodes): nodes.forEach(requireLines)
        case .table(let members): members.values.forEach(requireLines)
        default: break
        }
    }

    /// The values in effect are a file that means the same.
    private static func requireFixpoint(_ effective: [String], probes: Int) {
        let bytes = Array(effective.joined(separator: "\n").utf8)
        // Defaults make a file of many probes larger than one may be.
        guard bytes.count <= SourceText.mostBytes, let source = try? SourceText(bytes, file: "fuzz.toml"),
            let root = try? TOMLDocument.parse(source, order: 0)
        else { return require(bytes.count > SourceText.mostBytes, "the values in effect are no TOML") }
        let notes = Notes(listsEffective: true)
        let settings = SettingsReader.settings(of: root, notes: notes, serializer: RequestSerializer())
        require(notes.isClean, "the values in effect are refused: \(notes.allErrors?.description ?? "")")
        require(settings.probes.count == probes, "the values in effect have other probes")
    }
}
