/// Where the configuration files of the system are.
struct ConfigurationFolders {
    /// The name of the configuration file.
    static let name = "reachagent.toml"
    /// The most drop-ins that are read.
    static let mostDropIns = 64

    /// The administrator's folder.
    let administrator: String
    /// The vendor's folder.
    let vendor: String

    /// Where they are in a Linux system (file-hierarchy(7)).
    static let system = ConfigurationFolders(administrator: "/etc/reachagent", vendor: "/usr/lib/reachagent")

    /// The file that is read when none is named; nil where there is none.
    func standardPath(environment: [String: String], isRoot: Bool) -> String? {
        // systemd gives the first to a service that may be anybody (`ConfigurationDirectory=` in systemd.exec(5)).
        let given = environment["CONFIGURATION_DIRECTORY"]?.split(separator: ":").first.map(String.init)
        if let given, given.hasPrefix("/"), given != administrator {
            let path = "\(given)/\(Self.name)"
            return RegularFile.exists(path) ? path : nil
        }
        if isRoot || given == administrator {
            let own = "\(administrator)/\(Self.name)"
            if RegularFile.exists(own) { return own }
            let vendors = "\(vendor)/\(Self.name)"
            if RegularFile.exists(vendors) { return vendors }
            return (try? dropIns(of: own))?.isEmpty == false ? own : nil
        }
        // What is no absolute path is to be ignored (XDG Base Directory Specification).
        let variables = [environment["XDG_CONFIG_HOME"], environment["HOME"].map { "\($0)/.config" }]
        guard let folder = variables.compactMap(\.self).first(where: { $0.hasPrefix("/") }) else { return nil }
        let path = "\(folder)/reachagent/\(Self.name)"
        return RegularFile.exists(path) ? path : nil
    }

    /// A file and its drop-ins, in the order in which they are read.
    ///
    /// The system's file may be missing where it has drop-ins, and a link to `/dev/null` stands for an empty file.
    func files(of path: String) throws(ConfigurationErrors) -> [String] {
        let dropIns = try dropIns(of: path)
        if RegularFile.isMask(path) || isSystem(path) && !RegularFile.exists(path) && !dropIns.isEmpty {
            return dropIns
        }
        return [path] + dropIns
    }

    private func isSystem(_ path: String) -> Bool {
        [administrator, vendor].contains { path == "\($0)/\(Self.name)" }
    }

    private func dropIns(of path: String) throws(ConfigurationErrors) -> [String] {
        // Later folders replace what earlier ones have under the same name.
        let folders = isSystem(path) ? [vendor, administrator].map { "\($0)/\(Self.name).d" } : ["\(path).d"]
        var files: [String: String] = [:]
        for folder in folders {
            for name in RegularFile.names(in: folder) where name.hasSuffix(".toml") && !name.hasPrefix(".") {
                files[name] = "\(folder)/\(name)"
            }
        }
        let used = files.filter { !RegularFile.isMask($0.value) }
        guard used.count <= Self.mostDropIns else {
            throw ConfigurationErrors([
                ConfigurationError(
                    file: path,
                    message: "has \(used.count) drop-ins; at most \(Self.mostDropIns) are accepted"
                )
            ])
        }
        return used.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map(\.value)
    }
}
