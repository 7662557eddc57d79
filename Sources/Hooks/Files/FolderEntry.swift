internal import AgentEvents

/// An entry of the hook directories, and its state.
package struct FolderEntry: Sendable, Hashable {
    /// The state of an entry.
    package enum State: Sendable, Hashable {
        /// The hook runs.
        case runs
        /// Hidden by a file of the same name, or by an unreadable directory before this one.
        case masked(by: String)
        /// Empty, or a link to `/dev/null`.
        case disabled
        /// Ignored, because its name is that of a backup of an editor or package manager.
        case leftOver
        /// A directory with an unknown name.
        case unknownFolder
        /// Its name is not UTF-8, or has control characters.
        case badName
        /// Beyond the maximum number of files in a directory; of a directory itself: it has more names than are read.
        case beyondLimit
        /// Not trusted, or not executable.
        case refused(HookRefusal)
    }

    /// Its name as a hook, such as `10-log` or `wifi.d/10-log`; of a directory itself the occasion's, which may be
    /// empty.
    package var name: String
    /// The path.
    package var path: String
    /// The occasion of the hook.
    package var occasion: HookOccasion
    /// The state.
    package var state: State

    /// Creates an entry.
    package init(name: String, path: String, occasion: HookOccasion, state: State) {
        self.name = name
        self.path = path
        self.occasion = occasion
        self.state = state
    }

    /// A short reason for a hook that does not run; nil when it does.
    package var reason: String? {
        switch state {
        case .runs: nil
        case .masked(let path): "hidden by \(ShellWord.quoted(path))"
        case .disabled: "disabled: it is empty or a link to /dev/null"
        case .leftOver: "skipped: it is named like something that was put aside"
        case .unknownFolder: "skipped: hooks have no sub-folder of this name"
        case .badName: "skipped: its name is no UTF-8 or has control characters"
        case .beyondLimit: "skipped: a folder may have \(HookFolders.maximumFiles) hooks"
        case .refused(let refusal): refusal.description
        }
    }
}
