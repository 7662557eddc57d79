extension SinkSettings {
    /// The template of the subject or topic.
    ///
    /// - Throws: ``SinkSettingError`` when ``subject`` is not valid.
    public func template() throws(SinkSettingError) -> SubjectTemplate {
        try SubjectTemplate(subject, form: .init(broker.scheme))
    }
}

extension SubjectTemplate {
    /// The topic of the retained state: `<root>/state`, with ``MachineState/payload``.
    public func stateTopic(device: String) -> String { root(device: device) + "\(form.separator)state" }

    /// The topic of the retained presence: `<root>/status`, with `online` or `offline`.
    public func statusTopic(device: String) -> String { root(device: device) + "\(form.separator)status" }
}
