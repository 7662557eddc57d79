extension SubjectTemplate {
    /// The filter that takes the events of all devices: `reachagent.*.>`, `reachagent/+/#`.
    public var allDevices: String {
        let end = tokens.firstIndex(of: [.variable(.device)]) ?? tokens.count
        let fixed = tokens[..<end].map { token in
            token.map { part in if case .text(let text) = part { text } else { "" } }.joined()
        }
        let wildcards = form == .subject ? ["*", ">"] : ["+", "#"]
        let rest = end + 1 < tokens.count ? wildcards : Array(wildcards.prefix(1))
        return (fixed + rest).joined(separator: String(form.separator))
    }

    /// The device in a subject or topic that ``allDevices`` takes; `nil` in a shorter one.
    public func device(in name: String) -> Substring? {
        let place = tokens.firstIndex(of: [.variable(.device)]) ?? tokens.count
        let names = name.split(separator: form.separator, maxSplits: place + 1, omittingEmptySubsequences: false)
        return names.indices.contains(place) && !names[place].isEmpty ? names[place] : nil
    }
}
