/// The reason a file is not run, and the remedy.
public struct HookRefusal: Error, Sendable, Hashable, CustomStringConvertible {
    /// The stable codes.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no such file.
        case missing = "hook_missing"
        /// The file cannot be accessed.
        case unreadable = "hook_unreadable"
        /// It is not a regular file.
        case notRegular = "hook_not_regular"
        /// Its owner is neither root nor the agent's user.
        case owner = "hook_owner"
        /// It is writable by its group or others.
        case writable = "hook_writable"
        /// A parent directory has another owner, or is writable by others.
        case folder = "hook_folder"
        /// It has the set-user-ID or set-group-ID bit.
        case setuid = "hook_setuid"
        /// Not executable for anybody, or for the user to run as.
        case notExecutable = "hook_not_executable"
        /// It has no `#!` line and is not a program, or the interpreter does not exist.
        case noInterpreter = "hook_no_interpreter"
        /// The user or group to run as does not exist, or the agent may not change to it.
        case user = "hook_user"
        /// The working directory does not exist.
        case workingDirectory = "hook_working_directory"
    }

    /// The code.
    public var code: Code
    /// The file or directory at fault.
    public var path: String
    /// The evidence.
    public var evidence: String
    /// A command or a short instruction that fixes it.
    public var remedy: String
    /// The error, if the machine lacked a resource to check the file.
    ///
    /// Then nothing may be wrong with the file, and the next run may succeed.
    package var shortage: Int32?

    /// Creates a refusal.
    public init(_ code: Code, path: String, evidence: String, remedy: String) {
        self.code = code
        self.path = path
        self.evidence = evidence
        self.remedy = remedy
    }

    /// The refusal in one line.
    public var description: String { "\(code.rawValue) (\(path)): \(evidence); \(remedy)" }
}
