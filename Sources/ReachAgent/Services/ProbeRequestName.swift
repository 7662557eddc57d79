internal import FoundationEssentials

/// The parameters of the request `probe`.
struct ProbeRequestName: Decodable {
    /// Which probe is to be made; `nil` for all.
    let name: String?

    init(_ parameters: [UInt8]) throws {
        self = try JSONDecoder().decode(Self.self, from: Data(parameters))
    }
}
