internal import FoundationEssentials

/// The textual form of DER (RFC 7468).
enum PEMText {
    static func encode(_ label: String, _ der: [UInt8]) -> String {
        let base64 = Array(Data(der).base64EncodedString())
        let lines = stride(from: 0, to: base64.count, by: 64).map { start in
            String(base64[start..<min(start + 64, base64.count)])
        }
        return (["-----BEGIN \(label)-----"] + lines + ["-----END \(label)-----", ""]).joined(separator: "\n")
    }
}
