/// One file of the folders that is to run.
package struct FolderHook: Sendable, Hashable {
    /// The hook's name, such as `10-log` or `wifi.d/10-log`.
    package var name: String
    /// Where the file lies.
    package var path: String
    /// When it runs.
    package var occasion: HookOccasion

    /// A file.
    package init(name: String, path: String, occasion: HookOccasion) {
        self.name = name
        self.path = path
        self.occasion = occasion
    }
}
