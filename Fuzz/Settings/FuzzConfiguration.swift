internal import FuzzKit
internal import Probes

@testable import Configuration

/// Configuration files: the parser, and every reader of a section.
enum FuzzConfiguration {
    static func run(_ input: [UInt8]) {
        guard let source = try? SourceText(input, file: "fuzz.toml") else { return }
        guard let root = try? TOMLParser.parse(source) else { return }
        requirePositions(root)
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

    /// Every value has a position.
    private static func requirePositions(_ node: Node) {
        require(node.origin.line != nil && node.origin.column != nil, "a value has no position")
        switch node.value {
        case .array(let nodes): nodes.forEach(requirePositions)
        case .table(let members): members.values.forEach(requirePositions)
        default: break
        }
    }

    /// The values in effect are a file that means the same.
    private static func requireFixpoint(_ effective: [String], probes: Int) {
        let bytes = Array(effective.joined(separator: "\n").utf8)
        // Defaults make a file of many probes larger than one may be.
        guard bytes.count <= SourceText.maxBytes, let source = try? SourceText(bytes, file: "fuzz.toml"),
            let root = try? TOMLParser.parse(source)
        else { return require(bytes.count > SourceText.maxBytes, "the values in effect are no TOML") }
        let notes = Notes(listsEffective: true)
        let settings = SettingsReader.settings(of: root, notes: notes, serializer: RequestSerializer())
        require(notes.isClean, "the values in effect are refused: \(notes.allErrors?.description ?? "")")
        require(settings.probes.count == probes, "the values in effect have other probes")
    }
}
