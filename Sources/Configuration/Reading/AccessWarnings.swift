internal import Glibc
internal import Hooks

extension ConfigurationFile {
    /// Returns warnings about files of a configuration, and directories of drop-ins, that users other than root and the
    /// agent's can change.
    ///
    /// Files of hooks in this state are refused; the configuration names programs and users too.
    ///
    /// - Parameters:
    ///   - path: The file that was loaded.
    ///   - files: The files that were read.
    ///   - user: The agent's effective user.
    public static func accessWarnings(of path: String, files: [String], user: UInt32) -> [ConfigurationError] {
        var seen: Set<String> = []
        return (files + ConfigurationDirectories.system.dropInDirectories(of: path)).compactMap { file in
            guard let absolute = absolute(file), let refusal = TrustedFile.refusal(of: absolute, agent: user),
                seen.insert(refusal.path).inserted
            else { return nil }
            let subject = refusal.path == absolute ? "" : "\(refusal.path) "
            let remedy = refusal.command.map { ": \($0)" } ?? ""
            return ConfigurationError(
                file: file,
                message: "\(subject)\(refusal.evidence); others can change what the agent does and runs\(remedy)"
            )
        }
    }

    private static func absolute(_ path: String) -> String? {
        if path.utf8.first == UInt8(ascii: "/") { return path }
        guard let directory = getcwd(nil, 0) else { return nil }
        defer { free(directory) }
        return "\(String(cString: directory))/\(path)"
    }
}
