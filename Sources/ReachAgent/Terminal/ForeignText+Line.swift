internal import ForeignText

extension ForeignText {
    /// Text from the network as a line for a person has it: as ``shown(_:limit:)-swift.type.method`` shows it, up to 2 KiB.
    static func line(_ text: String) -> String { shown(text, limit: 2048) }
}
