package struct HookAccount: Sendable, Hashable {
    var uid: UInt32
    var gid: UInt32
    var groups: [UInt32]
    var name: String?
    var home: String?
    var shell: String?
}
