/// A key with the tables that it is in, as TOML writes it: `probe.web.interval`, `interfaces.kinds."usb*"`.
struct KeyPath: Sendable, Hashable, CustomStringConvertible {
    /// The keys from the root on.
    var keys: [String]

    init(_ keys: [String]) { self.keys = keys }

    static func + (path: KeyPath, key: String) -> KeyPath { KeyPath(path.keys + [key]) }

    /// Keys that TOML does not accept bare are quoted.
    var description: String { keys.map(Self.shown).joined(separator: ".") }

    private static func shown(_ key: String) -> String {
        let isBare =
            !key.isEmpty
            && key.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "_"):
                    true
                default: false
                }
            }
        return isBare ? key : TOMLText.quoted(key)
    }
}
