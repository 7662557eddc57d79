extension EventType {
    private static let texts = allCases.map { (type: $0, text: Array($0.rawValue.utf8)) }

    /// The type with this raw value in UTF-8; made without a string, because a journal has tens of thousands of lines.
    package init?(text: Span<UInt8>) {
        let found = text.withUnsafeBufferPointer { text in
            Self.texts.first { $0.text.count == text.count && $0.text.elementsEqual(text) }
        }
        guard let found else { return nil }
        self = found.type
    }
}
