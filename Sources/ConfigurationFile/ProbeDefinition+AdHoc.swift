internal import NetlinkMonitor
public import Probes
internal import Reachability

extension ProbeDefinition {
    /// A probe of one target with all defaults, as `run --probe URL` asks for.
    ///
    /// - Parameters:
    ///   - url: The target, as in a configuration file.
    ///   - name: The probe's name.
    ///   - serializer: How its request is built.
    /// - Throws: What is wrong; the errors name the file `--probe`.
    public static func adHoc(
        _ url: String,
        name: String,
        serializer: RequestSerializer = RequestSerializer()
    ) throws(ConfigurationErrors) -> ProbeDefinition {
        let notes = Notes()
        let origin = Origin(file: "--probe")
        let table = TableReader(
            ["target": Node(value: .string(url), origin: origin)],
            path: KeyPath(["probe", name]),
            origin: origin,
            notes: notes
        )
        if let flaw = SettingsReader.flaw(ofName: name) { notes.error(flaw, key: table.path, at: origin) }
        let material = ProbeMaterial(serializer: serializer, portalInterval: PortalSettings().recheck)
        let definition = ProbeReader.definition(name: name, of: table, material: material)
        if let errors = notes.allErrors { throw errors }
        guard let definition else { throw ConfigurationErrors([]) }
        return definition
    }
}
