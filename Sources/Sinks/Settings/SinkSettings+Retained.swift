extension SinkSettings {
    /// Returns the topics of the discovery and of the state that a broker retains of this sink, and that its successor does
    /// not keep: nothing else would ever remove them.
    ///
    /// The presence is not among them: it is `offline` from the end of the sink on.
    ///
    /// - Parameter next: The settings of the successor.
    /// - Throws: ``SinkSettingError`` if a template is not valid.
    public func abandonedTopics(before next: SinkSettings) throws(SinkSettingError) -> [String] {
        let kept = next.broker == broker ? try next.retainedTopics() : []
        return try retainedTopics().filter { !kept.contains($0) }
    }

    private func retainedTopics() throws(SinkSettingError) -> [String] {
        guard mqtt?.keepsState == true else { return [] }
        return try HomeAssistant.messages(for: self, host: "").map(\.topic) + [template().stateTopic(device: device)]
    }
}
