/// A file of the hook directories to run.
package struct FolderHook: Sendable, Hashable {
    /// The hook's name, such as `10-log` or `wifi.d/10-log`.
    package var name: String
    /// The path of the file.
    package var path: String
    /// The occasion.
    package var occasion: HookOccasion

    /// Creates a hook.
    package init(name: String, path: String, occasion: HookOccasion) {
        self.name = name
        self.path = path
        self.occasion = occasion
    }
}
