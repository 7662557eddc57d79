internal import NetlinkMonitor
public import Probes
internal import Reachability

extension ProbeDefinition {
    /// A probe of one target with all defaults, as `run --probe URL` asks for.
    ///
    /// - Parameters:
    ///   - url: The target, as in a configuration file.
    ///   - name: The probe's name; ``name(forTarget:)`` proposes one.
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

    /// A name for the probe of a target: its host, as far as a name may have such characters.
    ///
    /// Two targets may get the same name, and a text that is no target gets `probe`.
    public static func name(forTarget url: String) -> String {
        let host: String
        switch try? ProbeTarget(parsing: url) {
        case .http(let url): host = url.host.description
        case .tcp(let name, _), .icmp(let name): host = name.description
        case .dns(_, _, let name, _): host = name
        case nil: host = ""
        }
        let letters = host.utf8.map { byte in
            SettingsReader.isNameByte(byte) ? Character(Unicode.Scalar(byte)) : "-"
        }
        let name = String(letters.prefix(60))
        return SettingsReader.flaw(ofName: name) == nil ? name : "probe"
    }
}
