internal import ArgumentParser

/// A protocol and a direction.
enum Scenario: String, Codable, Sendable, CaseIterable, ExpressibleByArgument {
    case downloadHTTP2 = "download-h2"
    case downloadHTTP1 = "download-h1"
    case downloadPlain = "download-plain"
    case uploadHTTP2 = "upload-h2"
    case uploadHTTP1 = "upload-h1"
    case uploadPlain = "upload-plain"

    var isUpload: Bool {
        switch self {
        case .uploadHTTP2, .uploadHTTP1, .uploadPlain: true
        case .downloadHTTP2, .downloadHTTP1, .downloadPlain: false
        }
    }

    var applicationProtocols: [String] {
        self == .downloadHTTP2 || self == .uploadHTTP2 ? ["h2", "http/1.1"] : ["http/1.1"]
    }

    /// The server's address without a path.
    func origin(_ server: ObjectServer) -> String {
        self == .downloadPlain || self == .uploadPlain ? server.plain : server.secure
    }
}
