internal import ArgumentParser

/// A protocol and a direction.
enum Scenario: String, Codable, Sendable, CaseIterable, ExpressibleByArgument {
    case downloadHTTP2 = "download-h2"
    case downloadHTTP1 = "download-h1"
    case downloadPlain = "download-plain"
    case uploadHTTP2 = "upload-h2"

    var isUpload: Bool { self == .uploadHTTP2 }

    var applicationProtocols: [String] { self == .downloadHTTP2 || isUpload ? ["h2", "http/1.1"] : ["http/1.1"] }

    /// The server's address without a path.
    func origin(_ server: ObjectServer) -> String { self == .downloadPlain ? server.plain : server.secure }
}
