internal import Glibc
internal import Nettle

/// The name of this machine at brokers, if the configuration does not set one.
///
/// Derived from the machine ID like sd_id128_get_machine_app_specific(3): constant for the machine, without revealing
/// the ID, which is confidential (machine-id(5)).
enum DeviceName {
    /// The application ID of the agent; `systemd-id128 machine-id --app-specific=` returns the same name for it.
    static let application: [UInt8] = [
        0x5d, 0x1c, 0x3a, 0x8e, 0x6b, 0x0f, 0x4f, 0x52, 0x9c, 0x77, 0x2e, 0x41, 0xd8, 0x90, 0xab, 0x13,
    ]

    /// The name of this machine; `nil` if it has no ID.
    static var ofMachine: String? {
        guard let bytes = try? RegularFile.bytes(of: "/etc/machine-id", max: 64) else { return nil }
        return name(ofMachine: String(decoding: bytes, as: UTF8.self))
    }

    /// Returns the name for an ID of 32 hexadecimal digits; `nil` for any other string.
    static func name(ofMachine text: String) -> String? {
        let digits = text.utf8.last == UInt8(ascii: "\n") ? text.dropLast() : text[...]
        guard digits.utf8.count == 32, let id = bytes(of: digits), id.contains(where: { $0 != 0 }) else { return nil }
        var name = Array(SHA2.sha256.authenticationCode(for: application, key: id).prefix(16))
        // The format of a random UUID (RFC 9562, version 4).
        name[6] = name[6] & 0x0F | 0x40
        name[8] = name[8] & 0x3F | 0x80
        return name.hexadecimal
    }

    private static func bytes(of digits: Substring) -> [UInt8]? {
        var bytes: [UInt8] = []
        var rest = digits.utf8[...]
        while let high = rest.popFirst(), let low = rest.popFirst() {
            guard let high = value(high), let low = value(low) else { return nil }
            bytes.append(high << 4 | low)
        }
        return bytes
    }

    private static func value(_ digit: UInt8) -> UInt8? {
        switch digit {
        case UInt8(ascii: "0")...UInt8(ascii: "9"): digit - UInt8(ascii: "0")
        case UInt8(ascii: "a")...UInt8(ascii: "f"): digit - UInt8(ascii: "a") + 10
        default: nil
        }
    }
}

extension Sequence<UInt8> {
    /// The bytes as two lower-case hexadecimal digits each.
    var hexadecimal: String { map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined() }
}
