/// Something that lies in the folders of hooks, and what becomes of it.
package struct FolderEntry: Sendable, Hashable {
    /// What becomes of it.
    package enum State: Sendable, Hashable {
        /// It runs.
        case runs
        /// A file of the same name hides it, or a folder that comes before this one and cannot be read.
        case masked(by: String)
        /// It is empty, or a link to `/dev/null`.
        case disabled
        /// Its name is one that editors and package managers give to what they put aside.
        case leftOver
        /// It is a folder whose name stands for nothing.
        case unknownFolder
        /// Its name is no UTF-8, or has control characters.
        case badName
        /// It comes after as many files as a folder may have; of a folder itself: it has more names than are read.
        case beyondLimit
        /// It is not to be trusted, or cannot be run.
        case refused(HookRefusal)
    }

    /// Its name as a hook, such as `10-log` or `wifi.d/10-log`; of a folder itself the occasion's, which may be empty.
    package var name: String
    /// Where it lies.
    package var path: String
    /// When it would run.
    package var occasion: HookOccasion
    /// What becomes of it.
    package var state: State

    /// Something in the folders.
    package init(name: String, path: String, occasion: HookOccasion, state: State) {
        self.name = name
        self.path = path
        self.occasion = occasion
        self.state = state
    }

    /// Why it does not run, in a few words; nil when it does.
    package var reason: String? {
        switch state {
        case .runs: nil
        case .masked(let path): "hidden by \(ShellWord.quoted(path))"
        case .disabled: "disabled: it is empty or a link to /dev/null"
        case .leftOver: "skipped: it is named like something that was put aside"
        case .unknownFolder: "skipped: hooks have no sub-folder of this name"
        case .badName: "skipped: its name is no UTF-8 or has control characters"
        case .beyondLimit: "skipped: a folder may have \(HookFolders.mostFiles) hooks"
        case .refused(let refusal): refusal.description
        }
    }
}
